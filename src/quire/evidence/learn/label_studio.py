"""Samples as tasks of Label Studio: boxes with the name of the field, and the text of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.evidence.learn.samples import Sample, SamplePlace

FROM, TO = "label", "page"


def tasks_of(samples: Iterable[Sample]) -> list[dict[str, Json]]:
    """A task for each sample, with its values as an annotation: for `Import` in Label Studio.

    The labelling interface needs `RectangleLabels` named `label` with the paths of the schema, a `TextArea` per region
    named `text`, and `Image` named `page` with `valueList="$pages"`. `data.sample` is the sample itself, so that
    what comes back can be learnt from.
    """
    return [_task(one) for one in samples]


def samples_of(tasks: Sequence[Mapping[str, Any]]) -> list[Sample]:
    """The samples of tasks that Label Studio exported as JSON: the last annotation of each, on the document of
    `data.sample`. Fields without a box are not in the document; tasks without an annotation are left out.

    Raises UsageError for a task that does not come from `tasks_of`.
    """
    return [_sample(one) for one in tasks if one.get("annotations")]


def _task(sample: Sample) -> dict[str, Json]:
    result: list[Json] = []
    for path, value in sample.values.items():
        place = sample.places.get(path)
        if value is None or place is None:
            continue
        for number, box in enumerate(place.bboxes):
            region: dict[str, Json] = {
                "id": f"{path}-{number}",
                "to_name": TO,
                "item_index": place.page - 1,
                "value": {"rotation": 0, **_percent(box)},
            }
            value_of: dict[str, Json] = dict(region["value"])
            result.append(
                {
                    **region,
                    "from_name": FROM,
                    "type": "rectanglelabels",
                    "value": {**value_of, "rectanglelabels": [path]},
                }
            )
            if number == 0:
                text = {**value_of, "text": [str(value)]}
                result.append({**region, "from_name": "text", "type": "textarea", "value": text})
    return {
        "data": {"document": sample.document, "name": sample.name, "pages": [], "sample": sample.to_json()},
        "annotations": [{"result": result}],
    }


def _sample(task: Mapping[str, Any]) -> Sample:
    try:
        sample = Sample.from_json(task["data"]["sample"])
        results = task["annotations"][-1]["result"]
        boxes: dict[str, list[tuple[int, BBox]]] = defaultdict(list)
        texts: dict[str, str] = {}
        path_of: dict[str, str] = {}
        for one in results:
            value = one["value"]
            if one["type"] == "rectanglelabels":
                path_of[one["id"]] = path = value["rectanglelabels"][0]
                boxes[path].append((one.get("item_index", 0) + 1, _box(value)))
            elif one["type"] == "textarea":
                texts[one["id"]] = value["text"][0]
    except (LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"a task of Label Studio is not as `quire samples export` makes it: {error!r}") from error
    annotated = {path_of[name]: text for name, text in texts.items() if name in path_of}
    values: dict[str, Json] = {}
    for path in {**sample.values, **annotated}:
        before = sample.values.get(path)
        unplaced = before is not None and path not in sample.places
        values[path] = before if unplaced or annotated.get(path) == str(before) else annotated.get(path)
    places = {
        path: SamplePlace(those[0][0], tuple(box for page, box in those if page == those[0][0]), _quote(sample, path))
        for path, those in boxes.items()
    }
    return Sample(sample.document, sample.name, sample.schema, values, places, sample.content)


def _quote(sample: Sample, path: str) -> str:
    place = sample.places.get(path)
    return place.quote if place is not None else ""


def _percent(box: BBox) -> dict[str, Json]:
    return {
        "x": round(100 * box.left, 4),
        "y": round(100 * box.top, 4),
        "width": round(100 * box.width, 4),
        "height": round(100 * box.height, 4),
    }


def _box(value: Mapping[str, float]) -> BBox:
    names = ("x", "y", "width", "height")
    return BBox(*(round(value[name] / 100, 6) for name in names))

"""Enrichments of a DoclingDocument by a vision model: descriptions, classes and data of pictures, languages of code.

The items that it is asked about, the requests, and the meaning of its answers. Nothing here asks.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast, get_args

from quire.core import prompts

EnrichmentKind = Literal["picture_classification", "picture_description", "chart_extraction", "code_enrichment"]
"""docling's enrichments by the names of their options, without `do_`."""
ENRICHMENTS: tuple[EnrichmentKind, ...] = get_args(EnrichmentKind)
CLASSES = (
    *("bar_chart", "box_plot", "flow_chart", "line_chart", "pie_chart", "scatter_plot", "table", "other_chart"),
    *("full_page_image", "page_thumbnail", "photograph", "chemistry_structure", "bar_code", "icon", "logo", "qr_code"),
    *("signature", "stamp", "engineering_drawing", "screenshot_from_computer", "screenshot_from_manual"),
    *("geographical_map", "topographical_map", "calendar", "crossword_puzzle", "music", "other"),
)
"""The classes of docling's classifier of figures."""
NO_CHART = "none"
MOST_CODE = 4000
"""Characters of code that the model sees."""
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


class Addition(TypedDict):
    """The answer of a model about an item."""

    item: str
    """Its reference, like `#/pictures/0`."""
    kind: EnrichmentKind
    said: str
    by: str
    """The name of the model."""


def enrichable(
    document: Mapping[str, Any], kinds: Collection[str], least_area: float
) -> Iterator[tuple[EnrichmentKind, Mapping[str, Any]]]:
    """The items that there is something to ask about. Pictures below a share of their page are not described."""
    pages = {page["page_no"]: page["size"] for page in document.get("pages", {}).values()}
    for kind in ENRICHMENTS:
        if kind not in kinds:
            continue
        if kind == "code_enrichment":
            yield from ((kind, item) for item in document.get("texts", ()) if item.get("label") == "code")
            continue
        for item in document.get("pictures", ()):
            if kind != "picture_description" or _share(item, pages) >= least_area:
                yield kind, item


def request_about(kind: EnrichmentKind, content: str, prompt: str) -> dict[str, Any]:
    """The chat completion about an item, without the model: `content` is a picture as a data URL, or code."""
    if kind == "code_enrichment":
        question = f"{prompts.load('code_language').text}\n\n{', '.join(_languages())}\n\n{content[:MOST_CODE]}"
        return {"messages": [{"role": "user", "content": question}]}
    texts: dict[EnrichmentKind, Callable[[], str]] = {
        "picture_description": lambda: prompt,
        "picture_classification": lambda: f"{prompts.load('picture_class').text}\n\n{', '.join(CLASSES)}",
        "chart_extraction": lambda: prompts.load("chart").text,
    }
    picture = {"type": "image_url", "image_url": {"url": content}}
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": texts[kind]()}, picture]}]}


def understood(kind: EnrichmentKind, answer: str) -> str:
    """The part of an answer that is kept. Raises ValueError, with the reason, for one that means nothing."""
    text = answer.strip()
    match kind:
        case "picture_description":
            return text
        case "picture_classification":
            return _named(text.replace(" ", "_"), CLASSES, "class of pictures")
        case "code_enrichment":
            return _named(text, _languages(), "language of code")
        case "chart_extraction":
            if text.strip(" .").lower() == NO_CHART:
                return NO_CHART
            fenced = _FENCED.search(text)
            table = (fenced[1] if fenced else text).strip()
            if len(rows := _rows(table)) < 2 or len(rows[0]) < 2:
                raise ValueError("the answer is not the table of a chart")
            return table


def enriched(document: Mapping[str, Any], additions: Sequence[Addition]) -> dict[str, Any]:
    """The document with what was said, where docling puts it."""
    made = dict(document)
    for collection in ("pictures", "texts"):
        made[collection] = [dict(item) for item in document.get(collection, ())]
    items = {item["self_ref"]: item for collection in ("pictures", "texts") for item in made[collection]}
    for one in additions:
        _add(items[one["item"]], one)
    return made


def _add(item: dict[str, Any], addition: Addition) -> None:
    answer, by = addition["said"], addition["by"]
    if addition["kind"] == "code_enrichment":
        item["code_language"] = answer
        return
    if addition["kind"] == "chart_extraction" and answer == NO_CHART:
        return
    meta = item["meta"] = dict(item.get("meta") or {})
    match addition["kind"]:
        case "picture_description":
            meta["description"] = {"text": answer, "created_by": by}
            older = {"kind": "description", "text": answer, "provenance": by}  # for readers of before `meta`
            item["annotations"] = [*item.get("annotations", ()), older]
        case "picture_classification":  # no annotation: that would need a confidence, and the model gives none
            meta["classification"] = {"predictions": [{"class_name": answer, "created_by": by}]}
        case "chart_extraction":
            meta["tabular_chart"] = {"chart_data": _table(_rows(answer)), "created_by": by}


def _share(item: Mapping[str, Any], pages: Mapping[int, Mapping[str, float]]) -> float:
    """The share of its page that a picture has; all of it for one without a place, as in docling."""
    place = next(iter(item.get("prov") or ()), None)
    size = pages.get(place["page_no"]) if place else None
    if place is None or size is None or not size["width"] * size["height"]:
        return 1.0
    box: Mapping[str, float] = place["bbox"]
    return abs((box["r"] - box["l"]) * (box["t"] - box["b"])) / (size["width"] * size["height"])


def _named(text: str, names: Sequence[str], what: str) -> str:
    plain = text.strip("\"'`*._ \n").casefold()
    found = next((name for name in names if name.casefold() == plain), None)
    if found is None:
        raise ValueError(f"the answer is no {what}: {text[:60]!r}")
    return found


def _languages() -> list[str]:
    from docling_core.types.doc.labels import CodeLanguageLabel

    return [label.value for label in CodeLanguageLabel]


def _rows(table: str) -> list[list[str]]:
    """The rows of a CSV, all as wide as the widest."""
    found = [[cell.strip() for cell in row] for row in csv.reader(table.splitlines()) if any(row)]
    width = max(map(len, found), default=0)
    return [row + [""] * (width - len(row)) for row in found]


def _table(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    cells = [
        {
            "row_span": 1,
            "col_span": 1,
            "start_row_offset_idx": row,
            "end_row_offset_idx": row + 1,
            "start_col_offset_idx": column,
            "end_col_offset_idx": column + 1,
            "text": text,
            "column_header": row == 0,
        }
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    ]
    return {"table_cells": cells, "num_rows": len(rows), "num_cols": len(rows[0])}


def additions_of(data: bytes) -> list[Addition]:
    return cast("list[Addition]", json.loads(data))

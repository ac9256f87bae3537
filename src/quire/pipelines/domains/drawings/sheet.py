"""A drawing that was read: texts, tags and title blocks of its sheets, as JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from quire.core.context import Json
from quire.core.types import BBox, Field
from quire.output.export._csv import inert
from quire.output.export._json import box_json
from quire.pipelines.domains.drawings.grammar import TAG_KINDS, TagKind
from quire.pipelines.domains.drawings.tags import DrawingTag, by_kind
from quire.pipelines.domains.drawings.texts import SheetText

_COLUMNS = ("kind", "tag", "code", "number", "page", "left", "top", "width", "height", "angle", "confidence")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of a drawing. `source` says where its texts are from: `text` of the file, or `ocr`; `reason` why some
    are missing, and `unread` how many places of it could not be read."""

    page: int
    texts: tuple[SheetText, ...]
    tags: tuple[DrawingTag, ...]
    title_block: Mapping[str, Field]
    source: str
    reason: str | None = None
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Drawing:
    """A document of sheets."""

    name: str
    sheets: tuple[Sheet, ...]

    @property
    def tags(self) -> tuple[DrawingTag, ...]:
        return tuple(tag for sheet in self.sheets for tag in sheet.tags)

    @property
    def title_block(self) -> Mapping[str, Field]:
        """Of the first sheet that has one."""
        return next((sheet.title_block for sheet in self.sheets if sheet.title_block), {})

    def lists(self) -> dict[TagKind, list[DrawingTag]]:
        """The tags of each kind: the equipment list, the instrument list and so on, each tag once, sorted."""
        found = by_kind(self.tags)
        return {kind: _once(found[kind]) for kind in TAG_KINDS if kind in found}

    def to_json(self) -> dict[str, Json]:
        """Tags with their places by kind, and the title block, as JSON values."""
        return {
            "name": self.name,
            "tags": {kind: [_tag_json(tag) for tag in tags] for kind, tags in by_kind(self.tags).items()},
            "title_block": {
                name: {"label": field.label, "value": field.value, "bbox": box_json(field.value_bbox)}
                for name, field in self.title_block.items()
            },
            "sheets": [
                {"page": one.page, "texts": len(one.texts), "tags": len(one.tags), "source": one.source}
                | ({"reason": one.reason} if one.reason else {})
                | ({"unread": one.unread} if one.unread else {})
                for one in self.sheets
            ],
        }

    def to_csv(self) -> str:
        """One row for each place of a tag; boxes are fractions of the page."""
        return tags_csv(self.tags)


def tags_csv(tags: Iterable[DrawingTag]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for tag in tags:
        box = tag.bbox
        place = [f"{side:.5f}" for side in (box.left, box.top, box.width, box.height)]
        sure = "" if tag.confidence is None else f"{tag.confidence:.3f}"
        names = [inert(part) for part in (tag.text, tag.code, tag.number)]
        writer.writerow([tag.kind, *names, tag.page, *place, tag.angle, sure])
    return target.getvalue()


def tags_of(drawing: Mapping[str, Json]) -> list[DrawingTag]:
    """The tags of a drawing as `to_json` wrote it."""
    return [
        DrawingTag(
            text=one["tag"],
            kind=kind,
            code=one["code"],
            number=one["number"],
            page=one["page"],
            bbox=BBox(**one["bbox"]),
            angle=one["angle"],
            confidence=one["confidence"],
        )
        for kind, listed in cast("dict[TagKind, list[dict[str, Any]]]", drawing["tags"]).items()
        for one in listed
    ]


def _once(tags: list[DrawingTag]) -> list[DrawingTag]:
    first: dict[str, DrawingTag] = {}
    for tag in tags:
        first.setdefault("".join(tag.text.split()), tag)
    return [first[key] for key in sorted(first)]


def _tag_json(tag: DrawingTag) -> Json:
    return {
        "tag": tag.text,
        "code": tag.code,
        "number": tag.number,
        "page": tag.page,
        "bbox": box_json(tag.bbox),
        "angle": tag.angle,
        "confidence": tag.confidence,
    }

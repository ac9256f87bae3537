"""What a review finds wrong with an answer, or wants to be looked at."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from quire.core.context import Json
from quire.core.types import BBox

FindingKind = Literal[
    "unsupported",  # the document does not say the value where it is cited, nor elsewhere
    "invalid",  # the value does not fit the schema
    "contradiction",  # another place of the documents says something else
    "sum",  # amounts do not add up
    "footnote",  # a footnote at the value may change what it means
    "version",  # another version of the document says something else
    "missing",  # the documents have a value that the answer lacks
    "doubt",  # a reviewer says so
]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about the value at a path. `other` is the value that speaks against it, with its place.

    `open`: the solver has to answer it; the others are remarks for people.
    """

    path: str
    kind: FindingKind
    reason: str
    open: bool = True
    value: Json = None
    other: Json = None
    document: str = ""
    page: int | None = None
    bboxes: tuple[BBox, ...] = ()
    quote: str = ""
    record: str = ""
    by: str = "checks"
    """The checks, or the name of the reviewer that found it."""

    def to_json(self) -> dict[str, Json]:
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**named, "bboxes": [[box.left, box.top, box.width, box.height] for box in self.bboxes]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Finding:
        boxes = tuple(BBox(*box) for box in given.get("bboxes", ()))
        return cls(**{**{one.name: given[one.name] for one in fields(cls) if one.name in given}, "bboxes": boxes})


def encode_findings(findings: Sequence[Finding]) -> bytes:
    """Findings as lines of JSON."""
    lines = (json.dumps(one.to_json(), ensure_ascii=False) + "\n" for one in findings)
    return "".join(lines).encode("utf-8", "backslashreplace")


def decode_findings(data: bytes) -> list[Finding]:
    """The findings that `encode_findings` wrote."""
    return [Finding.from_json(json.loads(line)) for line in data.splitlines() if line.strip()]

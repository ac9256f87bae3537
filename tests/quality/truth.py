"""Documents of known content: the parts of each in reading order, as the generator wrote them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from quire.core.types import BlockKind

PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True)
class TruthCell:
    """A cell of a table at its first row and column, from 0."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True)
class Part:
    """One thing on a page: a block of this kind should have exactly this text. A field has a label and a value too."""

    kind: BlockKind
    text: str
    level: int = 0
    label: str = ""
    value: str = ""
    cells: Sequence[TruthCell] = ()


@dataclass(frozen=True)
class GoldenDocument:
    """Some pages of a file that are one document, and what is on them."""

    family: str
    first: int
    last: int
    parts: Sequence[Part] = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.family}-{self.first:02}"

    @property
    def pages(self) -> str:
        return f"{self.first}-{self.last}"

    @property
    def path(self) -> Path:
        return PAGES / f"{self.family}.pdf"


def families() -> list[str]:
    return sorted(path.stem for path in PAGES.glob("*.pdf"))


@cache
def documents_of(family: str) -> tuple[GoldenDocument, ...]:
    lines = (PAGES / f"{family}.truth.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_document(family, json.loads(line)) for line in lines)


def golden_documents() -> list[GoldenDocument]:
    return [document for family in families() for document in documents_of(family)]


def write_truth(family: str, documents: Sequence[GoldenDocument]) -> None:
    """One line for each document; values that are empty are left out."""
    lines = [
        json.dumps(
            {"pages": [one.first, one.last], "parts": [_short(asdict(part)) for part in one.parts]}, ensure_ascii=False
        )
        for one in documents
    ]
    (PAGES / f"{family}.truth.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _short(part: dict[str, object]) -> dict[str, object]:
    cells = part.pop("cells")
    assert isinstance(cells, Sequence)
    short = {name: value for name, value in part.items() if value}
    return short | ({"cells": [list(cell.values()) for cell in cells]} if cells else {})


def _document(family: str, line: dict[str, list[object]]) -> GoldenDocument:
    first, last = line["pages"]
    parts = [_part(part) for part in line["parts"] if isinstance(part, dict)]
    assert isinstance(first, int) and isinstance(last, int)
    return GoldenDocument(family, first, last, parts)


def _part(values: dict[str, object]) -> Part:
    cells = values.pop("cells", ())
    assert isinstance(cells, Sequence)
    return Part(**{"text": ""} | values, cells=tuple(TruthCell(*cell) for cell in cells))  # type: ignore[arg-type]

"""Figures in flowing text: which of their words are shown, and where their pictures are."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from quire.core.errors import InputError
from quire.core.types import Block
from quire.lexicon.amounts import has_price
from quire.output.export.crops import Crop

SCALE = 2.0  # pixels per point
SENTENCE = 4  # words
MUCH = 0.25  # of the rows of a figure that say something: the others belong to them
EDGE = 0.005  # of the page
CORNER = 0.1  # of the page: a larger picture is no ornament

_WORD = re.compile(r"[^\W\d_]{2,}")
_VALUE = re.compile(r"\d\s?%|\d[.,]\d")
_NAME = re.compile(r"\b(?=[\w.-]*\d)(?=[\w.-]*[^\W\d_])[\w.-]{5,}\b")  # of a part: PT-1010, LR003.22010-80
_LABELLED = re.compile(r"[^\W\d_]{2}[^:\t]*:[\s\t]*\S")


@dataclass(frozen=True, slots=True)
class FigureView:
    """The figures of a document in flowing formats: `labels` shows all their words, `pictures` are the targets of their
    images, by block id."""

    labels: bool = False
    pictures: Mapping[str, str] = field(default_factory=dict)

    def rows(self, figure: Block) -> list[str]:
        """The words of a figure that are shown, row by row: all of a drawing with much to say, like a title block."""
        rows = [row for row in figure.text.split("\n") if row.strip()]
        saying = rows if self.labels else [row for row in rows if says_something(row)]
        return rows if len(saying) >= MUCH * len(rows) else saying

    def target(self, figure: Block) -> str:
        """The address of the picture; without one that of the block, so that the figure leaves a trace."""
        return self.pictures.get(figure.id, f"#{figure.id}")


@runtime_checkable
class Illustrated(Protocol):
    """Something exportable that says how its figures are shown."""

    @property
    def figures(self) -> FigureView: ...


def view_of(result: object) -> FigureView:
    return result.figures if isinstance(result, Illustrated) else FigureView()


def says_something(row: str) -> bool:
    """Whether a row of a figure is a sentence, an amount, the name of a part, or a label with its value.

    The labels of axes are none of these.
    """
    words = _WORD.findall(row)
    if any(len(_WORD.findall(piece)) >= SENTENCE for piece in row.split("\t")) or has_price(row) or _NAME.search(row):
        return True
    return bool(words) and bool(_LABELLED.search(row) or _VALUE.search(row))


def is_ornament(figure: Block) -> bool:
    """Whether a figure without words is in a corner of the page, and runs off its edges: decoration."""
    box = figure.bbox
    across = box.left < EDGE or box.right > 1 - EDGE
    down = box.top < EDGE or box.bottom > 1 - EDGE
    return not figure.text and figure.placed and across and down and box.width * box.height < CORNER


def cut(blocks: Sequence[Block], crop: Crop) -> dict[str, bytes]:
    """The pictures of the figures as PNG, by block id; a figure on a page that cannot be rendered has none."""
    found: dict[str, bytes] = {}
    for block in sorted((b for b in blocks if b.kind == "figure" and b.placed), key=lambda block: block.page):
        box = block.bbox
        if box.width <= 0 or box.height <= 0:
            continue
        try:
            found[block.id] = crop(block.page, (box.left, box.top, box.width, box.height), SCALE)
        except InputError:
            continue
    return found


def embedded(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"

"""Rewrites text inside a recognition: in lines, their words, blocks and table cells; boxes are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from quire.core.engine import ReadBlock, ReadLine, Recognition
from quire.core.types import BBox, Word

Change = Callable[[str], str]
"""Maps the text of a line, a block or a cell to the corrected text."""


def rewritten(recognition: Recognition, change: Change) -> Recognition:
    """The recognition with every text rewritten. Lines and blocks without text are removed."""
    lines = (respelled(line, change(line.text)) for line in recognition.lines)
    blocks = (_block(block, change) for block in recognition.blocks)
    kept = tuple(b for b in blocks if b.text or b.kind in ("figure", "table"))
    return replace(recognition, lines=tuple(line for line in lines if line.text), blocks=kept)


def respelled(line: ReadLine, text: str) -> ReadLine:
    """The line with another text. Changed words get the boxes of those that they replace."""
    if text == line.text:
        return line
    words = tuple(_aligned(line.words, text.split(), upright=line.angle % 180 == 90)) if line.words else ()
    return replace(line, text=text, words=words)


def split_box(box: BBox, shares: Sequence[float], *, upright: bool = False) -> list[BBox]:
    """The box split along the direction of writing, in these proportions."""
    total, before = sum(shares) or 1.0, 0.0
    pieces = []
    for share in shares:
        start, size = before / total, share / total
        if upright:
            pieces.append(replace(box, top=box.top + start * box.height, height=size * box.height))
        else:
            pieces.append(replace(box, left=box.left + start * box.width, width=size * box.width))
        before += share
    return pieces


def _block(block: ReadBlock, change: Change) -> ReadBlock:
    if block.table is None:
        return replace(block, text=change(block.text))
    table = replace(block.table, cells=tuple(replace(cell, text=change(cell.text)) for cell in block.table.cells))
    return replace(block, text=table.text, table=table)


def _aligned(old: Sequence[Word], new: Sequence[str], *, upright: bool) -> Iterator[Word]:
    compared = SequenceMatcher(None, [word.text for word in old], new, autojunk=False)
    for kind, i, i_end, j, j_end in compared.get_opcodes():
        if kind == "equal":
            yield from old[i:i_end]
        elif i_end - i == j_end - j:
            pairs = zip(old[i:i_end], new[j:j_end], strict=True)
            yield from (replace(word, text=text) for word, text in pairs)
        elif j_end > j:
            stood = old[i:i_end] or old[max(0, i - 1) : i] or old[:1]
            boxes = split_box(BBox.union(w.bbox for w in stood), [len(t) for t in new[j:j_end]], upright=upright)
            confidence = stood[0].confidence
            yield from (Word(text, box, confidence) for text, box in zip(new[j:j_end], boxes, strict=True))

"""Normalises the results of every engine: afterwards their structure does not depend on the engine.

Boxes are fractions of the picture and lie inside it, texts are clean, every line has words that match it, regions are
in the order of the question. What cannot be repaired is dropped; an answer that is mostly invalid is rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.engine import Engine, Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import EngineError, QuireError
from quire.core.events import reason_of
from quire.core.types import BLOCK_KINDS, BBox, Region, Word
from quire.pages.recognize.cells import clean_table
from quire.pages.recognize.clean import clean_box, clean_code, clean_confidence, clean_line, clean_text, whole
from quire.pages.recognize.linewords import spells, words_in
from quire.pages.recognize.loops import absurdity
from quire.pages.recognize.routing import is_unread
from quire.system.awaited import settled

__all__ = ["Garbage", "interpreted", "normalize", "words_in"]

WHOLE_PAGE = BBox(0.0, 0.0, 1.0, 1.0)


class Garbage(EngineError):
    """An invalid answer."""


def interpreted(engine: Engine, answer: bytes, question: Question) -> list[Recognition]:
    """The engine's interpretation of a raw answer, normalised. Raises Garbage for any error in it."""
    try:
        return normalize(list(settled(engine.interpret(answer, question))), question, engine=engine.name)
    except QuireError as error:
        raise Garbage(engine.name, reason_of(error).removeprefix(f"{engine.name}: ")) from error
    except Exception as error:
        raise Garbage(engine.name, f"{type(error).__name__}: {error}") from error


def normalize(recognitions: Sequence[Recognition], question: Question, *, engine: str = "engine") -> list[Recognition]:
    """One clean recognition for the page, or one for each region in the order of the question.

    A region without a valid answer has an `error`. Raises EngineError when that applies to all of them; `engine` is
    the name to report when no recognition has one.
    """
    if not all(isinstance(one, Recognition) for one in recognitions):
        raise EngineError(engine, "the answer is not a list of recognitions")
    if not recognitions:
        raise EngineError(engine, "there is no answer")
    name = recognitions[0].engine
    if not question.regions:
        return [_raised(_clean(_merged(recognitions), WHOLE_PAGE, question.size))]
    answers = {one.region: one for one in reversed(recognitions)}
    cleaned = [_answer_for(region, answers.get(region.id), name, question.size) for region in question.regions]
    if all(one.error for one in cleaned):
        raise EngineError(name, cleaned[0].error or "no region was read")
    return cleaned


def _merged(recognitions: Sequence[Recognition]) -> Recognition:
    """One recognition of the page, also for an engine that returned several unrequested parts."""
    if len(recognitions) == 1:
        return replace(recognitions[0], region=None, grid=None)
    lines = tuple(line for one in recognitions for line in one.lines)
    blocks = tuple(block for one in recognitions for block in one.blocks)
    errors = [one.error for one in recognitions]
    error = errors[0] if all(errors) else None
    return replace(recognitions[0], lines=lines, blocks=blocks, region=None, grid=None, error=error)


def _raised(recognition: Recognition) -> Recognition:
    if recognition.error:
        raise EngineError(recognition.engine, recognition.error)
    return recognition


def _answer_for(region: Region, answer: Recognition | None, engine: str, size: tuple[int, int]) -> Recognition:
    if answer is None:
        error = None if region.role == "blank" else "the engine gave no answer for this region"
        return Recognition(engine, region=region.id, grid=region.grid, error=error)
    return replace(_clean(answer, clean_box(region.bbox) or WHOLE_PAGE, size), region=region.id, grid=region.grid)


def _clean(recognition: Recognition, place: BBox, size: tuple[int, int]) -> Recognition:
    """The recognition without its invalid parts; with an `error` and nothing else when most of it is invalid."""
    offered = [line for line in recognition.lines if clean_line(line.text)]
    lines = [line for line in map(_clean_line, offered) if line is not None]
    boxed = [block for block in recognition.blocks if block.bbox is not None]
    refused = len(offered) - len(lines) + sum(clean_box(block.bbox) is None for block in boxed)
    blocks = [block for block in (_clean_block(block, place) for block in recognition.blocks) if block is not None]
    language = clean_line(recognition.language) or None
    seen = [(box, clean_line(line.text)) for line in recognition.lines if (box := clean_box(line.bbox)) is not None]
    boxes = [*filter(None, map(clean_box, recognition.unread)), *(b for b, text in seen if is_unread(text, b, size))]
    unread = tuple(dict.fromkeys(boxes))
    cleaned = replace(recognition, lines=tuple(lines), blocks=tuple(blocks), language=language, unread=unread)
    if recognition.error:
        error: str | None = clean_line(recognition.error) or "the engine could not read it"
    elif 2 * refused > len(offered) + len(boxed):
        error = f"{refused} of {len(offered) + len(boxed)} boxes lie outside the page or are invalid"
    else:
        error = absurdity(cleaned)
    return replace(cleaned, lines=(), blocks=(), unread=(), error=error) if error else cleaned


def _clean_line(line: ReadLine) -> ReadLine | None:
    text, box = clean_line(line.text), clean_box(line.bbox)
    if not text or box is None:
        return None
    angle = round((whole(line.angle, -(10**6), 10**6) or 0) / 90) * 90 % 360
    bare = ReadLine(text, box, clean_confidence(line.confidence), angle=angle)
    words = tuple(word for word in map(_clean_word, line.words) if word is not None)
    usable = spells(words, text) and all(_touches(word.bbox, box) for word in words)
    return replace(bare, words=words if usable else words_in(bare))


def _clean_word(word: Word) -> Word | None:
    text, box = clean_line(word.text), clean_box(word.bbox)
    return Word(text, box, clean_confidence(word.confidence)) if text and box is not None else None


def _touches(box: BBox, other: BBox) -> bool:
    across = box.left <= other.right and other.left <= box.right
    return across and box.top <= other.bottom and other.top <= box.bottom


def _clean_block(block: ReadBlock, place: BBox) -> ReadBlock | None:
    box = clean_box(block.bbox)
    if block.bbox is not None and box is None:
        return None
    table = clean_table(block.table, box or place) if block.table else None
    kind = block.kind if block.kind in BLOCK_KINDS else "paragraph"
    if table is not None:
        kind = "table"
    elif kind == "table":
        kind = "paragraph"  # without a grid it is ordinary text
    text = table.text if table else clean_code(block.text) if kind == "code" else clean_text(block.text)
    if not text and block.table is not None and table is None:
        text = clean_text("\n".join(str(cell.text) for cell in block.table.cells))
    if not text and kind not in ("figure", "table"):
        return None
    level = whole(block.level, 1, 9) if kind in ("heading", "list_item") else None
    return ReadBlock(kind, text, box, clean_confidence(block.confidence), level, table)

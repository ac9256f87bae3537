"""Serialises the raw answer: compact JSON in pixels of the picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quire.core.engine import Question, ReadLine, Recognition
from quire.core.errors import EngineError
from quire.core.types import BBox, Word

if TYPE_CHECKING:
    from quire.pages.recognize.rapidocr.reader import FoundLine

NAME = "rapidocr"
MANY = 3  # lines without any recognised letter
LONG = 5  # of their height: shorter ones may be specks and drawings


def to_bytes(readings: Sequence[Sequence[FoundLine]]) -> bytes:
    """One list of lines for the page, or one for each region."""
    plain = [[_plain(line) for line in lines] for lines in readings]
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()


def _plain(line: FoundLine) -> dict[str, object]:
    return {
        "quad": [round(float(value), 1) for corner in line.corners for value in corner],
        "text": line.text,
        "sure": round(line.confidence, 4),
        "angle": line.angle,
        "words": [[w.text, *(round(value, 1) for value in w.box), round(w.confidence, 4)] for w in line.words],
    }


def from_bytes(answer: bytes, question: Question) -> tuple[Recognition, ...]:
    """Raises EngineError for anything but the output of `to_bytes`."""
    try:
        readings = json.loads(answer)
        found = tuple(tuple(_line(line, question.size) for line in lines) for lines in readings)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise EngineError(NAME, f"the answer is invalid: {error}") from error
    if len(found) != max(1, len(question.regions)):
        raise EngineError(NAME, f"{len(found)} readings for {max(1, len(question.regions))} places")
    if not question.regions:
        _check_script(found[0], question.size)
        return (Recognition(NAME, found[0]),)
    return tuple(
        Recognition(NAME, lines, region=region.id, grid=region.grid)
        for region, lines in zip(question.regions, found, strict=True)
    )


def _check_script(lines: Sequence[ReadLine], size: tuple[int, int]) -> None:
    """Raise EngineError for a page with lines but no text: the models do not know its script."""
    unread = [line.bbox for line in lines if not line.text.strip()]
    long = [box for box in unread if box.width * size[0] > LONG * box.height * size[1]]
    if len(long) >= MANY and 2 * len(unread) > len(lines):
        raise EngineError(NAME, "recognised no letters; if this is another script, name its language with `--lang`")


def _line(line: dict[str, Any], size: tuple[int, int]) -> ReadLine:
    quad = [float(value) for value in line["quad"]]
    box = (min(quad[0::2]), min(quad[1::2]), max(quad[0::2]), max(quad[1::2]))
    words = tuple(
        Word(str(text), BBox.of_points((left, top, right, bottom), size), float(sure))
        for text, left, top, right, bottom, sure in line["words"]
    )
    return ReadLine(str(line["text"]), BBox.of_points(box, size), float(line["sure"]), words, int(line["angle"]))

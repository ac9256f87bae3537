"""Pages that may lie in another orientation than their picture was turned to: which turns to try, and which is best.

The model that finds the orientation needs some text, and is certain of scripts that it does not know. What an engine
recognises on a page that lies upside down has little confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.core.engine import Recognition
from quire.core.types import Word, mean_confidence
from quire.pages.recognize.seen import Seen

SURE_TURN = 0.85  # confidence of the model from which on only a page that is hardly readable is turned
DOUBTFUL = 0.85  # mean confidence of the text: below it, the orientation of a page is checked where it is not certain
HARDLY_READ = 0.8  # the same where it is certain: print that lies upside down is read with 0.6 to 0.77
CHANCE = 0.5  # confidence of a character that says nothing


def other_turns(seen: Seen, readings: Sequence[Recognition]) -> tuple[int, ...]:
    """The turns (degrees clockwise) to try next for a page that was read like this, the most probable first.

    None for an engine without confidences, or one that returns blocks.
    """
    words = list(_words(readings))
    if any(word.confidence is None for word in words) or any(reading.blocks for reading in readings):
        return ()
    prepared = seen.prepared
    certain = prepared.turn_confidence >= SURE_TURN
    if certain and not words:
        return ()  # a photograph
    confidence = mean_confidence((word.confidence, len(word.text)) for word in words) or 0.0
    if confidence >= (HARDLY_READ if certain else DOUBTFUL):
        return ()
    half = (prepared.turn + 180) % 360
    others = (0,) if certain else (0, 90, 180, 270)
    return tuple(dict.fromkeys([half, *(turn for turn in others if turn != prepared.turn)]))


def evidence(readings: Sequence[Recognition]) -> float:
    """The amount of text read, weighted by confidence: of two readings of a page, the one with more is upright."""
    return sum(len(word.text) * ((word.confidence or 0.0) - CHANCE) for word in _words(readings))


def _words(readings: Sequence[Recognition]) -> Iterator[Word]:
    return (word for reading in readings for line in reading.lines for word in line.words)

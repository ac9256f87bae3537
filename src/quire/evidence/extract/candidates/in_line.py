"""Values behind labels that stand in one line with others: `Terms: Net 30   Buyer: J. Alvarez`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from quire.core.median import median
from quire.evidence.extract.lines import PlacedLine
from quire.lexicon.phrases import TextSpan

WIDE = 1.6
"""Of the usual space: a wider one ends a value."""
MOST_WORDS = 4  # of a label behind another value
_COLON = re.compile(r"(?<=[^\W_])\s?:\s+(?=\S)")
_WORD = re.compile(r"\S+")


def values_in_line(line: PlacedLine) -> Iterator[TextSpan]:
    """The values of a line with several labels; nothing for other lines."""
    colons = list(_COLON.finditer(line.text))
    if len(colons) < 2:
        return
    words = [match.span() for match in _WORD.finditer(line.text)]
    spaces = {after[0]: line.place(*after).left - line.place(*before).right for before, after in pairwise(words)}
    usual = median(list(spaces.values()))
    for colon, following in pairwise([*colons, None]):
        assert colon is not None
        end = (
            len(line.text)
            if following is None
            else _label_start(line.text, colon.end(), following.start(), spaces, usual)
        )
        value = line.text[colon.end() : end].rstrip()
        if any(map(str.isalnum, value)):
            yield colon.end(), colon.end() + len(value)


def _label_start(text: str, start: int, end: int, spaces: dict[int, float], usual: float) -> int:
    """Where the label before a colon begins: behind the widest space if that is wide, else behind the last number, else
    it is the last word."""
    at = [match.start() + start for match in _WORD.finditer(text[start:end])][-MOST_WORDS:]
    if not at:
        return end
    widest = max(at, key=lambda one: (spaces.get(one, 0.0), one))
    if spaces.get(widest, 0.0) > WIDE * usual:
        return widest
    behind = [one for one in at if not any(map(str.isdigit, text[one:end]))]
    return behind[0] if behind and behind[0] != at[0] else at[-1]

"""Label scores: each piece of a page is scored by its words, and by the pieces that look or stand like it.

A form sets its labels alike and fills in values that look different, so what is known of some pieces tells about the
others: those in the same type, those that begin below each other, and those of one row.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from quire.core.median import median
from quire.evidence.extract.pairs.pieces import LinePiece
from quire.lexicon.labels import is_form_word, label_words
from quire.pages.geometry.rows import grouped

CERTAIN = 3.0  # a label by its colon
NAMED = 1.6  # by the words that forms use
FOLLOWS, FIGURE, DIGITS, INITIALS, LONG, LOWER = -2.0, -2.0, -0.8, -0.8, -1.5, -0.5
LARGE, TITLE = 1.5, -1.0  # of the usual height: what is higher is rather a title
NUMBERED = 0.3
BESIDE = 0.5  # the layout of the page takes it for a label
SAME_TYPE, SAME_EDGE, SAME_ROW = 1.2, 0.7, 0.25  # how much the mean of the others counts
EDGE = 0.6  # of the height: how far the left edges of pieces below each other may differ
LONGEST = 60
_INITIALS = re.compile(r"^(?:(?:Mr|Mrs|Ms|Dr|Prof)\b\.?|[A-Z]\.)\s?(?:[A-Z]\.\s?)*[A-Z]")
_PLACE = re.compile(r"@|www\.|https?:")
_STREET = re.compile(
    r"^\d+\w?,?\s+\S.*\s(?:street|st|road|rd|avenue|ave|lane|drive|way|square|place)\b|(?:stra(?:ß|ss)e|weg|platz)\s\d|"
    r"^\d+\w?,?\s(?:rue|avenue|boulevard|place|via|calle|jalan)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-z]{2,}[.;] [A-Za-z][a-z]+ [a-z]")


class LabelScores(NamedTuple):
    """A number for each piece, above 0 for labels: by itself, and with what looks like it or stands beside it."""

    own: Mapping[LinePiece, float]
    all: Mapping[LinePiece, float]


def label_scores(pieces: Sequence[LinePiece], rows: Iterable[Sequence[LinePiece]]) -> LabelScores:
    follows = {piece.rest for piece in pieces if piece.rest is not None}
    tall = LARGE * median(piece.height for piece in pieces) if pieces else 0.0
    titles = {piece for piece in pieces if piece.height > tall and not piece.is_label and not piece.line.label}
    own = {piece: FOLLOWS if piece in follows else _own(piece) + TITLE * (piece in titles) for piece in pieces}
    found = dict(own)
    types: dict[Hashable, list[LinePiece]] = defaultdict(list)
    for piece in pieces:
        if all(word.confidence is None for word in piece.line.words):  # the height of words on a scan varies
            types[round(piece.height, 1), piece.line.bold].append(piece)
    for weight, groups in ((SAME_TYPE, types.values()), (SAME_EDGE, _edges(pieces)), (SAME_ROW, rows)):
        for group in groups:
            total = sum(own[piece] for piece in group)
            for piece in group:
                found[piece] += weight * (total - own[piece]) / len(group)
    return LabelScores(own, found)


def _own(piece: LinePiece) -> float:
    if piece.is_label:
        return CERTAIN
    plain = piece.name
    if piece.is_numeric or _PLACE.search(plain) or _STREET.search(piece.text) or not any(map(str.isalpha, plain)):
        return FIGURE
    words = label_words(plain)
    score = NAMED * sum(map(is_form_word, words)) / len(words) if words else 0.0
    if any(map(str.isdigit, plain)):
        score += DIGITS
    if len(plain) > LONGEST or _SENTENCE.search(plain):
        score += LONG
    if plain[:1].islower():
        score += LOWER
    if _INITIALS.match(plain):
        score += INITIALS
    if piece.line.is_label:
        score += BESIDE
    if plain != piece.text:
        score += NUMBERED
    return score


def _edges(pieces: Sequence[LinePiece]) -> list[list[LinePiece]]:
    """Pieces that begin below each other."""
    ordered = sorted(pieces, key=lambda piece: piece.box.left)
    return grouped(ordered, lambda group, piece: piece.box.left - group[0].box.left <= EDGE * piece.height)

"""Regions of a recognised page that may be formulas: pieces that stand apart in a column and are no words of it.

An engine for formulas reads these regions. A missed formula stays what OCR made of it, while prose that is read as a
formula would be invented: a region must stand apart, and must show signs of mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from quire.core.engine import ReadLine, Recognition
from quire.core.types import BBox, Region
from quire.pages.recognize.seen import Seen

FEW_LINES = 3  # of prose: with fewer the page has no column of text
PROSE_WORDS, LONG_WORD = 3, 3  # a line of prose has so many words of more letters than this
WORDY = 0.4  # of the characters of a piece: those in words of the text
NARROW = 12.0  # times the height of a line: a narrower column is none of text
REACH = 14.0  # times the height: how far away the text of the column may be
APART = 0.8  # times the height: white space between two formulas, of one group it is less
CLEAR, FREE = 0.3, 0.6  # the same between a formula and the text above or below; one as wide as the column
INDENT = 1.0  # times the height: how far from the edge of the column a formula begins
FAR = 3.0  # the same of one that is not in its middle, and has no number: OCR may have missed the rest
MIDDLE = 0.08  # of the width of the column: how far from its middle that of a formula may be
FULL = 0.8  # of the width of the column: a formula this wide need not be indented
MARGIN_X, MARGIN_Y = 6.0, 0.9  # times the height: what OCR may have missed around its pieces
FRAGMENTS = 3  # pieces one above the other: a fraction, even where OCR saw no sign
MOST = 40  # regions on a page
RELATIONS = frozenset("=≠≈≡≤≥<>∈→⇒↔∼≅∝≪≫⊂⊆:")
SIGNS = frozenset("∑∏∫∮√∞∂∇±×÷·∀∃∩∪⊗⊕†′{}|^") | {chr(code) for code in range(0x391, 0x3CA)}
OPERATORS = frozenset("+−±")
FUNCTIONS = re.compile(
    r"(?:arc)?(?:sin|cos|tan)h?|cot|sec|csc|exp|log|ln|lim|max|min|sup|inf|det|dim|ker|deg|arg|gcd|hom|mod|const|rank|"
    r"span|diag|trace|Pr|var|cov|int"
)
_NUMBER = re.compile(r"[(\[]\s*[A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3}){0,2}\s*[a-z]?['′]?\s*[)\]]\Z")
_GREEK = re.compile("[\u0391-\u03c9]")
_VOWEL = re.compile("[aeiouyAEIOUY]")
_WORD = re.compile(r"[^\W\d_]{2,}")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of the prepared picture."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line as OCR found it."""

    text: str
    box: Box
    confidence: float

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2


def formula_regions(seen: Seen, readings: Sequence[Recognition]) -> tuple[Region, ...]:
    """The regions of a page that look like a formula, from top to bottom, in fractions of the prepared picture."""
    pieces = [_piece(line, seen) for one in readings for line in one.lines if not line.angle and line.text.strip()]
    prose = [piece for piece in pieces if _is_prose(piece.text)]
    if len(prose) < FEW_LINES:
        return ()
    height = median(piece.box[3] - piece.box[1] for piece in prose)
    loose = [piece for piece in pieces if not _is_prose(piece.text) and not _is_wordy(piece.text)]
    others = [piece for piece in pieces if piece not in loose]
    boxes: list[Box] = []
    for group in _groups(loose, height):
        box = _box_of_formula(group, others, loose, prose, height)
        if box is not None:
            boxes.append(box)
    width, tall = seen.prepared.size
    kept = sorted(boxes, key=lambda box: (box[1], box[0]))[:MOST]
    return tuple(
        Region(
            f"formula-{number}",
            BBox(left / width, top / tall, (right - left) / width, (bottom - top) / tall),
            attrs={"line": round(height, 1)},
        )
        for number, (left, top, right, bottom) in enumerate(kept, 1)
    )


def _piece(line: ReadLine, seen: Seen) -> _Piece:
    return _Piece(line.text.strip(), line.bbox.points(seen.prepared.size), line.confidence or 0.0)


def _is_prose(text: str) -> bool:
    """Whether a line is one of text, perhaps with a formula in it."""
    return sum(len(word) > LONG_WORD for word in _words(text)) >= PROSE_WORDS


def _is_wordy(text: str) -> bool:
    """Whether a piece is made of words rather than of signs; beside a relation, short ones are names of variables."""
    least = LONG_WORD + 1 if RELATIONS & set(text) else LONG_WORD
    words = [word for word in _words(text) if len(word) >= least]
    return sum(map(len, words)) > WORDY * len(text.replace(" ", ""))


def _words(text: str) -> list[str]:
    """The words of a text, without names of functions, and without letters in a row that have no vowel."""
    found = (word for word in _WORD.findall(text) if not FUNCTIONS.fullmatch(word))
    return [word for word in found if not _GREEK.search(word) and (_VOWEL.search(word) or not word.isascii())]


def _groups(loose: Sequence[_Piece], height: float) -> list[list[_Piece]]:
    """Pieces near each other: those of a fraction, the limits of a sum, the rows of one display."""
    groups: list[list[_Piece]] = []
    for piece in sorted(loose, key=lambda piece: piece.box[1]):
        near = [group for group in groups if any(_is_near(piece, other, height) for other in group)]
        joined = [piece, *(other for group in near for other in group)]
        groups = [group for group in groups if group not in near] + [joined]
    return groups


def _is_near(piece: _Piece, other: _Piece, height: float) -> bool:
    left, top, right, bottom = piece.box
    across = max(left - other.box[2], other.box[0] - right)
    down = max(top - other.box[3], other.box[1] - bottom)
    level = down < 0  # beside each other: a wide gap is one between columns
    return (across < 1.5 * height if level else across < height) and down < (0 if across > 0 else APART) * height + 1


def _box_of_formula(
    group: Sequence[_Piece], others: Sequence[_Piece], loose: Sequence[_Piece], prose: Sequence[_Piece], height: float
) -> Box | None:
    """The box to be read, or None where the group is no formula of a column of text."""
    parts = [piece for piece in group if not _NUMBER.match(piece.text)]
    if not parts or not _shows_mathematics(parts):
        return None
    left, top, right, bottom = _around(parts)
    column = _column((left, top, right, bottom), prose, height)
    if column is None:
        return None
    start, end = column
    if left < start - height or right > end + height:
        return None
    inside = [piece for piece in others if piece.box[0] < end and piece.box[2] > start]
    if any(min(piece.box[3], bottom) - max(piece.box[1], top) > CLEAR * height for piece in inside):
        return None  # beside words
    number = [
        piece for piece in loose if _NUMBER.match(piece.text) and piece.box[0] >= right and top < piece.middle < bottom
    ]
    centred = abs((left + right) / 2 - (start + end) / 2) < MIDDLE * (end - start)
    wide = right - left > FULL * (end - start)
    if wide and any(len(word) > LONG_WORD for piece in parts for word in _words(piece.text)):
        return None  # a line of text with a formula in it
    indented = left > start + INDENT * height and (number or (_relates(parts) and left > start + FAR * height))
    if not (centred or wide or indented):
        return None
    above = max((piece.box[3] for piece in inside if piece.middle < top), default=top - height)
    below = min((piece.box[1] for piece in inside if piece.middle > bottom), default=bottom + height)
    if min(top - above, below - bottom) < (FREE if wide else CLEAR) * height:
        return None
    rest = [piece for piece in loose if piece not in group and piece.box[0] < end and piece.box[2] > start]
    above = max([above, *(piece.box[3] for piece in rest if piece.middle < top)])
    below = min([below, *(piece.box[1] for piece in rest if piece.middle > bottom)])
    edge = min([end + height, *(piece.box[0] - 0.3 * height for piece in number)])
    return (
        max(start - height, left - MARGIN_X * height),
        max((above + top) / 2, top - MARGIN_Y * height),
        min(edge, right + MARGIN_X * height) if centred else edge,
        min((below + bottom) / 2, bottom + MARGIN_Y * height),
    )


def _shows_mathematics(parts: Sequence[_Piece]) -> bool:
    """Whether a relation stands between letters or signs, or pieces stand one above the other."""
    text = "".join(piece.text for piece in parts)
    letters = sum(map(str.isalpha, text))
    related = _relates(parts)
    signs = sum(sign in SIGNS for sign in text)
    if related and letters + signs > 0:
        return True
    if signs >= 2 and letters:
        return True
    if letters and OPERATORS & set(text[1:-1]) and all(len(word) < LONG_WORD for word in _words(text)):
        return True
    stacked = [
        piece
        for piece in parts
        if any(other is not piece and _overlap(piece, other) and other.middle > piece.middle for other in parts)
    ]
    return len(parts) >= FRAGMENTS and bool(stacked) and letters > 0


def _relates(parts: Sequence[_Piece]) -> bool:
    """Whether something is equal to something, or less, or an element of it."""
    return any(sign in "".join(piece.text for piece in parts)[1:] for sign in RELATIONS - {":"})


def _overlap(piece: _Piece, other: _Piece) -> bool:
    return piece.box[0] < other.box[2] and piece.box[2] > other.box[0]


def _column(box: Box, prose: Sequence[_Piece], height: float) -> tuple[float, float] | None:
    """The left and right edge of the text above and below a box; None where there is none."""
    left, top, right, bottom = box
    over = [piece for piece in prose if piece.box[0] < right and piece.box[2] > left]
    above = sorted((p for p in over if p.box[3] <= top + height / 2), key=lambda p: -p.box[3])[:3]
    below = sorted((p for p in over if p.box[1] >= bottom - height / 2), key=lambda p: p.box[1])[:3]
    near = [p for p in (*above, *below) if max(top - p.box[3], p.box[1] - bottom) < REACH * height]
    if not near:
        return None
    start, end = min(p.box[0] for p in near), max(p.box[2] for p in near)
    return (start, end) if end - start > NARROW * height else None


def _around(pieces: Iterable[_Piece]) -> Box:
    boxes = [piece.box for piece in pieces]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )

"""The pieces of a page that may be labels or values: its lines, cut behind labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from quire.evidence.extract.lines import PlacedLine
from quire.lexicon.labels import is_form_word, label_words
from quire.pages.geometry.neighbours import Neighbours

LONGEST_LABEL, MOST_WORDS = 60, 9  # characters and words
MOST_NAMING = 4  # words of a label that has neither a colon nor a gap behind it
SHORTEST = 3  # letters of such a label in capitals
_COLON = re.compile(r"(?<!\d)\s?:(?!\d|//)|(?<=\d)\s?:(?=\s|$)")
_NUMBERED = re.compile(r"^(?:\(?\d{1,3}[a-z]?[.)]\s*|(?:\d{1,2}[a-z]?|[a-z])\s+(?=[^\W\d_]{2}))")
_WORD = re.compile(r"\S+")
_WORDED = re.compile(r"[^\W\d_]{2}")
_NAMED = re.compile(
    r"^((?:[^\W\d_][\w./&'-]*\s){0,4}(?:(?:(?:No|Nr|Number|Nummer|Date|Datum|Code)\b[.#]?|[^\W\d_]*#)(?=.*\d)|Name\b))"
    r"\s+(?!(?-i:[a-zäöüéèà]))(\S.*)$",
    re.IGNORECASE,
)
_TICKED = re.compile(r"^(\S.{2,40}?)\s+([xX✓✔☑☒])$")
_MARKED = re.compile(r"([xX✓✔☑☒])\s+(?=[A-Z][A-Za-z])")
_FIGURE = re.compile(r"(?:(?:[A-Z]{3}|RM)\b|[$€£])?\s?[-+]?\d[\d.,/-]*\d?\b")
_SMALL = re.compile(r"[a-z]{3}")
_SENTENCE = re.compile(r"[a-z]{2,}; [a-z]|[a-z]{2}\. [A-Z][a-z]+ [a-z]")


class LinePiece:
    """A part of a line: a label, or what may be a value. `rest` is what follows a label in its own line."""

    __slots__ = ("box", "end", "has_digit", "height", "is_label", "line", "rest", "start", "text")

    def __init__(self, line: PlacedLine, start: int, end: int, size: tuple[float, float]) -> None:
        self.line, self.start, self.end = line, start, end
        self.box = line.box if self.is_line else line.place(start, end).points(size)
        self.height = self.box.bottom - self.box.top
        self.text = line.text[start:end].strip()
        self.has_digit = any(map(str.isdigit, self.text))
        self.is_label = False
        self.rest: LinePiece | None = None

    @property
    def is_line(self) -> bool:
        """Whether it is a whole line."""
        return self.start == 0 and self.end == len(self.line.text)

    @property
    def name(self) -> str:
        return unnumbered(self.text)

    @property
    def is_numeric(self) -> bool:
        """Whether it is a number, a date or a code, with few letters besides."""
        text = self.text
        if not self.has_digit:
            return False
        return " " not in text or (text.count(" ") <= 3 and 2 * sum(map(str.isalpha, text)) <= len(text))

    @property
    def may_name(self) -> bool:
        return may_name(self.text)


def pieces_of(lines: Iterable[PlacedLine], size: tuple[float, float]) -> Neighbours[LinePiece]:
    """The pieces of one page."""
    return Neighbours(piece for line in lines for piece in _cut(line, size))


def numbering(text: str) -> int:
    """The length of the field's number at the beginning of a label: 3 for `12 Name`."""
    match = _NUMBERED.match(text)
    return match.end() if match else 0


def unnumbered(text: str) -> str:
    """A label without the number of its field and the mark of a note."""
    return text[numbering(text) :].rstrip("*†‡ ")


def may_name(text: str) -> bool:
    """Whether a text without a colon may be a label: few words, mostly letters, beginning with a capital."""
    plain = unnumbered(text)
    letters = sum(map(str.isalpha, plain))
    solid = len(plain) - plain.count(" ")
    short = 3 <= len(plain) <= LONGEST_LABEL and plain.count(" ") < MOST_WORDS
    return short and letters >= 0.75 * solid and plain[:1].isupper() and not _SENTENCE.search(plain)


def _cut(line: PlacedLine, size: tuple[float, float]) -> Iterator[LinePiece]:
    """A line as labels, each with what follows it; or as it is."""
    at = 0
    label: LinePiece | None = None
    for start, end in _with_colon(line.text):
        yield from _value(line, at, start, size, label)
        label = LinePiece(line, start, end, size)
        label.is_label = True
        yield label
        at = end
    yield from _value(line, at, len(line.text), size, label)


def _value(
    line: PlacedLine, start: int, end: int, size: tuple[float, float], label: LinePiece | None
) -> Iterator[LinePiece]:
    """The text behind a label; without one, a text that may begin with a label that has no colon."""
    text = line.text[start:end]
    if not text.strip():
        return
    start += len(text) - len(text.lstrip())
    if label is None and (behind := _end_of_name(line, start, end)):
        label = LinePiece(line, start, behind, size)
        label.is_label = True
        yield label
        start = behind + len(line.text[behind:end]) - len(line.text[behind:end].lstrip())
    if label is None and (mark := _MARKED.match(line.text, start, end)):
        yield LinePiece(line, start, mark.end(1), size)
        start = mark.end()
    piece = LinePiece(line, start, end, size)
    piece.is_label = line.is_label and label is None and piece.text.endswith(":")
    if label is not None:
        label.rest = piece
    yield piece


def _with_colon(text: str) -> Iterator[tuple[int, int]]:
    """The spans of labels with a colon: the first with all that is before its colon, unless that has a number; further
    ones with the words before theirs that labels are made of."""
    at = 0
    for match in _COLON.finditer(text):
        words = list(_WORD.finditer(text, at, match.end()))
        name = [word[0] for word in words]
        if at == 0 and _is_label(text[: match.end()]) and not any(map(_FIGURE.fullmatch, name[1:-1])):
            begin = 0
        elif last := next((n for n in range(min(len(name), MOST_NAMING), 0, -1) if _is_name(name[-n:])), 0):
            begin = words[-last].start()
        else:
            continue
        yield begin, match.end()
        at = match.end()


def _is_name(words: Sequence[str]) -> bool:
    """Whether a text is made of the words of labels, and begins with a capital."""
    if any(char.isdigit() for word in words for char in word):
        return False
    plain = [label_words(word) for word in words]
    capital = words[0].lstrip("|(")[:1].isupper()
    return capital and bool(plain[-1]) and all(is_form_word(one) for these in plain for one in these)


def _end_of_name(line: PlacedLine, start: int, end: int) -> int:
    """The end of a label without a colon that has its value in the same line: before a cross, or behind words that
    labels are made of, before a number, or in capitals before small letters; 0 if there is none."""
    named = _NAMED.match(line.text[start:end]) or _TICKED.match(line.text[start:end])
    if named and may_name(named[1]):
        return start + named.end(1)
    within = [at for at in line.starts if start < at < end]
    if not within or not _is_name([line.text[start : within[0]].strip()]):
        return 0
    for at in reversed(within[:MOST_NAMING]):
        name, rest = line.text[start:at].strip(), line.text[at:end]
        if not _FIGURE.match(rest) and not (name.isupper() and len(name) > SHORTEST and _SMALL.search(rest)):
            continue
        if _is_name(name.split()):
            return at
    return 0


def _is_label(text: str) -> bool:
    """Whether a text before a colon is short and no sentence."""
    return len(text) <= LONGEST_LABEL and text.count(" ") < MOST_WORDS and _WORDED.search(text) is not None

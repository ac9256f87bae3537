"""Places of a value in a text, and how it agrees with the text there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from quire.lexicon.amounts import DecimalMark, PrintedNumber, number_readings, numbers_in
from quire.lexicon.dates import PrintedDate, date_readings, dates_in
from quire.lexicon.durations import PrintedDuration, duration_of, durations_in
from quire.lexicon.phrases import (
    FUZZY,
    SHORTEST_FUZZY,
    TextSpan,
    folded,
    matches,
    most_alike,
    solid,
    solid_span,
    stands_alone,
)

Agreement: TypeAlias = Literal["exact", "numeric", "date", "fuzzy"]
"""`exact`: the same text. `numeric`, `date`: the same value. `fuzzy`: nearly the same text."""
ComparedAs: TypeAlias = Literal["text", "number", "date", "duration"]
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:…|\.{3,})(?:\s*\])?\s*")
SHORT_QUOTE = 12
"""Characters of a quote: a shorter one shows nothing, unless it has a number or stands once in the document."""


class FoundValue(NamedTuple):
    """The place of a value in a text."""

    span: TextSpan
    agreement: Agreement


@dataclass(frozen=True)
class SearchedText:
    """A text of a document with what stands in it; each kind is looked for once, when it is first asked for.

    `mark` and `scale` are those of `numbers_in`. `recognised` is text by OCR, in which letters may be misread.
    """

    text: str
    mark: DecimalMark | None = None
    scale: int = 1
    recognised: bool = False

    @cached_property
    def folded(self) -> str:
        return folded(self.text)

    @cached_property
    def solid(self) -> str:
        return solid(self.text)

    @cached_property
    def numbers(self) -> Sequence[PrintedNumber]:
        return numbers_in(self.text, mark=self.mark, scale=self.scale)

    @cached_property
    def dates(self) -> Sequence[PrintedDate]:
        return dates_in(self.text)

    @cached_property
    def durations(self) -> Sequence[PrintedDuration]:
        return durations_in(self.text)


@dataclass(frozen=True)
class WantedValue:
    """A value that is looked for in texts: the forms that it may have there.

    `compared` says what it is: a number and a date are the same in any format, a text only in its letters.
    """

    value: object
    compared: ComparedAs = "text"

    @cached_property
    def text(self) -> str:
        return folded(str(self.value)).strip() if not isinstance(self.value, float) else ""

    @cached_property
    def solid(self) -> str:
        return solid(str(self.value))

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        return number_readings(self.value) if self.compared == "number" else frozenset()

    @cached_property
    def dates(self) -> frozenset[str]:
        return date_readings(str(self.value)) if self.compared == "date" else frozenset()

    @cached_property
    def duration(self) -> PrintedDuration | None:
        return duration_of(str(self.value)) if self.compared == "duration" else None

    @property
    def is_value(self) -> bool:
        """Whether it is compared by value: a text that agrees in letters but not in value does not."""
        return bool(self.numbers or self.dates or self.duration)

    def found_in(self, printed: SearchedText, within: TextSpan | None = None) -> Iterator[FoundValue]:
        """Every place of a text, or of a part of it, where the value stands; those that agree best come first."""
        seen: set[TextSpan] = set()
        digits = {number.span: number.digits for number in printed.numbers} if within and self.numbers else {}
        for found in self._found(printed):
            start, end = digits.get(found.span, found.span)  # a quote may leave out the currency of its number
            inside = within is None or (within[0] <= start and end <= within[1])
            if inside and found.span not in seen:
                seen.add(found.span)
                yield found

    def _found(self, printed: SearchedText) -> Iterator[FoundValue]:
        if self.text and self.text in printed.folded:
            for span in matches(printed.text, printed.folded, self.text):
                if stands_alone(printed.text, span) and (not self.is_value or self._agrees(printed, span)):
                    yield FoundValue(span, "exact")
        if self.numbers:
            for number in printed.numbers:
                if not number.in_code and not self.numbers.isdisjoint(number.readings):
                    yield FoundValue(number.span, "numeric")
        elif self.dates:
            for date in printed.dates:
                if not self.dates.isdisjoint(date.readings):
                    yield FoundValue(date.span, "date")
        elif self.duration is not None:
            for one in printed.durations:
                if one[1:] == self.duration[1:]:
                    yield FoundValue(one.span, "numeric")
        elif self.solid:
            yield from self._alike(printed)

    def _agrees(self, printed: SearchedText, span: TextSpan) -> bool:
        """Whether what stands there has the value: `5` in `5 million` and `-5` has not."""
        if not self.numbers:
            return True
        over = [number for number in printed.numbers if number.span[0] < span[1] and span[0] < number.span[1]]
        return any(not self.numbers.isdisjoint(number.readings) for number in over) if over else True

    def _alike(self, printed: SearchedText) -> Iterator[FoundValue]:
        if self.solid in printed.solid:
            span = solid_span(printed.text, self.solid)
            if span is not None:
                yield FoundValue(span, "fuzzy")
                return
        if not printed.recognised or len(self.solid) < SHORTEST_FUZZY or not self._shares(printed):
            return
        alike = most_alike(printed.folded, self.text)
        if alike is not None:
            part = printed.folded[slice(*alike.span)].strip()
            for span in matches(printed.text, printed.folded, part)[:1]:
                yield FoundValue(span, "fuzzy")

    def _shares(self, printed: SearchedText) -> bool:
        """Whether enough pieces of the value are there for it to be nearly there."""
        pieces = {self.text[at : at + 3] for at in range(len(self.text) - 2)}
        there = sum(piece in printed.folded for piece in pieces)
        return there >= len(pieces) * (1 - 4 * (1 - FUZZY))


def quoted_in(quote: str, printed: SearchedText) -> list[TextSpan]:
    """The span of a quote in a text: letter by letter; else without its punctuation; else, in recognised text, with
    few letters misread. A long quote may end in the middle of a word, and leave something out at an ellipsis."""
    wanted = WantedValue(quote)
    if exact := matches(printed.text, printed.folded, wanted.text):
        return exact if len(wanted.text) >= SHORT_QUOTE else [one for one in exact if stands_alone(printed.text, one)]
    if alike := [found.span for found in wanted.found_in(printed)]:
        return alike
    pieces = [piece for piece in _ELLIPSIS.split(quote) if piece.strip()]
    return _in_order(pieces, printed) if len(pieces) > 1 else []


def _in_order(pieces: Sequence[str], printed: SearchedText) -> list[TextSpan]:
    """The span from the first piece of a quote to its last, if all stand in their order."""
    begin, end = len(printed.text), 0
    for piece in pieces:
        following = [span for span in quoted_in(piece, printed) if span[0] >= end]
        if not following:
            return []
        begin, end = min(begin, following[0][0]), following[0][1]
    return [(begin, end)]


def is_short(quote: str) -> bool:
    """Whether a quote is too short to show anything by itself: few letters, and no number in it."""
    return len(quote.strip()) < SHORT_QUOTE and not re.search(r"\d", quote)

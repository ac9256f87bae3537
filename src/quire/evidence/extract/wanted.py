"""Recognition of the value of a leaf in a text: by its letters, its value, or the words that say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from quire.core.context import Json
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.verify.matches import Agreement, ComparedAs, FoundValue, SearchedText, WantedValue
from quire.lexicon.amounts import currency_forms, number_readings, scale_named, scale_of
from quire.lexicon.booleans import said_boolean
from quire.lexicon.companies import name_forms
from quire.lexicon.dates import date_readings
from quire.lexicon.durations import duration_of
from quire.lexicon.phrases import TextSpan, solid

_NUMBERS = frozenset({"amount", "number", "percentage"})
_SPENT = re.compile(
    r"capex|capital.expend|expens|cost|loss|payment|paid|purchase|dividend|outflow|decrease|deduct|discount|depreciation|"
    r"amortisation|amortization|aufwand|verlust|d.pense|perte|gasto|p.rdida"
)
"""Names of expenses: statements print them in brackets, and who asks for an expense wants its amount."""
_CODE = re.compile(r"^\W*0\d|[^\W\d_]-\d")
"""Zeros in front, or a letter joined to a number: `X-1` is not the amount of -1."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_SCALE = re.compile(r"(?:^|_)(?:scale|multiplier|factor)(?:$|_)")


@dataclass(frozen=True)
class LeafValue:
    """A value that is proposed for a leaf."""

    value: Json
    leaf: LeafSpec

    @cached_property
    def forms(self) -> Sequence[WantedValue]:
        """The spellings of the value in a text, the likeliest first."""
        if self.leaf.enum:
            words = re.sub(r"[_\s-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(self.value)))
            return (WantedValue(str(self.value)), WantedValue(words)) if words != self.value else (WantedValue(words),)
        if self._is_currency:
            return tuple(WantedValue(form) for form in currency_forms(str(self.value)))
        wanted = WantedValue(self.value, self._compared)
        scale = scale_named(self.leaf.unit)
        if wanted.numbers and scale != 1:  # 1.5, in millions
            return wanted, *(WantedValue(number * scale, "number") for number in sorted(wanted.numbers))
        if wanted.numbers and _SPENT.search(f"{self.leaf.path} {self.leaf.title} {self.leaf.description}".lower()):
            return wanted, *(WantedValue(-number, "number") for number in sorted(wanted.numbers))
        named = self.leaf.kind in ("name", "text", None) and wanted.compared == "text"
        return wanted, *(WantedValue(form) for form in (name_forms(str(self.value)) if named else ()))

    def found_in(self, printed: SearchedText, within: TextSpan | None = None) -> Iterator[FoundValue]:
        """The place at which a text, or a part of it, says the value."""
        if isinstance(self.value, bool):
            span = within or (0, len(printed.text))
            if self._is_said(printed.text[slice(*span)]):
                yield FoundValue(span, "exact")
            return
        if self._is_scale and scale_of(printed.text) == self.value:
            yield FoundValue(within or (0, len(printed.text)), "numeric")
        for number, form in enumerate(self.forms):
            for found in form.found_in(printed, within):
                yield found if number == 0 or found.agreement != "exact" else found._replace(agreement=self._agreement)

    @property
    def is_distinctive(self) -> bool:
        """Whether it can hardly stand in a document by accident: a date, a long number, a long text."""
        if isinstance(self.value, bool) or self.leaf.enum or self._is_currency:
            return False
        wanted = self.forms[0]
        if wanted.numbers:
            return all(_significant(number) >= 3 for number in wanted.numbers)
        return bool(wanted.dates) or (len(solid(str(self.value))) >= 8 and wanted.duration is None)

    @property
    def _agreement(self) -> Agreement:
        """Of what is written in other words: those of an enum and a currency say it exactly."""
        return "exact" if self.leaf.enum or self._is_currency else "fuzzy"

    @property
    def _is_scale(self) -> bool:
        """Whether a leaf asks what numbers are multiplied by: `in millions` says 1,000,000."""
        return self.leaf.type in ("number", "integer") and _SCALE.search(self.leaf.name.casefold()) is not None

    @property
    def _is_currency(self) -> bool:
        """Whether a leaf is for a currency, or for a text that is the code of one: `$` says USD."""
        if self.leaf.kind in (None, "text") and isinstance(self.value, str) and len(self.value) == len("USD"):
            return self.value.isupper() and len(currency_forms(self.value)) > 1
        return self.leaf.kind == "currency"

    @cached_property
    def _compared(self) -> ComparedAs:
        kind, value = self.leaf.kind, self.value
        if kind == "date" and date_readings(str(value)):
            return "date"
        if kind == "duration" and duration_of(str(value)):
            return "duration"
        if kind in _NUMBERS or isinstance(value, (int, float)) or self.leaf.type in ("number", "integer"):
            return "number"
        return _of_text(str(value)) if kind is None else "text"

    def _is_said(self, text: str) -> bool:
        """A text says no by a word that denies, and yes by one that affirms, or by what the leaf is about."""
        stated = said_boolean(text)
        if stated is not None or not self.value:
            return stated is self.value
        about = " ".join((self.leaf.name, self.leaf.title, self.leaf.description, *self.leaf.aliases)).casefold()
        words = {word.casefold() for word in _WORD.findall(text)}
        return bool(words & set(_WORD.findall(about.replace("_", " "))))


def _of_text(value: str) -> ComparedAs:
    """The kind of a text for which none is declared: a number only if it is not written like a code, `007` or `X-1`."""
    if date_readings(value):
        return "date"
    found = duration_of(value)
    if found is not None and len(solid(value[slice(*found.span)])) == len(solid(value)):
        return "duration"
    if not _CODE.search(value) and number_readings(value):
        return "number"
    return "text"


def _significant(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)

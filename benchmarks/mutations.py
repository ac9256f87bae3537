"""Right proposals made wrong, each in one way: what a check of evidence must find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from quire.core.context import Json
from quire.core.keys import Digest, digest_of
from quire.core.types import BBox, Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.values import Proposal

FABRICATED = "as the board of auditors confirmed in its second report"
WORDS = ("Northwind", "Halcyon", "Quarterdeck", "Zephyr", "Bramble")
OTHER_VERSION = digest_of("another read of the document")


class Mutation(NamedTuple):
    """A proposal that is wrong. `value`: its value is, so that nothing may support it; else only its citation is."""

    name: str
    proposal: Proposal
    version: Digest | None = None

    @property
    def of_value(self) -> bool:
        return self.name.startswith("value")


def mutations(proposal: Proposal, catalog: SourceCatalog) -> Iterator[Mutation]:
    """Every mutation that can be made of a proposal that cites one record."""
    for name, value in _values(proposal.value):
        yield Mutation(f"value: {name}", replace(proposal, value=value))
    record = catalog.by_id[proposal.records[0]]
    pages = [page.number for page in catalog.pages]
    box = record.places[0].bbox
    other = next((page for page in pages if page not in {place.page for place in record.places}), max(pages) + 1)
    yield Mutation("page", replace(proposal, places=(Part(other, box),)))
    yield Mutation("box", replace(proposal, places=(Part(record.page, BBox(0.9, box.top, 0.3, 0.1)),)))
    yield Mutation("unknown record", replace(proposal, records=("p999-b1",)))
    wrong = _without(proposal, catalog)
    if wrong is not None:
        yield Mutation("other record", replace(proposal, records=(wrong,)))
    yield Mutation("quote", replace(proposal, quote=f"{FABRICATED} {proposal.value}"))
    yield Mutation("version", proposal, OTHER_VERSION)


def _without(proposal: Proposal, catalog: SourceCatalog) -> str | None:
    """A record that has nothing of the quote."""
    quote = _solid(proposal.quote)
    cited = catalog.by_id[proposal.records[0]]
    for record in catalog.records:
        if quote not in _solid(record.text) and not {*record.blocks} & {*cited.blocks}:
            return record.id
    return None


def _solid(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _values(value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, bool):
        yield "denied", not value
    elif isinstance(value, int):
        yield from (("one more", value + 1), ("ten times", value * 10 or 7), ("sign", -value or 3))
    elif isinstance(value, float):
        yield from (("one more", value + 1), ("ten times", value * 10 or 7.5), ("a cent", round(value + 0.01, 2)))
    elif isinstance(value, str):
        yield from _texts(value)


def _texts(value: str) -> Iterator[tuple[str, str]]:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        day = date.fromisoformat(value)
        yield "a day", (day + timedelta(days=1)).isoformat()
        yield "a year", f"{day.year + 1}{value[4:]}"
        return
    digits = [match.start() for match in re.finditer(r"\d", value)]
    if digits:
        for name, at in (("first digit", digits[0]), ("last digit", digits[-1])):
            yield name, f"{value[:at]}{(int(value[at]) + 4) % 9 + 1}{value[at + 1 :]}"
    words = re.findall(r"[^\W\d_]{4,}", value)
    if words:
        longest = max(words, key=len)
        yield "a word", value.replace(longest, next(one for one in WORDS if one != longest))
        yield "another text", f"{FABRICATED}, {value}"

"""Right proposals and right answers made wrong, each in one way: what a check of evidence must find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from quire.core.context import Json
from quire.core.keys import Digest, digest_of
from quire.core.types import BBox, Part
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.value_paths import part_of, value_at, values_by_path, with_value
from quire.evidence.extract.values import EvidenceStatus, Extraction, LeafEvidence, Proposal
from quire.lexicon.amounts import number_readings, numbers_in
from quire.output.place_crops import DPI, around, picture_id
from quire.pages.geometry.extents import touch
from quire.solving.joined_catalog import JoinedCatalog

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


class AnswerMutation(NamedTuple):
    """A good answer made wrong in one way. `paths` are the values that are wrong in it, `remark` says that what is
    wrong is not a value: the order of a list."""

    name: str
    answer: Extraction
    paths: frozenset[str]
    remark: bool = False


def answer_mutations(answer: Extraction, documents: JoinedCatalog) -> Iterator[AnswerMutation]:
    """Every mutation of an answer as it is stored: of its values, of each part of its evidence, of its lists."""
    given = {path: value for path, value in values_by_path(answer.values) if value is not None}
    supported = {path: one for path, one in answer.evidence.items() if path in given and one.supported}
    for path, stored in supported.items():
        for name, value in (*_values(given[path]), *_elsewhere(given[path], stored, answer, documents)):
            changed = replace(answer, values=with_value(answer.values, path, value))
            yield AnswerMutation(f"value: {name}", changed, frozenset({path}))
        for name, wrong in _evidence(stored, documents):
            yield AnswerMutation(name, _with(answer, {path: wrong}), frozenset({path}))
        without = {name: one for name, one in answer.evidence.items() if name != path}
        yield AnswerMutation("evidence removed", replace(answer, evidence=without), frozenset({path}))
        yield AnswerMutation(
            "value removed", replace(answer, values=with_value(answer.values, path, None)), frozenset({path})
        )
    yield AnswerMutation("version", replace(answer, catalog=OTHER_VERSION), frozenset(supported))
    for one, other in pairwise(supported):
        if given[one] != given[other] and not _share_a_place(supported[one], supported[other]):
            swapped = {
                one: replace(supported[other], path=one),
                other: replace(supported[one], path=other),
            }
            yield AnswerMutation("evidence swapped", _with(answer, swapped), frozenset({one, other}))
    yield from _unsupported(answer, supported)
    yield from _lists(answer, given)


def _share_a_place(one: LeafEvidence, other: LeafEvidence) -> bool:
    """Whether two values stand in one place, and each is right to cite that of the other: a currency at its amount."""
    same = (one.document, one.page) == (other.document, other.page)
    return same and any(touch(first, second) for first in one.bboxes for second in other.bboxes)


def _with(answer: Extraction, evidence: Mapping[str, LeafEvidence]) -> Extraction:
    return replace(answer, evidence={**answer.evidence, **evidence})


def _elsewhere(
    value: Json, stored: LeafEvidence, answer: Extraction, documents: JoinedCatalog
) -> Iterator[tuple[str, Json]]:
    """Another number of the same page, the value of another field, and another scale."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        page = documents.page_in_whole(stored.document, stored.page or 1)
        texts = [record.text for record in documents.whole.records if record.page == page and record.level == "block"]
        numbers = sorted({number for text in texts for found in numbers_in(text) for number in found.readings})
        same = {number * factor for number in number_readings(value) for factor in (1, 100, Decimal("0.01"))}
        others = [number for number in numbers if number not in same][:3]  # 4.5 % is 0.045, too
        yield from (("other number of the page", float(other)) for other in others)
        if value:
            yield from (("thousand times", value * 1000), ("sign", -value))
    elif isinstance(value, str):
        texts_of = [
            one for _, one in values_by_path(answer.values) if isinstance(one, str) and not _overlap(one, value)
        ]
        yield from (("text of another field", other) for other in texts_of[:2])
        if len(value) > len(FABRICATED) // 8 and " " in value:
            yield "cut", value.rsplit(" ", 1)[0]


def _overlap(one: str, other: str) -> bool:
    return _solid(one) in _solid(other) or _solid(other) in _solid(one)


def _evidence(stored: LeafEvidence, documents: JoinedCatalog) -> Iterator[tuple[str, LeafEvidence]]:
    """Evidence that is wrong in one of its parts."""
    if stored.page is None or not stored.bboxes or stored.derivation is not None:
        return
    short, catalog = stored.document, documents.catalogs[list(documents.shorts).index(stored.document)]
    box = stored.bboxes[0]
    for name, by in (("moved right", (0.05, 0.0)), ("moved down", (0.0, 0.04)), ("moved a little", (0.008, 0.004))):
        moved = tuple(BBox(one.left + by[0], one.top + by[1], one.width, one.height) for one in stored.bboxes)
        yield f"box: {name}", replace(stored, bboxes=moved)
    yield "box: too large", replace(stored, bboxes=(BBox(0.0, 0.0, 1.0, 1.0),))
    yield "box: none", replace(stored, bboxes=())
    yield "box: one more", replace(stored, bboxes=(*stored.bboxes, BBox(0.9, 0.9, 0.05, 0.05)))
    yield "page: one that is not there", replace(stored, page=len(catalog.pages) + 7)
    if len(catalog.pages) > 1:
        yield "page: another", replace(stored, page=stored.page % len(catalog.pages) + 1)
    yield "crop: invented", replace(stored, crop=str(digest_of([stored.path, "crop"])))
    elsewhere = BBox(box.left, max(0.0, box.top - 0.1), box.width, box.height)
    crop = picture_id(catalog.document, stored.page, dpi=DPI, box=around([elsewhere]))
    yield "crop: of another place", replace(stored, crop=crop)
    yield "record: invented", replace(stored, records=("p999-b1",))
    quote = _solid(stored.quote)
    strange = [record.id for record in catalog.records if quote not in _solid(record.text)]
    yield from (("record: another", replace(stored, records=(name,))) for name in (*strange[:1], *strange[-1:]))
    yield "record: none", replace(stored, records=())
    yield "quote: invented", replace(stored, quote=f"{FABRICATED} {stored.quote}")
    texts = [record.text for record in catalog.records if record.id in strange and record.level == "block"]
    yield from (("quote: from elsewhere", replace(stored, quote=text[:60])) for text in texts[:1])
    yield "quote: altered", replace(stored, quote=_altered(stored.quote))
    yield "quote: none", replace(stored, quote="")
    yield "path", replace(stored, path=f"{stored.path}_other")
    for other in (one for one in (*documents.shorts, "document-99") if one != short):
        yield "document", replace(stored, document=other)


def _altered(quote: str) -> str:
    """A quote with its middle letter or digit exchanged."""
    at = [at for at, letter in enumerate(quote) if letter.isalnum()]
    if not at:
        return f"{quote}7"
    middle = at[len(at) // 2]
    letter = quote[middle]
    other = str((int(letter) + 4) % 10) if letter.isdecimal() else "q" if letter.casefold() != "q" else "z"
    return quote[:middle] + other + quote[middle + 1 :]


def _unsupported(answer: Extraction, supported: Mapping[str, LeafEvidence]) -> Iterator[AnswerMutation]:
    """Values that nothing supports, whose status says that something does."""
    statuses: tuple[EvidenceStatus, ...] = ("found", "repaired", "confirmed", "corrected", "conflict")
    for path, stored in supported.items():
        for _, value in [*_values(value_at(answer.values, path))][:1]:
            invented = replace(answer, values=with_value(answer.values, path, value))
            for status in statuses:
                bare = LeafEvidence(path, status, quote=str(value), records=stored.records, document=stored.document)
                yield AnswerMutation(f"status: {status}", _with(invented, {path: bare}), frozenset({path}))


def _lists(answer: Extraction, given: Mapping[str, Json]) -> Iterator[AnswerMutation]:
    """Rows of lists exchanged without their evidence and with it, cells of two rows exchanged, and rows twice."""
    for name in dict.fromkeys(part_of(path) for path in given if path.endswith("]") or "]." in path):
        rows = value_at(answer.values, name)
        for at in range(len(rows) - 1 if isinstance(rows, list) else 0):
            first, second = f"{name}[{at}]", f"{name}[{at + 1}]"
            fields = [path.removeprefix(first) for path in given if path.startswith(first)]
            here = [one for one in fields if f"{second}{one}" in given and given[first + one] != given[second + one]]
            exchanged = answer
            for one in here:
                values = with_value(answer.values, first + one, given[second + one])
                values = with_value(values, second + one, given[first + one])
                both = frozenset({first + one, second + one})
                yield AnswerMutation("list: cells exchanged", replace(answer, values=values), both)
                evidence = {
                    first + one: replace(answer.evidence[second + one], path=first + one),
                    second + one: replace(answer.evidence[first + one], path=second + one),
                }
                if len(fields) > 1:
                    cited = _with(replace(answer, values=values), evidence)
                    yield AnswerMutation("list: cells exchanged with their evidence", cited, both)
                wholly = with_value(exchanged.values, first + one, given[second + one])
                wholly = with_value(wholly, second + one, given[first + one])
                exchanged = _with(replace(exchanged, values=wholly), evidence)
            if here == fields and len(fields) > 1:
                yield AnswerMutation("list: rows exchanged with their evidence", exchanged, frozenset({name}), True)
            last = f"{name}[{len(rows)}]"
            twice = {last + one: replace(answer.evidence[first + one], path=last + one) for one in fields}
            more = _with(replace(answer, values=with_value(answer.values, last, value_at(answer.values, first))), twice)
            yield AnswerMutation("list: a row twice", more, frozenset(twice))

"""Checks whether the documents say something else: elsewhere under the same label, or in another version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from quire.core.context import Json
from quire.core.types import Part
from quire.evidence.catalog.records import EvidenceRecord
from quire.evidence.extract.agreement import FAR
from quire.evidence.extract.pairs.label_pairs import LabelledValue
from quire.evidence.extract.schema_fit import Unfit, fitted
from quire.evidence.extract.value_paths import value_at
from quire.evidence.extract.values import LeafEvidence
from quire.evidence.extract.wanted import LeafValue
from quire.evidence.verify.matches import SearchedText
from quire.lexicon.amounts import is_number, number_readings, numbers_in
from quire.lexicon.dates import days_in
from quire.lexicon.finance.periods import is_period
from quire.lexicon.labels import label_words
from quire.pages.geometry.extents import has_middle
from quire.solving.checks.catalog_tables import CatalogTable, TableCell, says_the_same
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding, FindingKind

ALIKE_TABLES = 0.5
"""Of the labels of the smaller of two tables: as many in common make them two prints of one table."""
_COMPARED = frozenset({"amount", "number", "percentage", "date"})
"""Kinds of values that can contradict each other under one label: texts differ in their words."""
_VERSION = re.compile(
    r"[\s._-]*(?:\(\d+\)|(?:(?<=[\s._(-])|\()(?:v(?:er(?:sion)?)?[\s._-]?\d+(?:\.\d+)*|rev(?:ision)?[\s._-]?\d*|draft|final|"
    r"copy|old|new|corrected|amended|signed|restated)(?=[\s._)-]|$)\)?)",
    re.IGNORECASE,
)
"""The mark of a version in the name of a file. A year is none: reports of two years are two documents."""


def contradiction_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Other values of the same quantity, each with its place."""
    for one in reviewed.values:
        if one.evidence is not None and one.path not in reviewed.decided:
            yield from _in_conflict(one, reviewed)
    for one in reviewed.single:
        if one.evidence is None or one.path in reviewed.decided:
            continue
        yield from _by_extractor(one, reviewed)
        yield from _by_label(one, one.evidence, reviewed.source.pairs, reviewed)
    index = _by_key(reviewed.source.tables.values()) if len(reviewed.source.tables) > 1 else {}
    for one in reviewed.values if index else ():
        if (cell := reviewed.cell(one.evidence)) is not None:
            yield from _by_table(one, cell, index, reviewed)


def version_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """Values that another version of the cited document, by its name, has otherwise."""
    names, shorts = [stem_of(one.name) for one in reviewed.documents.catalogs], reviewed.documents.shorts
    for at, catalog in enumerate(reviewed.documents.catalogs):
        concerned = [
            one
            for one in reviewed.single
            if one.evidence is not None and _is_version(one.evidence.document, shorts[at], names, shorts)
        ]
        if not concerned:
            continue
        found = reviewed.source.each_offline[at]
        for one in concerned:
            there, value = found.evidence.get(one.path), value_at(found.values, one.path)
            if there is None or one.evidence is None or value is None or not there.supported or not one.differs(value):
                continue
            labels = label_words(there.label), label_words(one.evidence.label)
            if there.is_sure or (labels[0] and labels[0] == labels[1]):
                reason = f"{catalog.name} ({shorts[at]}) says {_shown(value)} on page {there.page}"
                yield _placed(one, "version", reason, value, replace(there, document=shorts[at]))


def stem_of(name: str) -> str:
    """The name of a file without its ending and the marks of a version: `report v2 (final).pdf` is `report`."""
    stem = PurePath(name).stem
    return " ".join(re.split(r"[\s._-]+", _VERSION.sub("", stem).casefold())).strip() or stem.casefold()


def _is_version(cited: str, short: str, names: Sequence[str], shorts: Sequence[str]) -> bool:
    if cited == short or cited not in shorts:
        return False
    return names[list(shorts).index(cited)] == names[list(shorts).index(short)]


def _in_conflict(one: ReviewedValue, reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """What the answer itself says of other places."""
    for conflict in reviewed.answer.conflicts:
        for there in conflict.values if conflict.path == one.path else ():
            if one.differs(there.value):
                made = Finding(one.path, "contradiction", _said(there.page, there.document, there.value))
                yield replace(
                    made,
                    value=one.value,
                    other=there.value,
                    document=there.document,
                    page=there.page,
                    bboxes=there.bboxes,
                    quote=there.quote,
                )


def _by_extractor(one: ReviewedValue, reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """A value that the extractor without a language model is sure of."""
    there, value = reviewed.source.offline.evidence.get(one.path), value_at(reviewed.source.offline.values, one.path)
    if there is not None and there.is_sure and value is not None and one.differs(value):
        kind = _kind(one, there.document, reviewed)
        yield _placed(one, kind, _said(there.page, there.document, value), value, there)


def _by_label(
    one: ReviewedValue, evidence: LeafEvidence, pairs: Sequence[LabelledValue], reviewed: ReviewedAnswer
) -> Iterator[Finding]:
    """Another value under the label of the cited one, far from it: one that stands there once."""
    wanted = reviewed.source.wanted.get(one.leaf.path)
    places = reviewed.places(evidence)
    if wanted is None or wanted.kind not in _COMPARED or not places:
        return
    own = [pair for pair in pairs if any(_is_at(pair, place) for place in places)]
    named = next((words for pair in own if not pair.tabular and (words := label_words(pair.label))), None)
    if named is None:
        return
    others: list[tuple[LabelledValue, Json]] = []
    for pair in pairs:
        if pair in own or pair.tabular or not pair.sure or label_words(pair.label) != named:
            continue
        if pair.page == places[0].page and abs(pair.value_bbox.top - places[0].bbox.top) <= FAR:
            continue
        value = _value_of(pair.value, one)
        if value is not None:
            others.append((pair, value))
    against = [(pair, value) for pair, value in others if one.differs(value)]
    if not against or len(against) < len(others) or len({repr(value) for _, value in against}) > 1:
        return  # several values: the label names the entries of a list, and not this quantity
    pair, value = against[0]
    record = next((found for name in pair.records if (found := reviewed.whole.by_id.get(name))), None)
    if record is not None:
        made = _made(one, record, (Part(pair.page, pair.value_bbox),), pair.value, value, reviewed)
        yield replace(made, reason=f"{made.reason} under the same label, {pair.label!r}")


def _by_table(one: ReviewedValue, cell: TableCell, index: _Cells, reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """A cell with the same label and head in another table. Open where the tables are alike: a remark else, because a
    segment and the whole company have the same lines."""
    number, key = cell.number, _key(cell)
    if number is None or key is None or cell.table.labels.get(cell.row_label.casefold()) != 1:
        return
    for there in index.get(key, ()):
        other, record = there.number, there.record
        if there.table is cell.table or other is None or record is None or says_the_same(number, other):
            continue
        own, others = cell.table.labels.keys(), there.table.labels.keys()
        alike = len(own & others) >= max(2, ALIKE_TABLES * min(len(own), len(others)))
        made = _made(one, record, record.places, record.text, record.text, reviewed)
        yield replace(made, reason=f"{made.reason} in the row {there.row_label!r} under {there.head!r}", open=alike)


_Key = tuple[tuple[str, ...], str]
_Cells = Mapping[_Key, Sequence[TableCell]]


def _by_key(tables: Iterable[CatalogTable]) -> _Cells:
    found: dict[_Key, list[TableCell]] = {}
    for table in tables:
        for cell in table.cells.values():
            if is_number(cell.text) and (key := _key(cell)) is not None:
                found.setdefault(key, []).append(cell)
    return found


def _key(cell: TableCell) -> _Key | None:
    """What a cell is about: the words of its row and the period of its column; None where the table names none."""
    words, head = label_words(cell.row_label), cell.head.casefold()
    return (words, head) if words and (is_period(cell.head) or re.search(r"\d{4}", head)) else None


def _value_of(text: str, one: ReviewedValue) -> Json:
    """The value of a text that has exactly one of the kind of the leaf; None else."""
    date = one.leaf.kind == "date" or bool(LeafValue(one.value, one.leaf).forms[0].dates)
    if date:
        found = days_in(text)
        return text[slice(*found[0].span)] if len(found) == 1 else None
    numbers = [number for number in numbers_in(text) if not number.in_code]
    if len(numbers) != 1 or len(re.sub(r"[\W\d_]", "", text)) > len("EUR USD"):
        return None
    try:
        value = fitted(text[slice(*numbers[0].span)], one.leaf)
    except Unfit:
        return None
    same = any(LeafValue(one.value, one.leaf).found_in(SearchedText(text)))
    return one.value if same or number_readings(value) & number_readings(one.value) else value


def _made(
    one: ReviewedValue,
    record: EvidenceRecord,
    places: Sequence[Part],
    quote: str,
    value: Json,
    reviewed: ReviewedAnswer,
) -> Finding:
    at, page = reviewed.documents.place_of(places[0].page)
    short = reviewed.documents.shorts[at]
    made = Finding(one.path, _kind(one, short, reviewed), _said(page, short, value), value=one.value, other=value)
    return reviewed.at_record(made, record, places, quote)


def _placed(one: ReviewedValue, kind: FindingKind, reason: str, value: Json, there: LeafEvidence) -> Finding:
    return Finding(
        one.path,
        kind,
        reason,
        value=one.value,
        other=value,
        document=there.document,
        page=there.page,
        bboxes=there.bboxes,
        quote=there.quote,
        record=there.records[0] if there.records else "",
    )


def _kind(one: ReviewedValue, short: str, reviewed: ReviewedAnswer) -> FindingKind:
    names = [stem_of(each.name) for each in reviewed.documents.catalogs]
    cited = one.evidence.document if one.evidence is not None else ""
    return "version" if _is_version(cited, short, names, reviewed.documents.shorts) else "contradiction"


def _is_at(pair: LabelledValue, place: Part) -> bool:
    return pair.page == place.page and (
        has_middle(pair.value_bbox, place.bbox) or has_middle(place.bbox, pair.value_bbox)
    )


def _said(page: int | None, document: str, value: Json) -> str:
    return f"page {page}{f' of {document}' if document else ''} says {_shown(value)}"


def _shown(value: Json) -> str:
    return repr(value)[:80]

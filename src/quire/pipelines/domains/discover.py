"""Documents whose fields are not known yet: what a few of them have in common, proposed as a schema.

`discover.schema(["a.pdf", "b.pdf"])` finds the labels that most of the documents have with a value, the kinds of these
values, the tables with the same heads, and what documents usually say under labels of their own, or under none: a date,
a total, a sender. The proposal is for a person to adjust; `fill` shows what it gives.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

from quire.core.context import Json
from quire.core.document import Document, Source
from quire.core.errors import UsageError
from quire.core.types import Table
from quire.evidence.catalog.builder import cell_id
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.candidates.spans import spans_of
from quire.evidence.extract.pairs import LabelledValue, find_pairs
from quire.evidence.extract.pairs.pieces import unnumbered
from quire.evidence.extract.schema import ValueKind
from quire.evidence.extract.tables.table_extractor import ITEMS, TableExtractor
from quire.evidence.extract.values import Extraction
from quire.pipelines.domains.known_fields import known_fields
from quire.reading.call import ReadOptions, read
from quire.reading.result import DocumentResult

SHARE = 0.5
"""Of the documents: a label or a table that fewer have is not proposed."""
WHOLE = 0.8  # of a value: the part that a date or an amount must be for the value to be one
ALIKE = 0.6  # of the heads of two tables that are the same
SEVERAL = 3  # values of one label in a document, from which on it heads a column
FORM = 0.4  # of the cells of a table: values of labels, from which on it is a form
EXAMPLES = 3
_WORD = re.compile(r"[^\W_]+")
_SIMPLE: dict[ValueKind, dict[str, Json]] = {
    "amount": {"type": "number", "x-quire": {"kind": "amount"}},
    "number": {"type": "number"},
    "percentage": {"type": "number", "x-quire": {"kind": "percentage"}},
    "date": {"type": "string", "format": "date"},
    "text": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class DiscoveredField:
    """A field that documents have. `path` is its place in the schema: `invoice_number`, `items[].price`."""

    path: str
    label: str
    kind: ValueKind
    documents: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Discovery:
    """A schema proposed from documents, and why: its fields with how many documents have them."""

    schema: Mapping[str, Json]
    fields: tuple[DiscoveredField, ...]
    results: tuple[DocumentResult, ...] = field(repr=False)

    def fill(self) -> list[Extraction]:
        """The values of each document by the proposed schema."""
        return [result.extract(dict(self.schema)) for result in self.results]


def schema(
    sources: Sequence[Source | Document | DocumentResult], *, share: float = SHARE, **options: Unpack[ReadOptions]
) -> Discovery:
    """Propose a schema from a few documents of one type; those that are not read yet are read with `options`.

    A field is proposed when `share` of the documents have it. Raises UsageError when they have nothing in common.
    """
    if not sources:
        raise UsageError("no document is given; a schema is proposed from one or more")
    if not 0 < share <= 1:
        raise UsageError(f"the share is {share}; choose from above 0 to 1")
    results = [one if isinstance(one, DocumentResult) else read(one, **options) for one in sources]
    least = max(1, round(share * len(results)))
    seen = [_Seen.of(result) for result in results]
    lists = list(_lists(seen, least)) or list(_items(seen, least))
    listed = {column.key for one in lists for column in one}
    labelled = [leaf for leaf in _leaves(seen, least) if leaf.key not in listed]
    leaves = _joined(labelled, _known(seen, least), listed)
    if not lists and all(leaf.key == "seller" for leaf in leaves):  # the first line of anything may be a sender
        raise UsageError(f"the {len(results)} documents have no label with a value and no table in common")
    return _proposed(leaves, lists, tuple(results))


@dataclass(frozen=True, slots=True)
class _Found:
    """A label of some documents with its values. `by_document` has the first one of each."""

    key: str
    label: str
    kind: ValueKind
    values: tuple[str, ...]
    documents: int
    by_document: Mapping[int, str] = field(default_factory=dict)

    def is_same(self, other: _Found) -> bool:
        """Whether most of the values of a field are those of another, document by document."""
        same = [other.by_document.get(number) == value for number, value in self.by_document.items()]
        return 2 * sum(same) > len(same)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One document: the values of its labels, and the columns of its tables."""

    catalog: SourceCatalog
    pairs: Mapping[str, list[tuple[str, str]]]
    tables: Sequence[Mapping[str, tuple[str, list[str]]]]

    @classmethod
    def of(cls, result: DocumentResult) -> _Seen:
        catalog = result.catalog()
        pairs = find_pairs(catalog)
        forms = _forms(result, pairs)
        listed = (block for block in result.tables if block.id not in forms)
        tables = {block.id: columns for block in listed if block.table and (columns := _columns(block.table))}
        return cls(catalog, _pairs(catalog, pairs, {*tables}), list(tables.values()))


def _forms(result: DocumentResult, pairs: Iterable[LabelledValue]) -> set[str]:
    """The tables that are rather forms: many of their cells are values of labels that head no column."""
    own = Counter(name for pair in pairs if not pair.tabular for name in pair.records)
    cells = {block.id: [cell for cell in block.table.cells if cell.text] for block in result.tables if block.table}
    return {
        block
        for block, those in cells.items()
        if those and sum(cell_id(block, cell.row, cell.column) in own for cell in those) >= FORM * len(those)
    }


def _pairs(
    catalog: SourceCatalog, pairs: Iterable[LabelledValue], tables: Container[str]
) -> dict[str, list[tuple[str, str]]]:
    """The values of each label; what stands in a table with heads belongs to these."""
    found: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs:
        label = unnumbered(" ".join(pair.label.split())).rstrip(": ")
        inside = any(block in tables for name in pair.records for block in catalog.by_id[name].blocks)
        if pair.value.strip() and not inside and (key := _key(label)):
            found.setdefault(key, []).append((label, " ".join(pair.value.split())))
    return found


def _columns(table: Table) -> dict[str, tuple[str, list[str]]]:
    """The columns of a table by their heads; nothing for a table without any."""
    heads = table.header
    first = sum(any(cell.header for cell in table.cells if cell.row == row) for row in range(table.rows))
    rows = table.grid()[first:]
    if not any(heads) or not rows:
        return {}
    return {
        key: (" ".join(head.split()), [row[at] for row in rows if row[at]])
        for at, head in enumerate(heads)
        if (key := _key(head))
    }


def _leaves(seen: Sequence[_Seen], least: int) -> Iterator[_Found]:
    """Labels with one value in most documents, in the order in which they are printed."""
    keys = dict.fromkeys(key for one in seen for key in one.pairs)
    for key in keys:
        having = {number: one.pairs[key] for number, one in enumerate(seen) if key in one.pairs}
        single = {number: pairs[0] for number, pairs in having.items() if len(pairs) < SEVERAL}
        if len(single) >= least and 2 * len(single) >= len(having):
            found = _found(key, list(single.values()), len(single))
            yield replace(found, by_document={number: value for number, (_, value) in single.items()})


def _known(seen: Sequence[_Seen], least: int) -> Iterator[_Found]:
    """Fields that most documents have under different labels: found by the meaning of their values."""
    for one in known_fields([document.catalog for document in seen]):
        if len(one.values) >= least:
            title = one.name.replace("_", " ").capitalize()
            values = {number: " ".join(value.split()) for number, value in one.values.items()}
            yield _Found(one.name, title, one.kind, tuple(values.values()), len(values), values)


def _joined(labelled: Sequence[_Found], known: Iterable[_Found], listed: Container[str]) -> list[_Found]:
    """Both, once where they are the same: by the label of the documents, unless fewer of them have it."""
    leaves = list(labelled)
    for one in known:
        same = [leaf for leaf in leaves if leaf.is_same(one) or one.is_same(leaf)]
        if one.key in listed or any(leaf.documents >= one.documents or leaf.key == one.key for leaf in same):
            continue
        leaves = [leaf for leaf in leaves if leaf not in same and leaf.key != one.key] + [one]
    return leaves


def _lists(seen: Sequence[_Seen], least: int) -> Iterator[list[_Found]]:
    """Tables with the same heads in most documents: their columns."""
    groups: list[list[tuple[int, Mapping[str, tuple[str, list[str]]]]]] = []
    for number, one in enumerate(seen):
        for columns in one.tables:
            same = next((group for group in groups if _is_alike(group[0][1], columns)), None)
            if same is None:
                groups.append([(number, columns)])
            else:
                same.append((number, columns))
    for group in groups:
        if len({number for number, _ in group}) < least or len(group[0][1]) < 2:
            continue
        keys = dict.fromkeys(key for _, columns in group for key in columns)
        counts = {key: len({number for number, columns in group if key in columns}) for key in keys}
        yield [
            _found(key, [(c[key][0], text) for _, c in group if key in c for text in c[key][1]], counts[key])
            for key in keys
            if counts[key] >= least
        ]


def _items(seen: Sequence[_Seen], least: int) -> Iterator[list[_Found]]:
    """The table of items, whose columns each seller calls differently: what each says, quantity, price and amount."""
    columns: dict[str, dict[int, list[tuple[str, str]]]] = {}
    for number, document in enumerate(seen):
        for one in TableExtractor().propose(document.catalog, ITEMS):
            name = one.path.rpartition(".")[2]
            columns.setdefault(name, {}).setdefault(number, []).append((name.replace("_", " ").capitalize(), one.quote))
    common = [
        _found(name, [pair for pairs in found.values() for pair in pairs], len(found))
        for name, found in columns.items()
        if len(found) >= least
    ]
    if len(common) > 1:
        yield common


def _is_alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return len(one.keys() & other.keys()) >= ALIKE * len(one.keys() | other.keys())


def _found(key: str, pairs: Sequence[tuple[str, str]], documents: int) -> _Found:
    label = Counter(label for label, _ in pairs).most_common(1)[0][0] if pairs else key
    values = tuple(value for _, value in pairs)
    return _Found(key, label, _usual_kind(values), values, documents)


def _usual_kind(values: Iterable[str]) -> ValueKind:
    """The kind of most values. A number only if all are: a schema that asks for one refuses everything else."""
    kinds = Counter(_kind(value) for value in values)
    kind, count = kinds.most_common(1)[0] if kinds else ("text", 0)
    if kind == "number" and kinds.keys() - {"number", "amount"}:
        return "code" if kinds.keys() == {"number", "code"} else "text"
    return kind if 2 * count > kinds.total() else "text"


def _kind(value: str) -> ValueKind:
    """The kind of a value: a date, an amount and so on, when it is nothing else besides."""
    solid = len(value.replace(" ", ""))
    spans = [span for span in spans_of(value) if len(value[span.start : span.end].replace(" ", "")) >= WHOLE * solid]
    return spans[0].kind if spans else "text"


def _proposed(
    leaves: Sequence[_Found], lists: Sequence[Sequence[_Found]], results: tuple[DocumentResult, ...]
) -> Discovery:
    properties: dict[str, Json] = {}
    fields: list[DiscoveredField] = []
    for leaf in leaves:
        name = _name(leaf.key, properties)
        properties[name] = _leaf(leaf)
        fields.append(_field(name, leaf))
    for columns in lists:
        name = _name("items", properties)
        inside: dict[str, Json] = {}
        for column in columns:
            inner = _name(column.key, inside)
            inside[inner] = _leaf(column)
            fields.append(_field(f"{name}[].{inner}", column))
        properties[name] = {"type": "array", "items": {"type": "object", "properties": inside}}
    made: dict[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
    }
    return Discovery(made, tuple(fields), results)


def _field(path: str, found: _Found) -> DiscoveredField:
    return DiscoveredField(path, found.label, found.kind, found.documents, _examples(found))


def _leaf(found: _Found) -> dict[str, Json]:
    kind = found.kind
    type_of_value = _SIMPLE.get(kind, {"type": "string", "x-quire": {"kind": kind}})
    return {"title": found.label, **type_of_value, "examples": list(_examples(found))}


def _examples(found: _Found) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found.values))[:EXAMPLES]


def _key(label: str) -> str:
    """A label without case and punctuation; empty for one without a word."""
    words = _WORD.findall(label.casefold())
    return "_".join(words) if any(len(word) > 1 and not word.isdigit() for word in words) else ""


def _name(key: str, taken: Mapping[str, object]) -> str:
    name, number = key, 1
    while name in taken:
        number += 1
        name = f"{key}_{number}"
    return name

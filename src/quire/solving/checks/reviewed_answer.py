"""An answer under review: its values in the order of the schema, and what the checks look up more than once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from quire.core.context import Json
from quire.core.types import Part
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.agreement import is_same
from quire.evidence.extract.extraction import extract
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.pairs.label_pairs import LabelledValue, find_pairs
from quire.evidence.extract.rules.leaves import WantedLeaf, wanted_leaves
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.value_paths import field_of, rows_of, values_by_path
from quire.evidence.extract.values import Extraction, LeafEvidence
from quire.solving.checks.catalog_tables import CatalogTable, TableCell, tables_of
from quire.solving.findings import Finding, FindingKind
from quire.solving.joined_catalog import JoinedCatalog


@dataclass(frozen=True)
class ReviewedValue:
    """A value of the answer with its leaf and its evidence as it was stored; None where there is no evidence."""

    path: str
    value: Json
    leaf: LeafSpec
    evidence: LeafEvidence | None

    def differs(self, other: Json) -> bool:
        return not is_same(self.value, other, self.leaf.kind)


@dataclass(frozen=True)
class ReviewedDocuments:
    """The documents of a task as the checks look at them: what does not depend on the answer, made once."""

    schema: ExtractSchema
    joined: JoinedCatalog

    @cached_property
    def offline(self) -> Extraction:
        """What the extractor without a language model finds, with each place in its document."""
        return self.joined.separated(extract(self.joined.whole, self.schema, [OfflineExtractor()]))

    @cached_property
    def each_offline(self) -> Sequence[Extraction]:
        """What it finds in each document alone."""
        return [extract(one, self.schema, [OfflineExtractor()]) for one in self.joined.catalogs]

    @cached_property
    def pairs(self) -> Sequence[LabelledValue]:
        """The labels with their values in the whole."""
        return find_pairs(self.joined.whole)

    @cached_property
    def tables(self) -> Mapping[str, CatalogTable]:
        """The tables by the ids of their blocks in the whole."""
        return tables_of(self.joined.whole)

    @cached_property
    def wanted(self) -> Mapping[str, WantedLeaf]:
        """The leaves by their paths in the schema, with the meaning of each."""
        return {one.leaf.path: one for one in wanted_leaves(self.schema.leaves)[0]}

    @cached_property
    def order(self) -> Mapping[str, int]:
        return {leaf.path: at for at, leaf in enumerate(self.schema.leaves)}


@dataclass(frozen=True)
class ReviewedAnswer:
    """An answer with the documents that it is from. `decided` are paths about which a person has decided."""

    answer: Extraction
    source: ReviewedDocuments
    decided: Collection[str] = ()

    @property
    def schema(self) -> ExtractSchema:
        return self.source.schema

    @property
    def documents(self) -> JoinedCatalog:
        return self.source.joined

    @property
    def whole(self) -> SourceCatalog:
        return self.documents.whole

    @cached_property
    def given(self) -> Mapping[str, Json]:
        """The single values of the answer by path."""
        return {path: value for path, value in values_by_path(self.answer.values) if value is not None and value != ""}

    @cached_property
    def values(self) -> Sequence[ReviewedValue]:
        """The values of leaves of the schema, in its order."""
        found = [
            ReviewedValue(path, value, leaf, self.answer.evidence.get(path))
            for path, value in self.given.items()
            if (leaf := self.schema.leaf(path)) is not None
        ]
        return sorted(found, key=lambda one: self.position(one.path))

    @cached_property
    def single(self) -> Sequence[ReviewedValue]:
        """The values outside of lists."""
        return [one for one in self.values if "[" not in one.path]

    def cell(self, evidence: LeafEvidence | None) -> TableCell | None:
        """The first cell that evidence cites; None where it cites other records."""
        for record in () if evidence is None else self.cited(evidence):
            if record.level == "cell" and record.blocks[0] in self.source.tables:
                return self.source.tables[record.blocks[0]].cells.get(record.id)
        return None

    def meaning(self, path: str) -> str:
        """The concept of a leaf, such as `total`; empty where its name says none."""
        wanted = self.source.wanted.get(field_of(path)) or self.source.wanted.get(field_of(path).removesuffix("[]"))
        return wanted.concept.id if wanted is not None and wanted.concept is not None else ""

    def position(self, path: str) -> tuple[int, tuple[int, ...], str]:
        """Sorts paths in the order of the schema, and the items of a list by their number."""
        field = field_of(path)
        at = self.source.order.get(field, self.source.order.get(field.removesuffix("[]"), len(self.source.order)))
        return at, rows_of(path), path

    def record(self, short: str, name: str) -> EvidenceRecord | None:
        """A record of a document, in the whole."""
        return self.whole.by_id.get(joined_name(short, name))

    def cited(self, evidence: LeafEvidence) -> Iterator[EvidenceRecord]:
        """The records of evidence that exist, in the whole."""
        for name in evidence.records:
            if (record := self.record(evidence.document, name)) is not None:
                yield record

    def places(self, evidence: LeafEvidence) -> tuple[Part, ...]:
        """The boxes of evidence on the pages of the whole."""
        if evidence.page is None or evidence.document not in self.documents.shorts:
            return ()
        page = self.documents.page_in_whole(evidence.document, evidence.page)
        return tuple(Part(page, box) for box in evidence.bboxes)

    def finding(self, one: ReviewedValue, kind: FindingKind, reason: str, *, other: Json = None) -> Finding:
        """A finding about a value, at the place that it cites."""
        evidence = one.evidence
        made = Finding(one.path, kind, reason, value=one.value, other=other)
        if evidence is None:
            return made
        return replace(
            made,
            document=evidence.document,
            page=evidence.page,
            bboxes=evidence.bboxes,
            quote=evidence.quote,
            record=evidence.records[0] if evidence.records else "",
        )

    def at_record(self, made: Finding, record: EvidenceRecord, places: Sequence[Part], quote: str) -> Finding:
        """A finding with the place of what speaks against the value, in its own document."""
        page = places[0].page
        at, number = self.documents.place_of(page)
        return replace(
            made,
            document=self.documents.shorts[at],
            page=number,
            bboxes=tuple(place.bbox for place in places if place.page == page),
            quote=quote,
            record=record.id.rpartition("/")[2],
        )


def joined_name(short: str, name: str) -> str:
    """The id of a record in the whole, from the id in its document."""
    return f"{short}/{name}" if short else name

"""A record of the source catalog, the catalog of one document, and its texts as values are looked for in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from quire.core.keys import ArtifactKey, Digest
from quire.core.types import Block, PageInfo, Part
from quire.evidence.verify.matches import SearchedText
from quire.lexicon.amounts import DecimalMark, decimal_mark, scale_of

RecordLevel = Literal["chunk", "block", "cell"]
EvidenceTier = Literal["native", "exact", "semantic"]
"""`native`: text of the file. `exact`: an engine's answer about exactly these pixels. `semantic`: about similar ones,
which is never evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """Something of a document that a value can cite: a chunk, a block, or a cell of a table.

    `id` is stable: that of the chunk, `p3-b12` for a block, `p3-b12:r2c4` for a cell. `places` are its boxes, of which
    the first is where it begins; `blocks` are those it consists of. `source_image` names the picture of the page in a
    store, `provider` the engine (`native` for text of the file), `profile` its settings, `answer` the key of its
    stored answer.
    """

    id: str
    level: RecordLevel
    text: str
    page: int
    page_id: str
    places: tuple[Part, ...]
    blocks: tuple[str, ...]
    source_image: str = ""
    provider: str = "native"
    provider_version: str = ""
    profile: Digest | None = None
    answer: ArtifactKey | None = None
    tier: EvidenceTier = "native"
    confidence: float | None = None


class CatalogTexts:
    """The printed texts of the records of one document, each prepared when it is first asked for."""

    def __init__(self, records: Sequence[EvidenceRecord], blocks: Sequence[Block]) -> None:
        self._records = records
        self._blocks = blocks
        self._printed: dict[str, SearchedText] = {}

    def of(self, record: EvidenceRecord) -> SearchedText:
        """The text of a record, and what stands in it."""
        printed = self._printed.get(record.id)
        if printed is None:
            scale = max((self._scales.get(name, 1) for name in record.blocks), default=1)
            printed = SearchedText(record.text, self._mark, scale, record.tier != "native")
            self._printed[record.id] = printed
        return printed

    @cached_property
    def searched(self) -> Sequence[EvidenceRecord]:
        """The records to search for a value without a right citation: cells, then blocks, no semantic answer."""
        usable = [record for record in self._records if record.level != "chunk" and record.tier != "semantic"]
        return sorted(usable, key=lambda record: record.level != "cell")

    @cached_property
    def chunks(self) -> Sequence[EvidenceRecord]:
        """The records of chunks, which have what goes over several blocks."""
        return [record for record in self._records if record.level == "chunk" and record.tier != "semantic"]

    @cached_property
    def blocks(self) -> Sequence[EvidenceRecord]:
        """The records of blocks, which have every text of the document once."""
        return [record for record in self._records if record.level == "block"]

    @cached_property
    def _mark(self) -> DecimalMark | None:
        return decimal_mark(block.text for block in self._blocks)

    @cached_property
    def _scales(self) -> dict[str, int]:
        return dict(self._with_scale())

    def _with_scale(self) -> Iterator[tuple[str, int]]:
        """By block: what the head of a table, or the text right above it, says about its numbers."""
        above = ""
        for block in self._blocks:
            if block.table is not None:
                head = "\n".join(cell.text for cell in block.table.cells if cell.header or cell.row == 0)
                scale = max(scale_of(head), scale_of(above))
                if scale != 1:
                    yield block.id, scale
            above = block.text


@dataclass(frozen=True)
class SourceCatalog:
    """All records of one document as it was read once. `version` is the digest of its records: an answer names it."""

    document: str
    name: str
    version: Digest
    records: Sequence[EvidenceRecord]
    pages: Sequence[PageInfo]
    blocks: Sequence[Block] = field(repr=False)

    @cached_property
    def by_id(self) -> Mapping[str, EvidenceRecord]:
        return {record.id: record for record in self.records}

    @cached_property
    def block_by_id(self) -> Mapping[str, Block]:
        return {block.id: block for block in self.blocks}

    def records_of(self, blocks: Sequence[str]) -> Sequence[EvidenceRecord]:
        """The records of some blocks and of their cells."""
        return [record for name in blocks for record in self._by_block.get(name, ())]

    @cached_property
    def texts(self) -> CatalogTexts:
        """The texts of the records as values are looked for in them."""
        return CatalogTexts(self.records, self.blocks)

    @cached_property
    def _by_block(self) -> Mapping[str, Sequence[EvidenceRecord]]:
        found: dict[str, list[EvidenceRecord]] = {}
        for record in self.records:
            if record.level != "chunk":
                found.setdefault(record.blocks[0], []).append(record)
        return found

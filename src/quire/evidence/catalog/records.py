"""A record of the source catalog, and the catalog of one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from quire.core.keys import ArtifactKey, Digest
from quire.core.types import Block, PageInfo, Part

if TYPE_CHECKING:
    from quire.evidence.catalog.texts import CatalogTexts

RecordLevel = Literal["chunk", "block", "cell"]
EvidenceTier = Literal["native", "exact", "semantic"]
"""`native`: text of the file. `exact`: an engine's answer about exactly these pixels. `semantic`: about similar ones,
which is never evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """Something of a document that a value can cite: a chunk, a block, or a cell of a table.

    `id` is stable: that of the chunk, `p3-b12` for a block, `p3-b12:r2c4` for a cell. `places` are its
    boxes, of which the first is where it begins; `blocks` are those it consists of. `source_image` names the picture of
    the page, `provider` the engine (`native` for text of the file), `profile` its settings, `answer` the key of its
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
        from quire.evidence.catalog.texts import CatalogTexts

        return CatalogTexts(self.records, self.blocks)

    @cached_property
    def _by_block(self) -> Mapping[str, Sequence[EvidenceRecord]]:
        found: dict[str, list[EvidenceRecord]] = {}
        for record in self.records:
            if record.level != "chunk":
                found.setdefault(record.blocks[0], []).append(record)
        return found

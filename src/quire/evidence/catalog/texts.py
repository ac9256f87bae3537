"""The texts of a catalog as they are compared with values: prepared once, when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from quire.core.types import Block
from quire.evidence.catalog.records import EvidenceRecord
from quire.evidence.verify.matches import SearchedText
from quire.lexicon.amounts import DecimalMark, decimal_mark, scale_of


class CatalogTexts:
    """The printed texts of the records of one document."""

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
        """What a value without a right citation is looked for in: cells, then blocks; never in a semantic answer."""
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
        """By block: what the head of a table, or the text right above it, says about its figures."""
        above = ""
        for block in self._blocks:
            if block.table is not None:
                head = "\n".join(cell.text for cell in block.table.cells if cell.header or cell.row == 0)
                scale = max(scale_of(head), scale_of(above))
                if scale != 1:
                    yield block.id, scale
            above = block.text

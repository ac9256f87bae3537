"""The catalogs of several documents as one, so that values are looked for, cited and checked as in a single document.

Ids get the short name of their document before them, `document-2/p3-b12`, and pages are numbered through. Evidence that
was made with the joined catalog is put back to the document and page that it is from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from quire.core.keys import digest_of
from quire.core.page_ranges import selection
from quire.core.types import Block, Cell, Part
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.values import Alternative, EvidenceConflict, Extraction, LeafEvidence, Missing
from quire.output.place_crops import DPI, around, picture_id


def short_names(count: int) -> list[str]:
    """The names of documents in citations and in the workspace: none for a single one, else `document-1` and so on."""
    return [""] if count == 1 else [f"document-{number}" for number in range(1, count + 1)]


@dataclass(frozen=True)
class JoinedCatalog:
    """The catalogs of the documents of a task, in their order."""

    catalogs: Sequence[SourceCatalog]

    @property
    def shorts(self) -> Sequence[str]:
        return short_names(len(self.catalogs))

    @property
    def names(self) -> Mapping[str, str]:
        """The file names of the documents by their short names."""
        return dict(zip(self.shorts, (one.name for one in self.catalogs), strict=True))

    @cached_property
    def whole(self) -> SourceCatalog:
        """One catalog of all documents; that of the document itself where there is only one."""
        if len(self.catalogs) == 1:
            return self.catalogs[0]
        named = list(zip(self.shorts, self._offsets, self.catalogs, strict=True))
        return SourceCatalog(
            document=digest_of([one.document for one in self.catalogs]),
            name=", ".join(one.name for one in self.catalogs),
            version=digest_of([one.version for one in self.catalogs]),
            records=[_record(record, short, by) for short, by, one in named for record in one.records],
            pages=[replace(page, number=page.number + by) for _, by, one in named for page in one.pages],
            blocks=[_block(block, short, by) for short, by, one in named for block in one.blocks],
        )

    def place_of(self, page: int) -> tuple[int, int]:
        """The position of the document that a page of the whole is from, and its number there."""
        at = max(0, bisect_right(self._offsets, page - 1) - 1)
        return at, page - self._offsets[at]

    def page_in_whole(self, short: str, page: int) -> int:
        """The number of a page of a document in the whole. Raises ValueError for an unknown document."""
        return page + self._offsets[list(self.shorts).index(short)]

    def separated(self, extraction: Extraction) -> Extraction:
        """An extraction from the whole, with each place in its own document."""
        if len(self.catalogs) == 1:
            return extraction
        return replace(
            extraction,
            evidence={path: self._evidence(one) for path, one in extraction.evidence.items()},
            conflicts=tuple(
                EvidenceConflict(one.path, tuple(map(self._alternative, one.values)), one.reason)
                for one in extraction.conflicts
            ),
            not_found=tuple(self._missing(one) for one in extraction.not_found),
        )

    @cached_property
    def _offsets(self) -> list[int]:
        last = [max((page.number for page in one.pages), default=0) for one in self.catalogs]
        return list(accumulate(last, initial=0))[: len(last)]

    def _evidence(self, one: LeafEvidence) -> LeafEvidence:
        alternatives = tuple(map(self._alternative, one.alternatives))
        if one.page is None:
            return replace(one, alternatives=alternatives)
        at, page = self.place_of(one.page)
        box = around(one.bboxes)
        crop = None if box is None else picture_id(self.catalogs[at].document, page, dpi=DPI, box=box)
        return replace(
            one,
            page=page,
            document=self.shorts[at],
            blocks=tuple(map(_bare, one.blocks)),
            records=tuple(map(_bare, one.records)),
            crop=crop if one.crop is not None else None,
            alternatives=alternatives,
        )

    def _alternative(self, one: Alternative) -> Alternative:
        at, page = self.place_of(one.page)
        return replace(one, page=page, document=self.shorts[at], blocks=tuple(map(_bare, one.blocks)))

    def _missing(self, one: Missing) -> Missing:
        """Which pages were searched is a part of the reason: numbers alone do not say of which document."""
        searched: dict[int, list[int]] = {}
        for number in one.pages:
            at, page = self.place_of(number)
            searched.setdefault(at, []).append(page)
        named = ", ".join(f"{self.shorts[at]} page {selection(pages)}" for at, pages in searched.items())
        return replace(one, pages=(), reason=f"{one.reason}; searched {named}" if named else one.reason)


def _bare(name: str) -> str:
    return name.rpartition("/")[2]


def _record(record: EvidenceRecord, short: str, by: int) -> EvidenceRecord:
    return replace(
        record,
        id=f"{short}/{record.id}",
        page=record.page + by,
        places=tuple(_part(place, by) for place in record.places),
        blocks=tuple(f"{short}/{name}" for name in record.blocks),
    )


def _block(block: Block, short: str, by: int) -> Block:
    table = block.table
    cells = None if table is None else tuple(_cell(cell, by) for cell in table.cells)
    return replace(
        block,
        id=f"{short}/{block.id}",
        page=block.page + by,
        parts=tuple(_part(part, by) for part in block.parts),
        table=None if table is None or cells is None else replace(table, cells=cells),
    )


def _part(part: Part, by: int) -> Part:
    return replace(part, page=part.page + by)


def _cell(cell: Cell, by: int) -> Cell:
    return replace(cell, page=cell.page + by)

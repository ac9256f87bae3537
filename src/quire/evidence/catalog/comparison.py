"""Two versions of the catalog of a document: what was added, what is gone, and which places moved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.core.types import shortened
from quire.evidence.catalog.catalog_rows import CatalogRow


class MovedRecord(NamedTuple):
    """A record of both versions with the same text, at another place or under another id."""

    before: CatalogRow
    after: CatalogRow


@dataclass(frozen=True, slots=True)
class CatalogChanges:
    """The difference between two versions of a catalog, in reading order."""

    added: Sequence[CatalogRow]
    removed: Sequence[CatalogRow]
    moved: Sequence[MovedRecord]
    same: int
    """How many records are in both, at the same place and under the same id."""

    def about(self, cited: Collection[str]) -> CatalogChanges:
        """What became of cited records, by their ids in the old version."""
        removed = [row for row in self.removed if row["chunk_id"] in cited]
        moved = [one for one in self.moved if one.before["chunk_id"] in cited]
        return CatalogChanges((), removed, moved, len(set(cited)) - len(removed) - len(moved))

    def to_json(self) -> dict[str, object]:
        """The ids and places of everything that differs, as JSON."""
        return {
            "added": [_place(row) for row in self.added],
            "removed": [_place(row) for row in self.removed],
            "moved": [{"before": _place(one.before), "after": _place(one.after)} for one in self.moved],
            "same": self.same,
        }

    def lines(self) -> Iterator[str]:
        """The difference for people: a line for each record, and the numbers."""
        for sign, rows in (("-", self.removed), ("+", self.added)):
            for row in rows:
                yield f"{sign} {_shown(row)}"
        for before, after in self.moved:
            yield f"> {_shown(before)} -> page {after['page_number']}, {after['chunk_id']}"
        yield f"{len(self.added)} added, {len(self.removed)} removed, {len(self.moved)} moved, {self.same} the same"


def _place(row: CatalogRow) -> dict[str, object]:
    return {name: row[name] for name in ("chunk_id", "level", "page_number", "text", "boxes")}


def _shown(row: CatalogRow) -> str:
    return f"page {row['page_number']}, {row['chunk_id']}: {shortened(row['text'])}"


def compare_catalogs(before: Iterable[CatalogRow], after: Iterable[CatalogRow]) -> CatalogChanges:
    """Compare two versions of a catalog, of one document or of two versions of it.

    Records belong together if they have the same level and text; of several with one text, those with the same id
    first, then those on the same page, then the others in reading order.
    """
    old, new = list(before), list(after)
    partner = dict(_pairs(_by_text(old), _by_text(new), old, new))
    kept = set(partner.values())
    moved = [MovedRecord(old[i], new[j]) for i, j in sorted(partner.items()) if not _is_same(old[i], new[j])]
    return CatalogChanges(
        added=[row for j, row in enumerate(new) if j not in kept],
        removed=[row for i, row in enumerate(old) if i not in partner],
        moved=moved,
        same=len(partner) - len(moved),
    )


_LIKENESSES: Sequence[Callable[[CatalogRow], object]] = (
    lambda row: row["chunk_id"],
    lambda row: row["page_number"],
    lambda row: None,
)
"""What two records with the same text have in common, the most telling first."""
_Positions = Mapping[tuple[str, str], list[int]]


def _by_text(rows: Sequence[CatalogRow]) -> _Positions:
    positions: dict[tuple[str, str], list[int]] = {}
    for position, row in enumerate(rows):
        positions.setdefault((row["level"], row["text"]), []).append(position)
    return positions


def _pairs(
    old_positions: _Positions, new_positions: _Positions, old: Sequence[CatalogRow], new: Sequence[CatalogRow]
) -> Iterator[tuple[int, int]]:
    for text, positions in old_positions.items():
        left = dict.fromkeys(positions)
        free = dict.fromkeys(new_positions.get(text, ()))
        for likeness in _LIKENESSES:
            waiting: dict[object, list[int]] = {}
            for j in reversed(free):
                waiting.setdefault(likeness(new[j]), []).append(j)
            for i in list(left):
                if matching := waiting.get(likeness(old[i])):
                    j = matching.pop()
                    del left[i], free[j]
                    yield i, j


def _is_same(before: CatalogRow, after: CatalogRow) -> bool:
    return before["chunk_id"] == after["chunk_id"] and before["boxes"] == after["boxes"]

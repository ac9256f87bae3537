"""Filters as SQL conditions, in the SQL that SQLite and PostgreSQL share, over the tables `chunks` and `documents`.

They run inside the engine: a chunk that a filter excludes is never a candidate.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.page_ranges import ranges_of
from quire.database.database import like_text
from quire.retrieval.search.query import SearchFilter


def conditions(filters: SearchFilter) -> tuple[str, list[object]]:
    """The condition on `c` (chunks) and `d` (documents), and its values."""
    parts, values = ["d.tenant = ?"], list[object]([filters.tenant])
    if filters.documents:
        _any(parts, values, filters.documents, "d.document = ?", "d.name = ?")
    if filters.folders:
        found = [folder.rstrip("/") or "/" for folder in filters.folders]
        patterns = [f"%/{like_text(folder.lstrip('/'))}" for folder in found]
        each = "(d.path = ? OR '/' || d.path LIKE ? ESCAPE '!' OR '/' || d.path LIKE ? ESCAPE '!')"
        parts.append(f"({' OR '.join([each] * len(found))})")
        for folder, pattern in zip(found, patterns, strict=True):
            values += [folder, pattern, f"{pattern}/%"]
    if filters.kinds:
        parts.append(f"({' OR '.join(['c.kinds LIKE ?'] * len(filters.kinds))})")
        values += [f"% {kind} %" for kind in filters.kinds]
    if filters.pages:
        ranges = ranges_of(filters.pages)
        parts.append(f"({' OR '.join(['(c.last_page >= ? AND c.first_page <= ?)'] * len(ranges))})")
        values += [bound for first, last in ranges for bound in (first, 1 << 30 if last is None else last)]
    if filters.statements:  # said twice, so that the index of those that have one is used
        parts.append(f"c.statement <> '' AND c.statement IN ({', '.join('?' * len(filters.statements))})")
        values += filters.statements
    if filters.since:
        parts.append("d.modified >= ?")
        values.append(filters.since)
    if filters.until:
        parts.append("d.modified < ?")
        values.append(f"{filters.until}~")  # the whole day: "~" sorts behind every time of it
    for name, value in filters.metadata:
        parts.append("d.metadata LIKE ? ESCAPE '!'")
        values.append(f"%\n{like_text(name)}={like_text(value)}\n%")
    return " AND ".join(parts), values


def is_open(filters: SearchFilter) -> bool:
    """Whether a filter lets everything of its tenant pass."""
    return filters == SearchFilter(tenant=filters.tenant)


def _any(parts: list[str], values: list[object], wanted: Sequence[str], *tests: str) -> None:
    parts.append(f"({' OR '.join([*tests] * len(wanted))})")
    values += [value for one in wanted for value in [one] * len(tests)]

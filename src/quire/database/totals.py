"""The size of a store, in numbers."""

from __future__ import annotations

from typing import NamedTuple

from quire.database.database import Database
from quire.database.facts import integer


class Totals(NamedTuple):
    """Counts and bytes by name; `stages` has the name, artifacts, bytes and last day of use (0 if unknown) of each."""

    counts: dict[str, int]
    stages: list[tuple[str, int, int, int]]
    runs: dict[str, int]


def totals_of(database: Database) -> Totals:
    stages = database.rows(
        "SELECT stage, count(*), sum(size), max(used) FROM facts GROUP BY stage ORDER BY sum(size) DESC, stage"
    )
    names = ("artifacts", "bytes", "documents", "contents", "content_bytes")
    (of_facts,) = database.rows("SELECT count(*), coalesce(sum(size), 0), count(DISTINCT document) FROM facts")
    (of_objects,) = database.rows("SELECT count(*), coalesce(sum(size), 0) FROM objects")
    runs = database.rows("SELECT state, count(*) FROM runs GROUP BY state ORDER BY state")
    return Totals(
        dict(zip(names, map(integer, (*of_facts, *of_objects)), strict=True)),
        [(str(stage), integer(many), integer(total), integer(used)) for stage, many, total, used in stages],
        {str(state): integer(many) for state, many in runs},
    )

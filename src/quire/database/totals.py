"""The size of a store, in numbers."""

from __future__ import annotations

from typing import NamedTuple

from quire.database.database import Database
from quire.database.facts import integer


class Totals(NamedTuple):
    """Counts and bytes; `stages` has the name, artifacts, bytes and last day of use (0 if unknown) of each."""

    documents: int
    artifacts: int
    bytes: int
    contents: int
    content_bytes: int
    stages: tuple[tuple[str, int, int, int], ...]
    runs: dict[str, int]


def totals_of(database: Database) -> Totals:
    stages = database.rows(
        "SELECT stage, count(*), sum(size), max(used) FROM facts GROUP BY stage ORDER BY sum(size) DESC, stage"
    )
    ((artifacts, size, documents),) = database.rows(
        "SELECT count(*), coalesce(sum(size), 0), count(DISTINCT document) FROM facts"
    )
    ((contents, content_bytes),) = database.rows("SELECT count(*), coalesce(sum(size), 0) FROM objects")
    runs = database.rows("SELECT state, count(*) FROM runs GROUP BY state ORDER BY state")
    return Totals(
        integer(documents),
        integer(artifacts),
        integer(size),
        integer(contents),
        integer(content_bytes),
        tuple((str(stage), integer(many), integer(total), integer(used)) for stage, many, total, used in stages),
        {str(state): integer(many) for state, many in runs},
    )

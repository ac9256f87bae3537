"""The metrics of a store, for metrics. Each run has rows of its own, so that runs do not wait for each other; those of
runs that were forgotten are added up, so that a figure never decreases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quire.database.database import Database

FORGOTTEN = ""
"""Stands for all runs that were forgotten."""
_ADDED = "ON CONFLICT (run, name) DO UPDATE SET value = figures.value + excluded.value"


def add_metrics(database: Database, run: str, metrics: Mapping[str, float]) -> None:
    """Add to the metrics of a run, in the caller's transaction."""
    rows = [(run, name, value) for name, value in sorted(metrics.items()) if value]
    if rows:
        database.change_many(f"INSERT INTO figures (run, name, value) VALUES (?, ?, ?) {_ADDED}", rows)


def keep_metrics(database: Database, condition: str, values: Sequence[object]) -> None:
    """Keep the metrics of runs that match a condition, which are about to be forgotten, in the caller's transaction."""
    chosen = f"run IN (SELECT run FROM runs WHERE {condition})"
    database.change(
        "INSERT INTO figures (run, name, value) "
        f"SELECT '{FORGOTTEN}', name, sum(value) FROM figures WHERE {chosen} GROUP BY name ORDER BY name {_ADDED}",
        values,
    )
    database.change(f"DELETE FROM figures WHERE {chosen}", values)


def all_metrics(database: Database) -> dict[str, float]:
    """The metrics of all runs, by name."""
    rows = database.rows("SELECT name, sum(value) FROM figures GROUP BY name ORDER BY name")
    return {str(name): float(str(value)) for name, value in rows}

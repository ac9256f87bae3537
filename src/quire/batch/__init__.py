"""Stages over many items: one scheduler with retries, budgets and resume, and a manifest built from its events.

Comes in: items, a function of one item, and options. Goes out: an outcome, and an event for everything that happened.
Items are anything; `durable/folders` runs documents with it. The functions are for users too: `quire.batch`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.batch.contracts import (
        ItemFingerprint,
        ItemOutcome,
        StageContext,
        StageError,
        StageHooks,
        StageOptions,
        StageOutcome,
        StagePlan,
        WorkItem,
    )
    from quire.batch.manifest import ManifestWriter, read_manifest, rows_of
    from quire.batch.stage_scheduler import run_stage
    from quire.batch.stop_requests import Stop, stop_on_signals

__all__ = [
    "ItemFingerprint",
    "ItemOutcome",
    "ManifestWriter",
    "StageContext",
    "StageError",
    "StageHooks",
    "StageOptions",
    "StageOutcome",
    "StagePlan",
    "Stop",
    "WorkItem",
    "read_manifest",
    "rows_of",
    "run_stage",
    "stop_on_signals",
]

_HOMES = {
    "ManifestWriter": "manifest",
    "Stop": "stop_requests",
    "read_manifest": "manifest",
    "rows_of": "manifest",
    "run_stage": "stage_scheduler",
    "stop_on_signals": "stop_requests",
}


def __getattr__(name: str) -> object:
    """Import a name lazily: a worker process needs only the contracts."""
    if name not in __all__:
        raise AttributeError(f"module 'quire.batch' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"quire.batch.{_HOMES.get(name, 'contracts')}"), name)
    return value

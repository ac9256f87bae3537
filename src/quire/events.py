"""What happened, as values. Progress, callbacks, manifests and metrics are readers of this one stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

EventKind = Literal["started", "progress", "partial", "hit", "attempt", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    The id follows from what happened (run, stage, page, attempt, kind), so a replay neither loses nor doubles
    one; the sequence is the order in which it was stored. Sizes and times are in the payload:
    `input_bytes`, `pages`, `bytes`, `ms`, `render_ms`, `words`, `reason`.
    """

    id: str
    run: str
    sequence: int
    kind: EventKind
    stage: str
    document: str | None = None
    page: int | None = None
    key: str | None = None
    payload: Mapping[str, object] = field(default_factory=dict)


Sink = Callable[[Event], None]
"""A reader of events. Runs in the thread that does the work; an exception it raises does not break the run."""

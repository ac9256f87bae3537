"""Services: functions that the runner of a flow provides for its components."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quire.reading.messages import OpenedReview, PageEntry


@dataclass(frozen=True, slots=True)
class PageService:
    """A service that processes a document in groups of pages, each a durable step."""

    numbers: Callable[..., Sequence[int]]
    """Returns the pages to process."""
    some: Callable[..., list[PageEntry]]
    """Called with some of them and a sink for events; returns an entry for each, with an `error` for a failed page."""


@dataclass(frozen=True, slots=True)
class WaitingService:
    """A service that begins something, which ends elsewhere with a signal to the run."""

    begin: Callable[..., OpenedReview]
    """Called with the run; says for which signal to wait."""
    end: Callable[..., object]
    """Called with what was begun; returns the result."""


@dataclass(frozen=True, slots=True)
class TellingService:
    """A service that emits events about what it does."""

    call: Callable[..., object]
    """Called with a sink for events, and the arguments; returns the result."""


@dataclass(frozen=True, slots=True)
class CallingService:
    """A service that is a workflow of its own."""

    workflow: str
    begin: Callable[..., object]
    """Called with the run; returns the argument of the workflow."""
    end: Callable[..., object]
    """Called with the result of the workflow; returns that of the service."""


Service: TypeAlias = Callable[..., object] | PageService | WaitingService | TellingService | CallingService
"""A function that the runner of a flow provides for its components; it takes references instead of documents."""

"""Places at an engine: how many questions it takes at a time, over all processes that share a store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quire.context import Claim, Store
from quire.engine import Engine
from quire.keys import ArtifactKey
from quire.recognizing.asking import limit_of

POLL_S = 0.05
MANY = 32
"""An engine that takes more at a time runs on our own processors, and those are the limit."""


@contextmanager
def place_at(engine: Engine, store: Store, check: Callable[[], None]) -> Iterator[None]:
    """Wait for a place and keep it. `check` raises when nobody wants it any more."""
    with limit_of(engine):
        if not store.lasting or engine.max_concurrency > MANY:
            yield
            return
        claim = _claimed(engine, store, check)
        try:
            yield
        finally:
            store.release(claim)


def _claimed(engine: Engine, store: Store, check: Callable[[], None]) -> Claim:
    places = [ArtifactKey(f"place/{engine.name}/{number}") for number in range(max(1, engine.max_concurrency))]
    while True:
        for place in places:
            if (claim := store.claim(place)) is not None:
                return claim
        check()
        time.sleep(POLL_S)

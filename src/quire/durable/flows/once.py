"""Work that costs is done once, however many ask for it at a time, in whichever process."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from quire.context import Claim, Store
from quire.errors import FencedError
from quire.keys import ArtifactKey

T = TypeVar("T")

POLL_S = 0.05
"""How often who waits for another looks."""


def made_once(
    store: Store, key: ArtifactKey, find: Callable[[], T | None], make: Callable[[Claim], T]
) -> tuple[T, bool]:
    """What `find` finds, made by whoever has the claim of `key`; and whether it was found. Waits for others.

    A claim that was lost on the way makes nothing wrong: what the other one made is found.
    """
    while True:
        found = find()
        if found is not None:
            return found, True
        claim = store.claim(key)
        if claim is None:
            time.sleep(POLL_S)
            continue
        try:
            found = find()  # once more: whoever had the claim before has saved
            return (make(claim), False) if found is None else (found, True)
        except FencedError:
            continue
        finally:
            store.release(claim)

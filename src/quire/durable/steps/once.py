"""Expensive work is done once, even if several threads or processes need it at the same time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from quire.core.context import Claim, Store
from quire.core.errors import FencedError
from quire.core.keys import ArtifactKey

T = TypeVar("T")

POLL_S = 0.05
"""Polling interval while another process has the claim."""


def made_once(
    store: Store, key: ArtifactKey, find: Callable[[], T | None], make: Callable[[Claim], T]
) -> tuple[T, bool]:
    """The result of `find`, made first by the owner of the claim of `key` if necessary; and whether it was found.

    Waits while another process has the claim. If the claim is lost on the way, the result of the new owner is found.
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
            found = find()  # again: the previous owner of the claim may have saved it
            return (make(claim), False) if found is None else (found, True)
        except FencedError:
            continue
        finally:
            store.release(claim)

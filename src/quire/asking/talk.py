"""One running request, from the parent's side: its claim, its slot, and its answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from quire.asking.slots import Slot, TooSlow, take_place
from quire.core.context import Claim
from quire.core.engine import Costly
from quire.core.errors import UsageError
from quire.core.keys import ArtifactKey, Digest

if TYPE_CHECKING:
    from quire.asking.asker import Asker

Partial = Callable[[str], None]


class Talk:
    """The resources of a request. A job in a worker uses them through `on_event` and `on_request`, a call in a thread
    through the methods. The order is always the same, to avoid deadlocks: worker, claim, slot.

    `answer` is set when the engine was really asked.
    """

    def __init__(
        self,
        asker: Asker,
        who: Costly,
        *,
        page: int | None = None,
        mark: str = "",
        unlike: Digest | None = None,
        partial: Partial | None = None,
    ) -> None:
        self.who, self.page, self.mark, self.unlike = who, page, mark, unlike
        self._asker, self._partial = asker, partial
        self._claim: Claim | None = None
        self._place: Slot | None = None
        self.answer: bytes | None = None
        self.asking_since: float | None = None
        self.queue_ms = 0.0

    def claim(self, key: ArtifactKey) -> bool:
        """Claim the request; False when the answer exists. Waits while another process or thread asks."""
        self._claim = self._asker.claim(key, self)
        return self._claim is not None

    def take_place(self, *, alone: bool = False) -> Slot:
        """Wait for a slot; the timeout counts from here."""
        begun = time.monotonic()
        self._place = take_place(self.who, self._asker.store, self._asker.check, alone=alone)
        self.asking_since = time.monotonic()
        self.queue_ms = round((self.asking_since - begun) * 1000, 3)
        return self._place

    def save(self, key: ArtifactKey, data: bytes) -> None:
        """Save the answer before it is interpreted, and release the slot."""
        self.asking_since = None
        self.free_place()
        self.answer, self._claim = self._asker.save(key, data, self, self._claim)

    def check_deadline(self) -> None:
        """Raises TooSlow when the request has run for longer than its timeout."""
        limit_s = self.who.timeout_s
        if self.asking_since is not None and time.monotonic() - self.asking_since > limit_s:
            raise TooSlow(self.who.name, f"no answer within {limit_s:g} s")

    def on_event(self, kind: str, payload: Mapping[str, object]) -> None:
        if kind == "partial" and self._partial is not None:
            self._partial(str(payload.get("partial_text", "")))

    def on_request(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
        key = ArtifactKey(str(header.get("key", "")))
        match name:
            case "find":
                return {"found": self._asker.store.find(key) is not None}, b""
            case "claim":
                return {"found": not self.claim(key)}, b""
            case "place":
                self.take_place()
                return {}, b""
            case "save":
                if self._claim is None or self._claim.key != key:  # a worker parses untrusted bytes
                    raise UsageError("a job answers a request that it did not claim")
                self.save(key, data)
                return {}, b""
        raise UsageError(f"a job sends the unknown request {name!r}")

    def free_place(self) -> None:
        """Release the slot: the engine has answered, or the worker is idle or dead."""
        if self._place is not None:
            self._place.release()

    def close(self) -> None:
        """Release the claim. An abandoned thread releases its slot itself."""
        if self._claim is not None:
            self._asker.store.release(self._claim)
            self._claim = None

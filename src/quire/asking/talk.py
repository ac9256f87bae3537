"""One question under way, from the parent's side: its claim, its place, and the answer that came."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from quire.asking.places import Costly, Slot, TooSlow, take_place
from quire.context import Claim
from quire.errors import UsageError
from quire.keys import ArtifactKey, Digest

if TYPE_CHECKING:
    from quire.asking.asker import Asker

Partial = Callable[[str], None]


class Talk:
    """What a question holds. A job in a worker speaks with it (`on_event`, `on_request`); a call in a thread uses its
    methods. The order is always the same, so that no two questions wait for each other: worker, claim, place.

    `answer` is set when the question was really asked.
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
        """Whether the question is this one's to ask; otherwise the answer is there. Waits while another asks it."""
        self._claim = self._asker.claim(key, self)
        return self._claim is not None

    def take_place(self, *, alone: bool = False) -> Slot:
        """Wait until the question may be asked; the time limit counts from here."""
        begun = time.monotonic()
        self._place = take_place(self.who, self._asker.store, self._asker.check, alone=alone)
        self.asking_since = time.monotonic()
        self.queue_ms = round((self.asking_since - begun) * 1000, 3)
        return self._place

    def save(self, key: ArtifactKey, data: bytes) -> None:
        """Keep the answer before anyone interprets it. The place is free from here on: the question was answered."""
        self.asking_since = None
        self.free_place()
        self.answer, self._claim = self._asker.save(key, data, self, self._claim)

    def check_deadline(self) -> None:
        """Raises TooSlow when the question is under way for longer than it may be."""
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
                if self._claim is None or self._claim.key != key:  # a worker parses strangers' bytes
                    raise UsageError("a job answers a question that it did not claim")
                self.save(key, data)
                return {}, b""
        raise UsageError(f"a job asks for {name!r}, which the asker does not know")

    def free_place(self) -> None:
        """The engine has answered, or the worker is idle or dead: whatever was asked is over."""
        if self._place is not None:
            self._place.release()

    def close(self) -> None:
        """Give the claim back. The place of a thread that was left behind is given back by the thread."""
        if self._claim is not None:
            self._asker.store.release(self._claim)
            self._claim = None

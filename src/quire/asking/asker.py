"""The asker: an expensive answer is looked up, or requested once for all that need it, and saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import dataclass
from typing import Literal, Protocol

from quire.asking.calls import Crashed, within
from quire.asking.slots import POLL_S, Check, TooSlow
from quire.asking.talk import Partial, Talk
from quire.core.context import Claim, Store
from quire.core.engine import Costly
from quire.core.errors import EngineError, FencedError
from quire.core.events import EventKind
from quire.core.keys import ArtifactKey, Digest
from quire.system.workers import Job, JobFailed, WorkerError, WorkerPool, WorkerReply, WorkerTimeout, shared_pool

SETUP_S = 60.0
"""Seconds that a job may take besides the request itself: to render a page, to unpack its arguments."""


class Tell(Protocol):
    """Emits an event about a page. Called in the thread of the request."""

    def __call__(
        self, kind: EventKind, page: int | None, payload: Mapping[str, object], *, key: str | None, mark: str
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Ask:
    """A request: the key of its answer, the engine (`who`), and how: by a call here or by a job in a worker.

    The job requests `claim` (reply `found`: no need to ask), `place` and `save` from its parent, in this order. `mark`
    distinguishes the events of several requests of a page. An answer with the digest `unlike` is ignored.
    """

    key: ArtifactKey
    who: Costly
    call: Callable[[], bytes] | Job
    page: int | None = None
    mark: str = ""
    unlike: Digest | None = None
    partial: Partial | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The raw answer: `asked` just now, or `exact` for a cache hit in the store. `queue_ms`: the wait for a slot."""

    data: bytes
    tier: Literal["asked", "exact"]
    queue_ms: float = 0.0


class Asker:
    """Sends requests on behalf of one run over one document. Thread-safe; most calls block.

    `check` raises when the run is cancelled; waits call it at least every 50 ms.
    """

    def __init__(
        self,
        store: Store,
        *,
        document: str,
        check: Check,
        tell: Tell,
        pool: Callable[[], WorkerPool] = shared_pool,
        share: str = "",
    ) -> None:
        self.store, self.check = store, check
        self._document, self._tell, self._pool, self._share = document, tell, pool, share

    def ask(self, request: Ask) -> Answered:
        """The answer, from the store or the engine. Raises TooSlow, Crashed, or the error of the engine."""
        known = self.known(request.key, page=request.page, unlike=request.unlike)
        if known is not None:
            return Answered(known, "exact")
        talk = Talk(
            self, request.who, page=request.page, mark=request.mark, unlike=request.unlike, partial=request.partial
        )
        try:
            if isinstance(request.call, Job):
                self.work(request.call, talk)
            elif talk.claim(request.key):
                place = talk.take_place(alone=request.who.policy != "io")
                talk.save(request.key, within(request.who, request.call, place, self.check))
        finally:
            talk.close()
        if talk.answer is not None:
            return Answered(talk.answer, "asked", talk.queue_ms)
        known = self.known(request.key, page=request.page, unlike=request.unlike)
        if known is None:
            raise EngineError(
                request.who.name,
                "the worker saved no answer under the requested key: does the engine's profile change?",
            )
        return Answered(known, "exact", talk.queue_ms)

    def work(self, job: Job, talk: Talk) -> WorkerReply:
        """Run a job that may ask in a worker, and wait for it. The timeout counts from when the engine is asked.

        When this returns or raises, the worker is idle or dead.
        """
        who = talk.who
        try:
            return self.run(job, timeout_s=SETUP_S + who.timeout_s, talk=talk)
        except WorkerTimeout as error:
            raise TooSlow(who.name, str(error)) from error
        except WorkerError as error:
            raise Crashed(who.name, str(error)) from error
        except JobFailed as error:
            raise EngineError(who.name, str(error)) from error
        finally:
            talk.free_place()

    def run(self, job: Job, *, timeout_s: float, talk: Talk | None = None) -> WorkerReply:
        """Run a job in a worker, and wait until it is done, cancelled or timed out: it has ended in any case."""
        self.check()
        pool = self._pool()
        future = pool.submit(
            job,
            timeout_s=timeout_s,
            on_event=talk.on_event if talk else None,
            on_request=talk.on_request if talk else None,
            share=self._share,
        )
        try:
            while not wait([future], POLL_S).done:
                self.check()
                if talk is not None:
                    talk.check_deadline()
            return future.result()
        finally:
            pool.cancel([future])

    def known(self, key: ArtifactKey, *, page: int | None = None, unlike: Digest | None = None) -> bytes | None:
        """The answer in the store; records that the document of this run uses it too."""
        digest = self.store.share(key, document=self._document, page=page)
        return None if digest is None or digest == unlike else self.store.load(digest)

    def claim(self, key: ArtifactKey, talk: Talk) -> Claim | None:
        """Claim the request, or None when the answer exists; waits while another thread or process asks."""
        store, waited = self.store, False
        while True:
            claim = store.claim(key)
            if store.find(key) not in (None, talk.unlike):  # checked after the claim: the previous owner has saved it
                if claim is not None:
                    store.release(claim)
                return None
            if claim is not None:
                if claim.takeover:
                    notice = "takes over the request of another process that did not finish"
                    payload = {"notice": notice, "takeover": True}
                    self._tell("progress", talk.page, payload, key=key, mark=f"{talk.mark}/{claim.token}")
                return claim
            if not waited:
                waited = True
                payload = {"notice": "the same request is already running; waits for its answer", "waiting": True}
                self._tell("progress", talk.page, payload, key=key, mark=f"{talk.mark}/waiting/{key[:16]}")
            self.check()
            time.sleep(POLL_S)

    def save(self, key: ArtifactKey, data: bytes, talk: Talk, claim: Claim | None) -> tuple[bytes, Claim | None]:
        """Save an answer under its claim. Returns the answer that counts, and the claim that is held now.

        A lost claim is claimed again; if another process has saved an answer meanwhile, that one counts.
        """
        while True:
            try:
                self.store.save(key, data, stage="answer", document=self._document, page=talk.page, claim=claim)
                return data, claim
            except FencedError:
                claim = self.claim(key, talk)
                if claim is None:
                    known = self.known(key, page=talk.page)
                    return (data if known is None else known), None

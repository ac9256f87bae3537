"""The asker: an answer that costs is looked up, or asked for by one of all who need it, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from dataclasses import dataclass
from typing import Literal, Protocol

from quire.asking.calls import Crashed, within
from quire.asking.places import POLL_S, Check, Costly, TooSlow
from quire.asking.talk import Partial, Talk
from quire.context import Claim, Store
from quire.errors import EngineError, FencedError
from quire.events import EventKind
from quire.keys import ArtifactKey, Digest
from quire.workers import Job, JobFailed, WorkerError, WorkerPool, WorkerReply, WorkerTimeout, shared_pool

SETUP_S = 60.0
"""What a job may take besides the question itself: to draw a page, to unpack what it was sent."""


class Tell(Protocol):
    """Emits an event about a page. Called in whichever thread asks."""

    def __call__(
        self, kind: EventKind, page: int | None, payload: Mapping[str, object], *, key: str | None, mark: str
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Ask:
    """A question: the key of its answer, who is asked, and how: by a call here or by a job in a worker.

    The job requests `claim` (reply `found`: no need to ask), `place` and `save` of its parent, in this order. `mark`
    tells the events of several questions of a page apart. An answer with the digest `unlike` is no answer.
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
    """The raw answer: `asked` for now, or `exact` when the store had it. `queue_ms`: the wait for a place."""

    data: bytes
    tier: Literal["asked", "exact"]
    queue_ms: float = 0.0


class Asker:
    """Asks on behalf of one run over one document. Any thread may use it; most calls wait.

    `check` raises when the run is cancelled, and is called at least every 50 ms of a wait.
    """

    def __init__(
        self, store: Store, *, document: str, check: Check, tell: Tell, pool: Callable[[], WorkerPool] = shared_pool
    ) -> None:
        self.store, self.check = store, check
        self._document, self._tell, self._pool = document, tell, pool

    def ask(self, asked: Ask) -> Answered:
        """The answer, found or asked for. Raises TooSlow, Crashed, or whatever else the one who is asked raises."""
        known = self.known(asked.key, page=asked.page, unlike=asked.unlike)
        if known is not None:
            return Answered(known, "exact")
        talk = Talk(self, asked.who, page=asked.page, mark=asked.mark, unlike=asked.unlike, partial=asked.partial)
        try:
            if isinstance(asked.call, Job):
                self.work(asked.call, talk)
            elif talk.claim(asked.key):
                place = talk.take_place(alone=asked.who.policy != "io")
                talk.save(asked.key, within(asked.who, asked.call, place, self.check))
        finally:
            talk.close()
        if talk.answer is not None:
            return Answered(talk.answer, "asked", talk.queue_ms)
        known = self.known(asked.key, page=asked.page, unlike=asked.unlike)
        if known is None:
            raise EngineError(asked.who.name, "the worker gave no answer to what was asked: does its profile change?")
        return Answered(known, "exact", talk.queue_ms)

    def work(self, job: Job, talk: Talk) -> WorkerReply:
        """Have a worker do a job that may ask; waits for it. The time limit counts from when the question is asked.

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
        """Have a worker do a job, and wait until it is done, cancelled or too late: it is over in any case."""
        self.check()
        pool = self._pool()
        future = pool.submit(
            job,
            timeout_s=timeout_s,
            on_event=talk.on_event if talk else None,
            on_request=talk.on_request if talk else None,
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
        """The answer that the store has; the document of this run uses it from now on, too."""
        digest = self.store.share(key, document=self._document, page=page)
        return None if digest is None or digest == unlike else self.store.load(digest)

    def claim(self, key: ArtifactKey, talk: Talk) -> Claim | None:
        """The right to ask, or None when the answer is there; waits while another thread or process asks."""
        store, waited = self.store, False
        while True:
            claim = store.claim(key)
            if store.find(key) not in (None, talk.unlike):  # looked at after the claim: the one before has saved it
                if claim is not None:
                    store.release(claim)
                return None
            if claim is not None:
                if claim.takeover:
                    notice = "takes over: another process was asking and did not finish"
                    payload = {"notice": notice, "takeover": True}
                    self._tell("progress", talk.page, payload, key=key, mark=f"{talk.mark}/{claim.token}")
                return claim
            if not waited:
                waited = True
                payload = {"notice": "the same question is being asked already; waits for its answer", "waiting": True}
                self._tell("progress", talk.page, payload, key=key, mark=f"{talk.mark}/waiting/{key[:16]}")
            self.check()
            time.sleep(POLL_S)

    def save(self, key: ArtifactKey, data: bytes, talk: Talk, claim: Claim | None) -> tuple[bytes, Claim | None]:
        """Keep an answer under its claim. Gives the answer that counts, and the claim that is held now.

        A claim that was lost is taken again; the answer of another process that has it meanwhile is as good.
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

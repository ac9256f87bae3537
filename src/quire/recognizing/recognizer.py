"""Recognition of the pages of one document: the route of each page, attempt by attempt, over the worker pool.

Each page under way has a thread of the parent, which mostly waits: for a worker, or for an engine that waits for the
network. Events are handed to the thread that reads the document, which emits them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from quire.budget import worker_count
from quire.context import Claim
from quire.engine import Engine, Question
from quire.errors import ConfigurationError, EngineError, FencedError
from quire.events import EventKind
from quire.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.opened import Opened
from quire.pool import Answer, Job, Pool, shared_pool
from quire.recognize import looking
from quire.recognize.looking import Look, question_of
from quire.recognize.options import RecognizeOptions
from quire.recognize.registry import make
from quire.recognize.routing import Needs, route
from quire.recognize.seen import Seen
from quire.recognizing.asking import TooSlow
from quire.recognizing.page import PageRecognition, Recognised
from quire.recognizing.places import place_at
from quire.runtime.staged import StagedRun

if TYPE_CHECKING:
    from quire.recognize.similar import SimilarAnswers

DEFAULT_ENGINES = ("rapidocr", "tesseract")
LOOK_S = 60.0
"""How long drawing and preparing one page may take."""
CLAIM_POLL_S = 0.05
"""How often somebody who waits for the answer that another one asks for looks whether it is there."""
PATIENCE_S = 0.1
"""How long a wait lasts before somebody looks whether the read was cancelled."""

GRACE_S = 2.0
"""What an engine in a thread gets beyond its own time limit."""
STAGE = "recognize"


class Recognizer:
    """Recognises pages of one document. `start` and `wait` are called by the thread that reads it."""

    def __init__(self, source: Opened, reader: str, run: StagedRun, options: RecognizeOptions) -> None:
        self._source, self._reader, self._run, self._options = source, reader, run, options
        self._chosen: tuple[Engine, ...] | None = None
        self._missing: list[str] = []
        self._pool: Pool | None = None
        self._pages: ThreadPoolExecutor | None = None
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._jobs: set[Future[Answer]] = set()
        self._lock = Lock()
        self._stopped = Event()
        self._alike: SimilarAnswers | None = None

    @property
    def ahead(self) -> int:
        """How many pages may be under way at a time: bounded, whatever the number of pages."""
        return 0 if self._pool is None else 2 * self._pool.workers

    def start(self, number: int, native: bytes, digest: Digest, needs: Needs) -> Future[Recognised]:
        """Begin with a page. Its future raises RecognitionError when no engine could read it."""
        if self._pages is None:
            self._engines()  # says what is missing before anything is begun
            count = worker_count(self._options.workers)
            if count.notice:
                self._run.emit("progress", STAGE, payload={"notice": count.notice}, mark="/workers")
            self._pool = shared_pool(count.workers)
            self._pages = ThreadPoolExecutor(2 * self._pool.workers, thread_name_prefix="quire-page")
        return self._pages.submit(PageRecognition(self, number, native, digest, needs).read)

    def wait(self, page: Future[Recognised]) -> Recognised | None:
        """The page, as soon as it is there; meanwhile events of all pages are emitted. None when it was cancelled."""
        while not page.done():
            if self._run.cancelled:
                self.stop()
            self._emit_waiting(PATIENCE_S)
        self._emit_waiting(0)
        try:
            return page.result()
        except CancelledError:
            return None

    def stop(self) -> None:
        """End everything under way."""
        self._stopped.set()
        with self._lock:
            jobs = list(self._jobs)
        if self._pool is not None:
            self._pool.cancel(jobs)

    def close(self) -> None:
        """Stop, and let go of the threads. The pool itself stays, for the next document."""
        self.stop()
        if self._pages is not None:
            self._pages.shutdown(wait=True, cancel_futures=True)
        self._emit_waiting(0)
        if self._alike is not None:
            self._alike.close()

    def _emit_waiting(self, patience_s: float) -> None:
        try:
            tell = self._inbox.get(timeout=patience_s) if patience_s else self._inbox.get_nowait()
            while True:
                tell()
                tell = self._inbox.get_nowait()
        except Empty:
            pass

    # From here on: called by the threads of the pages.

    def route(self, needs: Needs, *, dense: bool = False) -> list[Engine]:
        return route(self._engines(), needs, dense=dense)

    def tell(
        self, kind: EventKind, page: int, payload: Mapping[str, object], *, key: str | None = None, mark: str = ""
    ) -> None:
        self._inbox.put(partial(self._run.emit, kind, STAGE, page=page, key=key, payload=payload, mark=mark))

    def clock(self) -> float:
        return self._run.clock()

    def since(self, begun: float) -> float:
        """Milliseconds since then."""
        return round((self._run.clock() - begun) * 1000, 3)

    def similar(self) -> SimilarAnswers | None:
        """The index of pictures for engines that run here, when it was asked for."""
        path = self._options.similar
        if path is None:
            return None
        from quire.recognize.similar import SimilarAnswers

        with self._lock:
            if self._alike is None:
                self._alike = SimilarAnswers(path)
            return self._alike

    def find(self, key: ArtifactKey) -> Digest | None:
        return self._run.store.find(key)

    def share(self, key: ArtifactKey, page: int) -> Digest | None:
        """An answer that is there already; this document uses it from now on, too."""
        return self._run.store.share(key, document=self._source.id, page=page)

    def load(self, digest: Digest) -> bytes:
        return self._run.store.load(digest)

    def save(self, key: ArtifactKey, data: bytes, stage: str, page: int, claim: Claim | None = None) -> Digest:
        """Keep something; what was claimed has cost, and lasts when this returns."""
        return self._run.store.save(key, data, stage=stage, document=self._source.id, page=page, claim=claim)

    def save_answer(self, key: ArtifactKey, data: bytes, page: int, claim: Claim | None) -> None:
        """Keep what an engine said. When somebody took the claim over, theirs is as good; when nobody has it, the
        database lost it in a crash, and it is taken again."""
        try:
            self.save(key, data, "answer", page, claim)
        except FencedError:
            again = self._run.store.claim(key)
            if again is None:
                return
            try:
                if self.find(key) is None:
                    self.save(key, data, "answer", page, again)
            finally:
                self.release(again)

    def claim(self, key: ArtifactKey, page: int) -> Claim | None:
        """The right to make something that costs, or None when it is there; waits while somebody else makes it."""
        store = self._run.store
        while True:
            claim = store.claim(key)
            if store.find(key) is not None:  # looked at after the claim: whoever had it before has saved it
                if claim is not None:
                    store.release(claim)
                return None
            if claim is not None:
                if claim.takeover:
                    notice = "takes over: whoever asked before did not finish"
                    self.tell("progress", page, {"notice": notice, "takeover": True}, key=key, mark=f"/{claim.token}")
                return claim
            self.check()
            time.sleep(CLAIM_POLL_S)

    def release(self, claim: Claim) -> None:
        self._run.store.release(claim)

    def seen_key(self, number: int, needs: Needs) -> ArtifactKey:
        kept = digest_of([[box.left, box.top, box.width, box.height] for box in needs.regions])
        inputs = self._source.id, str(number), self._reader, kept
        return artifact_key("picture", looking.VERSION, inputs, self._options.prepare.digest())

    def question(self, seen: Seen, needs: Needs) -> Question:
        return question_of(seen, languages=needs.languages, hints=self._options.hints)

    def look(self, number: int, needs: Needs, engine: Engine | None) -> Answer:
        """Let a worker look at a page, and ask an engine if there is one; waits for it."""
        arguments = Look(
            self._source,
            number,
            self._options.prepare,
            keep=needs.regions,
            engine=engine,
            languages=needs.languages,
            hints=self._options.hints,
            similar=self._options.similar,
        )
        assert self._pool is not None
        requests = _Requests(self, number)
        with self.place_at(engine) if engine else nullcontext():
            job = self._pool.submit(
                Job("quire.recognize.looking:look", arguments),
                timeout_s=LOOK_S + (engine.timeout_s if engine else 0.0),
                on_event=requests.told,
                on_request=requests.asked,
            )
            with self._lock:
                self._jobs.add(job)
            try:
                if self._stopped.is_set():
                    self._pool.cancel([job])
                return self._finished(job, requests, engine)
            finally:
                with self._lock:
                    self._jobs.discard(job)
                requests.close()

    def _finished(self, job: Future[Answer], requests: _Requests, engine: Engine | None) -> Answer:
        """The answer of a worker. The time of an engine counts from when it is asked."""
        assert self._pool is not None
        while engine is not None and not wait([job], PATIENCE_S).done:
            if requests.asking_since is not None and self.clock() - requests.asking_since > engine.timeout_s:
                self._pool.cancel([job])
                raise TooSlow(engine.name, f"no answer within {engine.timeout_s:g} s")
        return job.result()

    def place_at(self, engine: Engine) -> AbstractContextManager[None]:
        """One of the questions that an engine takes at a time."""
        return place_at(engine, self._run.store, self.check)

    def within(self, engine: Engine, ask: Callable[[], bytes]) -> bytes:
        """The answer of an engine that runs here, within its time: a thread that does not come back is left alone."""
        answer: Future[bytes] = Future()

        def run() -> None:
            try:
                answer.set_result(ask())
            except Exception as error:
                answer.set_exception(error)
            except BaseException as error:  # SystemExit of a library ends the question, not the program
                answer.set_exception(EngineError(engine.name, f"{type(error).__name__}: {error}"))

        self.check()
        Thread(target=run, name=f"quire-{engine.name}", daemon=True).start()
        until = time.monotonic() + engine.timeout_s + GRACE_S
        while not wait([answer], min(PATIENCE_S, max(0.0, until - time.monotonic()))).done:
            self.check()
            if time.monotonic() >= until:
                raise TooSlow(engine.name, f"no answer within {engine.timeout_s:g} s")
        return answer.result()

    def check(self) -> None:
        if self._stopped.is_set():
            raise CancelledError

    def nobody(self, needs: Needs) -> str:
        """Why there is no engine to ask."""
        known = ", ".join(engine.name for engine in self._engines())
        reasons = [f"none of the engines here ({known}) reads {', '.join(needs.languages)}"] if known else []
        return "; ".join([*reasons, *self._missing]) or "no engine was named"

    def _engines(self) -> tuple[Engine, ...]:
        """The engines asked for, or the ones that work here. Raises ConfigurationError for one that was asked for."""
        with self._lock:
            if self._chosen is None:
                self._chosen = tuple(self._make())
            return self._chosen

    def _make(self) -> list[Engine]:
        options, found = self._options, []
        for wanted in options.engines or DEFAULT_ENGINES:
            if not isinstance(wanted, str):
                found.append(wanted)
                continue
            try:
                found.append(make(wanted, profile=options.profile, languages=options.languages))
            except ConfigurationError as error:
                if options.engines:
                    raise
                self._missing.append(str(error))
        return found


class _Requests:
    """What a worker tells and asks while it looks at one page."""

    def __init__(self, recognizer: Recognizer, page: int) -> None:
        self._recognizer, self._page = recognizer, page
        self._told = 0
        self._claim: Claim | None = None
        self.asking_since: float | None = None

    def told(self, kind: str, payload: Mapping[str, object]) -> None:
        if kind == "started":
            self.asking_since = self._recognizer.clock()
        elif kind == "partial":
            self._told += 1
            self._recognizer.tell("partial", self._page, payload, mark=f"/{self._told}")

    def asked(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
        key = ArtifactKey(str(header["key"]))
        match name:
            case "find":
                return {"found": self._recognizer.find(key) is not None}, b""
            case "claim":
                self._claim = self._recognizer.claim(key, self._page)
                return {"found": self._claim is None}, b""
        self._recognizer.save_answer(key, data, self._page, self._claim)
        return {}, b""

    def close(self) -> None:
        """Give back what was not used."""
        if self._claim is not None:
            self._recognizer.release(self._claim)
            self._claim = None

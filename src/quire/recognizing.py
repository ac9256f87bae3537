"""Recognition of the pages of one document: the route of each page, attempt by attempt, over the worker pool.

Each page under way has a thread of the parent, which mostly waits: for a worker, or for an engine that waits for the
network. Events are handed to the thread that reads the document, which emits them.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Event, Lock, Thread

from quire.budget import worker_count
from quire.document import Document
from quire.engine import Attempt, Engine, Outcome, Picture, Question, Recognition, answer_key
from quire.errors import (
    ConfigurationError,
    EngineError,
    InputError,
    QuireError,
    RecognitionError,
    StoreError,
    UsageError,
)
from quire.events import EventKind
from quire.keys import ArtifactKey, Digest, artifact_key, digest_bytes, digest_of
from quire.pagetext import PageText
from quire.pool import Answer, Job, Pool, WorkerCrashed, WorkerError, WorkerOutOfMemory, WorkerTimeout, shared_pool
from quire.recognize import looking
from quire.recognize.looking import Look, question_of
from quire.recognize.normalize import normalize
from quire.recognize.options import RecognizeOptions
from quire.recognize.registry import make
from quire.recognize.routing import Needs, is_dense_table, is_weak, route
from quire.recognize.seen import Seen
from quire.runtime.inline import InlineRun, reason_of
from quire.stages import PageReading

DEFAULT_ENGINES = ("rapidocr", "tesseract")
GATE = "blank-gate"
"""Who "read" a page of which the picture is blank."""
LOOK_S = 60.0
"""How long drawing and preparing one page may take."""
PATIENCE_S = 0.1
"""How long a wait lasts before somebody looks whether the read was cancelled."""

GRACE_S = 2.0
"""What an engine in a thread gets beyond its own time limit."""
STAGE = "recognize"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What became of one page: the reading with the digests it was made from, and the way there."""

    reading: PageReading
    inputs: tuple[str, ...]
    path: tuple[Attempt, ...]


class Recognizer:
    """Recognises pages of one document. `start` and `wait` are called by the thread that reads it."""

    def __init__(self, document: Document, run: InlineRun, options: RecognizeOptions) -> None:
        self._document, self._run, self._options = document, run, options
        self._chosen: tuple[Engine, ...] | None = None
        self._missing: list[str] = []
        self._pool: Pool | None = None
        self._pages: ThreadPoolExecutor | None = None
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._jobs: set[Future[Answer]] = set()
        self._limits: dict[str, BoundedSemaphore] = {}
        self._lock = Lock()
        self._stopped = Event()
        self._copy: Path | None = None

    @property
    def ahead(self) -> int:
        """How many pages may be under way at a time: bounded, whatever the number of pages."""
        return 0 if self._pool is None else 2 * self._pool.workers

    def start(self, number: int, native: bytes, digest: Digest, needs: Needs) -> Future[Recognised]:
        """Begin with a page. Its future raises RecognitionError when no engine could read it."""
        if self._pages is None:
            self._engines()  # says what is missing before anything is begun
            self._pool = shared_pool(worker_count(self._options.workers).workers)
            self._pages = ThreadPoolExecutor(2 * self._pool.workers, thread_name_prefix="quire-page")
        return self._pages.submit(_Page(self, number, native, digest, needs).read)

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
        if self._copy is not None:
            self._copy.unlink(missing_ok=True)

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

    def find(self, key: ArtifactKey) -> Digest | None:
        return self._run.store.find(key)

    def load(self, digest: Digest) -> bytes:
        return self._run.store.load(digest)

    def save(self, key: ArtifactKey, data: bytes, stage: str, page: int) -> Digest:
        """Keep something that cost: it lasts when this returns."""
        digest = self._run.store.save(key, data, stage=stage, document=self._document.id, page=page)
        self._run.store.flush()
        return digest

    def seen_key(self, number: int, needs: Needs) -> ArtifactKey:
        kept = digest_of([[box.left, box.top, box.width, box.height] for box in needs.regions])
        inputs = self._document.id, str(number), self._document.reader.name, kept
        return artifact_key("picture", looking.VERSION, inputs, self._options.prepare.digest())

    def question(self, seen: Seen, needs: Needs) -> Question:
        return question_of(seen, languages=needs.languages, hints=self._options.hints)

    def look(self, number: int, needs: Needs, engine: Engine | None) -> Answer:
        """Let a worker look at a page, and ask an engine if there is one; waits for it."""
        arguments = Look(
            self._path(),
            self._document.name,
            self._document.id,
            self._document.password,
            number,
            self._options.prepare,
            keep=needs.regions,
            engine=engine,
            languages=needs.languages,
            hints=self._options.hints,
            similar=self._options.similar,
        )
        assert self._pool is not None
        answers = _Requests(self, number)
        with self.limit(engine):
            job = self._pool.submit(
                Job("quire.recognize.looking:look", arguments),
                timeout_s=LOOK_S + (engine.timeout_s if engine else 0.0),
                on_event=answers.told,
                on_request=answers.asked,
            )
            with self._lock:
                self._jobs.add(job)
            try:
                if self._stopped.is_set():
                    self._pool.cancel([job])
                return job.result()
            finally:
                with self._lock:
                    self._jobs.discard(job)

    def limit(self, engine: Engine | None) -> AbstractContextManager[object]:
        """At most as many questions at a time as the engine allows."""
        name = engine.name if engine else ""
        with self._lock:
            if name not in self._limits:
                self._limits[name] = BoundedSemaphore(_most_at_a_time(engine))
        return self._limits[name]

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
                raise _TooSlow(engine.name, f"no answer within {engine.timeout_s:g} s")
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

    def _path(self) -> Path:
        """Where workers find the document: bytes are written to a file once."""
        if self._document.path is not None:
            return self._document.path.absolute()
        with self._lock:
            if self._copy is None:
                assert self._document.data is not None
                handle, name = tempfile.mkstemp(prefix="quire-")
                with os.fdopen(handle, "wb") as file:
                    file.write(self._document.data)
                self._copy = Path(name)
            return self._copy


class _Requests:
    """What a worker tells and asks while it looks at one page."""

    def __init__(self, recognizer: Recognizer, page: int) -> None:
        self._recognizer, self._page = recognizer, page
        self._told = 0

    def told(self, kind: str, payload: Mapping[str, object]) -> None:
        if kind == "partial":
            self._told += 1
            self._recognizer.tell("partial", self._page, payload, mark=f"/{self._told}")

    def asked(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
        key = ArtifactKey(str(header["key"]))
        if name == "find":
            return {"found": self._recognizer.find(key) is not None}, b""
        self._recognizer.save(key, data, "answer", self._page)
        return {}, b""


class _Page:
    """One page on its way through the engines. Runs in a thread of its own."""

    def __init__(self, recognizer: Recognizer, number: int, native: bytes, digest: Digest, needs: Needs) -> None:
        self._recognizer, self._number, self._digest, self._needs = recognizer, number, digest, needs
        self._text = PageText.from_bytes(native)
        self._path: list[Attempt] = []

    def read(self) -> Recognised:
        """The page, or its error after telling so."""
        begun = self._recognizer.clock()
        try:
            return self._read()
        except CancelledError:
            raise
        except Exception as error:
            ms = round((self._recognizer.clock() - begun) * 1000, 3)
            told = {"reason": reason_of(error), "error": type(error).__name__, "ms": ms}
            self._recognizer.tell("failed", self._number, told)
            raise

    def _read(self) -> Recognised:
        """Ask one engine after the other until one has read the page."""
        recognizer = self._recognizer
        best: tuple[float, Recognised] | None = None
        engines = self._route()
        while engines:
            recognizer.check()
            engine = engines.pop(0)
            begun = recognizer.clock()
            try:
                looked = self._look(engine)
                seen = looked.seen
                if seen.prepared.blank:
                    self._note(GATE, "ok" if looked.told else "hit", "nothing is written on it", begun)
                    return self._recognised(seen, (), None, "")
                answer, outcome = self._answer(engine, looked)
                readings = self._interpreted(engine, seen, answer)
            except (CancelledError, InputError, StoreError, ConfigurationError, UsageError):
                raise  # nothing another engine could mend
            except Exception as error:
                self._note(engine.name, _outcome(error), reason_of(error).removeprefix(f"{engine.name}: "), begun)
                continue
            if is_weak(readings) and (engines or best):
                confidence = _confidence(readings)
                self._note(engine.name, "weak", f"confidence {confidence:.2f}", begun)
                recognised = self._recognised(seen, readings, engine, digest_bytes(answer))
                best = max(filter(None, (best, (confidence, recognised))), key=lambda pair: pair[0])
                continue
            alike = f"similarity {looked.similarity:.4f}" if outcome == "similar" else ""
            self._note(engine.name, outcome, alike, begun)
            return self._recognised(seen, readings, engine, digest_bytes(answer))
        if best is not None:
            return replace(best[1], path=tuple(self._path))
        tried = "; ".join(f"{a.engine} {a.outcome}: {a.reason}" for a in self._path)
        raise RecognitionError(f"no engine could read it ({tried or recognizer.nobody(self._needs)})", self._path)

    def _route(self) -> list[Engine]:
        """The engines in the order for this page; how its picture looks matters only if they differ in that."""
        engines = self._recognizer.route(self._needs)
        if len({"table_structure" in engine.capabilities for engine in engines}) < 2:
            return engines
        return self._recognizer.route(self._needs, dense=is_dense_table(self._look(None).seen))

    def _look(self, engine: Engine | None) -> _Looked:
        """What the picture shows: known, or seen by a worker now, who asks an engine that works there at once."""
        recognizer, needs = self._recognizer, self._needs
        key = recognizer.seen_key(self._number, needs)
        digest = recognizer.find(key)
        if digest is not None:
            seen = Seen.from_bytes(recognizer.load(digest))
            if seen.prepared.blank or engine is None or not _in_worker(engine):
                return _Looked(seen)
            if recognizer.find(answer_key(engine, seen.prepared.digest, recognizer.question(seen, needs))) is not None:
                return _Looked(seen)
        told = recognizer.look(self._number, needs, engine if engine and _in_worker(engine) else None)
        seen = _seen(told)
        recognizer.save(key, seen.to_bytes(), "picture", self._number)
        return _Looked(seen, told)

    def _answer(self, engine: Engine, looked: _Looked) -> tuple[bytes, Outcome]:
        """The raw answer, and whether it was given now (`ok`), was there (`hit`), or is that to a `similar` picture."""
        recognizer, needs, seen = self._recognizer, self._needs, looked.seen
        question = recognizer.question(seen, needs)
        key = answer_key(engine, seen.prepared.digest, question)
        digest = recognizer.find(key)
        if digest is not None:
            found = not (looked.asked and _in_worker(engine))
            if found:
                self._tell_hit(engine, key, "exact", None)
            return recognizer.load(digest), "hit" if found else "ok"
        if looked.similar is not None and (digest := recognizer.find(looked.similar)) is not None:
            self._tell_hit(engine, looked.similar, "semantic", looked.similarity)
            return recognizer.load(digest), "similar"
        if _in_worker(engine):
            raise EngineError(engine.name, "the worker gave no answer to what was asked: does its profile change?")
        told = looked.told or recognizer.look(self._number, needs, None)
        picture = _picture(told, _seen(told))
        with recognizer.limit(engine):
            answer = recognizer.within(engine, lambda: looking.ask(engine, picture, question, self._partial))
        recognizer.save(key, answer, "answer", self._number)
        return answer, "ok"

    def _tell_hit(self, engine: Engine, key: str, tier: str, similarity: float | None) -> None:
        payload = {"engine": engine.name, "tier": tier, "similarity": similarity}
        self._recognizer.tell("hit", self._number, payload, key=key)

    def _partial(self, text: str) -> None:
        self._recognizer.tell("partial", self._number, {"partial_text": text}, mark=f"/{len(text)}")

    def _interpreted(self, engine: Engine, seen: Seen, answer: bytes) -> tuple[Recognition, ...]:
        question = self._recognizer.question(seen, self._needs)
        try:
            return tuple(normalize(engine.interpret(answer, question), question, engine=engine.name))
        except QuireError as error:
            raise _Garbage(engine.name, reason_of(error).removeprefix(f"{engine.name}: ")) from error
        except Exception as error:
            raise _Garbage(engine.name, f"{type(error).__name__}: {error}") from error

    def _recognised(
        self, seen: Seen, readings: Sequence[Recognition], engine: Engine | None, answer: str
    ) -> Recognised:
        name = engine.name if engine else GATE
        ordered = engine is not None and "reading_order" in engine.capabilities
        reading = PageReading(self._text, seen, tuple(readings), name, self._needs.whole, ordered)
        inputs = (self._digest, digest_of([seen.to_bytes().decode(), self._needs.whole, ordered, name, answer]))
        return Recognised(reading, inputs, tuple(self._path))

    def _note(self, engine: str, outcome: Outcome, reason: str, begun: float) -> None:
        ms = round((self._recognizer.clock() - begun) * 1000, 3)
        self._path.append(Attempt(engine, outcome, reason, ms))
        payload = {"engine": engine, "outcome": outcome, "reason": reason, "ms": ms}
        self._recognizer.tell("attempt", self._number, payload, mark=f"/{len(self._path)}")


@dataclass(frozen=True, slots=True)
class _Looked:
    """What the picture of a page shows, and what a worker told who looked at it now."""

    seen: Seen
    told: Answer | None = None

    @property
    def asked(self) -> bool:
        """Whether the worker had to ask the engine."""
        return self.told is not None and not self.told.header.get("found") and self.similar is None

    @property
    def similar(self) -> ArtifactKey | None:
        """The key of the answer that was given for a nearly equal picture."""
        key = self.told.header.get("similar") if self.told is not None else None
        return ArtifactKey(key) if isinstance(key, str) else None

    @property
    def similarity(self) -> float:
        found = self.told.header.get("similarity") if self.told is not None else None
        return found if isinstance(found, float) else 0.0


class _Garbage(EngineError):
    """An answer that makes no sense."""


class _TooSlow(EngineError):
    """No answer in time, from an engine that cannot be killed."""


def _in_worker(engine: Engine) -> bool:
    """Engines that wait for the network run here, and so do those that only this process knows.

    A class of the user's own script is not there in a worker, and a lambda cannot be sent to one.
    """
    if engine.policy == "io":
        return False
    try:
        return b"__main__" not in pickle.dumps(engine)
    except Exception:  # of foreign code: pickle itself says nothing about what may go wrong
        return False


def _most_at_a_time(engine: Engine | None) -> int:
    if engine is None:
        return 1024
    alone = engine.policy != "io" and not _in_worker(engine)  # one object, which need not bear two threads
    return 1 if alone else max(1, engine.max_concurrency)


def _outcome(error: Exception) -> Outcome:
    match error:
        case WorkerTimeout() | _TooSlow():
            return "timeout"
        case WorkerCrashed() | WorkerOutOfMemory() | WorkerError():
            return "crashed"
        case _Garbage():
            return "garbage"
    return "failed"


def _seen(told: Answer) -> Seen:
    """What a worker saw; a worker is not trusted to make sense."""
    try:
        return Seen.from_bytes(str(told.header["seen"]).encode())
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerCrashed(f"the worker gave no picture ({error})") from error


def _picture(told: Answer, seen: Seen) -> Picture:
    width, height = seen.prepared.size
    mode = "L" if told.header.get("mode") == "L" else "RGB"
    if len(told.data) != width * height * len(mode):
        raise WorkerCrashed("the worker gave a picture of the wrong size")
    return Picture(width, height, "L" if mode == "L" else "RGB", told.data, seen.prepared.dpi)


def _confidence(readings: Sequence[Recognition]) -> float:
    known = [c for c in (reading.confidence for reading in readings) if c is not None]
    return sum(known) / len(known) if known else 0.0

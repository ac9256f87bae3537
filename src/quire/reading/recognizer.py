"""OCR of the pages of one document: the route of each page, attempt by attempt, over the worker pool.

Each running page has a thread of the parent, which mostly waits: for a worker, or for an engine that waits for the
network. Events are queued for the thread that reads the document, which emits them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import TYPE_CHECKING

from quire.asking import Asker, Talk
from quire.asking.asker import SETUP_S
from quire.core.engine import Engine, Question
from quire.core.errors import ConfigurationError
from quire.core.events import EventKind
from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key, digest_of
from quire.core.opened import Opened
from quire.core.types import Region
from quire.pages.recognize.engine_registry import make
from quire.pages.recognize.options import RecognizeOptions
from quire.pages.recognize.page_job import LookRequest, question_of
from quire.pages.recognize.routing import Needs, reads_formulas, route
from quire.pages.recognize.seen import Seen
from quire.reading.page_recognition import PageRecognition, Recognised
from quire.reading.stage_run import StagedRun
from quire.system.budget import worker_count
from quire.system.ocr_models import weights_of
from quire.system.stage_versions import stage_version
from quire.system.workers import Job, WorkerPool, WorkerReply, shared_pool

if TYPE_CHECKING:
    from quire.pages.recognize.similar import SimilarAnswers

DEFAULT_ENGINES = ("rapidocr", "tesseract")
DEFAULT_FORMULAS = "pix2tex"
"""The engine for formulas on pages that were recognised, where its model was fetched."""
PATIENCE_S = 0.1
"""How often the thread that reads the document checks whether the read was cancelled."""
STAGE = "recognize"


class Recognizer:
    """Recognises pages of one document. `start` and `wait` are called by the thread that reads it.

    Workers open the document at `source`; `reader` is the name of its reader, which is part of the keys.
    """

    def __init__(self, source: Opened, reader: str, run: StagedRun, options: RecognizeOptions) -> None:
        self._source, self._reader, self._run, self._options = source, reader, run, options
        self._chosen: tuple[Engine, ...] | None = None
        self._missing: list[str] = []
        self._pool: WorkerPool | None = None
        self._pages: ThreadPoolExecutor | None = None
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = Lock()
        self._stopped = Event()
        self._alike: SimilarAnswers | None = None
        self.asker = Asker(
            run.store, document=source.id, check=self.check, tell=self.tell, pool=self._workers, share=run.run
        )

    @property
    def ahead(self) -> int:
        """How many pages may run concurrently, regardless of the number of pages."""
        return 0 if self._pool is None else 2 * self._pool.workers

    def start(self, number: int, native: bytes, digest: Digest, needs: Needs) -> Future[Recognised]:
        """Start a page. Its future raises RecognitionError when no engine could read it."""
        if self._pages is None:
            self._engines()  # reports what is missing before anything starts
            count = worker_count(self._options.workers)
            if count.notice:
                self._run.emit("progress", STAGE, payload={"notice": count.notice}, mark="/workers")
            self._pool = shared_pool(count.workers)
            self._pages = ThreadPoolExecutor(2 * self._pool.workers, thread_name_prefix="quire-page")
        return self._pages.submit(PageRecognition(self, number, native, digest, needs).read)

    def wait(self, page: Future[Recognised]) -> Recognised | None:
        """Wait for the page; meanwhile events of all pages are emitted. None when it was cancelled."""
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
        """Cancel everything that runs: all waits check this many times a second."""
        self._stopped.set()

    def close(self) -> None:
        """Stop, and end the threads. The pool itself stays, for the next document."""
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
        self,
        kind: EventKind,
        page: int | None,
        payload: Mapping[str, object],
        *,
        stage: str = STAGE,
        key: str | None = None,
        mark: str = "",
    ) -> None:
        self._inbox.put(partial(self._run.emit, kind, stage, page=page, key=key, payload=payload, mark=mark))

    def clock(self) -> float:
        return self._run.clock()

    def since(self, begun: float) -> float:
        """Milliseconds since then."""
        return round((self._run.clock() - begun) * 1000, 3)

    def similar(self) -> SimilarAnswers | None:
        """The index of similar pictures for engines that run in this process, if requested."""
        path = self._options.similar
        if path is None:
            return None
        from quire.pages.recognize.similar import SimilarAnswers

        with self._lock:
            if self._alike is None:
                self._alike = SimilarAnswers(path)
            return self._alike

    def find(self, key: ArtifactKey) -> Digest | None:
        return self._run.store.find(key)

    def load(self, digest: Digest) -> bytes:
        return self._run.store.load(digest)

    def save(self, key: ArtifactKey, data: bytes, stage: str, page: int) -> Digest:
        return self._run.store.save(key, data, stage=stage, document=self._source.id, page=page)

    def seen_key(self, number: int, needs: Needs, turn: int | None) -> ArtifactKey:
        kept = digest_of([[box.left, box.top, box.width, box.height] for box in needs.regions])
        profile = self._options.prepare
        if turn is not None:
            turned: tuple[str, ...] = (f"turned {turn}",)
        else:  # by the model, if at all
            turned = (f"weights {weights_of('orientation')}",) if profile.orientation else ()
        inputs = self._source.id, str(number), self._reader, kept, *turned
        return artifact_key("picture", stage_version("picture"), inputs, profile.digest())

    def route_key(self, number: int, needs: Needs, native: Digest, engines: Sequence[Engine]) -> ArtifactKey:
        """The key of which of these engines could read a page, where some could not."""
        identities = [[engine.name, engine.version, engine.profile.digest()] for engine in engines]
        identities += [[*needs.languages], [*self._options.hints]]
        inputs = self.seen_key(number, needs, None), native, digest_of(identities)
        return artifact_key("route", "1", inputs, Profile().digest())

    def question(self, seen: Seen, needs: Needs, regions: tuple[Region, ...] = ()) -> Question:
        return question_of(seen, languages=needs.languages, hints=self._options.hints, regions=regions)

    def formula_engine(self) -> Engine | None:
        """The engine for regions that look like a formula, if there is one here."""
        return next((engine for engine in self._engines() if reads_formulas(engine)), None)

    def look(
        self,
        number: int,
        needs: Needs,
        engine: Engine | None,
        talk: Talk | None,
        *,
        turn: int | None,
        regions: tuple[Region, ...] = (),
    ) -> WorkerReply:
        """Let a worker render and prepare a page, and ask the engine if given, about regions if any; waits for it."""
        arguments = LookRequest(
            self._source,
            number,
            self._options.prepare,
            keep=needs.regions,
            engine=engine,
            languages=needs.languages,
            hints=self._options.hints,
            similar=self._options.similar,
            turn=turn,
            regions=regions,
        )
        job = Job("quire.pages.recognize.page_job:look", arguments)
        if talk is None:
            return self.asker.run(job, timeout_s=SETUP_S)
        try:
            return self.asker.work(job, talk)
        finally:
            talk.close()

    def check(self) -> None:
        if self._stopped.is_set():
            raise CancelledError

    def nobody(self, needs: Needs) -> str:
        """Why no engine could be asked."""
        known = ", ".join(engine.name for engine in self._engines() if not reads_formulas(engine))
        reasons = [f"none of the engines here ({known}) reads {', '.join(needs.languages)}"] if known else []
        return "; ".join([*reasons, *self._missing]) or "no engine was named"

    def _workers(self) -> WorkerPool:
        assert self._pool is not None
        return self._pool

    def _engines(self) -> tuple[Engine, ...]:
        """The requested engines, or all that work here. Raises ConfigurationError if a requested one does not."""
        with self._lock:
            if self._chosen is None:
                self._chosen = tuple(self._make())
            return self._chosen

    def _make(self) -> list[Engine]:
        options, found = self._options, []
        for wanted in options.engines or (*DEFAULT_ENGINES, DEFAULT_FORMULAS):
            if not isinstance(wanted, str):
                found.append(wanted)
                continue
            try:
                found.append(make(wanted, effort=options.effort, languages=options.languages))
            except ConfigurationError as error:
                if options.engines:
                    raise
                if wanted != DEFAULT_FORMULAS:
                    self._missing.append(str(error))
        return found

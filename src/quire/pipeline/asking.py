"""Questions to the engine: never more at once than it allows, none past its time limit, none asked twice."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread

from quire.context import Store
from quire.engine import Engine, Partial, Picture, Provenance, Question, Recognition, answer_key
from quire.errors import ConfigurationError, EngineError, StoreError, UsageError
from quire.keys import ArtifactKey
from quire.pipeline.run import GLANCE_S, Run, message_of

NOT_THE_PAGE = (UsageError, ConfigurationError, StoreError)
"""Errors that are not the fault of a page: they end the run."""


class Slots:
    """The places at an engine: never more than its `max_concurrency`.

    One that waits for the network is asked by several threads. Of one that computes here there is a copy for each of
    the `pages` read at a time, since an engine answers one question at a time; one that cannot be copied is alone.
    A question that nobody waits for any more keeps its place until the engine comes back.
    """

    def __init__(self, engine: Engine, pages: int = 1) -> None:
        self.engine = engine
        most = max(1, engine.max_concurrency)
        self._engines = [engine] * most if engine.policy == "io" else _copies(engine, min(most, pages))
        self.count = len(self._engines)
        self._free: SimpleQueue[Engine] = SimpleQueue()
        for one in self._engines:
            self._free.put(one)
        self._late = 0
        self._lock = Lock()

    def ask(self, picture: Picture, question: Question, partial: Partial | None, run: Run) -> bytes:
        """The raw answer. Raises EngineError for whatever goes wrong, Cancelled when the run is called off."""
        engine = self._take(run)
        answer: Future[bytes] = Future()
        given_up = Flag()

        def told(text: str) -> None:
            if partial and not given_up.is_set():
                partial(text)

        def work() -> None:
            try:
                answer.set_result(engine.ask(picture, question, told if partial else None))
            except BaseException as error:
                answer.set_exception(error)
            finally:
                with self._lock:
                    self._late -= given_up.is_set()
                self._free.put(engine)

        Thread(target=work, name=f"quire-{self.engine.name}", daemon=True).start()
        deadline = run.clock() + self.engine.timeout_s
        try:
            while not wait([answer], GLANCE_S).done:
                run.check()
                if run.clock() > deadline:
                    raise EngineError(self.engine.name, f"did not answer within {self.engine.timeout_s:g} s")
        except BaseException:
            with self._lock:
                if not answer.done():
                    given_up.set()
                    self._late += 1
            raise
        return self._outcome(answer)

    def _take(self, run: Run) -> Engine:
        while True:
            try:
                return self._free.get(timeout=GLANCE_S)
            except Empty:
                run.check()
                if self._late >= self.count:
                    raise EngineError(self.engine.name, "has not come back from an earlier question") from None

    def _outcome(self, answer: Future[bytes]) -> bytes:
        error = answer.exception()
        if error is None:
            return answer.result()
        if isinstance(error, (EngineError, *NOT_THE_PAGE)):
            raise error
        raise EngineError(self.engine.name, message_of(error)) from error


def _copies(engine: Engine, count: int) -> list[Engine]:
    """Engines are light descriptions that load their models when they are first asked."""
    if count == 1:
        return [engine]
    try:
        data = pickle.dumps(engine)
        return [engine, *(pickle.loads(data) for _ in range(count - 1))]
    except Exception:  # whatever a stranger's engine raises: it is read one page after the other
        return [engine]


class Reading:
    """What an engine says, looked up before it is asked and stored before it is interpreted."""

    def __init__(self, slots: Slots, store: Store | None, run: Run) -> None:
        self._slots, self._store, self._run = slots, store, run
        self._lock = Lock()
        self._under_way: dict[ArtifactKey, Flag] = {}

    def recognitions(
        self, picture: Picture, question: Question, *, page: int, partial: Partial | None
    ) -> Sequence[Recognition]:
        """One recognition for the whole picture, or one for each region of the question."""
        if self._store is None:
            return self._interpreted(self._slots.ask(picture, question, partial, self._run), question)
        key = answer_key(self._slots.engine, picture.digest, question)
        with self._alone(key):
            found = self._find(key, page)
            if found is not None:
                try:
                    read = self._interpreted(found, question)
                    return [replace(one, provenance=Provenance("exact")) for one in read]
                except EngineError:
                    pass  # stored, but garbage: ask again
            answer = self._slots.ask(picture, question, partial, self._run)
            with self._lock:
                self._store.save(key, answer, stage="answer", document=self._run.document, page=page)
        return self._interpreted(answer, question)

    def _find(self, key: ArtifactKey, page: int) -> bytes | None:
        assert self._store is not None
        with self._lock:
            digest = self._store.share(key, document=self._run.document, page=page)
            return None if digest is None else self._store.load(digest)

    def _interpreted(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        engine = self._slots.engine
        try:
            read = engine.interpret(answer, question)
        except (EngineError, *NOT_THE_PAGE):
            raise
        except Exception as error:
            raise EngineError(engine.name, message_of(error)) from error
        expected = len(question.regions) or 1
        if len(read) != expected:
            raise EngineError(engine.name, f"gave {len(read)} readings of {expected} regions")
        return read

    @contextmanager
    def _alone(self, key: ArtifactKey) -> Iterator[None]:
        """Whoever comes second with the same question waits for the first, and then finds its answer."""
        mine = Flag()
        while (other := self._claim(key, mine)) is not mine:
            while not other.wait(GLANCE_S):
                self._run.check()
        try:
            yield
        finally:
            with self._lock:
                del self._under_way[key]
            mine.set()

    def _claim(self, key: ArtifactKey, mine: Flag) -> Flag:
        with self._lock:
            return self._under_way.setdefault(key, mine)

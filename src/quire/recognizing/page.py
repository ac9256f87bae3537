"""One page on its way through the engines: looked at, asked about, understood, or left to the next engine."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quire.engine import Attempt, Engine, Outcome, Picture, Recognition, answer_key
from quire.errors import (
    ConfigurationError,
    EngineError,
    InputError,
    QuireError,
    RecognitionError,
    StoreError,
    UsageError,
)
from quire.events import reason_of
from quire.keys import ArtifactKey, Digest, digest_bytes, digest_of
from quire.pagetext import PageText
from quire.pool import Answer, WorkerCrashed, WorkerError, WorkerOutOfMemory, WorkerTimeout
from quire.recognize import looking
from quire.recognize.normalize import normalize
from quire.recognize.routing import Needs, is_dense_table, is_weak, lost_letters
from quire.recognize.seen import Seen
from quire.recognizing.asking import TooSlow, in_worker
from quire.stages import PageReading

if TYPE_CHECKING:
    from quire.recognizing.recognizer import Recognizer

GATE = "blank-gate"
"""Who "read" a page of which the picture is blank."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What became of one page: the reading with the digests it was made from, and the way there."""

    reading: PageReading
    inputs: tuple[str, ...]
    path: tuple[Attempt, ...]


class PageRecognition:
    """One page on its way through the engines. Runs in a thread of its own."""

    def __init__(self, recognizer: Recognizer, number: int, native: bytes, digest: Digest, needs: Needs) -> None:
        self._recognizer, self._number, self._digest, self._needs = recognizer, number, digest, needs
        self._text = PageText.from_bytes(native)
        self._path: list[Attempt] = []
        self._similarity = 0.0

    def read(self) -> Recognised:
        """The page, or its error, after telling so."""
        recognizer = self._recognizer
        begun = recognizer.clock()
        recognizer.tell("started", self._number, {"needs": self._needs.reason})
        try:
            recognised = self._read()
        except CancelledError:
            raise
        except Exception as error:
            told = {"reason": reason_of(error), "error": type(error).__name__, "ms": recognizer.since(begun)}
            recognizer.tell("failed", self._number, told)
            raise
        words = sum(len(line.words) for one in recognised.reading.readings for line in one.lines)
        told = {"engine": recognised.reading.engine, "words": words, "ms": recognizer.since(begun)}
        recognizer.tell("finished", self._number, told)
        return recognised

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
            alike = f"similarity {self._similarity:.4f}" if outcome == "similar" else ""
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
        try:
            dense = is_dense_table(self._look(None).seen)
        except WorkerError:
            return engines  # whoever is asked first will say what is wrong
        return self._recognizer.route(self._needs, dense=dense)

    def _look(self, engine: Engine | None) -> _Looked:
        """What the picture shows: known, or seen by a worker now, who asks an engine that works there at once."""
        recognizer, needs = self._recognizer, self._needs
        key = recognizer.seen_key(self._number, needs)
        digest = recognizer.find(key)
        if digest is not None:
            seen = Seen.from_bytes(recognizer.load(digest))
            if seen.prepared.blank or engine is None or not in_worker(engine):
                return _Looked(seen)
            if recognizer.find(answer_key(engine, seen.prepared.digest, recognizer.question(seen, needs))) is not None:
                return _Looked(seen)
        told = recognizer.look(self._number, needs, engine if engine and in_worker(engine) else None)
        seen = _seen(told)
        recognizer.save(key, seen.to_bytes(), "picture", self._number)
        return _Looked(seen, told)

    def _answer(self, engine: Engine, looked: _Looked) -> tuple[bytes, Outcome]:
        """The raw answer, and whether it was given now (`ok`), was there (`hit`), or is that to a `similar` picture."""
        recognizer, needs, seen = self._recognizer, self._needs, looked.seen
        question = recognizer.question(seen, needs)
        key = answer_key(engine, seen.prepared.digest, question)
        digest = recognizer.share(key, self._number)
        if digest is not None:
            found = not (looked.asked and in_worker(engine))
            if found:
                self._tell_hit(engine, key, "exact", None)
            return recognizer.load(digest), "hit" if found else "ok"
        if looked.similar is not None and (digest := recognizer.share(looked.similar, self._number)) is not None:
            self._similarity = looked.similarity
            self._tell_hit(engine, looked.similar, "semantic", looked.similarity)
            return recognizer.load(digest), "similar"
        if in_worker(engine):
            raise EngineError(engine.name, "the worker gave no answer to what was asked: does its profile change?")
        told = looked.told or recognizer.look(self._number, needs, None)
        picture = _picture(told, _seen(told))
        alike = recognizer.similar()
        earlier = alike.find(engine, picture, question) if alike else None
        if earlier is not None and (digest := recognizer.share(earlier.key, self._number)) is not None:
            self._similarity = earlier.similarity
            self._tell_hit(engine, earlier.key, "semantic", earlier.similarity)
            return recognizer.load(digest), "similar"
        claim = recognizer.claim(key, self._number)
        if claim is None:
            return self._answer(engine, looked)  # somebody else asked meanwhile
        try:
            with recognizer.place_at(engine):
                answer = recognizer.within(engine, lambda: looking.ask(engine, picture, question, self._partial))
            recognizer.save_answer(key, answer, self._number, claim)
        finally:
            recognizer.release(claim)
        if alike:
            alike.add(engine, picture, question)
        return answer, "ok"

    def _tell_hit(self, engine: Engine, key: str, tier: str, similarity: float | None) -> None:
        payload = {"engine": engine.name, "tier": tier, "similarity": similarity}
        self._recognizer.tell("hit", self._number, payload, key=key)

    def _partial(self, text: str) -> None:
        self._recognizer.tell("partial", self._number, {"partial_text": text}, mark=f"/{len(text)}")

    def _interpreted(self, engine: Engine, seen: Seen, answer: bytes) -> tuple[Recognition, ...]:
        question = self._recognizer.question(seen, self._needs)
        try:
            readings = tuple(normalize(engine.interpret(answer, question), question, engine=engine.name))
        except QuireError as error:
            raise _Garbage(engine.name, reason_of(error).removeprefix(f"{engine.name}: ")) from error
        except Exception as error:
            raise _Garbage(engine.name, f"{type(error).__name__}: {error}") from error
        if lost_letters(readings, seen.prepared.size):
            raise _Garbage(
                engine.name, "knows hardly any of the letters; is it another script? `--lang` names the language"
            )
        return readings

    def _recognised(
        self, seen: Seen, readings: Sequence[Recognition], engine: Engine | None, answer: str
    ) -> Recognised:
        name = engine.name if engine else GATE
        ordered = engine is not None and "reading_order" in engine.capabilities
        reading = PageReading(self._text, seen, tuple(readings), name, self._needs.whole, ordered)
        inputs = (self._digest, digest_of([seen.to_bytes().decode(), self._needs.whole, ordered, name, answer]))
        return Recognised(reading, inputs, tuple(self._path))

    def _note(self, engine: str, outcome: Outcome, reason: str, begun: float) -> None:
        ms = self._recognizer.since(begun)
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


def _outcome(error: Exception) -> Outcome:
    match error:
        case WorkerTimeout() | TooSlow():
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

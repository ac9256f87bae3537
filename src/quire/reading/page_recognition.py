"""One page on its way through the engines: looked at, asked about, understood, or left to the next engine."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from quire.asking import Talk, runs_here
from quire.engine import Attempt, Engine, Outcome, Provenance, Recognition, Tier, answer_key
from quire.errors import EngineError, InputError, RecognitionError, StoreError, UsageError, log_traceback
from quire.events import reason_of
from quire.keys import ArtifactKey, Digest, digest_bytes, digest_of
from quire.pagetext import PageText
from quire.picture import Picture
from quire.reading.page_stages import EngineReading
from quire.reading.pictures import ask_about, outcome_of, source_of
from quire.recognize.normalize import Garbage, interpreted
from quire.recognize.routing import Needs, is_dense_table, is_weak, lost_letters
from quire.recognize.seen import Seen
from quire.types import AnswerSource
from quire.workers import WorkerCrashed, WorkerError, WorkerReply

if TYPE_CHECKING:
    from quire.reading.recognizer import Recognizer

GATE = "blank-gate"
"""Who "read" a page of which the picture is blank."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What became of one page: the reading with the digests it was made from, and the way there."""

    reading: EngineReading
    inputs: tuple[str, ...]
    path: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class _Given:
    """A raw answer, and how it came."""

    data: bytes
    tier: Tier
    source: AnswerSource
    queue_ms: float = 0.0

    @property
    def outcome(self) -> Outcome:
        outcomes: dict[str, Outcome] = {"asked": "ok", "exact": "hit", "semantic": "similar"}
        return outcomes[self.tier]


class PageRecognition:
    """One page on its way through the engines. Runs in a thread of its own."""

    def __init__(self, recognizer: Recognizer, number: int, native: bytes, digest: Digest, needs: Needs) -> None:
        self._recognizer, self._number, self._digest, self._needs = recognizer, number, digest, needs
        self._text = PageText.from_bytes(native)
        self._path: list[Attempt] = []
        self._partials = 0
        self._looks = 0

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
        readings = recognised.reading.readings
        payload: dict[str, object] = {"engine": recognised.reading.engine, "words": sum(map(_words, readings))}
        if language := next((one.language for one in readings if one.language), None):
            payload["language"] = language
        recognizer.tell("finished", self._number, {**payload, "ms": recognizer.since(begun)})
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
            given: _Given | None = None
            try:
                looked = self._look(engine)
                seen = looked.seen
                if seen.prepared.blank:
                    self._note(GATE, "ok" if looked.told else "hit", "nothing is written on it", begun)
                    return self._recognised(seen, (), None, None)
                given = self._answer(engine, looked)
                readings = self._interpreted(engine, seen, given)
            except (CancelledError, InputError, StoreError, UsageError):
                raise  # nothing another engine could mend
            except Exception as error:
                log_traceback(f"engine {engine.name}, page {self._number}", error)
                reason = reason_of(error).removeprefix(f"{engine.name}: ")
                self._note(engine.name, outcome_of(error), reason, begun, given)
                continue
            recognised = self._recognised(seen, readings, engine, given)
            if is_weak(readings) and (engines or best):
                confidence = _confidence(readings)
                self._note(engine.name, "weak", f"confidence {confidence:.2f}", begun, given)
                best = max(filter(None, (best, (confidence, recognised))), key=lambda pair: pair[0])
                continue
            similarity = given.source.similarity
            alike = "" if similarity is None else f"similarity {similarity:.4f}"
            self._note(engine.name, given.outcome, alike, begun, given)
            return replace(recognised, path=tuple(self._path))
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
        there = engine if engine is not None and not runs_here(engine) else None
        digest = recognizer.find(key)
        if digest is not None:
            seen = Seen.from_bytes(recognizer.load(digest))
            if seen.prepared.blank or there is None:
                return _Looked(seen)
            if recognizer.find(answer_key(there, seen.prepared.digest, recognizer.question(seen, needs))) is not None:
                return _Looked(seen)
        talk = Talk(recognizer.asker, there, page=self._number, partial=self._partial) if there else None
        told = recognizer.look(self._number, needs, there, talk)
        seen = _seen(told)
        self._looks += 1
        rendered = told.header.get("rendered")
        payload = rendered if isinstance(rendered, dict) else {}
        recognizer.tell("finished", self._number, payload, stage="render", key=key, mark=f"/{self._looks}")
        recognizer.save(key, seen.to_bytes(), "picture", self._number)
        return _Looked(seen, told, talk)

    def _answer(self, engine: Engine, looked: _Looked) -> _Given:
        """The raw answer: asked for now, found, or that about a similar picture."""
        recognizer, seen = self._recognizer, looked.seen
        question = recognizer.question(seen, self._needs)
        key = answer_key(engine, seen.prepared.digest, question)
        if looked.talk is not None and looked.talk.answer is not None:
            return _Given(looked.talk.answer, "asked", source_of(engine, key), looked.talk.queue_ms)
        if (known := recognizer.asker.known(key, page=self._number)) is not None:
            return self._hit(known, source_of(engine, key))
        if (
            looked.similar is not None
            and (known := recognizer.asker.known(looked.similar, page=self._number)) is not None
        ):
            return self._hit(known, source_of(engine, looked.similar, looked.similarity))
        if not runs_here(engine):
            raise EngineError(engine.name, "the worker gave no answer to what was asked: does its profile change?")
        told = looked.told or recognizer.look(self._number, self._needs, None, None)
        picture = _picture(told, _seen(told))
        alike = recognizer.similar()
        earlier = alike.find(engine, picture, question) if alike else None
        if earlier is not None and (known := recognizer.asker.known(earlier.key, page=self._number)) is not None:
            return self._hit(known, source_of(engine, earlier.key, earlier.similarity))
        answered = ask_about(recognizer.asker, engine, picture, question, page=self._number, partial=self._partial)
        if answered.tier == "exact":
            return self._hit(answered.data, source_of(engine, key))
        if alike:
            alike.add(engine, picture, question)
        return _Given(answered.data, "asked", source_of(engine, key), answered.queue_ms)

    def _hit(self, data: bytes, source: AnswerSource) -> _Given:
        payload = {"engine": source.engine, "tier": source.tier, "similarity": source.similarity}
        self._recognizer.tell("hit", self._number, payload, key=source.key)
        return _Given(data, source.tier, source)

    def _partial(self, text: str) -> None:
        self._partials += 1
        self._recognizer.tell("partial", self._number, {"partial_text": text}, mark=f"/{self._partials}")

    def _interpreted(self, engine: Engine, seen: Seen, given: _Given) -> tuple[Recognition, ...]:
        readings = interpreted(engine, given.data, self._recognizer.question(seen, self._needs))
        if lost_letters(readings, seen.prepared.size):
            raise Garbage(
                engine.name, "knows hardly any of the letters; is it another script? `--lang` names the language"
            )
        provenance = Provenance(given.tier, given.source)
        return tuple(replace(one, provenance=provenance) for one in readings)

    def _recognised(
        self, seen: Seen, readings: Sequence[Recognition], engine: Engine | None, given: _Given | None
    ) -> Recognised:
        name = engine.name if engine else GATE
        ordered = engine is not None and "reading_order" in engine.capabilities
        source = given.source if given else None
        reading = EngineReading(self._text, seen, tuple(readings), name, self._needs.whole, ordered, source)
        answer = [digest_bytes(given.data), asdict(given.source)] if given else []
        inputs = (self._digest, digest_of([seen.to_bytes().decode(), self._needs.whole, ordered, name, answer]))
        return Recognised(reading, inputs, tuple(self._path))

    def _note(self, engine: str, outcome: Outcome, reason: str, begun: float, given: _Given | None = None) -> None:
        ms = self._recognizer.since(begun)
        self._path.append(Attempt(engine, outcome, reason, ms))
        payload: dict[str, object] = {"engine": engine, "outcome": outcome, "reason": reason, "ms": ms}
        if given is not None:
            payload |= {"tier": given.tier, "queue_ms": given.queue_ms}
        key = given.source.key if given is not None else None
        self._recognizer.tell("attempt", self._number, payload, key=key, mark=f"/{len(self._path)}")


@dataclass(frozen=True, slots=True)
class _Looked:
    """What the picture of a page shows, and what a worker told who looked at it now."""

    seen: Seen
    told: WorkerReply | None = None
    talk: Talk | None = None

    @property
    def similar(self) -> ArtifactKey | None:
        """The key of the answer that was given for a nearly equal picture."""
        key = self.told.header.get("similar") if self.told is not None else None
        return ArtifactKey(key) if isinstance(key, str) else None

    @property
    def similarity(self) -> float:
        found = self.told.header.get("similarity") if self.told is not None else None
        return found if isinstance(found, float) else 0.0


def _seen(told: WorkerReply) -> Seen:
    """What a worker saw; a worker is not trusted to make sense."""
    try:
        return Seen.from_bytes(str(told.header["seen"]).encode())
    except (KeyError, TypeError, ValueError) as error:
        raise WorkerCrashed(f"the worker gave no picture ({error})") from error


def _picture(told: WorkerReply, seen: Seen) -> Picture:
    width, height = seen.prepared.size
    mode = "L" if told.header.get("mode") == "L" else "RGB"
    if len(told.data) != width * height * len(mode):
        raise WorkerCrashed("the worker gave a picture of the wrong size")
    return Picture(width, height, "L" if mode == "L" else "RGB", told.data, seen.prepared.dpi)


def _words(reading: Recognition) -> int:
    """How many words an engine read, in lines or in blocks."""
    in_lines = sum(len(line.words) for line in reading.lines)
    return in_lines + sum(len(block.text.split()) for block in reading.blocks)


def _confidence(readings: Sequence[Recognition]) -> float:
    known = [c for c in (reading.confidence for reading in readings) if c is not None]
    return sum(known) / len(known) if known else 0.0

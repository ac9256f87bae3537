"""OCR of one page: prepare its picture, ask an engine, interpret the answer, or fall back to the next engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from quire.asking import Talk, runs_here
from quire.core.engine import Attempt, Engine, Outcome, Provenance, Question, Recognition, Tier, answer_key
from quire.core.errors import EngineError, InputError, RecognitionError, StoreError, UsageError, log_traceback
from quire.core.events import reason_of
from quire.core.keys import ArtifactKey, Digest, digest_bytes, digest_of
from quire.core.pagetext import PageText
from quire.core.types import AnswerSource, Region
from quire.pages.recognize.formula_regions import formula_regions
from quire.pages.recognize.normalize import Garbage, interpreted
from quire.pages.recognize.routing import (
    Needs,
    is_dense_table,
    is_readable,
    is_weak,
    lacks_letters,
    lost_letters,
    without_lines,
)
from quire.pages.recognize.seen import Seen
from quire.pages.recognize.turns import evidence, other_turns
from quire.reading.page_stages import EngineReading
from quire.reading.picture_questions import ask_about, outcome_of, picture_in, seen_by, source_of
from quire.system.workers import WorkerError, WorkerReply

if TYPE_CHECKING:
    from quire.reading.recognizer import Recognizer

GATE = "blank-gate"
"""The "engine" of a page whose picture is blank."""

FAILED: frozenset[Outcome] = frozenset({"failed", "timeout", "crashed", "garbage"})
"""Outcomes of engines that could not read a page."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The result for one page: the reading with the digests it was made from, and the attempts."""

    reading: EngineReading
    inputs: tuple[str, ...]
    path: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class _RawAnswer:
    """A raw answer, and where it came from."""

    data: bytes
    tier: Tier
    source: AnswerSource
    queue_ms: float = 0.0

    @property
    def outcome(self) -> Outcome:
        outcomes: dict[str, Outcome] = {"asked": "ok", "exact": "hit", "semantic": "similar"}
        return outcomes[self.tier]


@dataclass(frozen=True, slots=True)
class _Tried:
    """The text that one attempt recognised."""

    recognised: Recognised
    readings: tuple[Recognition, ...]


class PageRecognition:
    """OCR of one page. Runs in a separate thread."""

    def __init__(self, recognizer: Recognizer, number: int, native: bytes, digest: Digest, needs: Needs) -> None:
        self._recognizer, self._number, self._digest, self._needs = recognizer, number, digest, needs
        self._text = PageText.from_bytes(native)
        self._path: list[Attempt] = []
        self._partials = 0
        self._looks = 0
        self._turn: int | None = None  # None: as the picture seems to lie

    def read(self) -> Recognised:
        """The page, or its error, after emitting an event."""
        recognizer = self._recognizer
        begun = recognizer.clock()
        recognizer.tell("started", self._number, {"needs": self._needs.reason})
        try:
            recognised = self._with_formulas(self._read())
        except CancelledError:
            raise
        except Exception as error:
            reply = {"reason": reason_of(error), "error": type(error).__name__, "ms": recognizer.since(begun)}
            recognizer.tell("failed", self._number, reply)
            raise
        readings = recognised.reading.readings
        payload: dict[str, object] = {"engine": recognised.reading.engine, "words": sum(map(_words, readings))}
        if language := next((one.language for one in readings if one.language), None):
            payload["language"] = language
        recognizer.tell("finished", self._number, {**payload, "ms": recognizer.since(begun)})
        return recognised

    def _read(self) -> Recognised:
        """Read the page by the engines in their order; one that was read before, by those that could read it.

        As in a durable run, an engine that failed is not asked again about a page that another one has read: another
        order or another version of the engines is another key.
        """
        recognizer, engines = self._recognizer, self._route()
        key = recognizer.route_key(self._number, self._needs, self._digest, engines)
        if (known := recognizer.find(key)) is not None:
            names = json.loads(recognizer.load(known))
            return self._read_by([engine for name in names for engine in engines if engine.name == name])
        recognised = self._read_by(engines)
        failed = {made.engine for made in self._path if made.outcome in FAILED}
        readers = [engine.name for engine in engines if engine.name not in failed]
        if failed and len(readers) < len(engines):
            first = recognised.reading.engine
            ordered = sorted(readers, key=lambda name: name != first)
            recognizer.save(key, json.dumps(ordered).encode(), "route", self._number)
        return recognised

    def _read_by(self, route: Sequence[Engine]) -> Recognised:
        """Ask one engine after the other until one has read the page."""
        recognizer = self._recognizer
        best: _Tried | None = None
        engines = list(route)
        while engines:
            recognizer.check()
            engine = engines.pop(0)
            tried = self._upright(engine, more=bool(engines or best))
            if tried is None:
                continue
            if not is_weak(tried.readings) or not (engines or best):
                return self._with_other_scripts(tried.recognised, engines)
            best = max(filter(None, (best, tried)), key=lambda one: _confidence(one.readings))
        if best is not None:
            return replace(best.recognised, path=tuple(self._path))
        tried_all = "; ".join(f"{a.engine} {a.outcome}: {a.reason}" for a in self._path)
        raise RecognitionError(f"no engine could read it ({tried_all or recognizer.nobody(self._needs)})", self._path)

    def _with_other_scripts(self, recognised: Recognised, engines: Sequence[Engine]) -> Recognised:
        """The page with the lines that its engine saw but could not read, as far as one of the others can."""
        reading = recognised.reading
        size, inputs = reading.seen.prepared.size, recognised.inputs
        for engine in engines:
            if not reading.whole or "regions" not in engine.capabilities or not lacks_letters(reading.readings, size):
                break
            begun = self._recognizer.clock()
            boxes = [box for one in reading.readings for box in one.unread]
            regions = tuple(Region(f"unread-{number}", box) for number, box in enumerate(boxes, 1))
            question = self._recognizer.question(reading.seen, self._needs, regions)
            try:
                raw = self._answer_about(engine, reading.seen, question)
                answers = interpreted(engine, raw.data, question)
            except Exception as error:  # the rest of the page was read
                self._note_failure(engine, error, begun)
                continue
            read = {box: one for box, one in zip(boxes, answers, strict=True) if is_readable(one)}
            reason = f"{len(read)} of {len(boxes)} lines that {reading.engine} could not read"
            self._note(engine.name, raw.outcome if read else "weak", reason, begun, raw)
            if not read:
                continue
            first = [without_lines(one, read) for one in reading.readings]
            provenance = Provenance(raw.tier, raw.source)
            more = [replace(one, region=None, unread=(), provenance=provenance) for one in read.values()]
            reading = replace(reading, readings=(*first, *more))
            inputs = (*inputs, digest_of(["unread", digest_bytes(raw.data), asdict(raw.source)]))
        return Recognised(reading, inputs, tuple(self._path))

    def _with_formulas(self, recognised: Recognised) -> Recognised:
        """The page with the formulas in it, where an engine reads them and some regions look like one."""
        reading, engine = recognised.reading, self._recognizer.formula_engine()
        if engine is None or not reading.whole or not reading.readings:
            return recognised
        begun = self._recognizer.clock()
        try:
            regions = formula_regions(reading.seen, reading.readings)
            if not regions:
                return recognised
            question = self._recognizer.question(reading.seen, self._needs, regions)
            raw = self._answer_about(engine, reading.seen, question)
            formulas = tuple(interpreted(engine, raw.data, question))
        except Exception as error:  # the page was read: what is missing is the LaTeX of its formulas
            self._note_failure(engine, error, begun)
            noted = replace(reading.native, notes=(*reading.native.notes, f"without formulas: {reason_of(error)}"))
            inputs = (*recognised.inputs, digest_of(["notes", noted.notes]))
            return Recognised(replace(reading, native=noted), inputs, tuple(self._path))
        self._note(engine.name, raw.outcome, f"{len(regions)} regions that look like a formula", begun, raw)
        digest = digest_of(["formulas", digest_bytes(raw.data), asdict(raw.source)])
        inputs = (*recognised.inputs, digest)
        return Recognised(replace(reading, formulas=formulas), inputs, tuple(self._path))

    def _answer_about(self, engine: Engine, seen: Seen, question: Question) -> _RawAnswer:
        """The answer about regions: a cache hit, or asked where the engine runs, which draws the page again."""
        recognizer, page = self._recognizer, self._number
        key = answer_key(engine, seen.prepared.digest, question)
        source = source_of(engine, key)
        if (known := recognizer.asker.known(key, page=page)) is not None:
            return self._hit(known, source)
        if runs_here(engine):
            reply = recognizer.look(page, self._needs, None, None, turn=self._turn)
            picture = picture_in(reply, seen_by(reply))
            answered = ask_about(recognizer.asker, engine, picture, question, page=page, partial=self._partial)
            return _RawAnswer(answered.data, answered.tier, source, answered.queue_ms)
        talk = Talk(recognizer.asker, engine, page=page, partial=self._partial)
        recognizer.look(page, self._needs, engine, talk, turn=self._turn, regions=question.regions)
        if talk.answer is not None:
            return _RawAnswer(talk.answer, "asked", source, talk.queue_ms)
        if (known := recognizer.asker.known(key, page=page)) is not None:  # another process was faster
            return self._hit(known, source)
        raise EngineError(engine.name, "the worker saved no answer under the requested key: does the picture change?")

    def _upright(self, engine: Engine, *, more: bool) -> _Tried | None:
        """The reading of an engine, or the best of several when the page may lie in another orientation.

        `more`: there are other engines, or another reading. The next engine reads the page in the best orientation.
        """
        best = self._attempt(engine, more=more)
        if best is None:
            return None
        upright = self._turn
        for turn in self._other_turns(engine, best):
            self._recognizer.check()
            self._turn = turn
            tried = self._attempt(engine, more=True)
            if tried is not None and evidence(tried.readings) > evidence(best.readings):
                upright, best = turn, tried
                if not self._other_turns(engine, best):
                    break
        self._turn = upright
        return best

    def _other_turns(self, engine: Engine, tried: _Tried) -> tuple[int, ...]:
        """The orientations in which to ask again; an engine behind a network is asked about a page only once."""
        return () if runs_here(engine) else other_turns(tried.recognised.reading.seen, tried.readings)

    def _attempt(self, engine: Engine, *, more: bool) -> _Tried | None:
        """The reading of the page by an engine in the present orientation; None when there is none."""
        begun = self._recognizer.clock()
        raw: _RawAnswer | None = None
        try:
            looked = self._look(engine)
            seen = looked.seen
            if seen.prepared.blank:
                self._note(GATE, "ok" if looked.reply else "hit", "nothing is written on it", begun)
                return _Tried(self._recognised(seen, (), None, None), ())
            raw = self._answer(engine, looked)
            readings = self._interpreted(engine, seen, raw)
        except Exception as error:
            self._note_failure(engine, error, begun, raw)
            return None
        tried = _Tried(self._recognised(seen, readings, engine, raw), readings)
        turned = "" if self._turn is None else f"turned {seen.prepared.turn} degrees"
        if (is_weak(readings) and more) or self._other_turns(engine, tried):
            reasons = [f"confidence {_confidence(readings):.2f}", turned]
            self._note(engine.name, "weak", ", ".join(filter(None, reasons)), begun, raw)
        else:
            similarity = raw.source.similarity
            alike = "" if similarity is None else f"similarity {similarity:.4f}"
            self._note(engine.name, raw.outcome, ", ".join(filter(None, (alike, turned))), begun, raw)
        return tried

    def _route(self) -> list[Engine]:
        """The engines in the order for this page; its picture is analysed only if they differ in table support."""
        engines = self._recognizer.route(self._needs)
        if len({"table_structure" in engine.capabilities for engine in engines}) < 2:
            return engines
        try:
            dense = is_dense_table(self._look(None).seen)
        except WorkerError:
            return engines  # the first engine will report what is wrong
        return self._recognizer.route(self._needs, dense=dense)

    def _look(self, engine: Engine | None) -> _Looked:
        """The contents of the picture: stored, or from a worker, which also asks the engine if that runs there."""
        recognizer, needs = self._recognizer, self._needs
        key = recognizer.seen_key(self._number, needs, self._turn)
        there = engine if engine is not None and not runs_here(engine) else None
        digest = recognizer.find(key)
        if digest is not None:
            seen = Seen.from_bytes(recognizer.load(digest))
            if seen.prepared.blank or there is None:
                return _Looked(seen)
            if recognizer.find(answer_key(there, seen.prepared.digest, recognizer.question(seen, needs))) is not None:
                return _Looked(seen)
        talk = Talk(recognizer.asker, there, page=self._number, partial=self._partial) if there else None
        reply = recognizer.look(self._number, needs, there, talk, turn=self._turn)
        seen = seen_by(reply)
        self._looks += 1
        rendered = reply.header.get("rendered")
        payload = rendered if isinstance(rendered, dict) else {}
        recognizer.tell("finished", self._number, payload, stage="render", key=key, mark=f"/{self._looks}")
        recognizer.save(key, seen.to_bytes(), "picture", self._number)
        return _Looked(seen, reply, talk)

    def _answer(self, engine: Engine, looked: _Looked) -> _RawAnswer:
        """The raw answer: just asked for, a cache hit, or the answer for a similar picture."""
        recognizer, seen = self._recognizer, looked.seen
        question = recognizer.question(seen, self._needs)
        key = answer_key(engine, seen.prepared.digest, question)
        if looked.talk is not None and looked.talk.answer is not None:
            return _RawAnswer(looked.talk.answer, "asked", source_of(engine, key), looked.talk.queue_ms)
        if (known := recognizer.asker.known(key, page=self._number)) is not None:
            return self._hit(known, source_of(engine, key))
        if (
            looked.similar is not None
            and (known := recognizer.asker.known(looked.similar, page=self._number)) is not None
        ):
            return self._hit(known, source_of(engine, looked.similar, looked.similarity))
        if not runs_here(engine):
            raise EngineError(
                engine.name, "the worker saved no answer under the requested key: does the engine's profile change?"
            )
        reply = looked.reply or recognizer.look(self._number, self._needs, None, None, turn=self._turn)
        picture = picture_in(reply, seen_by(reply))
        alike = recognizer.similar()
        earlier = alike.find(engine, picture, question) if alike else None
        if earlier is not None and (known := recognizer.asker.known(earlier.key, page=self._number)) is not None:
            return self._hit(known, source_of(engine, earlier.key, earlier.similarity))
        answered = ask_about(recognizer.asker, engine, picture, question, page=self._number, partial=self._partial)
        if answered.tier == "exact":
            return self._hit(answered.data, source_of(engine, key))
        if alike:
            alike.add(engine, picture, question)
        return _RawAnswer(answered.data, "asked", source_of(engine, key), answered.queue_ms)

    def _hit(self, data: bytes, source: AnswerSource) -> _RawAnswer:
        payload = {"engine": source.engine, "tier": source.tier, "similarity": source.similarity}
        self._recognizer.tell("hit", self._number, payload, key=source.key)
        return _RawAnswer(data, source.tier, source)

    def _partial(self, text: str) -> None:
        self._partials += 1
        self._recognizer.tell("partial", self._number, {"partial_text": text}, mark=f"/{self._partials}")

    def _interpreted(self, engine: Engine, seen: Seen, raw: _RawAnswer) -> tuple[Recognition, ...]:
        readings = interpreted(engine, raw.data, self._recognizer.question(seen, self._needs))
        if lost_letters(readings, seen.prepared.size):
            raise Garbage(
                engine.name,
                "recognised hardly any of the letters; if this is another script, name its language with `--lang`",
            )
        provenance = Provenance(raw.tier, raw.source)
        return tuple(replace(one, provenance=provenance) for one in readings)

    def _recognised(
        self, seen: Seen, readings: Sequence[Recognition], engine: Engine | None, raw: _RawAnswer | None
    ) -> Recognised:
        name = engine.name if engine else GATE
        ordered = engine is not None and "reading_order" in engine.capabilities
        source = raw.source if raw else None
        reading = EngineReading(self._text, seen, tuple(readings), name, self._needs.whole, ordered, source)
        answer = [digest_bytes(raw.data), asdict(raw.source)] if raw else []
        inputs = (self._digest, digest_of([seen.to_bytes().decode(), self._needs.whole, ordered, name, answer]))
        return Recognised(reading, inputs, tuple(self._path))

    def _note_failure(self, engine: Engine, error: Exception, begun: float, raw: _RawAnswer | None = None) -> None:
        """Note that an engine could not read something. Raises the error if no other engine could help."""
        if isinstance(error, (CancelledError, InputError, StoreError, UsageError)):
            raise error
        log_traceback(f"engine {engine.name}, page {self._number}", error)
        reason = reason_of(error).removeprefix(f"{engine.name}: ")
        self._note(engine.name, outcome_of(error), reason, begun, raw)

    def _note(self, engine: str, outcome: Outcome, reason: str, begun: float, raw: _RawAnswer | None = None) -> None:
        ms = self._recognizer.since(begun)
        self._path.append(Attempt(engine, outcome, reason, ms))
        payload: dict[str, object] = {"engine": engine, "outcome": outcome, "reason": reason, "ms": ms}
        if raw is not None:
            payload |= {"tier": raw.tier, "queue_ms": raw.queue_ms}
        key = raw.source.key if raw is not None else None
        self._recognizer.tell("attempt", self._number, payload, key=key, mark=f"/{len(self._path)}")


@dataclass(frozen=True, slots=True)
class _Looked:
    """The contents of the picture of a page, and the reply of the worker if it was just analysed."""

    seen: Seen
    reply: WorkerReply | None = None
    talk: Talk | None = None

    @property
    def similar(self) -> ArtifactKey | None:
        """The key of the answer for a nearly identical picture."""
        key = self.reply.header.get("similar") if self.reply is not None else None
        return ArtifactKey(key) if isinstance(key, str) else None

    @property
    def similarity(self) -> float:
        found = self.reply.header.get("similarity") if self.reply is not None else None
        return found if isinstance(found, float) else 0.0


def _words(reading: Recognition) -> int:
    """How many words an engine read, in lines or in blocks."""
    in_lines = sum(len(line.words) for line in reading.lines)
    return in_lines + sum(len(block.text.split()) for block in reading.blocks)


def _confidence(readings: Sequence[Recognition]) -> float:
    known = [c for c in (reading.confidence for reading in readings) if c is not None]
    return sum(known) / len(known) if known else 0.0

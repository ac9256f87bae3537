"""Reads places of a document again, by an engine that is named for it: crops of the pictures that OCR sees.

The document is rendered and the engine runs in worker processes; answers go through the asker, so that the same crop is
never read twice by the same version of an engine.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import groupby
from threading import Event

from quire.asking import Asker, TooSlow
from quire.asking.asker import SETUP_S, Answered
from quire.core.context import Store
from quire.core.engine import Engine, Outcome, Question, Recognition
from quire.core.errors import EngineError, InputError, log_traceback
from quire.core.events import Sink, Teller, reason_of
from quire.core.keys import digest_bytes
from quire.core.opened import Opened
from quire.core.picture import Picture
from quire.core.types import Part, Region
from quire.evidence.extract.second_reading import CropReading
from quire.output.place_crops import with_margin
from quire.pages.prepare.prepared import PrepareProfile
from quire.pages.recognize.engine_registry import make
from quire.pages.recognize.normalize import WHOLE_PAGE, interpreted
from quire.pages.recognize.page_job import LookRequest
from quire.pages.recognize.seen import Seen
from quire.reading.picture_questions import ask_about, outcome_of, picture_in, questions_at_once, seen_by
from quire.retrieval.embed.families import quiet_asker
from quire.system.workers import Job, JobFailed, WorkerError

MARGIN = 0.001
"""Around a place, as a fraction of the page: more would show parts of what stands beside and above it."""


def reread_engine(engine: str | Engine, languages: Sequence[str] = ()) -> Engine:
    """The engine that reads places again, by its name. Raises UsageError or ConfigurationError, as `make`."""
    if not isinstance(engine, str):
        return engine
    from quire.pages.recognize.languages import resolve

    return make(engine, languages=[resolve(language).code for language in languages])


def crop_readings(
    store: Store, source: Opened, engine: Engine, places: Sequence[Part], *, on_event: Sink | None = None
) -> dict[Part, CropReading]:
    """The texts that an engine reads at some places. Blocks; an engine that does not answer in time is not asked again.

    Each question is an event of the stage `recognize` and kind `attempt`, emitted in the thread of the caller.
    """
    stopped = Event()

    def check() -> None:
        if stopped.is_set():
            raise CancelledError

    teller = Teller("", (on_event,) if on_event else (), source.id)
    reader = _CropReader(quiet_asker(store, source.id, check), source, engine, teller)
    found: dict[Part, CropReading] = {}
    by_page = groupby(sorted(places, key=lambda place: place.page), key=lambda place: place.page)
    with ThreadPoolExecutor(questions_at_once(engine), thread_name_prefix="quire-reread") as threads:
        try:
            for page, there in by_page:
                found |= reader.page(page, list(there), threads)
        finally:  # an interrupted call does not wait for the engine
            stopped.set()
    return found


class _CropReader:
    """Reads places of one document with one engine."""

    def __init__(self, asker: Asker, source: Opened, engine: Engine, teller: Teller) -> None:
        self._asker, self._source, self._engine, self._teller = asker, source, engine, teller
        self._slow = Event()

    def page(self, page: int, places: Sequence[Part], threads: ThreadPoolExecutor) -> Mapping[Part, CropReading]:
        if self._slow.is_set():
            return dict.fromkeys(places, self._too_slow)
        try:
            shown = self._shown(page)
        except (InputError, JobFailed, WorkerError) as error:
            return dict.fromkeys(places, CropReading(failed=f"page {page} could not be drawn: {reason_of(error)}"))
        if shown is None:
            return dict.fromkeys(places, CropReading())
        answers = list(threads.map(lambda place: self._reading(place, *shown), places))
        for number, payload in enumerate((payload for _, payload in answers if payload is not None), start=1):
            self._teller.emit("attempt", "recognize", page=page, payload=payload, mark=f"/{number}")
        return {place: read for place, (read, _) in zip(places, answers, strict=True)}

    def _shown(self, page: int) -> tuple[Picture, Seen] | None:
        """The picture of a page as OCR sees it; None for a blank page."""
        job = Job("quire.pages.recognize.page_job:look", LookRequest(self._source, page, PrepareProfile()))
        reply = self._asker.run(job, timeout_s=SETUP_S)
        seen = seen_by(reply)
        return None if seen.prepared.blank else (picture_in(reply, seen), seen)

    def _reading(self, place: Part, picture: Picture, seen: Seen) -> tuple[CropReading, Mapping[str, object] | None]:
        """The text at a place, and the event about it if the engine was asked. Runs in a thread of its own."""
        if self._slow.is_set():
            return self._too_slow, None
        engine = self._engine
        crop = picture.crop(seen.prepared.from_page(with_margin(place.bbox, MARGIN)))
        regions = (Region("crop", WHOLE_PAGE),) if "regions" in engine.capabilities else ()
        question = Question(crop.size, crop.dpi, regions=regions)
        begun = time.perf_counter()

        def event_payload(outcome: Outcome, reason: str = "") -> dict[str, object]:
            ms = round(1000 * (time.perf_counter() - begun), 3)
            return {"engine": engine.name, "outcome": outcome, "reason": reason, "ms": ms, "reread": True}

        try:
            read, answer = self._recognition(crop, question, place.page)
        except EngineError as error:
            if isinstance(error, TooSlow):
                self._slow.set()
            else:
                log_traceback(f"engine {engine.name}, page {place.page}", error)
            return CropReading(failed=reason_of(error)), event_payload(outcome_of(error), reason_of(error))
        payload = event_payload("ok" if answer.tier == "asked" else "hit")
        return CropReading(read.text, read.confidence), payload | {"tier": answer.tier, "queue_ms": answer.queue_ms}

    def _recognition(self, crop: Picture, question: Question, page: int) -> tuple[Recognition, Answered]:
        """The text that the engine reads in a crop. If a stored answer cannot be interpreted, it is asked again."""
        engine, unlike = self._engine, None
        while True:
            answered = ask_about(self._asker, engine, crop, question, page=page, partial=lambda _: None, unlike=unlike)
            try:
                (read,) = interpreted(engine, answered.data, question)
            except EngineError:
                if unlike is not None or answered.tier == "asked":
                    raise
                unlike = digest_bytes(answered.data)
            else:
                return read, answered

    @property
    def _too_slow(self) -> CropReading:
        return CropReading(failed=f"{self._engine.name} did not answer in time and was not asked again")

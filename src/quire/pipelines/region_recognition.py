"""OCR of the regions of a page: all that are not blank, several in one question if the engine supports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from threading import Lock, Thread

from quire.asking import Answered, Asker
from quire.core.affine import Affine
from quire.core.engine import Engine, Outcome, Partial, Provenance, Question, Recognition, answer_key
from quire.core.errors import EngineError, RecognitionError
from quire.core.events import reason_of
from quire.core.keys import ArtifactKey, digest_bytes
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region
from quire.pages.recognize.frames import placed
from quire.pages.recognize.normalize import interpreted
from quire.pipelines.region_places import joined
from quire.pipelines.roles import Crop
from quire.pipelines.run import GLANCE_S, Cancelled, PipelineRun, failure_of
from quire.reading.picture_questions import ask_about, can_be_sent, outcome_of, questions_at_once, source_of

BATCH = 32
"""Regions in one question to an engine that takes several."""

_WHOLE = BBox(0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class PageQuestions:
    """A page to ask about, with what all questions about it share."""

    page: int
    picture: Picture
    languages: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def question(self, picture: Picture, regions: tuple[Region, ...] = ()) -> Question:
        return Question(picture.size, picture.dpi, self.languages, regions, hints=self.hints)


@dataclass(frozen=True, slots=True)
class _Task:
    """One question about regions of the page; `cut`: one region cropped, or a question for each of its crops."""

    regions: tuple[Region, ...]
    cut: bool = False
    crops: tuple[Crop, ...] = ()


class PageQuestioning:
    """Reads one page. `tolerant` attaches the error to a region that could not be read instead of raising it."""

    def __init__(self, engine: Engine, asker: Asker, run: PipelineRun, *, tolerant: bool) -> None:
        self._engine, self._asker, self._run, self._tolerant = engine, asker, run, tolerant
        self._lock = Lock()
        self._done = 0
        self._hits = 0
        self._attempts = 0

    def read(
        self, questions: PageQuestions, layout: Layout, crops: dict[str, tuple[Crop, ...]]
    ) -> tuple[Recognition, ...]:
        """One recognition for each region, in their order; boxes are fractions of the page's picture."""
        run, begun, total = self._run, self._run.clock(), len(layout.regions)
        run.emit("started", "recognize", page=questions.page, payload={"total": total})
        read: dict[str, Recognition] = {}

        def keep(regions: Sequence[Region], recognitions: Sequence[Recognition]) -> None:
            for region, recognition in zip(regions, recognitions, strict=True):
                with self._lock:
                    read[region.id] = recognition
                    self._done += 1
                    self._hits += recognition.provenance.tier != "asked"
                    self._emit_progress(questions.page, region, recognition, total)

        blank = [region for region in layout.regions if region.role == "blank"]
        keep(blank, [Recognition(self._engine.name, region=r.id, grid=r.grid) for r in blank])
        waiting = [region for region in layout.regions if region.role != "blank"]
        self._each(
            list(self._tasks(questions.picture, waiting, crops)),
            lambda task: keep(task.regions, self._attempt(questions, task)),
        )
        payload = {"done": self._done, "total": total, "cache_hits": self._hits, "ms": run.ms_since(begun)}
        run.emit("finished", "recognize", page=questions.page, payload=payload)
        return tuple(read[region.id] for region in layout.regions)

    def _tasks(
        self, picture: Picture, regions: Sequence[Region], crops: dict[str, tuple[Crop, ...]]
    ) -> Iterator[_Task]:
        several = "regions" in self._engine.capabilities and can_be_sent(self._engine, picture)
        alone = [r for r in regions if r.id in crops or r.bbox == _WHOLE or not several]
        yield from (_Task((region,), cut=True, crops=crops.get(region.id, ())) for region in alone)
        left = set(alone)
        together = [region for region in regions if region not in left]
        for at in range(0, len(together), BATCH):
            yield _Task(tuple(together[at : at + BATCH]))

    def _attempt(self, questions: PageQuestions, task: _Task) -> Sequence[Recognition]:
        region = task.regions[0].id if len(task.regions) == 1 else None
        try:
            read = self._ask(questions, task)
        except EngineError as error:
            self._failed(questions.page, error, region)
            if not self._tolerant:
                raise
            read = [Recognition(self._engine.name, region=r.id, grid=r.grid, error=str(error)) for r in task.regions]
        else:
            for one in read:
                if one.error:
                    unread = RecognitionError(f"{self._engine.name}: region {one.region}: {one.error}")
                    self._failed(questions.page, unread, one.region)
                    if not self._tolerant:
                        raise unread
        return read

    def _failed(self, page: int, error: Exception, region: str | None) -> None:
        mark = f"/{region or 'page'}"
        self._run.emit("failed", "recognize", page=page, payload=failure_of(error, region), mark=mark)

    def _ask(self, questions: PageQuestions, task: _Task) -> Sequence[Recognition]:
        if not task.cut:
            question = questions.question(questions.picture, task.regions)
            read = self._recognitions(questions.page, None, questions.picture, question)
            pairs = zip(task.regions, read, strict=True)
            return [replace(one, region=region.id, grid=region.grid) for region, one in pairs]
        (region,) = task.regions
        crops = task.crops or (Crop(region, _cut(questions.picture, region), region.bbox),)
        return [joined(region, [self._crop(questions, crop) for crop in crops])]

    def _crop(self, questions: PageQuestions, crop: Crop) -> Recognition:
        question = questions.question(crop.picture)
        (read,) = self._recognitions(questions.page, crop.region.id, crop.picture, question)
        return placed(read, Affine.into(crop.box))

    def _recognitions(
        self, page: int, region: str | None, picture: Picture, question: Question
    ) -> Sequence[Recognition]:
        """The recognitions of a picture. If a cached answer cannot be interpreted, the engine is asked again."""
        engine, unlike, mark = self._engine, None, f"/{region or 'page'}"
        key, partial = answer_key(engine, picture.digest, question), self._partial(page, region)
        while True:
            begun, answered = self._run.clock(), None
            try:
                answered = ask_about(
                    self._asker, engine, picture, question, page=page, partial=partial, mark=mark, unlike=unlike
                )
                read = interpreted(engine, answered.data, question)
            except EngineError as error:
                self._note(page, region, key, outcome_of(error), error, begun, answered)
                if unlike is not None or answered is None or answered.tier == "asked":
                    raise
                unlike = digest_bytes(answered.data)
            else:
                self._note(page, region, key, "ok" if answered.tier == "asked" else "hit", None, begun, answered)
                provenance = Provenance(answered.tier, source_of(engine, key))
                return [replace(one, provenance=provenance) for one in read]

    def _note(
        self,
        page: int,
        region: str | None,
        key: ArtifactKey,
        outcome: Outcome,
        error: EngineError | None,
        begun: float,
        answered: Answered | None,
    ) -> None:
        """Emit the outcome of a question."""
        reason = reason_of(error).removeprefix(f"{self._engine.name}: ") if error else ""
        payload = {"engine": self._engine.name, "outcome": outcome, "reason": reason, "region_id": region}
        timed: dict[str, object] = {**payload, "ms": self._run.ms_since(begun)}
        if answered is not None:
            timed |= {"tier": answered.tier, "queue_ms": answered.queue_ms}
        with self._lock:
            self._attempts += 1
            mark = f"/{self._attempts}"
        self._run.tell("attempt", page, timed, key=key, mark=mark)

    def _partial(self, page: int, region: str | None) -> Partial:
        count = 0

        def emit(text: str) -> None:
            nonlocal count
            count += 1
            payload = {"region_id": region, "partial_text": text, "tokens": len(text.split())}
            self._run.emit("partial", "recognize", page=page, payload=payload, mark=f"/{region or 'page'}/{count}")

        return emit

    def _emit_progress(self, page: int, region: Region, recognition: Recognition, total: int) -> None:
        provenance, mark = recognition.provenance, f"/{region.id}"
        if provenance.tier != "asked":
            hit = {"region_id": region.id, "tier": provenance.tier, "similarity": provenance.similarity}
            self._run.emit("hit", "recognize", page=page, payload=hit, mark=mark)
        payload = {"done": self._done, "total": total, "cache_hits": self._hits, "region_id": region.id}
        payload["cell"] = cell_payload(region, recognition)
        self._run.emit("progress", "recognize", page=page, payload=payload, mark=mark)

    def _each(self, tasks: Sequence[_Task], do: Callable[[_Task], None]) -> None:
        """Run all tasks, as many in parallel as the engine allows; the first error stops the rest."""
        errors: list[BaseException] = []
        left, taking = iter(tasks), Lock()

        def work() -> None:
            while not errors:
                with taking:
                    task = next(left, None)
                if task is None:
                    return
                try:
                    self._run.check()
                    do(task)
                except BaseException as error:
                    errors.append(error)

        helping = min(questions_at_once(self._engine), len(tasks)) - 1
        contexts = [copy_context() for _ in range(helping)]
        threads = [Thread(target=one.run, args=(work,), name="quire-regions", daemon=True) for one in contexts]
        for thread in threads:
            thread.start()
        work()
        for thread in threads:
            while thread.is_alive():
                thread.join(GLANCE_S)
                if self._run.cancelled:
                    raise Cancelled
        if errors:
            raise errors[0]


def cell_payload(region: Region, recognition: Recognition) -> dict[str, object] | None:
    """The payload of a cell in a progress event; None for a region outside any grid."""
    if region.grid is None:
        return None
    provenance = recognition.provenance
    hit = {"tier": provenance.tier, "similarity": provenance.similarity} if provenance.tier != "asked" else None
    return {
        "row": region.grid.row,
        "col": region.grid.column,
        "rowspan": region.grid.row_span,
        "colspan": region.grid.column_span,
        "text": recognition.text,
        "is_blank": region.role == "blank",
        "confidence": recognition.confidence,
        "cache": hit,
    }


def _cut(picture: Picture, region: Region) -> Picture:
    return picture if region.bbox == _WHOLE else picture.crop(region.bbox)

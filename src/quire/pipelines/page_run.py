"""One page through the stages of a pipeline."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from quire.asking import Asker
from quire.core.engine import Recognition
from quire.core.errors import EngineError, InputError, RecognitionError
from quire.core.picture import Picture
from quire.core.plugin_checks import check_returned
from quire.core.types import Block, Layout, PageInfo, PageStatus, Region, mean_confidence
from quire.pages.recognize.frames import placed
from quire.pipelines.detect.whole import whole_page
from quire.pipelines.pipeline_options import Options
from quire.pipelines.region_blocks import blocks_of, rules_of
from quire.pipelines.region_places import placed_layout
from quire.pipelines.region_recognition import PageQuestioning, PageQuestions
from quire.pipelines.result import PageReading
from quire.pipelines.roles import Classified, Corrector, Crop, PreparedPicture, RegionPreprocessor, Slot, with_merged
from quire.pipelines.run import NOT_THE_PAGE, Cancelled, PipelineRun, failure_of, message_of
from quire.pipelines.stages import Stages
from quire.system.awaited import settled

MOST_CHANGES = 50
"""Corrections that the payload of one event lists."""


@dataclass(frozen=True, slots=True)
class PageWork:
    """State shared by the pages of a run. `read` runs in a thread for each page."""

    stages: Stages
    options: Options
    asker: Asker
    run: PipelineRun

    def read(self, info: PageInfo, picture: Picture) -> PageReading:
        """Read a page; a failed one has a reason. Raises Cancelled, and errors that are not the page's fault."""
        with self.run.current():
            return self._read_and_emit(info, picture)

    def _read_and_emit(self, info: PageInfo, picture: Picture) -> PageReading:
        begun = self.run.clock()
        self.run.emit("started", "page", page=info.number)
        try:
            read = self._read(info, picture)
        except (EngineError, RecognitionError, InputError) as error:
            reason = message_of(error)
            attached = (Recognition(self.stages.engine.name, error=reason),) if self._tolerant else ()
            read = PageReading(replace(info, status="failed", reason=reason), recognitions=attached)
        payload = {"status": read.info.status, "reason": read.info.reason, "blocks": len(read.blocks)}
        self.run.emit("finished", "page", page=info.number, payload={**payload, "ms": self.run.ms_since(begun)})
        return read

    @property
    def _tolerant(self) -> bool:
        return self.options.error_policy == "attach"

    def _read(self, info: PageInfo, picture: Picture) -> PageReading:
        number = info.number
        prepared = self._prepared(picture, number)
        layout = self._classified(self._detected(prepared.picture, number), prepared.picture, number)
        crops = self._crops(layout, prepared.picture, number)
        questions = PageQuestions(number, prepared.picture, self.options.languages, self.options.hints)
        recognition = PageQuestioning(self.stages.engine, self.asker, self.run, tolerant=self._tolerant)
        read = recognition.read(questions, layout, crops)
        layout = placed_layout(layout, prepared.to_given)
        read = tuple(placed(one, prepared.to_given) for one in read)
        for place, corrector in enumerate(self.stages.correctors):
            read = self._corrected(corrector, read, number, place)
        blocks = blocks_of(info, picture.size, layout, read, partial(rules_of, prepared, picture.size))
        status, reason = _outcome(read, bool(blocks))
        outcome = replace(info, status=status, reason=reason, confidence=_mean_confidence(blocks))
        return PageReading(replace(outcome, reason=reason or outcome.doubt), blocks, layout, read)

    def _prepared(self, picture: Picture, page: int) -> PreparedPicture:
        ready = PreparedPicture(picture)
        for place, stage in enumerate(self.stages.preprocessors):
            with self._stage("preprocess", stage.name, page, place) as payload:
                made = settled(stage.preprocess(ready.picture))
                check_returned(made, (Picture, PreparedPicture), stage.name)
                step = PreparedPicture(made) if isinstance(made, Picture) else made
                if step.angle:
                    payload["angle"] = step.angle
                ready = PreparedPicture(step.picture, ready.angle + step.angle, step.to_given.then(ready.to_given))
        return ready

    def _detected(self, picture: Picture, page: int) -> Layout:
        detector = self.stages.detector
        if detector is None:
            return whole_page().detect(picture, page)
        with self._stage("detect", detector.name, page) as payload:
            layout = settled(detector.detect(picture, page))
            check_returned(layout, Layout, detector.name)
            for region in layout.regions:
                check_returned(region, Region, detector.name)
            ids = [region.id for region in layout.regions]
            if len(set(ids)) < len(ids):
                raise RecognitionError(f"{detector.name} returned two regions with the same id")
            cells = sum(region.grid is not None for region in layout.regions)
            payload |= {"rows": layout.rows, "cols": layout.columns, "cells": cells}
        return layout

    def _classified(self, layout: Layout, picture: Picture, page: int) -> Layout:
        classifier = self.stages.classifier
        if classifier is None:
            return with_merged(layout)
        with self._stage("classify", classifier.name, page) as payload:
            made = settled(classifier.classify(layout, picture))
            check_returned(made, (Layout, Classified), classifier.name)
            found = Classified(made) if isinstance(made, Layout) else made
            regions = found.layout.regions
            spans = sum(1 for r in regions if r.grid and r.grid.row_span * r.grid.column_span > 1)
            groups = len({region.merge_group for region in regions if region.merge_group})
            blank = sum(region.role == "blank" for region in regions)
            payload |= {"blank": blank, "merged": spans + groups, "ambiguous": len(found.ambiguous)}
        return with_merged(found.layout)

    def _crops(self, layout: Layout, picture: Picture, page: int) -> dict[str, tuple[Crop, ...]]:
        """The crops of the regions, if a stage prepares them; none otherwise: they are cropped lazily."""
        stages = self.stages.region_preprocessors
        if not stages:
            return {}
        regions = [region for region in layout.regions if region.role != "blank"]
        crops: dict[str, tuple[Crop, ...]] = {
            region.id: (Crop(region, picture.crop(region.bbox), region.bbox),) for region in regions
        }
        for place, stage in enumerate(stages):
            with self._stage("region_preprocess", stage.name, page, place) as payload:
                count = sum(map(len, crops.values()))
                made = {
                    name: tuple(new for crop in before for new in self._preprocessed(stage, crop))
                    for name, before in crops.items()
                }
                if empty := next((name for name, parts in made.items() if not parts), None):
                    raise RecognitionError(f"{stage.name} returned no crop for region {empty}")
                changed = sum(made[name] != before for name, before in crops.items())
                payload |= {"transformed": changed, "sliced_in": count, "sliced_out": sum(map(len, made.values()))}
                crops = made
        return crops

    def _preprocessed(self, stage: RegionPreprocessor, crop: Crop) -> Sequence[Crop]:
        made = settled(stage.preprocess_region(crop))
        check_returned(made, Sequence, stage.name)
        for one in made:
            check_returned(one, Crop, stage.name)
        return made

    def _corrected(
        self, corrector: Corrector, read: tuple[Recognition, ...], page: int, place: int
    ) -> tuple[Recognition, ...]:
        with self._stage("post_process", corrector.name, page, place) as payload:
            made = tuple(one if one.error else self._correct(corrector, one, page) for one in read)
            changed = [
                (old.region, old.text, new.text)
                for old, new in zip(read, made, strict=True)
                if old.text != new.text and not new.error
            ]
            payload |= {"stage": corrector.name, "corrected": len(changed), "changes": changed[:MOST_CHANGES]}
        return made

    def _correct(self, corrector: Corrector, recognition: Recognition, page: int) -> Recognition:
        self.run.check()
        try:
            made = settled(corrector.correct(recognition))
            check_returned(made, Recognition, corrector.name)
            return replace(made, provenance=recognition.provenance)  # a correction keeps the provenance of the answer
        except NOT_THE_PAGE:
            raise
        except Exception as error:
            if not self._tolerant:
                raise
            payload, mark = failure_of(error, recognition.region), f"/{recognition.region or 'page'}/{corrector.name}"
            self.run.emit("failed", "post_process", page=page, payload=payload, mark=mark)
            message = f"{corrector.name}: {message_of(error)}"
            return replace(recognition, lines=(), blocks=(), error=message)

    @contextmanager
    def _stage(self, slot: Slot, name: str, page: int, place: int = 0) -> Iterator[dict[str, object]]:
        """Emit the start and end of a stage; an exception is emitted and re-raised as RecognitionError."""
        run, mark = self.run, f"/{place + 1}" if place else ""
        run.check()
        run.emit("started", slot, page=page, mark=mark)
        begun = run.clock()
        payload: dict[str, object] = {}
        try:
            yield payload
        except Cancelled:
            raise
        except Exception as error:
            run.emit("failed", slot, page=page, payload=failure_of(error), mark=mark)
            if isinstance(error, (EngineError, RecognitionError, *NOT_THE_PAGE)):
                raise
            logging.getLogger("quire").debug("%s stage %s failed on page %d", slot, name, page, exc_info=error)
            raise RecognitionError(f"{slot} stage {name} failed: {message_of(error)}") from error
        run.emit("finished", slot, page=page, payload={**payload, "ms": run.ms_since(begun)}, mark=mark)


def _mean_confidence(blocks: Sequence[Block]) -> float | None:
    """Over the characters of the blocks that have one."""
    mean = mean_confidence((block.confidence, len(block.text)) for block in blocks)
    return None if mean is None else round(mean, 3)


def _outcome(read: tuple[Recognition, ...], has_blocks: bool) -> tuple[PageStatus, str | None]:
    errors = [one.error for one in read if one.error]
    if errors and not any(one.text for one in read):
        return "failed", errors[0]
    reason = f"{len(errors)} of {len(read)} regions could not be read" if errors else None
    return ("ok" if has_blocks else "empty"), reason

"""A pipeline built one stage at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from quire.core.engine import Engine
from quire.core.errors import ConfigurationError
from quire.core.events import Sink
from quire.pipelines.pipeline import Pipeline
from quire.pipelines.pipeline_options import Cache, ErrorPolicy, Options
from quire.pipelines.roles import Classifier, Corrector, LayoutDetector, Preprocessor, RegionPreprocessor, Slot
from quire.pipelines.stages import Exporter, PipelineStage, Placed


@dataclass(frozen=True, slots=True)
class PipelineBuilder:
    """Every call returns a new builder, so that several pipelines can share a beginning."""

    stages: tuple[PipelineStage, ...] = ()
    settings: Options = field(default_factory=Options)

    def preprocess(self, *stages: Preprocessor) -> PipelineBuilder:
        return self._add("preprocess", *stages)

    def detect(self, stage: LayoutDetector) -> PipelineBuilder:
        return self._add("detect", stage)

    def classify(self, stage: Classifier) -> PipelineBuilder:
        return self._add("classify", stage)

    def region_preprocess(self, *stages: RegionPreprocessor) -> PipelineBuilder:
        return self._add("region_preprocess", *stages)

    def recognize(self, engine: Engine, *, cache: Cache = None) -> PipelineBuilder:
        """Set the OCR engine, and the cache of its answers."""
        added = self._add("recognize", engine)
        return added if cache is None else replace(added, settings=replace(added.settings, cache=cache))

    def post_process(self, *stages: Corrector) -> PipelineBuilder:
        return self._add("post_process", *stages)

    def export(self, *stages: Exporter) -> PipelineBuilder:
        return self._add("export", *stages)

    def stage(self, *stages: PipelineStage) -> PipelineBuilder:
        """Add stages of any role."""
        return replace(self, stages=(*self.stages, *stages))

    def options(
        self,
        *,
        page_concurrency: int | None = None,
        error_policy: ErrorPolicy | None = None,
        on_event: Sink | None = None,
        dpi: int | None = None,
        languages: Sequence[str] | None = None,
        hints: Sequence[str] | None = None,
    ) -> PipelineBuilder:
        """Change settings of `Pipeline`; those left out stay as they are."""
        old = self.settings
        settings = Options(
            old.page_concurrency if page_concurrency is None else page_concurrency,
            error_policy or old.error_policy,
            on_event or old.on_event,
            old.cache,
            old.dpi if dpi is None else dpi,
            old.languages if languages is None else tuple(languages),
            old.hints if hints is None else tuple(hints),
        )
        return replace(self, settings=settings)

    def build(self) -> Pipeline:
        """Raises ConfigurationError when the stages do not fit together."""
        made = self.settings
        return Pipeline(
            *self.stages,
            page_concurrency=made.page_concurrency,
            error_policy=made.error_policy,
            on_event=made.on_event,
            cache=made.cache,
            dpi=made.dpi,
            languages=made.languages,
            hints=made.hints,
        )

    def _add(self, slot: Slot, *stages: PipelineStage) -> PipelineBuilder:
        for stage in stages:
            placed = Placed.of(stage)
            if placed.slot != slot:
                raise ConfigurationError(f"{placed.stage.name} is for {placed.slot}, not for {slot}")
        return self.stage(*stages)

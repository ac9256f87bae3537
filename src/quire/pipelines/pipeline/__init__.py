"""Custom page pipelines: stages wired in Python, for what `quire.read` does not do.

`Pipeline(detect.morphological_grid(), classify.rule_based(), engine, correct.whitespace())("form.png")`
"""

from __future__ import annotations

from quire.pipelines.pipeline.builder import PipelineBuilder
from quire.pipelines.pipeline.exporters import save
from quire.pipelines.pipeline.functions import (
    classifier,
    detector,
    exporter,
    postprocessor,
    preprocessor,
    recognizer,
    region_preprocessor,
)
from quire.pipelines.pipeline.pipeline import Pipeline
from quire.pipelines.pipeline.pipeline_options import ErrorPolicy
from quire.pipelines.pipeline.result import PipelineResult
from quire.pipelines.pipeline.run import cancelled
from quire.pipelines.pipeline.stages import Exporter, PipelineStage

__all__ = [
    "ErrorPolicy",
    "Exporter",
    "Pipeline",
    "PipelineBuilder",
    "PipelineResult",
    "PipelineStage",
    "cancelled",
    "classifier",
    "detector",
    "exporter",
    "postprocessor",
    "preprocessor",
    "recognizer",
    "region_preprocessor",
    "save",
]

"""Custom page pipelines: stages wired in Python, for what `quire.read` does not do.

`Pipeline(detect.morphological_grid(), classify.rule_based(), engine, correct.whitespace())("form.png")`
"""

from __future__ import annotations

from quire.pipeline.builder import PipelineBuilder
from quire.pipeline.exporting import save
from quire.pipeline.functions import (
    classifier,
    detector,
    exporter,
    postprocessor,
    preprocessor,
    recognizer,
    region_preprocessor,
)
from quire.pipeline.options import ErrorPolicy
from quire.pipeline.pipeline import Pipeline
from quire.pipeline.result import PipelineResult
from quire.pipeline.run import cancelled
from quire.pipeline.stages import Exporter, PipelineStage

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

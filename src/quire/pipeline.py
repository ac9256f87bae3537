"""Custom page pipelines: stages wired in Python, for what `quire.read` does not do.

`Pipeline(detect.morphological_grid(), classify.rule_based(), engine, correct.whitespace())("form.png")`
"""

from __future__ import annotations

from quire.pipelines import preprocess, regions
from quire.pipelines.exporters import save
from quire.pipelines.functions import (
    classifier,
    detector,
    exporter,
    postprocessor,
    preprocessor,
    recognizer,
    region_preprocessor,
)
from quire.pipelines.pipeline import Pipeline, PipelineBuilder
from quire.pipelines.pipeline_options import ErrorPolicy
from quire.pipelines.result import PipelineResult
from quire.pipelines.run import cancelled
from quire.pipelines.stages import Exporter, PipelineStage

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
    "preprocess",
    "preprocessor",
    "recognizer",
    "region_preprocessor",
    "regions",
    "save",
]

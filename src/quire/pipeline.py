"""Custom page pipelines: stages wired in Python, for what `quire.read` does not do.

`Pipeline(detect.morphological_grid(), classify.rule_based(), engine, correct.whitespace())("form.png")`
"""

from quire.pipelines import preprocess as preprocess
from quire.pipelines import regions as regions
from quire.pipelines.exporters import save as save
from quire.pipelines.functions import classifier as classifier
from quire.pipelines.functions import detector as detector
from quire.pipelines.functions import exporter as exporter
from quire.pipelines.functions import postprocessor as postprocessor
from quire.pipelines.functions import preprocessor as preprocessor
from quire.pipelines.functions import recognizer as recognizer
from quire.pipelines.functions import region_preprocessor as region_preprocessor
from quire.pipelines.pipeline import Pipeline as Pipeline
from quire.pipelines.pipeline import PipelineBuilder as PipelineBuilder
from quire.pipelines.pipeline_options import ErrorPolicy as ErrorPolicy
from quire.pipelines.result import PipelineResult as PipelineResult
from quire.pipelines.run import cancelled as cancelled
from quire.pipelines.stages import Exporter as Exporter
from quire.pipelines.stages import PipelineStage as PipelineStage

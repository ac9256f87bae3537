"""Documents to page-grounded evidence: `quire.read("report.pdf").to_markdown()`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.client import Client as Client
    from quire.client import ClientDocument as ClientDocument
    from quire.client import ClientRun as ClientRun
    from quire.client import ClientSolve as ClientSolve
    from quire.core.document import Document as Document
    from quire.core.document import Page as Page
    from quire.core.document import RenderOptions as RenderOptions
    from quire.core.engine import Attempt as Attempt
    from quire.core.engine import Engine as Engine
    from quire.core.engine import Question as Question
    from quire.core.engine import Recognition as Recognition
    from quire.core.errors import ConfigurationError as ConfigurationError
    from quire.core.errors import CorruptError as CorruptError
    from quire.core.errors import EngineError as EngineError
    from quire.core.errors import FetchError as FetchError
    from quire.core.errors import InputError as InputError
    from quire.core.errors import LimitError as LimitError
    from quire.core.errors import PasswordError as PasswordError
    from quire.core.errors import QuireError as QuireError
    from quire.core.errors import RecognitionError as RecognitionError
    from quire.core.errors import RunCancelled as RunCancelled
    from quire.core.errors import RunError as RunError
    from quire.core.errors import StoreError as StoreError
    from quire.core.errors import UnsupportedError as UnsupportedError
    from quire.core.errors import UsageError as UsageError
    from quire.core.events import Event as Event
    from quire.core.events import to_sse as to_sse
    from quire.core.fetch_policy import FetchPolicy as FetchPolicy
    from quire.core.picture import Picture as Picture
    from quire.core.table_areas import TableArea as TableArea
    from quire.core.types import AnswerSource as AnswerSource
    from quire.core.types import BBox as BBox
    from quire.core.types import Block as Block
    from quire.core.types import Cell as Cell
    from quire.core.types import Characters as Characters
    from quire.core.types import Field as Field
    from quire.core.types import GridCell as GridCell
    from quire.core.types import Layout as Layout
    from quire.core.types import PageInfo as PageInfo
    from quire.core.types import PageResult as PageResult
    from quire.core.types import Part as Part
    from quire.core.types import Region as Region
    from quire.core.types import Span as Span
    from quire.core.types import Table as Table
    from quire.core.types import TableBlock as TableBlock
    from quire.core.types import Word as Word
    from quire.durable.document_index import Index as Index
    from quire.durable.evaluation_call import evaluate as evaluate
    from quire.durable.inline.flow_call import Flow as Flow
    from quire.durable.inline.flow_call import FlowResult as FlowResult
    from quire.durable.solve_call import Solution as Solution
    from quire.durable.solve_call import solve as solve
    from quire.evidence.extract.values import Extraction as Extraction
    from quire.evidence.learn.hints import RecognitionHint as RecognitionHint
    from quire.evidence.learn.sample_store import SampleStore as SampleStore
    from quire.evidence.learn.samples import Sample as Sample
    from quire.evidence.learn.training import learn as learn
    from quire.flow.components import component as component
    from quire.pipeline import Pipeline as Pipeline
    from quire.pipeline import PipelineResult as PipelineResult
    from quire.pipeline import classifier as classifier
    from quire.pipeline import detector as detector
    from quire.pipeline import exporter as exporter
    from quire.pipeline import postprocessor as postprocessor
    from quire.pipeline import preprocessor as preprocessor
    from quire.pipeline import recognizer as recognizer
    from quire.pipeline import region_preprocessor as region_preprocessor
    from quire.reading.call import aread as aread
    from quire.reading.call import astream as astream
    from quire.reading.call import read as read
    from quire.reading.call import stream as stream
    from quire.reading.extract_call import extract as extract
    from quire.reading.result import DocumentResult as DocumentResult
    from quire.reading.result import Ledger as Ledger
    from quire.reading.result import Redacted as Redacted
    from quire.retrieval.chunk import Chunk as Chunk
    from quire.retrieval.chunk import ChunkOptions as ChunkOptions
    from quire.solving.build_call import build_workspace as build_workspace
    from quire.solving.evaluation.evaluate import Evaluation as Evaluation
    from quire.solving.evaluation.trace_grading import replay as replay
    from quire.solving.workspace.folder import Workspace as Workspace
    from quire.store.files import FileStore as FileStore
    from quire.store.images import PageImages as PageImages
    from quire.store.opening import open_store as open_store
    from quire.store.temporary import TemporaryStore as TemporaryStore

__version__ = "0.1.0"

_HOMES = {
    "quire.retrieval.chunk": ("Chunk", "ChunkOptions"),
    "quire.client": ("Client", "ClientDocument", "ClientRun", "ClientSolve"),
    "quire.core.document": ("Document", "Page", "RenderOptions"),
    "quire.core.errors": (
        "ConfigurationError",
        "CorruptError",
        "EngineError",
        "FetchError",
        "InputError",
        "LimitError",
        "PasswordError",
        "QuireError",
        "RecognitionError",
        "RunCancelled",
        "RunError",
        "StoreError",
        "UnsupportedError",
        "UsageError",
    ),
    "quire.core.engine": ("Attempt", "Engine", "Question", "Recognition"),
    "quire.core.picture": ("Picture",),
    "quire.core.fetch_policy": ("FetchPolicy",),
    "quire.core.events": ("Event", "to_sse"),
    "quire.flow.components": ("component",),
    "quire.pipeline": (
        "Pipeline",
        "PipelineResult",
        "classifier",
        "detector",
        "exporter",
        "postprocessor",
        "preprocessor",
        "recognizer",
        "region_preprocessor",
    ),
    "quire.reading.call": ("aread", "astream", "read", "stream"),
    "quire.reading.extract_call": ("extract",),
    "quire.evidence.extract.values": ("Extraction",),
    "quire.evidence.learn.training": ("learn",),
    "quire.evidence.learn.samples": ("Sample",),
    "quire.evidence.learn.sample_store": ("SampleStore",),
    "quire.evidence.learn.hints": ("RecognitionHint",),
    "quire.reading.result": ("DocumentResult", "Ledger", "Redacted"),
    "quire.durable.inline.flow_call": ("Flow", "FlowResult"),
    "quire.durable.document_index": ("Index",),
    "quire.solving.build_call": ("build_workspace",),
    "quire.solving.evaluation.evaluate": ("Evaluation",),
    "quire.durable.evaluation_call": ("evaluate",),
    "quire.durable.solve_call": ("Solution", "solve"),
    "quire.solving.evaluation.trace_grading": ("replay",),
    "quire.solving.workspace.folder": ("Workspace",),
    "quire.store.files": ("FileStore",),
    "quire.store.images": ("PageImages",),
    "quire.store.opening": ("open_store",),
    "quire.store.temporary": ("TemporaryStore",),
    "quire.core.table_areas": ("TableArea",),
    "quire.core.types": (
        "AnswerSource",
        "BBox",
        "Block",
        "Cell",
        "Characters",
        "Field",
        "GridCell",
        "Layout",
        "PageInfo",
        "PageResult",
        "Part",
        "Region",
        "Span",
        "Table",
        "TableBlock",
        "Word",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # type checkers read the imports above
    __all__ = sorted([*_HOME_OF, "__version__"])


def __getattr__(name: str) -> object:
    """Import public names lazily, so that `import quire` is fast."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'quire' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})

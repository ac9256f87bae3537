"""Documents to page-grounded evidence: `quire.read("report.pdf").to_markdown()`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.client import Client, ClientDocument, ClientRun
    from quire.core.document import Document, Page, RenderOptions
    from quire.core.engine import Attempt, Engine, Question, Recognition
    from quire.core.errors import (
        ConfigurationError,
        CorruptError,
        EngineError,
        FetchError,
        InputError,
        LimitError,
        PasswordError,
        QuireError,
        RecognitionError,
        RunCancelled,
        RunError,
        StoreError,
        UnsupportedError,
        UsageError,
    )
    from quire.core.events import Event, to_sse
    from quire.core.fetch_policy import FetchPolicy
    from quire.core.picture import Picture
    from quire.core.table_areas import TableArea
    from quire.core.types import (
        AnswerSource,
        BBox,
        Block,
        Cell,
        Characters,
        Field,
        GridCell,
        Layout,
        PageInfo,
        PageResult,
        Part,
        Region,
        Span,
        Table,
        TableBlock,
        Word,
    )
    from quire.durable.document_index import Index
    from quire.durable.inline.flow_call import Flow, FlowResult
    from quire.evidence.extract.values import Extraction
    from quire.evidence.learn.hints import RecognitionHint
    from quire.evidence.learn.sample_store import SampleStore
    from quire.evidence.learn.samples import Sample
    from quire.evidence.learn.training import learn as learn
    from quire.flow.components import component
    from quire.pipeline import (
        Pipeline,
        PipelineResult,
        classifier,
        detector,
        exporter,
        postprocessor,
        preprocessor,
        recognizer,
        region_preprocessor,
    )
    from quire.reading.call import aread, astream, read, stream
    from quire.reading.extract_call import extract as extract
    from quire.reading.result import DocumentResult, Ledger, Redacted
    from quire.retrieval.chunk import Chunk, ChunkOptions
    from quire.solve.build_call import build_workspace
    from quire.solve.evaluation.evaluate import Evaluation
    from quire.solve.evaluation.evaluate import evaluate as evaluate
    from quire.solve.workspace.folder import Workspace
    from quire.store.files import FileStore
    from quire.store.images import PageImages
    from quire.store.opening import open_store
    from quire.store.temporary import TemporaryStore

__version__ = "0.1.0"

_HOMES = {
    "quire.retrieval.chunk": ("Chunk", "ChunkOptions"),
    "quire.client": ("Client", "ClientDocument", "ClientRun"),
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
    "quire.solve.build_call": ("build_workspace",),
    "quire.solve.evaluation.evaluate": ("Evaluation", "evaluate"),
    "quire.solve.workspace.folder": ("Workspace",),
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

__all__ = [
    "AnswerSource",
    "Attempt",
    "BBox",
    "Block",
    "Cell",
    "Characters",
    "Chunk",
    "ChunkOptions",
    "Client",
    "ClientDocument",
    "ClientRun",
    "ConfigurationError",
    "CorruptError",
    "Document",
    "DocumentResult",
    "Engine",
    "EngineError",
    "Evaluation",
    "Event",
    "Extraction",
    "FetchError",
    "FetchPolicy",
    "Field",
    "FileStore",
    "Flow",
    "FlowResult",
    "GridCell",
    "Index",
    "InputError",
    "Layout",
    "Ledger",
    "LimitError",
    "Page",
    "PageImages",
    "PageInfo",
    "PageResult",
    "Part",
    "PasswordError",
    "Picture",
    "Pipeline",
    "PipelineResult",
    "Question",
    "QuireError",
    "Recognition",
    "RecognitionError",
    "RecognitionHint",
    "Redacted",
    "Region",
    "RenderOptions",
    "RunCancelled",
    "RunError",
    "Sample",
    "SampleStore",
    "Span",
    "StoreError",
    "Table",
    "TableArea",
    "TableBlock",
    "TemporaryStore",
    "UnsupportedError",
    "UsageError",
    "Word",
    "Workspace",
    "__version__",
    "aread",
    "astream",
    "build_workspace",
    "classifier",
    "component",
    "detector",
    "evaluate",
    "exporter",
    "extract",
    "learn",
    "open_store",
    "postprocessor",
    "preprocessor",
    "read",
    "recognizer",
    "region_preprocessor",
    "stream",
    "to_sse",
]


def __getattr__(name: str) -> object:
    """Import public names lazily, so that `import quire` is fast."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'quire' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

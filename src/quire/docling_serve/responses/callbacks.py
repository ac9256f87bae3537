"""What is posted to the callbacks of a task while it works, in the order of the functions here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quire.docling_serve.responses.document_contents import task_meta

Json = dict[str, Any]


def started(task_id: str, documents: int) -> Json:
    return _progress(task_id, "set_num_docs", num_docs=documents)


@dataclass(frozen=True, slots=True)
class CompletedDocument:
    """A document that is finished; None is what is not known about it."""

    source: str
    status: str
    document_type: str | None = None
    num_pages: int | None = None
    num_characters: int | None = None
    num_tables: int | None = None
    num_pictures: int | None = None
    processing_time: float | None = None
    doc_hash: str | None = None
    error: str | None = None


def document_completed(task_id: str, document: CompletedDocument, processed: int, total: int) -> Json:
    return _progress(
        task_id, "document_completed", document=asdict(document), total_processed=processed, total_docs=total
    )


def processed(task_id: str, documents: Sequence[tuple[str, str, str | None]]) -> Json:
    """The end of all documents: source, status and error of each."""
    counted = task_meta((status for _, status, _ in documents), len(documents))
    del counted["num_docs"]
    docs = [{"source": source, "status": status, "error": error} for source, status, error in documents]
    return _progress(task_id, "update_processed", **counted, docs=docs)


def task_completed(task_id: str, status: str, failure: Json | None = None) -> Json:
    return _progress(task_id, "task_completed", task_status=status, failure=failure)


def _progress(task_id: str, kind: str, **more: Any) -> Json:
    return {"task_id": task_id, "progress": {"kind": kind, **more}}

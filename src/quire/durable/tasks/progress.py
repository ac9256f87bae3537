"""The progress messages that a task posts to its callbacks, as docling-serve writes them."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.context import Json
from quire.core.media_types import input_format_of
from quire.reading.messages import TaskCounts, TaskDocument


def number_of_documents(count: int) -> Json:
    return {"kind": "set_num_docs", "num_docs": count}


def completed(document: TaskDocument, done: int, total: int) -> Json:
    """One document has ended."""
    figures = document.get("output", {}).get("figures", {})
    source = document.get("reference", {}).get("source")
    return {
        "kind": "document_completed",
        "document": {
            "source": document["uri"],
            "status": document["status"],
            "document_type": input_format_of(document.get("reference", {}).get("media_type", "")) or None,
            "num_pages": figures.get("pages"),
            "num_characters": figures.get("characters"),
            "num_tables": figures.get("tables"),
            "num_pictures": figures.get("pictures"),
            "processing_time": None,
            "doc_hash": source["id"] if source else None,
            "error": _error(document),
        },
        "total_processed": done,
        "total_docs": total,
    }


def processed(documents: Sequence[TaskDocument]) -> Json:
    """All documents have ended."""
    counts = counted(documents)
    return {
        "kind": "update_processed",
        "num_processed": counts["total"],
        "num_succeeded": counts["succeeded"],
        "num_partially_succeeded": counts["partial"],
        "num_failed": counts["failed"],
        "docs": [
            {"source": document["uri"], "status": document["status"], "error": _error(document)}
            for document in documents
        ],
    }


def task_completed() -> Json:
    return {"kind": "task_completed", "task_status": "success", "failure": None}


def counted(documents: Sequence[TaskDocument]) -> TaskCounts:
    found = [document["status"] for document in documents]
    return {
        "total": len(found),
        "succeeded": found.count("success"),
        "partial": found.count("partial_success"),
        "failed": found.count("failure") + found.count("skipped"),
        "pages": sum(document["reference"]["ledger"]["pages"] for document in documents if "reference" in document),
    }


def _error(document: TaskDocument) -> str | None:
    return document["faults"][0]["message"] if document["faults"] else None

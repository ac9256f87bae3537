"""The documents and errors of docling-serve's answers, as plain dictionaries with every field always present.

They are made where the work is done: in a workflow or a worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from quire.core.errors import RETRYABLE, Category

Json = dict[str, Any]
DocumentState = Literal["success", "partial_success", "failure", "skipped"]
Phase = Literal["admission", "source_enumeration", "execution", "orchestration"]
Trouble = Category | Literal["source", "target", "limit", "pages", "model", "no model"]
"""The class of an error of Quire, or more exactly what was wrong: the source could not be fetched, the target could not
be written, a limit was exceeded, the page range is outside the document, a model did not
answer, there is no model."""


CONTENTS = ("md", "json", "html", "text", "doctags", "doclang")
"""The formats that an answer in the body has; the others are files of a zip."""
COUNTED = ("num_docs", "num_processed", "num_succeeded", "num_partially_succeeded", "num_failed")

_COMPONENTS: dict[Trouble, tuple[str, str]] = {
    "input": ("user_input", "backend_failure"),
    "usage": ("user_input", "policy"),
    "config": ("pipeline", "internal"),
    "runtime": ("pipeline", "internal"),
    "timeout": ("pipeline", "timeout"),
    "network": ("user_input", "source_unavailable"),
    "transient": ("pipeline", "capacity"),
    "unknown": ("pipeline", "unknown"),
    "source": ("user_input", "source_unavailable"),
    "target": ("pipeline", "target_unavailable"),
    "limit": ("user_input", "policy"),
    "pages": ("user_input", "policy"),
    "model": ("model", "inference_failure"),
    "no model": ("model", "policy"),
}
"""Component and category of an error of a document."""
_ON_A_PAGE: dict[Trouble, tuple[str, str]] = {
    "input": ("document_backend", "backend_failure"),
    "runtime": ("model", "inference_failure"),
    "transient": ("model", "inference_failure"),
}
"""Of an error of one page, where that differs."""
_RETRYABLE = frozenset(category for category, useful in RETRYABLE.items() if useful)


def task_meta(statuses: Iterable[str], total: int, *, pages: int | None = None, pages_done: int | None = None) -> Json:
    """Counts of a task from the statuses of the documents that are finished. Old clients ignore the pages."""
    ended = list(statuses)
    succeeded, partly = ended.count("success"), ended.count("partial_success")
    meta = dict(zip(COUNTED, (total, len(ended), succeeded, partly, len(ended) - succeeded - partly), strict=True))
    if pages is not None:
        meta |= {"num_pages": pages, "num_pages_processed": pages_done or 0}
    return meta


def failure(
    message: str, trouble: Trouble, *, phase: Phase = "execution", details: Mapping[str, str] | None = None
) -> Json:
    """The failure of a task as a whole."""
    return {
        "category": _COMPONENTS[trouble][1],
        "message": message,
        "retryable": trouble in _RETRYABLE,
        "phase": phase,
        "details": dict(details or {}),
    }


def task_failure(failed: Json) -> Json:
    """TaskFailureResult: the result of a task that failed."""
    return {"kind": "TaskFailureResult", "failure": failed}


def error_item(message: str, trouble: Trouble, *, page: int | None = None, module: str = "") -> Json:
    """One entry of `errors`."""
    place = _COMPONENTS[trouble] if page is None else _ON_A_PAGE.get(trouble, _COMPONENTS[trouble])
    return {
        "component_type": place[0],
        "module_name": module,
        "error_message": message,
        "category": place[1],
        "page_no": page,
    }


def pages_outside(pages: int, first: int) -> Json:
    """The error of a page range that begins after the last page."""
    message = f"Document has {pages} pages, fewer than the requested page_range start {first}."
    return error_item(message, "pages")


def exported(filename: str, contents: Mapping[str, Any] | None = None) -> Json:
    """The document of an answer: its name and the contents by format, None where they were not requested."""
    by_format = contents or {}
    return {"filename": filename, **{f"{name}_content": by_format.get(name) for name in CONTENTS}}


def converted(
    filename: str,
    status: DocumentState,
    *,
    contents: Mapping[str, Any] | None = None,
    errors: Sequence[Json] = (),
    processing_time: float = 0.0,
    timings: Json | None = None,
    confidence: Json | None = None,
) -> Json:
    """ConvertDocumentResponse. A document that failed or was skipped has neither contents nor confidence."""
    made = status in ("success", "partial_success")
    return {
        "document": exported(filename, contents if made else None),
        "status": status,
        "errors": list(errors),
        "processing_time": processing_time,
        "timings": timings or {},
        "confidence": confidence if made else None,
    }


def chunked_document(
    filename: str, status: DocumentState, *, errors: Sequence[Json] = (), confidence: Json | None = None
) -> Json:
    """A document of a chunk answer, under `content` and not `document`, and without its contents."""
    return {
        "kind": "ExportResult",
        "content": exported(filename),
        "status": status,
        "errors": list(errors),
        "timings": {},
        "confidence": confidence,
    }


def counts(statuses: Sequence[str], processing_time: float) -> Json:
    """The answer when the documents went to a target elsewhere."""
    meta = task_meta(statuses, len(statuses))
    return {
        "num_converted": len(statuses),
        "num_succeeded": meta["num_succeeded"],
        "num_partially_succeeded": meta["num_partially_succeeded"],
        "num_failed": meta["num_failed"],
        "processing_time": processing_time,
    }


def timings(rows: Iterable[tuple[str, Literal["page", "document"], float, str]]) -> Json:
    """Profiled stages from rows of stage, scope, seconds and start (ISO 8601)."""
    by_stage: Json = {}
    for stage, scope, seconds, start in rows:
        item = by_stage.setdefault(stage, {"scope": scope, "count": 0, "times": [], "start_timestamps": []})
        item["count"] += 1
        item["times"].append(seconds)
        item["start_timestamps"].append(start)
    return by_stage

"""Answers of docling-serve's API from the state of a run: its status, and the result of a finished one.

They load from the store, so they run in threads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from fastapi.responses import JSONResponse, Response

from quire.core.context import RunState, RunStatus
from quire.docling_serve.contract.refusals import RequestRefused
from quire.docling_serve.responses import document_contents as about
from quire.docling_serve.responses import task_states
from quire.durable.tasks.buckets import TARGET_FAILED
from quire.reading.messages import TaskArgument, TaskDocument, TaskFault, TaskResult
from quire.service.service import Service
from quire.system.zip_archive import zip_archive

ARCHIVE = "converted_docs.zip"
_OUTSIDE = re.compile(r"there is no page (\d+): the document has (\d+) page")
"""The text of `page_ranges` which says that a range begins after the last page; docling's clients know another text."""
_STATES: dict[RunState, task_states.TaskState] = {
    "waiting": "pending",
    "running": "started",
    "interrupted": "started",  # its process is gone: the next one continues it
    "finished": "success",
    "failed": "failure",
    "cancelled": "failure",
}

_TIMED = {
    "native-text": "page_parse",
    "render": "page_init",
    "recognize": "ocr",
    "page-blocks": "layout",
    "document": "doc_assemble",
    "read": "pipeline_total",
}
"""docling's names for the stages whose times an answer may have."""


def task_status_of(service: Service, status: RunStatus) -> dict[str, Any]:
    """TaskStatusResponse."""
    argument: TaskArgument = status.inputs
    state = _STATES[status.state]
    position = service.position(status) if state == "pending" else None
    failed = _failure(status) if state == "failure" else None
    return task_states.task_status(
        status.key,
        "chunk" if argument["type"] == "chunk" else "convert",
        state,
        position=position,
        meta=service.progress(status),
        error=failed["message"] if failed else None,
        failed=failed,
    )


def response_of(service: Service, status: RunStatus) -> Response:
    """The answer of a synchronous call whose run has ended."""
    if status.state != "finished":
        failed = _failure(status)
        raise RequestRefused(_status_code(status), f"{task_states.NO_RESULT} {failed['message']}")
    argument: TaskArgument = status.inputs
    result: TaskResult = status.result
    seconds = round((status.finished or status.submitted) - status.submitted, 6)
    if "archive" in result:
        return _zip(service.store.load(result["archive"]))
    documents = service.documents(status)
    if argument["type"] == "chunk":
        chunks = _chunks(service, documents)
        if argument["target"]["kind"] == "zip":
            return _zip(_archived(chunks, argument.get("chunking")))
        return _json(chunks[:-1] + b',"processing_time":' + json.dumps(seconds).encode() + b"}")
    if argument["target"]["kind"] != "inbody":
        return JSONResponse(about.counts([document["status"] for document in documents], seconds))
    return _converted(service, documents[0], seconds, timings_of(service, status.run))


def failure_of(status: RunStatus) -> Response:
    """The result of a task that failed."""
    return JSONResponse(about.task_failure(_failure(status)))


def timings_of(service: Service, run: str) -> dict[str, Any]:
    """The times of the stages of a run, from its events, where the settings ask for them."""
    if not service.settings.profile_timings:
        return {}
    events = (event for event in service.runtime.events(run) if event.kind == "finished" and event.stage in _TIMED)
    rows = []
    for event in events:
        ms = event.payload.get("ms")
        seconds = float(ms) / 1000 if isinstance(ms, int | float) else 0.0
        start = datetime.fromtimestamp(event.at - seconds, UTC).isoformat()
        scope: Literal["page", "document"] = "document" if event.page is None else "page"
        rows.append((_TIMED[event.stage], scope, seconds, start))
    return about.timings(rows)


def _converted(service: Service, document: TaskDocument, seconds: float, timings: dict[str, Any]) -> Response:
    """The contents are stored as JSON, and put into the answer as they are."""
    answer = about.converted(
        document["name"], document["status"], errors=_errors(document), processing_time=seconds, timings=timings
    )
    output = document.get("output", {})
    if "body" in output:
        contents = service.store.load(output["body"])
        confidence = service.store.load(output["confidence"])
        del answer["document"], answer["confidence"]
        rest = json.dumps(answer, ensure_ascii=False).encode()
        return _json(b'{"document":' + contents + b"," + rest[1:-1] + b',"confidence":' + confidence + b"}")
    return JSONResponse(answer)


def _chunks(service: Service, documents: list[TaskDocument]) -> bytes:
    """A JSON object with the chunks and the documents."""
    chunks: list[bytes] = []
    listed: list[bytes] = []
    for document in documents:
        output = document.get("output", {})
        if "chunks" in output:
            inner = service.store.load(output["chunks"]).strip()[1:-1].strip()
            chunks += [inner] if inner else []
        entry = about.chunked_document(document["name"], document["status"], errors=_errors(document))
        if "body" in output:
            contents = service.store.load(output["body"])
            del entry["content"]
            rest = json.dumps(entry, ensure_ascii=False).encode()
            listed.append(b'{"content":' + contents + b"," + rest[1:])
        else:
            listed.append(json.dumps(entry, ensure_ascii=False).encode())
    return b'{"chunks":[' + b",".join(chunks) + b'],"documents":[' + b",".join(listed) + b"]}"


def _archived(chunks: bytes, chunking: Mapping[str, Any] | None) -> bytes:
    """The zip archive that a chunk route answers with."""
    about_chunks = json.dumps(dict(chunking or {})).encode()
    content = b'{"kind":"ChunkedDocumentResponse",' + chunks[1:-1] + b',"chunking_info":' + about_chunks + b"}"
    return zip_archive([("chunked_result.json", content)])


def _zip(data: bytes) -> Response:
    return Response(
        data,
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{ARCHIVE}"'},
    )


def _json(data: bytes) -> Response:
    return Response(data, media_type="application/json")


def _errors(document: TaskDocument) -> list[dict[str, Any]]:
    return [_error(fault, document["name"]) for fault in document["faults"]]


def _error(fault: TaskFault, name: str) -> dict[str, Any]:
    """With the name of the document, except where clients know the text."""
    if outside := _OUTSIDE.match(fault["message"]):
        return about.pages_outside(int(outside[2]), int(outside[1]))
    message = fault["message"] if name in fault["message"] else f"{name}: {fault['message']}"
    return about.error_item(message, _trouble(fault), page=fault["page"])


def _trouble(fault: TaskFault) -> about.Trouble:
    if fault["phase"] == "source" and fault["category"] in ("input", "network", "timeout"):
        return "source"
    if fault["phase"] == "enrich":
        return "no model" if fault["category"] == "config" else "model"
    return fault["category"]


def _failure(status: RunStatus) -> dict[str, Any]:
    if status.state == "cancelled":
        return about.failure("The task was cancelled.", "usage")
    trouble: about.Trouble = status.category or "unknown"
    if (status.error or "").startswith(TARGET_FAILED):
        trouble = "target"
    return about.failure(status.error or "The task failed.", trouble)


def _status_code(status: RunStatus) -> int:
    return 404

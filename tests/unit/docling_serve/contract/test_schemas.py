"""The models of the OpenAPI text describe what the answers really are."""

from __future__ import annotations

import pytest

from quire.docling_serve.contract import schemas
from quire.docling_serve.contract.policy import Policy
from quire.docling_serve.contract.refusals import invalid, refuse
from quire.docling_serve.responses.document_contents import (
    chunked_document,
    converted,
    counts,
    error_item,
    failure,
    task_failure,
    task_meta,
    timings,
)
from quire.docling_serve.responses.scores import PageScores, confidence
from quire.docling_serve.responses.task_states import capabilities, task_status, versions

ERRORS = [error_item("x", "input"), error_item("y", "timeout", page=3)]
SCORES = confidence({1: PageScores(ocr=0.9)})
TIMES = timings([("ocr", "page", 0.5, "2026-01-01T00:00:00Z")])
CHUNK = {
    "filename": "a",
    "chunk_index": 0,
    "text": "a",
    "raw_text": None,
    "num_tokens": None,
    "headings": ["h"],
    "captions": None,
    "doc_items": ["#/texts/0"],
    "page_numbers": [1],
    "metadata": {},
}
ANSWERS = [
    (schemas.TaskStatusResponse, task_status("t", "convert", "pending", position=1)),
    (
        schemas.TaskStatusResponse,
        task_status(
            "t",
            "chunk",
            "failure",
            meta=task_meta(["failure"], 1, pages=3, pages_done=2),
            error="x",
            failed=failure("x", "timeout"),
        ),
    ),
    (schemas.TaskFailureResult, task_failure(failure("x", "input"))),
    (
        schemas.ConvertDocumentResponse,
        converted("a", "partial_success", contents={"json": {}}, errors=ERRORS, timings=TIMES, confidence=SCORES),
    ),
    (schemas.CountsResponse, counts(["success"], 1.0)),
    (
        schemas.ChunkDocumentResponse,
        {
            "chunks": [CHUNK],
            "documents": [chunked_document("a", "success", errors=ERRORS, confidence=SCORES)],
            "processing_time": 1.0,
        },
    ),
    (schemas.CapabilitiesResponse, capabilities(Policy(), versions({}, "1"), api_key_required=False)),
    (schemas.HTTPValidationError, refuse("no").body()),
    (schemas.HTTPValidationError, invalid("missing", ("files",), "Field required").body()),
]


@pytest.mark.parametrize(("model", "answer"), ANSWERS)
def test_answers_are_as_described_and_complete(model, answer):
    made = model.model_validate(answer).model_dump()
    assert answer.keys() == made.keys()
    for name, value in made.items():
        if isinstance(value, dict) and name != "task_meta":
            assert answer[name].keys() == value.keys()

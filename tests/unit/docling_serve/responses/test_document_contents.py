from __future__ import annotations

import pytest

from quire.core.errors import CATEGORIES
from quire.docling_serve.responses.document_contents import (
    chunked_document,
    converted,
    counts,
    error_item,
    failure,
    pages_outside,
    task_failure,
    task_meta,
    timings,
)

COMPONENTS = {"document_backend", "model", "doc_assembler", "user_input", "pipeline"}
KINDS = {
    "policy",
    "capacity",
    "source_unavailable",
    "target_unavailable",
    "timeout",
    "internal",
    "backend_failure",
    "inference_failure",
    "unknown",
}


def test_answer_has_every_field():
    found = converted("a.pdf", "success", contents={"md": "# A"}, processing_time=0.5)
    assert found == {
        "document": {
            "filename": "a.pdf",
            "md_content": "# A",
            "json_content": None,
            "html_content": None,
            "text_content": None,
            "doctags_content": None,
            "doclang_content": None,
        },
        "status": "success",
        "errors": [],
        "processing_time": 0.5,
        "timings": {},
        "confidence": None,
    }


def test_document_that_failed_has_no_contents():
    item = error_item("it is broken", "input")
    found = converted("a.pdf", "failure", contents={"md": "x"}, errors=[item], confidence={"pages": {}})
    assert found["document"]["md_content"] is None
    assert found["confidence"] is None
    assert found["errors"] == [
        {
            "component_type": "user_input",
            "module_name": "",
            "error_message": "it is broken",
            "category": "backend_failure",
            "page_no": None,
        }
    ]


@pytest.mark.parametrize("trouble", [*CATEGORIES, "source", "target", "limit", "pages"])
@pytest.mark.parametrize("page", [None, 3])
def test_every_class_of_error_is_one_of_the_contract(trouble, page):
    found = error_item("x", trouble, page=page)
    assert found["component_type"] in COMPONENTS
    assert found["category"] in KINDS
    assert found["page_no"] == page
    assert failure("x", trouble)["category"] in KINDS


def test_errors_of_a_page_name_the_engine_or_the_reader():
    assert error_item("x", "runtime", page=1)["category"] == "inference_failure"
    assert error_item("x", "input", page=1)["component_type"] == "document_backend"
    assert error_item("x", "timeout", page=1)["category"] == "timeout"


def test_errors_with_the_texts_of_the_contract():
    found = pages_outside(2, 20)
    assert found["error_message"] == "Document has 2 pages, fewer than the requested page_range start 20."
    assert found["category"] == "policy"


def test_failure_of_a_task():
    found = task_failure(failure("too slow", "timeout", details={"task_size": "3"}))
    assert found == {
        "kind": "TaskFailureResult",
        "failure": {
            "category": "timeout",
            "message": "too slow",
            "retryable": True,
            "phase": "execution",
            "details": {"task_size": "3"},
        },
    }
    assert failure("x", "input", phase="admission")["retryable"] is False


def test_counts():
    statuses = ["success", "partial_success", "failure", "skipped", "success"]
    assert counts(statuses, 0.15) == {
        "num_converted": 5,
        "num_succeeded": 2,
        "num_partially_succeeded": 1,
        "num_failed": 2,
        "processing_time": 0.15,
    }
    assert task_meta(["success"], 3, pages=10, pages_done=4) == {
        "num_docs": 3,
        "num_processed": 1,
        "num_succeeded": 1,
        "num_partially_succeeded": 0,
        "num_failed": 0,
        "num_pages": 10,
        "num_pages_processed": 4,
    }


def test_documents_of_chunks_are_under_content():
    found = chunked_document("a.pdf", "success")
    assert found.keys() == {"kind", "content", "status", "errors", "timings", "confidence"}
    assert found["kind"] == "ExportResult"


def test_timings_are_collected_by_stage():
    rows = [("ocr", "page", 0.5, "2026-01-01T00:00:00Z"), ("ocr", "page", 0.25, "2026-01-01T00:00:01Z")]
    assert timings(rows) == {
        "ocr": {
            "scope": "page",
            "count": 2,
            "times": [0.5, 0.25],
            "start_timestamps": ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"],
        }
    }

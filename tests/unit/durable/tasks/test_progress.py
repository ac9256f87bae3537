"""What the callbacks of a task receive."""

from __future__ import annotations

from quire.docling_serve.contract.requests import ProgressCallbackRequest
from quire.durable.tasks import progress
from quire.reading.messages import TaskDocument

READ: TaskDocument = {"name": "a.md", "uri": "a.md", "status": "success", "faults": []}
BROKEN: TaskDocument = {
    "name": "b.md",
    "uri": "b.md",
    "status": "failure",
    "faults": [{"message": "broken", "category": "input", "page": None, "phase": "read"}],
}


def test_a_document_that_has_ended_has_every_field_of_the_contract():
    found = progress.completed(READ, 1, 2)
    assert (found["kind"], found["total_processed"], found["total_docs"]) == ("document_completed", 1, 2)
    assert found["document"].keys() == {
        "source",
        "status",
        "document_type",
        "num_pages",
        "num_characters",
        "num_tables",
        "num_pictures",
        "processing_time",
        "doc_hash",
        "error",
    }


def test_the_end_of_all_documents_counts_them():
    assert progress.processed([READ, BROKEN]) == {
        "kind": "update_processed",
        "num_processed": 2,
        "num_succeeded": 1,
        "num_partially_succeeded": 0,
        "num_failed": 1,
        "docs": [
            {"source": "a.md", "status": "success", "error": None},
            {"source": "b.md", "status": "failure", "error": "broken"},
        ],
    }


def test_every_message_is_one_that_a_server_of_docling_takes():
    told = [
        progress.number_of_documents(2),
        progress.completed(BROKEN, 1, 2),
        progress.processed([READ]),
        progress.task_completed(),
    ]
    for one in told:
        assert ProgressCallbackRequest.model_validate({"task_id": "t", "progress": one}).progress.kind == one["kind"]

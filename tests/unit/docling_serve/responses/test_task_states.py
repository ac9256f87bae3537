from __future__ import annotations

from quire.docling_serve.contract.policy import Policy
from quire.docling_serve.responses.task_states import (
    NO_RESULT,
    TASK_NOT_FOUND,
    capabilities,
    task_status,
    too_long,
    versions,
    websocket_message,
)


def test_status_has_all_seven_fields():
    assert task_status("id", "convert", "pending", position=1) == {
        "task_id": "id",
        "task_type": "convert",
        "task_status": "pending",
        "task_position": 1,
        "task_meta": None,
        "error_message": None,
        "failure": None,
    }
    assert task_status("id", "chunk", "started", position=1)["task_position"] is None


def test_texts_that_clients_look_for():
    assert TASK_NOT_FOUND == "Task not found."
    assert NO_RESULT == "Task result not found. Please wait for a completion status."
    assert too_long(120.0) == (
        "Conversion is taking too long. The maximum wait time is configure as DOCLING_SERVE_MAX_SYNC_WAIT=120."
    )


def test_messages_of_the_websocket():
    status = task_status("id", "convert", "success")
    assert websocket_message("update", status) == {"message": "update", "task": status, "error": None}
    assert websocket_message("error", error=TASK_NOT_FOUND)["task"] is None


def test_versions_have_the_keys_that_clients_know():
    found = versions({"docling-core": "2.104.0"}, "0.1.0")
    assert list(found)[:8] == [
        "docling-serve",
        "docling-jobkit",
        "docling",
        "docling-core",
        "docling-ibm-models",
        "docling-parse",
        "python",
        "plaform",
    ]
    assert (found["docling-core"], found["quire"]) == ("2.104.0", "0.1.0")
    assert all(isinstance(text, str) and text for text in found.values())


def test_capabilities_say_what_the_policy_allows():
    policy = Policy(max_pages=9, image_modes=frozenset({"placeholder"}), ocr_presets=frozenset({"auto", "tesseract"}))
    found = capabilities(policy, versions({}, "0.1.0"), api_key_required=True)
    assert found.keys() == {
        "versions",
        "stages",
        "sources",
        "targets",
        "output_formats",
        "image_export_modes",
        "limits",
        "features",
    }
    assert "plaform" not in found["versions"]
    assert found["image_export_modes"] == ["placeholder"]
    assert [preset["id"] for preset in found["stages"]["ocr"]["presets"]] == ["auto", "tesseract"]
    assert found["stages"]["vlm_pipeline"]["presets"] == []
    assert found["targets"]["default"] == "inbody"
    assert found["limits"] == {
        "max_document_timeout": 604800.0,
        "max_images_scale": 2.0,
        "max_sources_per_request": 3,
        "max_num_pages": 9,
        "max_file_size": None,
    }
    assert found["features"] == {"api_key_required": True, "artifact_storage": False, "websocket": True}
    assert len(found["output_formats"]) == 12
    with_vision = capabilities(Policy(vision="vision"), {}, api_key_required=False)
    assert with_vision["stages"]["vlm_pipeline"]["default"] == "default"

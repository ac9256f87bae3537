"""Answers about tasks and about the server, as plain dictionaries with every field always present.

Those about documents are in `quire.docling_serve.responses`.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from typing import Any, Literal

from quire.docling_serve.contract.enums import ImageRefMode, OutputFormat
from quire.docling_serve.contract.policy import Policy
from quire.docling_serve.contract.translation import CHUNKING_PRESETS

Json = dict[str, Any]
TaskType = Literal["convert", "chunk"]
TaskState = Literal["pending", "started", "success", "failure"]
CONTRACT_VERSION = "1.38.2"
"""The release of docling-serve that the answers follow."""
TASK_NOT_FOUND = "Task not found."
NO_RESULT = "Task result not found. Please wait for a completion status."
BUSY = "Server is busy, please try again shortly."


def task_status(
    task_id: str,
    task_type: TaskType,
    state: TaskState,
    *,
    position: int | None = None,
    meta: Mapping[str, int] | None = None,
    error: str | None = None,
    failed: Json | None = None,
) -> Json:
    """TaskStatusResponse. `position` counts from 1 while the task is pending."""
    return {
        "task_id": task_id,
        "task_type": task_type,
        "task_status": state,
        "task_position": position if state == "pending" else None,
        "task_meta": None if meta is None else dict(meta),
        "error_message": error,
        "failure": failed,
    }


def websocket_message(
    kind: Literal["connection", "update", "error"], task: Json | None = None, error: str | None = None
) -> Json:
    return {"message": kind, "task": task, "error": error}


def too_long(seconds: float) -> str:
    """The detail of a 504."""
    said = f"DOCLING_SERVE_MAX_SYNC_WAIT={seconds:g}"
    return f"Conversion is taking too long. The maximum wait time is configure as {said}."


def versions(installed: Mapping[str, str], quire: str) -> Json:
    """The map of `/version`; `installed` has the versions of packages, by name. The keys are those clients know."""
    packages = ("docling-jobkit", "docling", "docling-core", "docling-ibm-models", "docling-parse")
    return {
        "docling-serve": CONTRACT_VERSION,
        **{name: installed.get(name, "not installed") for name in packages},
        "python": f"{sys.implementation.cache_tag} ({platform.python_version()})",
        "plaform": f"{platform.system()}-{platform.release()}-{platform.machine()}",
        "quire": quire,
    }


def capabilities(policy: Policy, found: Mapping[str, str], *, api_key_required: bool) -> Json:
    """The capabilities of this deployment; `found` is from `versions`, without the platform."""
    vision = [] if policy.vision is None else [_preset("default", f"Server default ({policy.vision})", "default")]
    seen = "default" if vision else ""
    own = [_preset("default", "Server default (quire)", "default")]
    stages = {
        "ocr": ("ocr_preset", "auto", [_preset(name, name) for name in sorted(policy.ocr_presets)]),
        "layout": ("layout_preset", "default", own),
        "table_structure": ("table_structure_preset", "default", own),
        "vlm_pipeline": ("vlm_pipeline_preset", seen, vision),
        "picture_description": ("picture_description_preset", seen, vision),
        "picture_classification": ("picture_classification_preset", seen, vision),
        "code_formula": ("code_formula_preset", seen, vision),
        "chart_extraction": ("chart_extraction_preset", seen, vision),
        "chunking": ("chunking_preset", "default", [_preset(name, name) for name in CHUNKING_PRESETS]),
    }
    return {
        "versions": {name: one for name, one in found.items() if name not in ("python", "plaform")},
        "stages": {
            stage: {"option": option, "custom_config_option": None, "default": default, "presets": presets}
            for stage, (option, default, presets) in stages.items()
        },
        "sources": sorted(policy.sources),
        "targets": {"allowed": sorted(policy.targets), "default": "inbody"},
        "output_formats": [one.value for one in OutputFormat],
        "image_export_modes": [one.value for one in sorted(ImageRefMode) if one.value in policy.image_modes],
        "limits": {
            "max_document_timeout": policy.max_timeout_s,
            "max_images_scale": policy.max_images_scale,
            "max_sources_per_request": policy.max_sources,
            "max_num_pages": policy.max_pages,
            "max_file_size": policy.max_file_bytes,
        },
        "features": {
            "api_key_required": api_key_required,
            "artifact_storage": False,
            "websocket": True,
        },
    }


def _preset(name: str, title: str, source: Literal["default", "docling", "custom"] = "docling") -> Json:
    return {"id": name, "name": title, "description": None, "source": source}

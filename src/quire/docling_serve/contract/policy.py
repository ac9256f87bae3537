"""The policy of this server, and the conversion options that it refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quire.docling_serve.contract.enums import ImageRefMode
from quire.docling_serve.contract.refusals import refuse
from quire.docling_serve.contract.request_options import ConvertDocumentsOptions
from quire.output.export.docling_enrichments import ENRICHMENTS, EnrichmentKind

OCR_PRESETS = (
    "auto",
    "easyocr",
    "kserve_v2_ocr",
    "nemotron-ocr",
    "ocrmac",
    "rapidocr",
    "tesseract",
    "tesserocr",
)
SOURCES = ("azure_blob", "file", "google_cloud_storage", "http", "s3")
TARGETS = ("azure_blob", "google_cloud_storage", "inbody", "put", "s3", "zip")
STORAGE = frozenset({"azure_blob", "google_cloud_storage", "s3"})
"""Kinds that stand for many documents as a source, and take any number of files as a target."""
_ENRICHMENTS: Mapping[EnrichmentKind, str] = {
    "code_enrichment": "recognises the language of code",
    "picture_classification": "classifies pictures",
    "chart_extraction": "turns charts into tables",
    "picture_description": "describes pictures",
}
_CUSTOM = {
    "vlm_pipeline_custom_config": "Custom VLM configuration",
    "chart_extraction_custom_config": "Custom chart extraction configuration",
    "picture_description_custom_config": "Custom picture description configuration",
    "code_formula_custom_config": "Custom code and formula configuration",
    "table_structure_custom_config": "Custom table structure configuration",
    "layout_custom_config": "Custom layout configuration",
    "picture_classification_custom_config": "Custom picture classification configuration",
    "ocr_custom_config": "Custom OCR configuration",
}


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits and choices that this server allows. `vision` is the engine for `pipeline: vlm`, whose model is asked
    about pictures too.

    `tesseract_data` are the installed traineddata of Tesseract, none where it is not installed. `timeout_s` is that of
    a document when the request has none; None means the maximum. `remote_models` are those that requests name. With
    `strict_enrichments`, an enrichment that no model can do is refused, where it would be left out. With `titles`, the
    title of a PDF is one, where docling makes it a heading.
    """

    max_sources: int = 3
    max_timeout_s: float = 604800.0
    timeout_s: float | None = None
    max_images_scale: float = 2.0
    max_pages: int | None = None
    max_file_bytes: int | None = None
    image_modes: frozenset[str] = frozenset(ImageRefMode)
    ocr_presets: frozenset[str] = frozenset(OCR_PRESETS)
    sources: frozenset[str] = frozenset(SOURCES)
    targets: frozenset[str] = frozenset(TARGETS)
    tesseract_data: frozenset[str] = frozenset()
    vision: str | None = None
    remote_models: bool = False
    strict_enrichments: bool = False
    titles: bool = False


def check_options(options: ConvertDocumentsOptions, policy: Policy) -> None:
    timeout = options.document_timeout
    if timeout is not None and timeout <= 0:
        raise refuse("document_timeout must be greater than 0.")
    if timeout is not None and timeout > policy.max_timeout_s:
        raise refuse(f"document_timeout exceeds the configured maximum of {policy.max_timeout_s} seconds.")
    if options.images_scale > policy.max_images_scale:
        raise refuse(f"images_scale exceeds the configured maximum of {policy.max_images_scale}.")
    if options.images_scale <= 0:
        raise refuse("images_scale must be greater than 0.")
    check_allowed("ocr_preset", options.ocr_preset, policy.ocr_presets)
    check_allowed("image_export_mode", options.image_export_mode.value, policy.image_modes)
    for name, what in _CUSTOM.items():
        if getattr(options, name):
            raise refuse(f"{what} is disabled by server policy.")
    for kind in asked_enrichments(options) if policy.strict_enrichments and policy.vision is None else ():
        if kind != "picture_description" or options.picture_description_api is None or not policy.remote_models:
            said = f"do_{kind} is not available: no model on this server {_ENRICHMENTS[kind]}."
            raise refuse(f"{said} Leave it out or send false.")


def asked_enrichments(options: ConvertDocumentsOptions) -> list[EnrichmentKind]:
    return [kind for kind in ENRICHMENTS if getattr(options, f"do_{kind}")]


def check_allowed(what: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise refuse(f"{what} '{value}' is not allowed. Allowed values: {sorted(allowed)}.")

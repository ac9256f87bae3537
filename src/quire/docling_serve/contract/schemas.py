"""The answers as models, for the OpenAPI text alone: answers are made as dictionaries, which takes no validation."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

Status = Literal["pending", "started", "failure", "success", "partial_success", "skipped"]
FailureCategory = Literal[
    "policy",
    "capacity",
    "source_unavailable",
    "target_unavailable",
    "timeout",
    "internal",
    "backend_failure",
    "inference_failure",
    "unknown",
]
Grade = Literal["poor", "fair", "good", "excellent", "unspecified"]


class HealthCheckResponse(BaseModel):
    status: Literal["ok"] = "ok"


class ClearResponse(BaseModel):
    status: Literal["ok"] = "ok"


class ValidationError(BaseModel):
    """A mistake in a field of a request."""

    type: str
    loc: list[str | int]
    msg: str


class HTTPValidationError(BaseModel):
    """The body of every refusal: a text, or the errors of fields."""

    detail: str | list[ValidationError]


class TaskProcessingMeta(BaseModel):
    num_docs: int
    num_processed: int = 0
    num_succeeded: int = 0
    num_partially_succeeded: int = 0
    num_failed: int = 0
    num_pages: int | None = Field(default=None, description="Pages of the documents; an addition of Quire.")
    num_pages_processed: int | None = Field(default=None, description="Pages that are done; an addition of Quire.")


class PublicFailureInfo(BaseModel):
    category: FailureCategory
    message: str
    retryable: bool
    phase: Literal["admission", "source_enumeration", "execution", "orchestration"]
    details: dict[str, str] = {}


class TaskStatusResponse(BaseModel):
    task_id: str
    task_type: Literal["convert", "chunk"]
    task_status: Status
    task_position: int | None = None
    task_meta: TaskProcessingMeta | None = None
    error_message: str | None = None
    failure: PublicFailureInfo | None = None


class TaskFailureResult(BaseModel):
    kind: Literal["TaskFailureResult"] = "TaskFailureResult"
    failure: PublicFailureInfo


class ErrorItem(BaseModel):
    component_type: Literal["document_backend", "model", "doc_assembler", "user_input", "pipeline"]
    module_name: str
    error_message: str
    category: FailureCategory = "unknown"
    page_no: int | None = None


class ProfilingItem(BaseModel):
    scope: Literal["page", "document"]
    count: int = 0
    times: list[float] = []
    start_timestamps: list[datetime] = []


class ConfidenceScores(BaseModel):
    parse_score: float | None = None
    layout_score: float | None = None
    table_score: float | None = None
    ocr_score: float | None = None
    mean_score: float | None = None
    low_score: float | None = None
    mean_grade: Grade = "unspecified"
    low_grade: Grade = "unspecified"
    pages: dict[str, ConfidenceScores] | None = {}


class ExportDocumentResponse(BaseModel):
    filename: str
    md_content: str | None = None
    json_content: dict[str, Any] | None = Field(default=None, description="A DoclingDocument.")
    html_content: str | None = None
    text_content: str | None = None
    doctags_content: str | None = None
    doclang_content: str | None = None


class ConvertDocumentResponse(BaseModel):
    document: ExportDocumentResponse
    status: Status
    errors: list[ErrorItem] = []
    processing_time: float
    timings: dict[str, ProfilingItem] = {}
    confidence: ConfidenceScores | None = None


class CountsResponse(BaseModel):
    """The answer when the documents went to a target elsewhere."""

    num_converted: int
    num_succeeded: int
    num_partially_succeeded: int = 0
    num_failed: int
    processing_time: float


class ChunkedDocumentResultItem(BaseModel):
    filename: str
    chunk_index: int
    text: str
    raw_text: str | None = None
    num_tokens: int | None = None
    headings: list[str] | None = None
    captions: list[str] | None = None
    doc_items: list[str]
    page_numbers: list[int] | None = None
    metadata: dict[str, Any] | None = None


class DocumentResultItem(BaseModel):
    kind: Literal["ExportResult"] = "ExportResult"
    content: ExportDocumentResponse
    status: Status
    errors: list[ErrorItem] = []
    timings: dict[str, ProfilingItem] = {}
    confidence: ConfidenceScores | None = None


class ChunkDocumentResponse(BaseModel):
    chunks: list[ChunkedDocumentResultItem]
    documents: list[DocumentResultItem]
    processing_time: float


class PresetInfo(BaseModel):
    id: str
    name: str
    description: str | None = None
    source: Literal["default", "docling", "custom"]


class StageCapabilities(BaseModel):
    option: str
    custom_config_option: str | None = None
    default: str
    presets: list[PresetInfo]


class TargetCapabilities(BaseModel):
    allowed: list[str]
    default: str


class LimitsCapabilities(BaseModel):
    max_document_timeout: float
    max_images_scale: float
    max_sources_per_request: int
    max_num_pages: int | None = None
    max_file_size: int | None = None


class FeatureCapabilities(BaseModel):
    api_key_required: bool
    artifact_storage: bool
    websocket: bool = True


class CapabilitiesResponse(BaseModel):
    versions: dict[str, str] | None = None
    stages: dict[str, StageCapabilities]
    sources: list[str]
    targets: TargetCapabilities
    output_formats: list[str]
    image_export_modes: list[str]
    limits: LimitsCapabilities
    features: FeatureCapabilities

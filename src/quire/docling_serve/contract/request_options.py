"""The conversion and chunking options of a request, validated as docling-serve does. Unknown keys are ignored."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AnyHttpUrl, BaseModel, ConfigDict, Field, model_validator

from quire.docling_serve.contract.enums import (
    ImageRefMode,
    InputFormat,
    OutputFormat,
    PdfBackend,
    ProcessingPipeline,
    TableFormerMode,
    VlmModel,
)

NO_LAST_PAGE = sys.maxsize
DESCRIBE = "Describe this image in a few sentences."
JsonObject = dict[str, Any]
_DEPRECATED: Any = {"deprecated": True}  # not pydantic's own mark, which warns whenever the value is read


def _ordered(pages: tuple[int, int]) -> tuple[int, int]:
    first, last = pages
    if first < 1 or last < first:
        raise ValueError("Invalid page range: start must be ≥ 1 and end must be ≥ start.")
    return min(first, NO_LAST_PAGE), min(last, NO_LAST_PAGE)  # JavaScript rounds the default up


PageRange = Annotated[tuple[int, int], AfterValidator(_ordered)]


class _Options(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


class HeadingHierarchyOptions(_Options):
    enabled: bool = False
    use_bookmarks: bool = True
    use_numbering: bool = True
    use_style: bool = True
    use_font_style: bool = True
    style_size_tolerance: float = Field(default=0.05, ge=0, le=1)
    numbering_schemes: list[str] | None = None
    max_level: int = Field(default=6, ge=1, le=100)
    bookmark_match_threshold: float = Field(default=0.8, ge=0, le=1)


class PictureDescriptionLocal(_Options):
    repo_id: str
    prompt: str = DESCRIBE
    generation_config: JsonObject = {"max_new_tokens": 200, "do_sample": False}


class PictureDescriptionApi(_Options):
    url: AnyHttpUrl
    headers: dict[str, str] = Field(default={}, repr=False)
    params: JsonObject = {}
    timeout: float = Field(default=20, gt=0)
    concurrency: int = Field(default=1, gt=0)
    prompt: str = DESCRIBE


class VlmModelLocal(_Options):
    repo_id: str
    response_format: str
    inference_framework: str
    prompt: str = "Convert this page to docling."
    scale: float = 2.0


class VlmModelApi(_Options):
    url: AnyHttpUrl
    response_format: str
    headers: dict[str, str] = Field(default={}, repr=False)
    params: JsonObject = {}
    timeout: float = 60
    concurrency: int = Field(default=1, gt=0)
    prompt: str = "Convert this page to docling."
    scale: float = 2.0


class HierarchicalChunkerOptions(_Options):
    """Chunks by structure."""

    chunker: Literal["hierarchical"] = "hierarchical"
    use_markdown_tables: bool = False
    use_markdown_images: bool = False
    image_placeholder: str = "![IMAGE]"
    include_raw_text: bool = False


class HybridChunkerOptions(_Options):
    """Chunks by structure and tokens."""

    chunker: Literal["hybrid"] = "hybrid"
    use_markdown_tables: bool = False
    use_markdown_images: bool = False
    image_placeholder: str = "![IMAGE]"
    include_raw_text: bool = False
    max_tokens: int | None = Field(default=None, ge=1)
    tokenizer: str = "sentence-transformers/all-MiniLM-L6-v2"
    merge_peers: bool = True


ChunkingOptions = Annotated[HybridChunkerOptions | HierarchicalChunkerOptions, Field(discriminator="chunker")]


class ConvertDocumentsOptions(_Options):
    """Every conversion option of the contract. What each does here: docs/reference/docling-serve.md."""

    from_formats: list[InputFormat] = list(InputFormat)
    to_formats: list[OutputFormat] = [OutputFormat.md]
    image_export_mode: ImageRefMode = ImageRefMode.placeholder
    do_ocr: bool = True
    force_ocr: bool = False
    ocr_engine: str = Field(default="auto", json_schema_extra=_DEPRECATED)
    ocr_lang: list[str] | None = None
    ocr_preset: str = "auto"
    ocr_custom_config: JsonObject | None = None
    pdf_backend: PdfBackend = PdfBackend.docling_parse
    table_mode: TableFormerMode = TableFormerMode.accurate
    table_cell_matching: bool = True
    pipeline: ProcessingPipeline = ProcessingPipeline.standard
    page_range: PageRange = (1, NO_LAST_PAGE)
    document_timeout: float | None = None
    abort_on_error: bool = False
    do_table_structure: bool = True
    do_pdf_heading_hierarchy: bool = False
    pdf_heading_hierarchy_options: HeadingHierarchyOptions = HeadingHierarchyOptions()
    include_images: bool = True
    include_page_images: bool = False
    images_scale: float = 2.0
    md_page_break_placeholder: str = ""
    md_compact_tables: bool = False
    chunking_options: ChunkingOptions | None = None
    chunking_preset: str | None = None
    do_code_enrichment: bool = False
    do_formula_enrichment: bool = False
    do_picture_classification: bool = False
    do_chart_extraction: bool = False
    chart_extraction_preset: str | None = None
    chart_extraction_custom_config: JsonObject | None = None
    do_picture_description: bool = False
    picture_description_area_threshold: float = 0.05
    picture_description_local: PictureDescriptionLocal | None = Field(default=None, json_schema_extra=_DEPRECATED)
    picture_description_api: PictureDescriptionApi | None = Field(default=None, json_schema_extra=_DEPRECATED)
    vlm_pipeline_model: VlmModel | None = Field(default=None, json_schema_extra=_DEPRECATED)
    vlm_pipeline_model_local: VlmModelLocal | None = Field(default=None, json_schema_extra=_DEPRECATED)
    vlm_pipeline_model_api: VlmModelApi | None = Field(default=None, json_schema_extra=_DEPRECATED)
    vlm_pipeline_preset: str | None = None
    picture_description_preset: str | None = None
    code_formula_preset: str | None = None
    vlm_pipeline_custom_config: JsonObject | None = None
    picture_description_custom_config: JsonObject | None = None
    code_formula_custom_config: JsonObject | None = None
    table_structure_preset: str | None = None
    table_structure_custom_config: JsonObject | None = None
    layout_custom_config: JsonObject | None = None
    layout_preset: str | None = None
    picture_classification_preset: str | None = None
    picture_classification_custom_config: JsonObject | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ConvertDocumentsOptions:
        if "ocr_engine" in self.model_fields_set and "ocr_preset" not in self.model_fields_set:
            self.__dict__["ocr_preset"] = self.ocr_engine  # not an assignment: `ocr_preset` was not sent
        _at_most_one(self, "picture_description_local", "picture_description_api")
        _at_most_one(self, "vlm_pipeline_model", "vlm_pipeline_model_local", "vlm_pipeline_model_api")
        for stage in _STAGES:
            _exclusive(self, f"{stage}_preset", f"{stage}_custom_config")
        _exclusive(self, "chunking_preset", "chunking_options")
        _not_mixed(self, "VLM options", _OLD_VLM, ("vlm_pipeline_preset", "vlm_pipeline_custom_config"))
        new = ("picture_description_preset", "picture_description_custom_config")
        _not_mixed(self, "picture description options", _OLD_DESCRIPTION, new)
        if self.ocr_preset != "auto" and self.ocr_custom_config:
            raise ValueError("Cannot specify both ocr_preset and ocr_custom_config.")
        return self


_STAGES = (
    "vlm_pipeline",
    "picture_description",
    "code_formula",
    "chart_extraction",
    "table_structure",
    "layout",
    "picture_classification",
)
_OLD_VLM = ("vlm_pipeline_model", "vlm_pipeline_model_local", "vlm_pipeline_model_api")
_OLD_DESCRIPTION = ("picture_description_local", "picture_description_api")


def _given(options: ConvertDocumentsOptions, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if getattr(options, name) is not None]


def _at_most_one(options: ConvertDocumentsOptions, *names: str) -> None:
    if len(_given(options, names)) > 1:
        said = f"{', '.join(names[:-1])} and {names[-1]}"
        raise ValueError(f"The parameters {said} are mutually exclusive, only one of them can be set.")


def _exclusive(options: ConvertDocumentsOptions, *names: str) -> None:
    if all(getattr(options, name) for name in names):
        raise ValueError(f"Cannot specify both {names[0]} and {names[1]}.")


def _not_mixed(options: ConvertDocumentsOptions, what: str, old: tuple[str, ...], new: tuple[str, ...]) -> None:
    if _given(options, old) and _given(options, new):
        raise ValueError(f"Cannot mix legacy {what} ({', '.join(old)}) with new options ({', '.join(new)}).")

"""The closed lists of values in the contract, in its order: error messages name them in this order."""

from __future__ import annotations

from enum import StrEnum


class InputFormat(StrEnum):
    docx = "docx"
    doc = "doc"
    rtf = "rtf"
    pptx = "pptx"
    ppt = "ppt"
    html = "html"
    mhtml = "mhtml"
    image = "image"
    pdf = "pdf"
    asciidoc = "asciidoc"
    md = "md"
    csv = "csv"
    xlsx = "xlsx"
    xls = "xls"
    odt = "odt"
    ods = "ods"
    odp = "odp"
    xml_uspto = "xml_uspto"
    xml_jats = "xml_jats"
    xml_xbrl = "xml_xbrl"
    xml_doclang = "xml_doclang"
    dclx = "dclx"
    mets_gbs = "mets_gbs"
    json_docling = "json_docling"
    audio = "audio"
    video = "video"
    vtt = "vtt"
    latex = "latex"
    email = "email"
    epub = "epub"
    boxnote = "boxnote"
    iwork_pages = "iwork_pages"
    iwork_keynote = "iwork_keynote"
    iwork_numbers = "iwork_numbers"
    ebcdic = "ebcdic"
    afp = "afp"


class OutputFormat(StrEnum):
    md = "md"
    json = "json"
    yaml = "yaml"
    html = "html"
    html_split_page = "html_split_page"
    text = "text"
    doctags = "doctags"
    vtt = "vtt"
    doclang = "doclang"
    dclx = "dclx"
    chunks = "chunks"
    latex = "latex"


class ImageRefMode(StrEnum):
    placeholder = "placeholder"
    embedded = "embedded"
    referenced = "referenced"


class PdfBackend(StrEnum):
    """The union over the releases of docling-serve."""

    pypdfium2 = "pypdfium2"
    docling_parse = "docling_parse"
    threaded_docling_parse = "threaded_docling_parse"
    private_docling_parse = "_docling_parse"
    dlparse_v1 = "dlparse_v1"
    dlparse_v2 = "dlparse_v2"
    dlparse_v4 = "dlparse_v4"


class TableFormerMode(StrEnum):
    fast = "fast"
    accurate = "accurate"


class ProcessingPipeline(StrEnum):
    legacy = "legacy"
    standard = "standard"
    native = "native"
    vlm = "vlm"
    asr = "asr"


class VlmModel(StrEnum):
    smoldocling = "smoldocling"
    smoldocling_vllm = "smoldocling_vllm"
    granite_vision = "granite_vision"
    granite_vision_vllm = "granite_vision_vllm"
    granite_vision_ollama = "granite_vision_ollama"
    got_ocr_2 = "got_ocr_2"
    granite_docling = "granite_docling"
    granite_docling_vllm = "granite_docling_vllm"
    nanonets_ocr2 = "nanonets_ocr2"
    nanonets_ocr2_vllm = "nanonets_ocr2_vllm"
    nanonets_ocr2_lmstudio = "nanonets_ocr2_lmstudio"
    glm_ocr = "glm_ocr"
    glm_ocr_vllm = "glm_ocr_vllm"
    lightonocr = "lightonocr"
    lightonocr_vllm = "lightonocr_vllm"
    deepseekocr_ollama = "deepseekocr_ollama"


class TargetName(StrEnum):
    """The targets that a form can name."""

    inbody = "inbody"
    presigned_url = "presigned_url"
    zip = "zip"

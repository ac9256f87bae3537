from __future__ import annotations

import json

import pytest

from quire.docling_serve.contract.enums import InputFormat, OutputFormat
from quire.docling_serve.contract.refusals import RequestRefused, parsed
from quire.docling_serve.contract.request_options import NO_LAST_PAGE, ConvertDocumentsOptions
from quire.docling_serve.contract.requests import (
    BatchConvertSourcesRequest,
    ConvertSourcesRequest,
    HierarchicalChunkerOptionsDocumentsRequest,
    HybridChunkerOptionsDocumentsRequest,
    OldConvertRequest,
)

FILE = {"kind": "file", "base64_string": "eA==", "filename": "a.md"}
HTTP = {"kind": "http", "url": "https://example.org/a.pdf"}
FORMATS = "'md', 'json', 'yaml', 'html', 'html_split_page', 'text', 'doctags', 'vtt', 'doclang', 'dclx', 'chunks'"


def refused(model, body) -> list:
    with pytest.raises(RequestRefused) as found:
        parsed(model, body if isinstance(body, bytes) else json.dumps(body).encode())
    assert found.value.status == 422
    assert found.value.body() == {"detail": found.value.detail}
    assert all(error.keys() == {"type", "loc", "msg"} for error in found.value.detail)
    return [(error["type"], error["loc"], error["msg"]) for error in found.value.detail]


def options(**sent) -> ConvertDocumentsOptions:
    body = {"options": sent, "sources": [FILE]}
    return parsed(ConvertSourcesRequest, json.dumps(body).encode()).options


def test_defaults_are_those_of_the_contract():
    found = parsed(ConvertSourcesRequest, json.dumps({"sources": [FILE]}).encode())
    assert found.target.kind == "inbody"
    assert found.callbacks == []
    made = found.options
    assert made.from_formats == list(InputFormat)
    assert made.to_formats == [OutputFormat.md]
    assert (made.image_export_mode, made.pipeline, made.pdf_backend) == ("placeholder", "standard", "docling_parse")
    assert (made.table_mode, made.images_scale, made.page_range) == ("accurate", 2.0, (1, NO_LAST_PAGE))
    assert (made.do_ocr, made.force_ocr, made.ocr_preset, made.ocr_lang) == (True, False, "auto", None)
    assert made.document_timeout is None
    assert made.pdf_heading_hierarchy_options.model_dump() == {
        "enabled": False,
        "use_bookmarks": True,
        "use_numbering": True,
        "use_style": True,
        "use_font_style": True,
        "style_size_tolerance": 0.05,
        "numbering_schemes": None,
        "max_level": 6,
        "bookmark_match_threshold": 0.8,
    }


def test_unknown_keys_are_ignored():
    found = options(ocr=True, return_as_file=False, to_formats=["md", "json"])
    assert found.to_formats == ["md", "json"]
    parsed(ConvertSourcesRequest, json.dumps({"sources": [FILE | {"x": 1}], "y": 2}).encode())


def test_deprecated_ocr_engine_becomes_the_preset():
    assert options(ocr_engine="tesseract").ocr_preset == "tesseract"
    assert options(ocr_engine="tesseract", ocr_preset="rapidocr").ocr_preset == "rapidocr"


@pytest.mark.parametrize(
    "backend",
    [
        "pypdfium2",
        "docling_parse",
        "threaded_docling_parse",
        "_docling_parse",
        "dlparse_v1",
        "dlparse_v2",
        "dlparse_v4",
    ],
)
def test_back_ends_of_every_release_are_accepted(backend):
    assert options(pdf_backend=backend).pdf_backend == backend


def test_page_range_that_javascript_rounded_is_the_default():
    assert options(page_range=[1, 2**63]).page_range == (1, NO_LAST_PAGE)


@pytest.mark.parametrize(
    ("body", "kind", "place", "message"),
    [
        ({"options": {}}, "missing", ["sources"], "Field required"),
        ({"sources": []}, "too_short", ["sources"], "List should have at least 1 item after validation, not 0"),
        (
            {"sources": [{"kind": "ftp", "url": "http://x"}]},
            "union_tag_invalid",
            ["sources", 0],
            "Input tag 'ftp' found using 'kind' does not match any of the expected tags: 'file', 'http'",
        ),
        (
            {"sources": [{"url": "http://x"}]},
            "union_tag_not_found",
            ["sources", 0],
            "Unable to extract tag using discriminator 'kind'",
        ),
        (
            {"sources": [{"kind": "http", "url": "http://example.com/y.ZIP?a=b"}]},
            "value_error",
            ["sources", 0, "http", "url"],
            "Value error, ZIP URLs are not accepted on the convert endpoint",
        ),
        (
            {"sources": [{"kind": "http", "url": "file:///etc/passwd"}]},
            "url_scheme",
            ["sources", 0, "http", "url"],
            "URL scheme should be 'http' or 'https'",
        ),
        (
            {"sources": [FILE], "target": {"kind": "fax"}},
            "union_tag_invalid",
            ["target"],
            "Input tag 'fax' found using 'kind' does not match any of the expected tags: 'inbody', 'zip', 's3', "
            "'azure_blob', 'google_cloud_storage', 'put', 'presigned_url'",
        ),
        (
            {"sources": [FILE], "target": {"kind": "s3", "endpoint": "x", "bucket": "y", "access_key": "z"}},
            "value_error",
            ["target", "s3"],
            "Value error, access_key and secret_key must be provided together",
        ),
    ],
)
def test_request_that_is_not_valid_says_where(body, kind, place, message):
    assert refused(ConvertSourcesRequest, body) == [(kind, ["body", *place], message)]


EITHER = "The parameters {} are mutually exclusive, only one of them can be set."


@pytest.mark.parametrize(
    ("sent", "kind", "place", "message"),
    [
        ({"to_formats": ["nope"]}, "enum", ["to_formats", 0], f"Input should be {FORMATS} or 'latex'"),
        ({"to_formats": "md"}, "list_type", ["to_formats"], "Input should be a valid list"),
        (
            {"page_range": [5, 2]},
            "value_error",
            ["page_range"],
            "Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start.",
        ),
        (
            {"page_range": [0, 2]},
            "value_error",
            ["page_range"],
            "Value error, Invalid page range: start must be ≥ 1 and end must be ≥ start.",
        ),
        ({"images_scale": float("nan")}, "finite_number", ["images_scale"], "Input should be a finite number"),
        ({"do_ocr": "maybe"}, "bool_parsing", ["do_ocr"], "Input should be a valid boolean, unable to interpret input"),
        (
            {"ocr_preset": "tesseract", "ocr_custom_config": {"kind": "x"}},
            "value_error",
            [],
            "Value error, Cannot specify both ocr_preset and ocr_custom_config.",
        ),
        (
            {"layout_preset": "a", "layout_custom_config": {"kind": "x"}},
            "value_error",
            [],
            "Value error, Cannot specify both layout_preset and layout_custom_config.",
        ),
        (
            {"chunking_preset": "a", "chunking_options": {"chunker": "hybrid"}},
            "value_error",
            [],
            "Value error, Cannot specify both chunking_preset and chunking_options.",
        ),
        (
            {"picture_description_local": {"repo_id": "a"}, "picture_description_api": {"url": "http://x"}},
            "value_error",
            [],
            "Value error, " + EITHER.format("picture_description_local and picture_description_api"),
        ),
        (
            {
                "vlm_pipeline_model": "granite_docling",
                "vlm_pipeline_model_api": {"url": "http://x", "response_format": "markdown"},
            },
            "value_error",
            [],
            "Value error, " + EITHER.format("vlm_pipeline_model, vlm_pipeline_model_local and vlm_pipeline_model_api"),
        ),
        (
            {"chunking_options": {"chunker": "words"}},
            "union_tag_invalid",
            ["chunking_options"],
            "Input tag 'words' found using 'chunker' does not match any of the expected tags: 'hybrid', 'hierarchical'",
        ),
    ],
)
def test_option_that_is_not_valid_says_where(sent, kind, place, message):
    found = refused(ConvertSourcesRequest, {"options": sent, "sources": [FILE]})
    assert found == [(kind, ["body", "options", *place], message)]


def test_legacy_and_new_model_options_do_not_mix():
    sent = {"vlm_pipeline_model": "granite_docling", "vlm_pipeline_preset": "default"}
    [(kind, place, message)] = refused(ConvertSourcesRequest, {"options": sent, "sources": [FILE]})
    assert (kind, place) == ("value_error", ["body", "options"])
    assert message.startswith("Value error, Cannot mix legacy VLM options")


@pytest.mark.parametrize(
    ("body", "kind", "place"),
    [
        (b"", "missing", ["body"]),
        (b"{bad", "json_invalid", ["body", 1]),
        (b"[]", "model_attributes_type", ["body"]),
        (b'{"sources": [{"kind": "file", "base64_string": "", "filename": "\\ud800"}]}', "string_unicode", ["body"]),
    ],
)
def test_body_that_is_no_request_is_refused(body, kind, place):
    [(found, where, _)] = refused(ConvertSourcesRequest, body)
    assert (found, where) == (kind, place)


@pytest.mark.parametrize("body", [b"\xff\xfe{}", b"[" * 100_000, b'{"a": ' + b"9" * 10_000 + b"}"])
def test_body_that_cannot_be_parsed_is_refused(body):
    with pytest.raises(RequestRefused) as found:
        parsed(ConvertSourcesRequest, body)
    assert found.value.status in (400, 422)


def test_batch_takes_no_files_and_no_target_in_the_body():
    found = refused(BatchConvertSourcesRequest, {"sources": [FILE], "target": {"kind": "inbody"}})
    assert found == [
        (
            "union_tag_invalid",
            ["body", "sources", 0],
            "Input tag 'file' found using 'kind' does not match any of the expected tags: 'http', 's3', 'azure_blob', "
            "'google_cloud_storage'",
        ),
        (
            "union_tag_invalid",
            ["body", "target"],
            "Input tag 'inbody' found using 'kind' does not match any of the expected tags: 's3', 'azure_blob', "
            "'google_cloud_storage', 'presigned_url'",
        ),
    ]


def test_batch_takes_archives_by_address():
    body = {"sources": [{"kind": "http", "url": "https://example.org/a.zip"}]}
    assert parsed(BatchConvertSourcesRequest, json.dumps(body).encode()).target is None


def test_chunker_must_be_that_of_the_route():
    body = {"sources": [HTTP], "chunking_options": {"chunker": "hybrid"}}
    [(kind, place, _)] = refused(HierarchicalChunkerOptionsDocumentsRequest, body)
    assert (kind, place) == ("literal_error", ["body", "chunking_options", "chunker"])
    made = parsed(HybridChunkerOptionsDocumentsRequest, json.dumps(body).encode()).chunking_options
    assert made.model_dump() == {
        "chunker": "hybrid",
        "use_markdown_tables": False,
        "use_markdown_images": False,
        "image_placeholder": "![IMAGE]",
        "include_raw_text": False,
        "max_tokens": None,
        "tokenizer": "sentence-transformers/all-MiniLM-L6-v2",
        "merge_peers": True,
    }


def test_v1alpha_is_the_same_in_other_words():
    sent = {
        "http_sources": [{"url": "https://example.org/a.pdf", "headers": {"a": "b"}}],
        "file_sources": [{"base64_string": "eA==", "filename": "b.md"}],
        "options": {"to_formats": ["md"], "return_as_file": True, "ocr_engine": "easyocr"},
    }
    found = parsed(OldConvertRequest, json.dumps(sent).encode()).request()
    assert [source.kind for source in found.sources] == ["http", "file"]
    assert found.target.kind == "zip"
    assert found.options.ocr_preset == "easyocr"
    assert refused(OldConvertRequest, {"options": {}})[0][1] == ["body"]
    sent = {"file_sources": [{"base64_string": "eA==", "filename": "b.md"}]}
    assert "target" not in parsed(OldConvertRequest, json.dumps(sent).encode()).request().model_fields_set


def test_secrets_are_not_shown():
    target = {"kind": "s3", "endpoint": "x", "bucket": "y", "access_key": "hidden1", "secret_key": "hidden2"}
    source = HTTP | {"headers": {"Authorization": "hidden3"}}
    callback = {"url": "https://example.org", "headers": {"a": "hidden4"}}
    body = {"sources": [source, FILE | {"base64_string": "hidden5"}], "target": target, "callbacks": [callback]}
    assert "hidden" not in repr(parsed(ConvertSourcesRequest, json.dumps(body).encode()))

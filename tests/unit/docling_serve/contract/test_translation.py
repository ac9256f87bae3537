from __future__ import annotations

import json
import re

import pytest

from quire.docling_serve.contract.forms import chunk_form, convert_form
from quire.docling_serve.contract.orders import Order
from quire.docling_serve.contract.policy import Policy
from quire.docling_serve.contract.refusals import RequestRefused, validated
from quire.docling_serve.contract.request_options import (
    ConvertDocumentsOptions,
    HierarchicalChunkerOptions,
    HybridChunkerOptions,
)
from quire.docling_serve.contract.requests import (
    BatchConvertSourcesRequest,
    ConvertSourcesRequest,
    FileSourceRequest,
    HybridChunkerOptionsDocumentsRequest,
)
from quire.docling_serve.contract.translation import decoded, document_version, source_json, translate
from quire.durable.reads.read_request import ReadRequest, SourceRef
from tests.docs.pages import ROOT

FILE = {"kind": "file", "base64_string": "eA==", "filename": "a.md"}
S3 = {"kind": "s3", "endpoint": "s3.example.org", "bucket": "b"}
POLICY = Policy(tesseract_data=frozenset({"eng", "deu", "osd"}))


def translated(options=None, policy=POLICY, sources=(FILE,), version=None, **more):
    body = {"options": options or {}, "sources": list(sources), **more}
    return translate(Order.of_convert(validated(ConvertSourcesRequest, body)), policy, version=version)


def refusal(make, *arguments, **more) -> str:
    with pytest.raises(RequestRefused) as found:
        make(*arguments, **more)
    assert found.value.status == 422
    assert isinstance(found.value.detail, str)
    return found.value.detail


def test_defaults_read_everything_and_return_markdown():
    found = translated()
    assert found == {
        "type": "convert",
        "read": {},
        "outputs": {
            "formats": ["md"],
            "image_mode": "placeholder",
            "images": False,
            "page_images": False,
            "images_scale": 2.0,
            "page_break": "",
            "compact_tables": False,
            "version": None,
            "titles": False,
        },
        "target": {"kind": "inbody"},
        "more_targets": [],
        "callbacks": [],
        "timeout_s": 604800.0,
        "abort_on_error": False,
        "from_formats": [],
    }
    json.dumps(found)


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({"page_range": [2, 5]}, {"pages": "2-5"}),
        ({"page_range": [3, 2**63 - 1]}, {"pages": "3-"}),
        ({"do_ocr": False}, {"ocr": "never"}),
        ({"do_ocr": False, "force_ocr": True}, {"ocr": "never"}),
        ({"force_ocr": True}, {"ocr": "always"}),
        ({"ocr_engine": "tesseract"}, {"engines": ["tesseract"]}),
        ({"ocr_preset": "tesserocr"}, {"engines": ["tesseract"]}),
        ({"ocr_engine": "easyocr"}, {}),
        ({"ocr_preset": "rapidocr"}, {}),
        ({"ocr_lang": ["eng", "de"]}, {"lang": ["en", "de"]}),
        ({"ocr_lang": ["eng+fra", "deu,spa"]}, {"lang": ["en", "fr", "de", "es"]}),
        ({"ocr_lang": ["ch_sim", "english", "auto", ""]}, {"lang": ["zh", "en"]}),
        ({"ocr_lang": ["klingon"], "do_ocr": False}, {"ocr": "never"}),
        ({"pipeline": "legacy", "table_mode": "fast", "pdf_backend": "dlparse_v4"}, {}),
    ],
)
def test_options_of_the_read(options, read):
    found = translated(options)["read"]
    assert found == read
    ReadRequest.with_options(SourceRef("0" * 64, "a.pdf", ""), found)  # they are valid


def test_tesseract_without_the_program_or_its_data_leaves_the_choice_to_the_server():
    assert translated({"ocr_engine": "tesseract"}, Policy())["read"] == {}
    asked = {"ocr_engine": "tesseract", "ocr_lang": ["eng", "deu"]}
    assert translated(asked)["read"] == {"engines": ["tesseract"], "lang": ["en", "de"]}
    asked["ocr_lang"].append("fra")
    assert translated(asked)["read"] == {"lang": ["en", "de", "fr"]}


def test_a_vision_pipeline_needs_a_vision_engine():
    said = refusal(translated, {"pipeline": "vlm"})
    assert said == "pipeline 'vlm' is not available: no vision engine is configured on this server."
    policy = Policy(vision="vision")
    assert translated({"pipeline": "vlm"}, policy)["read"] == {"engines": ["vision"], "ocr": "always"}
    assert translated({"pipeline": "vlm", "vlm_pipeline_preset": "default"}, policy)
    assert "smoldocling" in refusal(translated, {"pipeline": "vlm", "vlm_pipeline_preset": "smoldocling"}, policy)
    assert "vlm_pipeline_model" in refusal(translated, {"pipeline": "vlm", "vlm_pipeline_model": "got_ocr_2"}, policy)


def test_a_model_that_is_named_but_not_used_is_no_reason_to_refuse():
    named = {"vlm_pipeline_preset": "smoldocling", "picture_description_preset": "smolvlm", "layout_preset": "default"}
    assert translated(named)["read"] == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"document_timeout": 0}, "document_timeout must be greater than 0."),
        ({"document_timeout": 604801}, "document_timeout exceeds the configured maximum of 604800.0 seconds."),
        ({"images_scale": 5}, "images_scale exceeds the configured maximum of 2.0."),
        ({"images_scale": 0}, "images_scale must be greater than 0."),
        (
            {"ocr_engine": "foo"},
            "ocr_preset 'foo' is not allowed. Allowed values: ['auto', 'easyocr', 'kserve_v2_ocr', 'nemotron-ocr', "
            "'ocrmac', 'rapidocr', 'tesseract', 'tesserocr'].",
        ),
        ({"vlm_pipeline_custom_config": {"a": 1}}, "Custom VLM configuration is disabled by server policy."),
        (
            {"chart_extraction_custom_config": {"a": 1}},
            "Custom chart extraction configuration is disabled by server policy.",
        ),
        ({"ocr_custom_config": {"kind": "x"}}, "Custom OCR configuration is disabled by server policy."),
        ({"pipeline": "asr"}, "pipeline 'asr' is not available on this server. Send 'standard'."),
        (
            {"chunking_preset": "huge"},
            "chunking_preset 'huge' is not allowed. Allowed values: ['default', 'granite_embedding_278m', "
            "'hierarchical', 'minilm_l6', 'multilingual_e5_large'].",
        ),
    ],
)
def test_what_is_not_possible_is_refused_with_the_reason(options, said):
    assert refusal(translated, options) == said


@pytest.mark.parametrize(
    "name",
    ["do_code_enrichment", "do_picture_classification", "do_chart_extraction", "do_picture_description"],
)
def test_enrichments_without_a_model_are_refused_where_that_is_set(name):
    assert translated({name: True})["enrich"]["kinds"] == [name.removeprefix("do_")]
    strict = Policy(strict_enrichments=True)
    assert refusal(translated, {name: True}, strict).startswith(f"{name} is not available: no model on this server ")
    assert translated({name: True}, Policy(strict_enrichments=True, vision="vision"))["enrich"]
    asked = {name: True, "picture_description_api": {"url": "https://models.example/v1"}}
    allowed = Policy(strict_enrichments=True, remote_models=True)
    if name == "do_picture_description":
        assert translated(asked, allowed)["enrich"]["api"]["url"] == "https://models.example/v1"
    else:
        assert refusal(translated, asked, allowed).startswith(f"{name} is not available")


def test_the_prompt_of_a_local_model_is_for_the_model_of_the_server():
    local = {"repo_id": "ibm/some-model", "prompt": "What is it?"}
    asked = translated({"do_picture_description": True, "picture_description_local": local})["enrich"]
    assert asked == {"kinds": ["picture_description"], "prompt": "What is it?", "least_area": 0.05}


def test_formulas_are_latex_whether_they_are_asked_for_or_not():
    assert translated({"do_formula_enrichment": True}) == translated({})


def test_language_that_nobody_knows_is_refused():
    assert "klingon" in refusal(translated, {"ocr_lang": ["klingon"]})


def test_policy_narrows_what_is_allowed():
    policy = Policy(image_modes=frozenset({"placeholder"}), ocr_presets=frozenset({"auto"}), targets=frozenset({"zip"}))
    said = refusal(translated, {"image_export_mode": "embedded"}, policy)
    assert said == "image_export_mode 'embedded' is not allowed. Allowed values: ['placeholder']."
    assert "ocr_preset" in refusal(translated, {"ocr_preset": "easyocr"}, policy)
    said = refusal(translated, None, policy, target={"kind": "put", "url": "https://example.org"})
    assert said == "target kind 'put' is not allowed. Allowed values: ['zip']."


def test_images_need_a_mode_other_than_the_placeholder():
    asked = {"include_page_images": True, "images_scale": 1.5}
    assert translated(asked)["outputs"]["page_images"] is False
    found = translated(asked | {"image_export_mode": "referenced"}, version="1.8.0")["outputs"]
    assert (found["images"], found["page_images"], found["images_scale"]) == (True, True, 1.5)
    assert (found["image_mode"], found["version"]) == ("referenced", "1.8.0")
    assert translated({"image_export_mode": "embedded", "include_images": False})["outputs"]["images"] is False


def test_input_formats_are_limited_when_not_all_are_named():
    assert translated({"from_formats": ["pdf", "md"]})["from_formats"] == ["pdf", "md"]


def test_chunks_as_an_output_format():
    assert translated({"to_formats": ["chunks"]})["chunking"]["chunker"] == "hybrid"
    found = translated({"to_formats": ["md", "chunks"], "chunking_preset": "hierarchical"})
    assert found["chunking"] == HierarchicalChunkerOptions().model_dump()
    found = translated({"to_formats": ["chunks"], "chunking_options": {"chunker": "hybrid", "max_tokens": 9}})
    assert found["chunking"]["max_tokens"] == 9


def test_too_many_sources():
    assert refusal(translated, sources=[FILE] * 4) == "Too many sources: 4 exceeds the maximum of 3."
    form = convert_form([], 4)
    said = refusal(translate, form, POLICY)
    assert said == "Too many files: 4 exceeds the maximum of 3."


PRESIGNED = "Presigned URL target requires artifact storage to be configured and enabled on the server. "


def test_presigned_target_is_refused_with_the_text_that_the_client_of_docling_knows():
    """It then asks for another target; no setting is named, because there is none."""
    assert refusal(translated, target={"kind": "presigned_url"}).startswith(PRESIGNED)
    form = convert_form([("target_type", "presigned_url")], 1)
    said = refusal(translate, form, POLICY)
    assert said == f"{PRESIGNED}This server has none: send the target inbody or zip, or a bucket."


def test_chunk_routes_have_no_presigned_target():
    form = chunk_form([("target_type", "presigned_url")], 1, "hybrid")
    said = refusal(translate, form, POLICY)
    assert said == "presigned_url target is not supported for chunk endpoints."
    assert translate(chunk_form([], 1, "hybrid"), POLICY)["target"] == {"kind": "inbody"}


def test_chunk_request():
    body = {"sources": [FILE], "include_converted_doc": True, "chunking_options": {"max_tokens": 5}}
    request = validated(HybridChunkerOptionsDocumentsRequest, body)
    found = translate(Order.of_chunk(request, request.chunking_options), POLICY)
    assert found["type"] == "chunk"
    assert found["chunking"] == HybridChunkerOptions(max_tokens=5).model_dump()
    assert found["outputs"]["formats"] == ["json"]
    without = translate(
        Order.of_chunk(validated(HybridChunkerOptionsDocumentsRequest, {"sources": [FILE]}), HybridChunkerOptions()),
        POLICY,
    )
    assert without["outputs"]["formats"] == []


def batch(**body):
    return translate(Order.of_batch(validated(BatchConvertSourcesRequest, body)), POLICY)


def test_batch_of_a_bucket_needs_a_bucket():
    said = refusal(batch, sources=[S3], target={"kind": "presigned_url"})
    assert said == (
        "sources of kind ['s3'] can expand into multiple documents and require a storage target with artifact result "
        "mode; got target kind 'presigned_url'."
    )
    assert batch(sources=[S3], target=S3)["target"]["bucket"] == "b"
    several = batch(sources=[S3], target={"kind": "presigned_url"}, targets=[S3, S3 | {"bucket": "c"}])
    assert [target["bucket"] for target in (several["target"], *several["more_targets"])] == ["b", "c"]
    assert batch(sources=[{"kind": "http", "url": "https://example.org/a"}])["target"] == {"kind": "inbody"}


def test_a_drive_of_google_is_not_known():
    with pytest.raises(RequestRefused, match="does not match any of the expected tags: 'http', 's3', 'azure_blob'"):
        batch(sources=[{"kind": "google_drive", "path_id": "x"}])


def test_version_of_the_document():
    assert document_version(None) is None
    assert document_version("1.8.0") == "1.8.0"
    assert refusal(document_version, "abc") == "unparseable Accept-Docling-Document-Version 'abc'"
    said = refusal(document_version, "1.0.0")
    assert said == "unsupported Accept-Docling-Document-Version '1.0.0'; oldest supported is 1.5.0"


@pytest.mark.parametrize(
    ("text", "content"), [("aGVsbG8=", b"hello"), ("aGV\nsbG 8!=", b"hello"), ("aGVsbG8", b"hello"), ("", b"")]
)
def test_base64_is_decoded_leniently(text, content):
    assert decoded(FileSourceRequest(base64_string=text, filename="a")) == content


def test_sources_as_json_have_no_content_and_texts_as_headers():
    body = {"sources": [FILE, {"kind": "http", "url": "https://example.org/a", "headers": {"a": 1}}]}
    request = validated(ConvertSourcesRequest, body)
    assert [source_json(source) for source in request.sources] == [
        {"kind": "file", "filename": "a.md"},
        {"kind": "http", "url": "https://example.org/a", "headers": {"a": "1"}},
    ]


OPEN_WEBUI = [("image_export_mode", "placeholder")]
OLD_OPEN_WEBUI = [
    ("image_export_mode", "placeholder"),
    ("table_mode", "accurate"),
    ("do_ocr", "true"),
    ("force_ocr", "false"),
    ("ocr_engine", "tesseract"),
    ("ocr_lang", "eng"),
    ("ocr_lang", "fra"),
    ("pdf_backend", "dlparse_v4"),
    ("pipeline", "standard"),
    ("do_picture_description", "false"),
]
LIGHTRAG = [
    ("pipeline", "standard"),
    ("target_type", "zip"),
    ("image_export_mode", "referenced"),
    ("do_ocr", "true"),
    ("force_ocr", "false"),
    ("ocr_engine", "auto"),
    ("ocr_preset", "auto"),
    ("do_formula_enrichment", "false"),
    ("to_formats", "json"),
    ("to_formats", "md"),
]


@pytest.mark.parametrize("fields", [OPEN_WEBUI, OLD_OPEN_WEBUI, LIGHTRAG])
def test_what_common_programs_send_is_accepted(fields):
    assert translate(convert_form(fields, 1), POLICY)


def test_every_default_sent_explicitly_is_the_same_request():
    sent = ConvertDocumentsOptions().model_dump(mode="json")
    assert translated(sent) == translated()


def test_every_option_is_documented():
    page = (ROOT / "docs" / "reference" / "docling-serve.md").read_text()
    rows = set(re.findall(r"^\| (.*?) \|", page, flags=re.MULTILINE))
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    options = {
        *ConvertDocumentsOptions.model_fields,
        *HybridChunkerOptions.model_fields,
        *HierarchicalChunkerOptions.model_fields,
    }
    assert options - named == set()

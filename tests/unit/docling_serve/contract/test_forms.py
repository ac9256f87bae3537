from __future__ import annotations

import pytest

from quire.docling_serve.contract.forms import (
    chunk_form,
    convert_form,
    file_without_name,
    no_files,
    old_form,
)
from quire.docling_serve.contract.refusals import RequestRefused
from quire.docling_serve.contract.request_options import NO_LAST_PAGE


def refused(make, *arguments) -> list:
    with pytest.raises(RequestRefused) as found:
        make(*arguments)
    assert found.value.status == 422
    return [(error["type"], error["loc"], error["msg"]) for error in found.value.detail]


def test_lists_are_repeated_fields():
    form = convert_form([("to_formats", "md"), ("do_ocr", "no"), ("to_formats", "json"), ("ocr_lang", "en")], 1)
    assert form.options.to_formats == ["md", "json"]
    assert form.options.ocr_lang == ["en"]
    assert form.options.do_ocr is False


def test_page_range_is_two_fields():
    assert convert_form([("page_range", "2"), ("page_range", "4")], 1).options.page_range == (2, 4)
    found = refused(convert_form, [("page_range", "[1,2]")], 1)
    assert found == [
        (
            "int_parsing",
            ["body", "page_range", 0],
            "Input should be a valid integer, unable to parse string as an integer",
        ),
        ("missing", ["body", "page_range", 1], "Field required"),
    ]


@pytest.mark.parametrize("text", ["true", "1", "yes", "on", "True"])
def test_booleans_have_several_spellings(text):
    assert convert_form([("force_ocr", text)], 1).options.force_ocr is True


def test_empty_and_unknown_fields_count_as_not_sent():
    form = convert_form(
        [("document_timeout", ""), ("images_scale", ""), ("return_as_file", "x"), ("target_type", "")], 1
    )
    assert form.options.model_fields_set == set()
    assert form.options.page_range == (1, NO_LAST_PAGE)
    assert form.targets[0].kind == "inbody"


def test_deprecated_engine_counts_only_without_a_preset():
    assert convert_form([("ocr_engine", "easyocr")], 1).options.ocr_preset == "easyocr"
    both = convert_form([("ocr_engine", "easyocr"), ("ocr_preset", "auto")], 1)
    assert both.options.ocr_preset == "auto"


def test_objects_are_json_text():
    form = convert_form([("picture_description_api", '{"url": "https://example.org"}')], 1)
    assert str(form.options.picture_description_api.url) == "https://example.org/"
    form = convert_form([("chunking_options", '{"chunker": "hierarchical"}'), ("ocr_custom_config", '{"a": 1}')], 1)
    assert form.options.chunking_options.chunker == "hierarchical"
    assert form.options.ocr_custom_config == {"a": 1}


FORMATS = "'md', 'json', 'yaml', 'html', 'html_split_page', 'text', 'doctags', 'vtt', 'doclang', 'dclx', 'chunks'"


@pytest.mark.parametrize(
    ("field", "kind", "place", "message"),
    [
        (("to_formats", "md,json"), "enum", ["to_formats", 0], f"Input should be {FORMATS} or 'latex'"),
        (
            ("do_ocr", "maybe"),
            "bool_parsing",
            ["do_ocr"],
            "Input should be a valid boolean, unable to interpret input",
        ),
        (
            ("picture_description_api", "{bad"),
            "json_invalid",
            ["picture_description_api"],
            "Invalid JSON: key must be a string at line 1 column 2",
        ),
        (("picture_description_api", "{}"), "missing", ["picture_description_api", "url"], "Field required"),
        (("layout_custom_config", "[]"), "dict_type", ["layout_custom_config"], "Input should be an object"),
        (
            ("target_type", "fax"),
            "enum",
            ["target_type"],
            "Input should be 'inbody', 'presigned_url' or 'zip'",
        ),
        (("callbacks", "no address"), "url_parsing", ["callbacks"], None),
        (("callbacks", '{"headers": {}}'), "url_parsing", ["callbacks"], None),
        (("callbacks", "{bad"), "url_parsing", ["callbacks"], None),
        (("options", "{"), "json_invalid", ["options"], None),
        (("options", "[]"), "dict_type", ["options"], "Input should be a valid dictionary"),
    ],
)
def test_field_that_is_not_valid_is_named(field, kind, place, message):
    [(found, where, said)] = refused(convert_form, [field], 1)
    assert (found, where) == (kind, ["body", *place])
    assert message is None or said == message


def test_rule_across_fields_is_an_error_of_the_body():
    fields = [("layout_preset", "a"), ("layout_custom_config", '{"b": 1}')]
    found = refused(convert_form, fields, 1)
    said = "Value error, Cannot specify both layout_preset and layout_custom_config."
    assert found == [("value_error", ["body"], said)]


def test_target_and_callbacks():
    form = convert_form(
        [
            ("target_type", "zip"),
            ("callbacks", "https://example.org/hook"),
            ("callbacks", '{"url": "https://example.org/b", "headers": {"a": "b"}}'),
        ],
        1,
    )
    assert form.targets[0].kind == "zip"
    assert [str(one.url) for one in form.callbacks] == ["https://example.org/hook", "https://example.org/b"]
    assert form.callbacks[1].headers == {"a": "b"}


def test_options_in_one_field_are_accepted_and_fields_of_their_own_win():
    fields = [("options", '{"to_formats": ["json"], "do_ocr": false}'), ("do_ocr", "true")]
    made = convert_form(fields, 1).options
    assert (made.to_formats, made.do_ocr) == (["json"], True)


def test_chunk_form_has_prefixes():
    fields = [
        ("convert_do_ocr", "false"),
        ("do_ocr", "true"),
        ("convert_to_formats", "nope"),
        ("chunking_max_tokens", "64"),
        ("chunking_merge_peers", "off"),
        ("include_converted_doc", "true"),
        ("target_type", "zip"),
    ]
    form = chunk_form(fields, 1, "hybrid")
    assert form.options.do_ocr is False
    assert (form.chunking.chunker, form.chunking.max_tokens, form.chunking.merge_peers) == ("hybrid", 64, False)
    assert form.include_converted_doc is True
    assert form.targets[0].kind == "zip"
    assert chunk_form([], 1, "hierarchical").chunking.chunker == "hierarchical"


@pytest.mark.parametrize(
    ("field", "place"),
    [
        (("convert_do_ocr", "maybe"), ["convert_do_ocr"]),
        (("convert_pdf_backend", "x"), ["convert_pdf_backend"]),
        (("chunking_max_tokens", "0"), ["chunking_max_tokens"]),
        (("include_converted_doc", "maybe"), ["include_converted_doc"]),
    ],
)
def test_error_of_a_chunk_form_has_the_name_of_the_field(field, place):
    [(_, where, _)] = refused(chunk_form, [field], 1, "hybrid")
    assert where == ["body", *place]


def test_old_form_asks_for_a_zip_with_return_as_file():
    assert old_form([("return_as_file", "true")], 1).targets[0].kind == "zip"
    assert old_form([("to_formats", "json")], 1).targets[0].kind == "inbody"


def test_forms_without_proper_files_are_refused():
    assert no_files().detail == [{"type": "missing", "loc": ["body", "files"], "msg": "Field required"}]
    assert file_without_name(0).detail[0]["loc"] == ["body", "files", 0]

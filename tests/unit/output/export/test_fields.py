"""Labels with their values in every format."""

from __future__ import annotations

import json

from quire.core.encoding import decode_page, encode_page
from quire.core.pagetext import PageText
from quire.core.types import BBox, Block, Field, PageInfo, PageResult, Span
from quire.output import export
from tests.unit.output.export.results import block, result

LABEL, VALUE = BBox(0.1, 0.1, 0.1, 0.02), BBox(0.5, 0.1, 0.2, 0.02)


def number() -> Block:
    return block("field", "Invoice #: 42*7", id="p1-b1", field=Field("Invoice #", "42*7", LABEL, VALUE))


def web() -> Block:
    link = (Span(4, 15, link="https://a.org"),)
    return block("field", "Web\nexample.org", id="p1-b2", field=Field("Web", "example.org", LABEL, VALUE), spans=link)


def empty() -> Block:
    return block("field", "Buyer:", id="p1-b3", field=Field("Buyer", "", LABEL))


def test_markdown_has_a_line_for_each_field_with_its_label_in_bold():
    written = export.markdown(result(number(), web(), empty()))
    assert written == "**Invoice #:** 42*7  \n**Web:** [example.org](https://a.org)  \n**Buyer:**\n"


def test_html_has_a_list_of_labels_and_values_with_their_boxes():
    written = export.html(result(number(), web()))
    assert '<dt data-bbox="0.1 0.1 0.1 0.02">Invoice #</dt><dd data-bbox="0.5 0.1 0.2 0.02">42*7</dd>' in written
    assert '<a href="https://a.org">example.org</a></dd>' in written
    assert written.count("<dl>") == 1


def test_text_has_the_fields_as_they_are_on_the_page():
    assert export.text(result(number(), empty())) == "Invoice #: 42*7\nBuyer:\n"


def test_json_has_both_texts_and_both_boxes_and_reads_them_back():
    written = export.json_(result(number(), empty()))
    first, second = json.loads(written)["blocks"]
    assert first["field"]["value"] == "42*7"
    assert first["field"]["label_bbox"] == {"left": 0.1, "top": 0.1, "width": 0.1, "height": 0.02}
    assert second["field"]["value_bbox"] is None
    assert [read.field for read in export.from_json(written)[1]] == [number().field, empty().field]


def test_a_stored_page_keeps_its_fields():
    page = PageResult(PageInfo(1, 100, 100), (number(), empty()))
    again = decode_page(encode_page(page), lambda _: PageText.empty(PageInfo(1, 100, 100)))
    assert [read.field for read in again.blocks] == [number().field, empty().field]


def test_a_field_of_an_engine_that_gives_a_text_alone_is_that_text():
    assert export.markdown(result(block("field", "Name: Ada"))) == "Name: Ada\n"


def test_docling_has_a_text_with_both():
    (item,) = export.docling(result(number()))["texts"]
    assert (item["label"], item["text"]) == ("text", "Invoice #: 42*7")

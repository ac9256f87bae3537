from __future__ import annotations

import json

import pytest
from docling_core.types.doc.document import (
    ContentLayer,
    DoclingDocument,
    DocTagsDocument,
    DocTagsPage,
    ListItem,
    TableItem,
)

from quire.core.types import BBox, Part, Span
from quire.output.export import docling, docling_json, doctags

from .results import BOX, Result, block, item, report, result, table


def loaded(source: Result) -> DoclingDocument:
    document = DoclingDocument.model_validate(docling(source))
    assert document.validate_tree(document.body)
    return document


def reread(source: Result) -> DoclingDocument:
    pages = doctags(source).removeprefix("<doctag>").removesuffix("</doctag>\n").split("<page_break>")
    return DoclingDocument.load_from_doctags(DocTagsDocument(pages=[DocTagsPage(tokens=page) for page in pages]))


def test_docling_reads_it_and_writes_the_same():
    document = loaded(report())
    assert document.version == "1.10.0"
    again = json.loads(document.model_dump_json(by_alias=True, exclude_none=True))

    def without_none(value):
        if isinstance(value, dict):
            return {k: without_none(v) for k, v in value.items() if v is not None}
        return [without_none(v) for v in value] if isinstance(value, list) else value

    written = without_none(json.loads(docling_json(report())))
    for table_ in again["tables"]:
        table_["data"].pop("grid", None)

    def contains(larger, smaller):
        if isinstance(smaller, dict):
            return all(key in larger and contains(larger[key], value) for key, value in smaller.items())
        if isinstance(smaller, list):
            return len(larger) == len(smaller) and all(map(contains, larger, smaller))
        return larger == smaller

    assert contains(again, written)


def test_its_markdown_has_the_structure():
    written = loaded(report()).export_to_markdown()
    assert "# The year in numbers\n\n## 1. Results\n" in written
    assert "1. first\n    - inner\n2. second" in written
    assert "Annual report" not in written
    assert written.index("Table 1: Sales") < written.index("| Region")


def test_the_origin_is_that_of_the_bytes():
    origin = loaded(Result(id="19f09cfa6a6869fb661330fa2b6a0517ea5423eeb5fa6c45d24d5824b590e4a6")).origin
    assert origin is not None
    assert (origin.filename, origin.mimetype, origin.binary_hash) == (
        "report.pdf",
        "application/pdf",
        15153865235859825830,
    )


def test_places_are_points_from_the_bottom_left():
    text = loaded(result(block("paragraph", "abc", bbox=BBox(0.1, 0.25, 0.5, 0.25)))).texts[0]
    box = text.prov[0].bbox
    assert (box.l, box.t, box.r, box.b, box.coord_origin.value) == (60, 600, 360, 400, "BOTTOMLEFT")
    assert text.prov[0].charspan == (0, 3)


def test_every_place_of_a_block_is_kept():
    source = result(block("paragraph", "abc", parts=(Part(1, BOX), Part(2, BOX))))
    assert [prov.page_no for prov in loaded(source).texts[0].prov] == [1, 2]


def test_headers_footers_and_page_numbers_are_furniture():
    texts = loaded(report()).texts
    found = {text.text: text.label.value for text in texts if text.content_layer == ContentLayer.FURNITURE}
    assert found == {"Annual report": "page_header", "1": "page_footer", "Confidential": "page_footer"}


def test_captions_are_linked_to_what_they_describe():
    document = loaded(report())
    assert document.tables[0].caption_text(document) == "Table 1: Sales"
    assert document.pictures[0].caption_text(document) == "Figure 1: Growth"


def test_a_caption_between_two_goes_to_the_one_it_names():
    source = result(
        block("figure", id="f", bbox=BBox(0.1, 0.1, 0.5, 0.2)),
        block("caption", "Table 1", id="c", bbox=BBox(0.1, 0.3, 0.5, 0.02)),
        table([["a"]]),
    )
    document = loaded(source)
    assert document.tables[0].captions and not document.pictures[0].captions


def test_text_inside_a_figure_is_below_it():
    document = loaded(result(block("figure", "Axis\nlabel")))
    assert document.texts[0].text == "Axis label"
    assert document.texts[0].parent == document.pictures[0].get_ref()


def test_lists_are_nested_groups_with_markers():
    document = loaded(result(item("a", "1."), item("b", "•", 2), item("c", "2.")))
    items = [text for text in document.texts if isinstance(text, ListItem)]
    assert [(i.text, i.marker, i.enumerated) for i in items] == [
        ("a", "1.", True),
        ("b", "•", False),
        ("c", "2.", True),
    ]
    assert document.groups[1].parent == items[0].get_ref()


def test_cells_have_offsets_headers_and_boxes():
    source = result(table([["a", None], ["b", "c"]], spans={(0, 0): (1, 2)}))
    table_ = loaded(source).tables[0]
    assert isinstance(table_, TableItem)
    wide, *rest = table_.data.table_cells
    assert (wide.start_col_offset_idx, wide.end_col_offset_idx, wide.column_header) == (0, 2, True)
    assert not any(cell.column_header for cell in rest)
    assert wide.bbox is not None and wide.bbox.coord_origin.value == "TOPLEFT"
    assert (wide.bbox.l, wide.bbox.t) == (60, 160)


def test_cells_on_a_later_page_have_no_box_of_the_first():
    cells = loaded(result(table([["a"], ["b"]], pages=[1, 2]))).tables[0].data.table_cells
    assert cells[0].bbox is not None and cells[1].bbox is None


def test_a_text_that_is_one_link_or_all_bold_says_so():
    text = loaded(result(block("paragraph", "abc", spans=(Span(0, 3, bold=True, link="https://a.org/"),)))).texts[0]
    assert text.formatting is not None and text.formatting.bold
    assert str(text.hyperlink) == "https://a.org/"


def test_an_empty_document_is_valid():
    assert loaded(result()).export_to_markdown() == ""
    assert doctags(result()) == "<doctag></doctag>\n"


def test_doctags_are_those_that_docling_writes():
    assert doctags(report()) == loaded(report()).export_to_doctags() + "\n"


def test_docling_reads_the_doctags():
    document = reread(report())
    assert [text.text for text in document.texts if text.label.value == "title"] == ["The year in numbers"]
    assert len(document.pages) == 2
    assert document.tables[0].data.num_rows == 3


def test_spans_in_doctags_point_left_up_and_both():
    source = result(table([["a", None, "b"], [None, None, ""], ["c", "d", "e"]], spans={(0, 0): (2, 2)}))
    assert "<ched>a<lcel><ched>b<nl><ucel><xcel><ecel><nl><fcel>c<fcel>d<fcel>e<nl>" in doctags(source)
    cell = reread(source).tables[0].data.table_cells[0]
    assert (cell.row_span, cell.col_span) == (2, 2)


def test_a_list_over_two_pages_is_a_list_on_each():
    written = doctags(result(item("a", "1."), item("b", "2.", page=2)))
    assert written.count("<ordered_list>") == 2
    assert len(reread(result(item("a", "1."), item("b", "2.", page=2))).texts) == 2


@pytest.mark.parametrize("text", ["</text><title>x", "<loc_1>", "a <b> c"])
def test_text_that_looks_like_a_tag_is_text(text):
    document = reread(result(block("paragraph", text)))
    assert [t.text for t in document.texts] == [text.replace("<", "&lt;")]

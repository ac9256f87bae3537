"""Chunks by structure: one for each element, with its headings and where it is."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.core.types import BBox
from quire.retrieval.chunk import ChunkOptions, chunks
from tests.unit.output.export.results import block, item, report, result, table

HIERARCHICAL = ChunkOptions(chunker="hierarchical")


def texts(found) -> list[str]:
    return [chunk.raw_text for chunk in found]


def test_every_element_is_a_chunk_below_its_headings():
    found = chunks(report(), HIERARCHICAL)
    assert texts(found) == [
        "Sales rose by a fifth, see below.",
        "1. first\n    - inner\n2. second",
        "Table 1: Sales\n\nNorth, Sales = 12.50. South, Sales = 007",
        "Figure 1: Growth",
        "E = mc2",
        "```\nif a < b:\n    return\n```",
        "Name: Ada",
        "1 In euros.",
    ]
    assert {chunk.headings for chunk in found} == {("The year in numbers", "1. Results")}
    assert found[0].text == "The year in numbers\n1. Results\nSales rose by a fifth, see below."
    assert [chunk.index for chunk in found] == list(range(8))
    assert {chunk.tokens for chunk in found} == {None}


def test_a_chunk_knows_its_blocks_pages_boxes_and_captions():
    found = chunks(report(), HIERARCHICAL)
    paragraph, listed, tabular, figure = found[:4]
    assert (paragraph.blocks, paragraph.pages) == (("p1-b4",), (1, 2))
    assert [place.page for place in paragraph.places] == [1, 2]
    assert listed.blocks == ("p1-b5", "p1-b6", "p1-b7")
    assert (tabular.blocks, tabular.captions) == (("p1-b9", "p1-b8"), ("Table 1: Sales",))
    assert tabular.kinds == ("caption", "table")
    assert (figure.blocks, figure.has_image) == (("p2-b2", "p2-b1"), True)
    assert not tabular.has_image


def test_the_span_is_the_place_in_the_text_of_the_document():
    found = chunks(report(), ChunkOptions(chunker="hierarchical", use_markdown_tables=True))
    document = "\n".join(texts(found))
    assert [document[chunk.start : chunk.end] for chunk in found] == texts(found)


def test_headings_replace_those_of_the_same_depth_and_below():
    found = chunks(
        result(
            block("heading", "One", id="h1", level=1),
            block("heading", "Deep", id="h2", level=2),
            block("paragraph", "a", id="a"),
            block("heading", "Two", id="h3", level=1),
            block("paragraph", "b", id="b"),
        ),
        HIERARCHICAL,
    )
    assert [chunk.headings for chunk in found] == [("One", "Deep"), ("Two",)]


def test_a_heading_with_nothing_below_it_is_not_lost():
    found = chunks(
        result(
            block("title", "Title", id="t"),
            block("heading", "Empty", id="h1", level=1),
            block("heading", "Full", id="h2", level=1),
            block("paragraph", "a", id="a"),
            block("heading", "Last", id="h3", level=2),
        ),
        HIERARCHICAL,
    )
    assert [(chunk.headings, chunk.raw_text) for chunk in found] == [
        (("Title",), "Empty"),
        (("Title", "Full"), "a"),
        (("Title", "Full"), "Last"),
    ]


def test_a_title_is_not_lost_above_an_empty_heading():
    document = result(block("title", "The year", id="t"), block("heading", "", id="h", level=1))
    assert texts(chunks(document, HIERARCHICAL)) == ["The year"]


def test_tables_and_images_can_be_markdown():
    found = chunks(
        report(),
        ChunkOptions(chunker="hierarchical", use_markdown_tables=True, use_markdown_images=True, image_placeholder="🖼"),
    )
    assert (
        found[2].raw_text == "Table 1: Sales\n\n| Region | Sales |\n| --- | --- |\n| North | 12.50 |\n| South | 007 |"
    )
    assert found[3].raw_text == "Figure 1: Growth\n\n🖼"


def test_text_keeps_emphasis_and_links_where_asked():
    found = chunks(report(), ChunkOptions(chunker="hierarchical", use_markdown_text=True))
    assert found[0].raw_text == "**Sales** rose by a fifth, see [below](https://example.org/below)."


@pytest.mark.parametrize(
    ("grid", "header", "text"),
    [
        ([["a", "b"], ["1", "2"]], 1, "1, b = 2"),
        ([["", "2024", "2025"], ["North", "1", ""], ["South", "", ""]], 1, "North, 2024 = 1. South"),
        ([["x", "1", "2"], ["y", "3", ""]], 0, "x = 1, 2. y = 3"),
        ([["Name"], ["Ada"], ["Bob"]], 1, "Name = Ada. Name = Bob"),
        ([["Name"], ["Ada"]], 0, "Name = Ada"),
        ([["only"]], 0, "only"),
        ([["a", "b"]], 1, "a. b"),
    ],
)
def test_tables_are_sentences(grid, header, text):
    assert texts(chunks(result(table(grid, header=header)), HIERARCHICAL)) == [text]


def test_a_header_of_several_rows_is_one_in_both_ways():
    grid = table([["", "Sales", None], ["", "May", "June"], ["North", "1", "2"]], header=2, spans={(0, 1): (1, 2)})
    assert texts(chunks(result(grid), HIERARCHICAL)) == ["North, Sales.May = 1. North, Sales.June = 2"]
    markdown = ChunkOptions(chunker="hierarchical", use_markdown_tables=True)
    assert texts(chunks(result(grid), markdown)) == [
        "|  | Sales.May | Sales.June |\n| --- | --- | --- |\n| North | 1 | 2 |"
    ]


def test_rows_without_cells_are_left_out():
    grid = table([["a", "b"], ["1", "2"], [None, None]])
    for markdown in (True, False):
        (found,) = chunks(result(grid), ChunkOptions(chunker="hierarchical", use_markdown_tables=markdown))
        assert found.raw_text.endswith("| 1 | 2 |" if markdown else "1, b = 2")


def test_furniture_and_what_has_no_text_is_left_out():
    found = chunks(
        result(block("header", "Running", id="a"), block("figure", "", id="b"), block("page_number", "7", id="c"))
    )
    assert found == []


def test_a_box_that_nobody_knows_is_left_out_but_its_page_is_kept():
    (found,) = chunks(result(block("paragraph", "From a sheet", id="a", bbox=BBox(0, 0, 0, 0))), HIERARCHICAL)
    assert (found.pages, found.places) == ((1,), ())


def test_lists_and_numbered_lists_are_separate_chunks():
    found = chunks(result(item("a", id="1"), item("b", id="2"), item("c", "1.", id="3")), HIERARCHICAL)
    assert texts(found) == ["- a\n- b", "1. c"]


def test_unknown_chunkers_and_impossible_limits_are_refused():
    with pytest.raises(UsageError, match="choose from hybrid, hierarchical"):
        ChunkOptions(chunker="semantic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="max_tokens"):
        ChunkOptions(max_tokens=0)
    with pytest.raises(UsageError, match="negative"):
        ChunkOptions(min_tokens=-1)

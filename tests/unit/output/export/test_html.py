from __future__ import annotations

from html.parser import HTMLParser

from quire.core.types import Part, Span
from quire.output.export import html

from .results import BOX, block, item, report, result, table

VOID = {"meta"}


class Tree(HTMLParser):
    """Checks that tags close in order, and keeps their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def body(*blocks) -> str:
    return html(result(*blocks)).split("<body>\n")[1].split("\n</body>")[0]


def test_the_page_stands_by_itself_and_its_tags_close():
    tree = Tree(html(report()))
    assert tree.of("meta") == [{"charset": "utf-8"}]
    assert not tree.of("script") and not tree.of("link") and not tree.of("img")


def test_every_block_of_the_text_has_its_id_page_and_box():
    found = {a["id"]: a for _, a in Tree(html(report())).found if "id" in a}
    assert set(found) == {b.id for b in report().blocks if b.kind not in ("header", "footer", "page_number")}
    assert found["p2-b1"]["data-page"] == "2"
    assert found["p2-b1"]["data-bbox"] == "0.1 0.1 0.8 0.3"


def test_a_block_in_several_places_names_them_all():
    written = body(block("paragraph", "x", parts=(Part(1, BOX), Part(2, BOX))))
    assert 'data-parts="1: 0.1 0.1 0.5 0.05; 2: 0.1 0.1 0.5 0.05"' in written


def test_every_cell_has_its_page_and_box():
    tree = Tree(html(result(table([["a"], ["b"]], pages=[1, 2]))))
    assert tree.of("th") == [{"data-page": "1", "data-bbox": "0.1 0.2 0.2 0.05"}]
    assert tree.of("td") == [{"data-page": "2", "data-bbox": "0.1 0.25 0.2 0.05"}]


def test_spans_of_cells_are_kept_and_gaps_filled():
    tree = Tree(html(result(table([["a", None], [None, "b"], [None, None]], spans={(0, 0): (2, 1)}))))
    assert tree.of("th")[0]["rowspan"] == "2"
    assert len(tree.of("tr")) == 3
    assert len(tree.of("td")) == 4 and len(tree.of("th")) == 1


def test_a_cell_that_reaches_out_of_the_header_is_not_cut():
    source = result(table([["a", "b"], [None, "c"]], spans={(0, 0): (2, 1)}))
    assert not Tree(html(source)).of("thead")
    assert Tree(html(result(table([["a"], ["b"]])))).of("thead")


def test_lists_nest():
    written = body(item("a"), item("b", "1.", 2), item("c", "2.", 2), item("d"))
    shape = "".join(f"<{tag}>" for tag, _ in Tree(written).found)
    assert shape == "<ul><li><ol><li><li><li>"
    assert "•" not in written and 'value="2"' in written


def test_markers_that_a_browser_would_print_differently_stay_in_the_text():
    assert "(a) first</li>" in body(item("first", "(a)"))


def test_captions_belong_to_their_figure_and_table():
    written = html(report())
    assert "<figcaption" in written and "<caption" in written
    assert '<p id="p1-b9"' not in written


def test_text_is_never_markup():
    bad = "<script>alert('x')</script>\" onload=\"&"
    harmful = (Span(0, 5, link='javascript:alert("x")'), Span(5, 9, link='https://a.org/"><script>'))
    blocks = [block(kind, bad, id=f"b-{kind}", spans=harmful) for kind in ("title", "paragraph", "code", "formula")]
    tree = Tree(html(result(*blocks, item(bad), table([[bad]]), block("figure", bad, id='"><script>'))))
    assert not tree.of("script")
    assert all("onload" not in attributes for _, attributes in tree.found)
    assert [a["href"] for a in tree.of("a")] == ['https://a.org/"><script>'] * 2


def test_text_from_right_to_left_says_so():
    assert 'dir="auto"' in body(block("paragraph", "שלום עולם"))
    assert 'dir="auto"' not in body(block("paragraph", "naïve"))


def test_emphasis_and_scripts_are_tags():
    written = body(block("paragraph", "x2 y", spans=(Span(1, 2, superscript=True), Span(3, 4, bold=True, italic=True))))
    assert "x<sup>2</sup> <strong><em>y</em></strong>" in written


def test_links_within_the_document_lead_to_the_first_block_of_the_page():
    written = body(
        block("paragraph", "see", id="a", spans=(Span(0, 3, link="#page=2"),)), block("paragraph", id="b", page=2)
    )
    assert '<a href="#b">see</a>' in written


def test_an_empty_document_is_an_empty_page():
    assert Tree(html(result())).of("body") == [{}]

from __future__ import annotations

import html
import random
import re

import pytest
from markdown_it import MarkdownIt

from quire.core.types import BBox, Span
from quire.output.export import markdown
from quire.output.export._figures import FigureView
from quire.output.export._markdown import of_blocks

from .results import block, item, report, result, table


def rendered(text: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)


def paragraph(text: str, *spans: Span) -> str:
    return markdown(result(block("paragraph", text, spans=spans))).rstrip("\n")


def test_headings_stand_below_the_title():
    written = markdown(result(block("title", "T"), block("heading", "H", level=1), block("heading", "HH", level=2)))
    assert written == "# T\n\n## H\n\n### HH\n"


def test_without_a_title_headings_begin_at_the_top():
    assert markdown(result(block("heading", "H", level=1), block("heading", "deep", level=9))) == "# H\n\n###### deep\n"


def test_a_heading_carries_no_emphasis_and_keeps_its_number():
    written = markdown(result(block("heading", "1. Scope", level=1, spans=(Span(0, 8, bold=True),))))
    assert written == "# 1. Scope\n"


def test_a_heading_that_ends_with_a_hash_keeps_it():
    assert "F #" in rendered(markdown(result(block("heading", "F #", level=1))))


def test_lines_of_a_paragraph_flow():
    assert paragraph("one\ntwo \n three") == "one two three"


@pytest.mark.parametrize(
    ("text", "flowed"),
    [
        ("日本語の\n文章。", "日本語の文章。"),
        ("中文\nEnglish", "中文 English"),
        ("한국어\n문장", "한국어 문장"),
        ("שלום\nעולם", "שלום עולם"),
    ],
)
def test_only_scripts_without_spaces_are_joined_without_one(text, flowed):
    assert paragraph(text) == flowed


def test_headers_footers_and_page_numbers_are_left_out():
    written = markdown(report())
    assert "Annual report" not in written and "Confidential" not in written


def test_a_figure_without_text_leaves_a_trace():
    assert markdown(result(block("figure"), block("caption", "Figure 1"))) == "![figure](#p1-figure-0)\n\nFigure 1\n"


def test_sentences_and_values_in_a_figure_are_shown_and_axis_labels_on_request():
    words = "Sales rose in every region\n2019\t2020\t2021\nBalance Due:\t$127.50\n" + "\n".join("987654")
    chart = result(block("figure", words))
    assert markdown(chart).splitlines()[2:] == ["Sales rose in every region  ", "Balance Due: $127.50"]
    everything = of_blocks(chart.blocks, FigureView(labels=True))
    assert everything.splitlines()[3:6] == ["2019 2020 2021  ", "Balance Due: $127.50  ", "9  "]


def test_an_ornament_in_a_corner_leaves_no_trace():
    corner = block("figure", bbox=BBox(0.9, 0.0, 0.1, 0.2))
    assert markdown(result(corner)) == ""


def test_an_empty_document_is_an_empty_text():
    assert markdown(result()) == ""


def test_lists_nest_under_the_text_of_their_item():
    written = markdown(
        result(item("a", "9."), item("b", "10."), item("c", "•", 2), item("d", "–", 3), item("e", "11.", 1))
    )
    assert written == "9. a\n10. b\n    - c\n      - d\n11. e\n"
    assert rendered(written).count("<ul>") == 2


def test_a_list_that_begins_deep_or_skips_a_level_stays_a_list():
    assert markdown(result(item("a", level=3), item("b", level=1), item("c", level=4))) == "- a\n- b\n  - c\n"


def test_letters_and_dotted_numbers_stay_readable_as_markers():
    written = markdown(result(item("first", "(a)"), item("second", "1.1")))
    assert written == "- (a) first\n- 1.1 second\n"


def test_boxes_to_tick_stay_in_the_text():
    assert markdown(result(item("agreed", "☑"))) == "- ☑ agreed\n"


def test_a_list_goes_on_over_the_footer_of_a_page():
    written = markdown(result(item("a", "1."), block("footer", "x"), block("header", "y"), item("b", "2.")))
    assert written == "1. a\n2. b\n"


def test_simple_tables_are_pipes_with_one_header_row():
    written = markdown(result(table([["a|b", "c\nd"], ["", None]], header=0)))
    assert written == "| a\\|b | c d |\n| --- | --- |\n|  |  |\n"
    assert rendered(written).count("<th>") == 2 and "a|b" in rendered(written)


def test_a_backslash_before_a_pipe_survives():
    assert r"a\|b" in rendered(markdown(result(table([[r"a\|b"], ["c"]]))))


def test_tables_with_spans_are_html_without_gaps():
    written = markdown(
        result(table([["wide", None, "x"], ["<b>", "2 & 3", None], ["y", None, "z"]], spans={(0, 0): (1, 2)}))
    )
    assert written == (
        '<table>\n<tr><th colspan="2">wide</th><th>x</th></tr>\n'
        "<tr><td>&lt;b&gt;</td><td>2 &amp; 3</td><td></td></tr>\n"
        "<tr><td>y</td><td></td><td>z</td></tr>\n</table>\n"
    )


def test_several_header_rows_need_html():
    assert markdown(result(table([["a"], ["b"], ["c"]], header=2))).count("<th>") == 2


def test_a_table_without_cells_is_left_out():
    assert markdown(result(table([[None]]))) == ""


def test_code_keeps_its_lines_and_its_backticks():
    assert markdown(result(block("code", "a\n```\n  b"))) == "````\na\n```\n  b\n````\n"


def test_formulas_are_marked_only_when_they_are_latex():
    assert markdown(result(block("formula", r"\frac{a}{b}"))) == "$$\n\\frac{a}{b}\n$$\n"
    assert markdown(result(block("formula", "E = m\nc"))) == "E = m c\n"


def test_emphasis_links_and_code_are_kept():
    text = "bold italic both code link."
    spans = (
        Span(0, 4, bold=True),
        Span(5, 11, italic=True),
        Span(12, 16, bold=True, italic=True),
        Span(17, 21, code=True),
        Span(22, 26, link="https://example.org/a_(b)"),
    )
    assert paragraph(text, *spans) == "**bold** *italic* ***both*** `code` [link](https://example.org/a_%28b%29)."


def test_spans_of_neighbouring_words_become_one():
    assert paragraph("two words here", Span(0, 3, bold=True), Span(4, 9, bold=True)) == "**two words** here"


def test_white_space_at_the_edge_of_a_span_stays_outside():
    assert paragraph("a bold word", Span(1, 7, bold=True)) == "a **bold** word"


def test_emphasis_goes_on_over_a_line_break():
    assert paragraph("a bold\nword", Span(2, 11, bold=True)) == "a **bold word**"


def test_crossing_spans_never_break_the_text():
    written = paragraph("abcdefgh", Span(0, 5, bold=True), Span(3, 8, italic=True))
    plain = html.unescape(rendered(written))
    for tag in ("<p>", "</p>", "<strong>", "</strong>", "<em>", "</em>", "\n"):
        plain = plain.replace(tag, "")
    assert plain == "abcdefgh"


def test_emphasis_that_markdown_would_not_read_is_dropped():
    assert paragraph("(note:)next", Span(0, 7, bold=True)) == "(note:)next"


def test_spans_outside_the_text_do_no_harm():
    assert paragraph("abc", Span(-2, 99, bold=True), Span(5, 7, italic=True)) == "**abc**"


@pytest.mark.parametrize(
    ("text", "raised", "shown"),
    [
        ("10−2", "−2", "10⁻²"),
        ("x2", "2", "x²"),
        ("cm−1", "−1", "cm⁻¹"),
        ("passengers1", "1", "passengers¹"),
        ("word1,12", "1,12", "word¹,¹²"),
        ("xn", "n", "x<sup>n</sup>"),
        ("Madame", "ame", "Madame"),
    ],
)
def test_marks_of_notes_and_powers_are_superscripts(text: str, raised: str, shown: str):
    assert paragraph(text, Span(len(text) - len(raised), len(text), superscript=True)) == shown


def test_a_subscript_behind_a_digit_is_marked():
    assert paragraph("P23 and H2O", Span(2, 3, subscript=True), Span(9, 10, subscript=True)) == "P2<sub>3</sub> and H2O"


def test_a_line_may_begin_with_a_superscript():
    assert paragraph("1 Note", Span(0, 1, superscript=True)) == "¹ Note"


def test_addresses_links_within_the_document_and_harmful_links_are_only_text():
    assert paragraph("https://a.org", Span(0, 13, link="https://a.org/")) == "https://a.org"
    assert paragraph("https://a.org/\nb", Span(0, 16, link="https://a.org/b")) == "https://a.org/ b"
    assert paragraph("see 3", Span(0, 5, link="#page=3")) == "see 3"
    assert paragraph("click", Span(0, 5, link="JavaScript:alert(1)")) == "click"


def test_brackets_in_the_text_of_a_link_do_not_end_it():
    assert 'href="https://a.org">[1]</a>' in rendered(paragraph("[1]", Span(0, 3, link="https://a.org")))


def test_the_marker_of_an_item_is_not_part_of_its_emphasis():
    assert markdown(result(item("x y", spans=(Span(0, 3, bold=True),)))) == "- **x** y\n"


@pytest.mark.parametrize(
    "text",
    [
        "# not a heading",
        "1. not a list",
        "2024) neither",
        "- dash",
        "+ plus",
        "* star",
        "> quoted",
        "---",
        "* * *",
        "===",
        "```",
        "~~~",
        "a*b*c and _d_ and __init__",
        "**bold**",
        "<script>alert(1)</script>",
        "<div",
        "<!-- hidden -->",
        "<https://example.org>",
        "AT&amp;T &copy; &#35;",
        "[text](https://example.org)",
        "![text](https://example.org)",
        "[1]: https://example.org",
        "`code` and ``more``",
        r"back\*slash \# \\",
        "~~gone~~",
        "* a *b* c",
    ],
)
def test_text_that_looks_like_markup_reads_as_printed(text):
    shown = rendered(markdown(result(block("paragraph", text))))
    assert html.unescape(shown) == f"<p>{text}</p>\n"


@pytest.mark.parametrize(
    "text",
    [
        "5 * 3 = 15, a_b_c, x < y > z, p < 0.05*, C#, AT&T, R&D; 50 % [1] (a)",
        "* p<0.05"[2:],
        "costs $5 and 3.5. Then-some + more",
        "snake_case_name *",
        "1.5 million",
        "#hashtag",
        "-5 degrees",
    ],
)
def test_text_that_needs_no_escape_has_none(text):
    assert paragraph(text) == text


@pytest.mark.slow
def test_whatever_is_marked_the_text_reads_as_printed():
    dice = random.Random(7)
    pieces = [*"ab 1.*_`~[]()<>#-+!&;:\\|=", "**", "__", "](", "&lt;", "<b>"]
    for _ in range(3000):
        text = " ".join("".join(dice.choices(pieces, k=dice.randint(1, 9))).split())
        start, middle, end = sorted(dice.choices(range(len(text) + 1), k=3))
        written = paragraph(text, Span(start, end, bold=True), Span(middle, len(text), italic=True)) if text else ""
        shown = re.sub("</?(em|strong|p)>|\n", "", rendered(written))
        assert html.unescape(shown) == text, written


def test_an_exclamation_mark_before_a_link_makes_no_picture():
    assert "<img" not in rendered(paragraph("Look!here", Span(5, 9, link="https://a.org")))


def test_the_same_input_gives_the_same_text():
    assert markdown(report()) == markdown(report())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $5 and $6.", "It costs $5 and $6."),
        ("from US$5-US$6 each", "from US\\$5-US\\$6 each"),
        ("only $5", "only $5"),
    ],
)
def test_amounts_that_could_be_read_as_a_formula_are_escaped(text, expected):
    assert markdown(result(block("paragraph", text))) == f"{expected}\n"


def test_dollars_beside_a_formula_are_escaped():
    text = "It costs $5, where x2 is the weight."
    at = text.index("x2")
    made = block("paragraph", text, spans=(Span(at, at + 2, latex="x^{2}"),))
    assert markdown(result(made)) == "It costs \\$5, where $x^{2}$ is the weight.\n"

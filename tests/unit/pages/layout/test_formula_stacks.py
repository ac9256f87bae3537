"""Formulas with labels, braces, arrows that grow, stacked dots and rows, at the places where a typesetter puts them."""

from __future__ import annotations

from quire.core.pagetext import LINE, SPACE
from quire.output import export
from tests.unit.output.export.results import result
from tests.unit.pages.layout.test_formulas import Board, between, display, latex

NEXT = SPACE | LINE


def large(board: Board, x: float, y: float, text: str, *, width: float, top: float, bottom: float) -> None:
    """A sign of the font of large symbols, with the box that is drawn."""
    board.at(x, y, text, "large", flag=NEXT)
    board.boxes[-4:] = [x, top, x + width, bottom]


def under_brace(board: Board, left: float, right: float, y: float) -> None:
    """A brace below a row: two ends, the tip, and the rules between them."""
    middle = (left + right) / 2
    large(board, left, y + 4, "|", width=4.8, top=y, bottom=y + 3.3)
    large(board, middle - 4.5, y + 6, "{z", width=9.1, top=y + 2, bottom=y + 5.4)
    large(board, right - 4.8, y + 4, "}", width=4.8, top=y, bottom=y + 3.3)
    board.rule(left + 4.8, middle - 4.5, y + 2.7).rule(middle + 4.5, right - 4.8, y + 2.7)


def test_a_brace_below_a_row_has_the_row_and_the_label_below_it():
    board = Board().put("a").put("+", "text", gap=2.2).put("a", gap=2.2).put("+", "text", gap=2.2).put("b", gap=2.2)
    under_brace(board, 200, board.x, 302)
    board.at(204, 315, "n", size=7, flag=NEXT).at(209.5, 315, "times", "text", size=7)
    assert latex(board) == r"\underbrace{a + a + b}_{n\mathrm{times}}"


def test_a_brace_whose_content_is_elsewhere_is_unsure():
    board = Board()
    under_brace(board, 200, 240, 302)
    board.at(262, 300, "x", flag=NEXT).at(270, 300, "=", "text").at(280, 300, "y")
    assert any(span.unsure for block in between(board).blocks() for span in block.spans if span.latex)


def test_a_word_above_a_relation_is_its_label():
    board = Board().put("x").at(207, 294.3, "def", "text", size=7)
    board.at(208.5, 300, "=", "text", flag=NEXT).at(217, 300, "y")
    assert latex(board) == r"x \stackrel{\mathrm{def}}{=} y"


def test_an_exponent_before_a_relation_is_no_label_of_it():
    board = Board().put("x").put("2", "text", size=7, up=4).put("=", "text", gap=2.8).put("y", gap=2.8)
    assert latex(board) == "x^{2} = y"


def test_an_arrow_of_several_parts_grows_with_its_label():
    board = Board().put("A").at(212.5, 294, "f", size=7)
    board.at(208, 300, "−", "symbols", flag=NEXT).at(210, 300, "→", "symbols", flag=NEXT).at(221, 300, "B")
    assert latex(board) == r"A \xrightarrow{f} B"


def test_dots_below_each_other_and_falling_ones_are_one_sign():
    board = Board().put("x").put("=", "text", gap=2.8)
    for step in range(3):
        board.at(216, 292 + 4 * step, ".", "text", flag=NEXT)
    for step in range(3):
        board.at(226 + 4 * step, 293 + 3 * step, ".", "text", flag=NEXT)
    board.at(244, 300, "y", flag=NEXT)
    assert latex(board) == r"x = \vdots\ddots y"


def test_a_flat_letter_of_the_large_symbols_is_a_wide_accent():
    board = Board().put("A").put("B").put("=", "text", gap=2.8).put("C", gap=2.8)
    large(board, 201, 293, "c", width=8, top=289.5, bottom=291.5)
    assert latex(board) == r"\widehat{AB} = C"


def test_a_wide_bracket_of_the_large_symbols_is_a_union():
    board = Board().put("A").put("=", "text", gap=2.8)
    large(board, 216, 300, "[", width=11, top=290.5, bottom=304.4)
    board.at(220, 311.7, "i", size=7, flag=NEXT)
    board.at(229, 300, "B", flag=NEXT)
    assert latex(board) == r"A = \bigcup_{i}B"


def test_two_rows_below_a_sum_are_stacked():
    board = Board().put("s").put("=", "text", gap=2.8).at(220, 300, "∑", "large")
    board.at(221.5, 314, "i", size=7, flag=NEXT).at(225, 314, "<", size=7, flag=0).at(228.5, 314, "n", size=7, flag=0)
    board.at(221.5, 321, "j", size=7, flag=NEXT).at(225, 321, "<", size=7, flag=0).at(228.5, 321, "m", size=7, flag=0)
    board.at(236, 300, "a", flag=NEXT)
    assert latex(board) == r"s = \sum_{\substack{i < n \\ j < m}}a"


def test_a_slash_through_a_relation_negates_it():
    board = Board().put("x").put("∈", "symbols", gap=2.8)
    board.at(board.x - 6.5, 300, "/", flag=0)
    board.at(board.x + 2.8, 300, "C")
    assert latex(board) == r"x \notin C"


def test_a_bar_with_the_space_of_a_relation_is_one():
    board = Board().put("P(A", "math").put("|", "symbols", gap=2.8).put("B)", gap=2.8).put("=", "text", gap=2.8)
    assert latex(board.put("x", gap=2.8)) == r"P(A\mid B) = x"


def test_scripts_after_a_space_belong_to_what_follows():
    board = Board().put("x").put("→", "symbols", gap=2.8).put("14", "text", size=7, up=4, gap=2.8).put("N", "text")
    assert latex(board) == r"x \rightarrow {}^{14}\mathrm{N}"


def test_an_index_below_behind_an_index_above_is_that_of_a_tensor():
    board = Board().put("T").put("a", size=7, up=4).put("b", size=7, up=-2.5).put("=", "text", gap=2.8)
    assert latex(board.put("g", gap=2.8)) == "T^{a}{}_{b} = g"


def test_the_upper_limit_is_one_name():
    board = Board().put("lim", "text").put("sup", "text", gap=1.6).put("a", gap=1.6).put("=", "text", gap=2.8)
    board.at(209, 308, "n", size=7, flag=NEXT).at(262, 300, "b", flag=NEXT)
    assert latex(board) == r"\limsup_{n}a = b"


def test_rows_that_are_set_tight_are_one_formula():
    board = Board().put("x").put("=", "text", gap=2.8).put("1", "text", gap=2.8)
    board.at(190, 313, "y", flag=NEXT).at(198, 313, "+").at(206, 313, "z").at(214, 313, "=").at(222, 313, "2", "text")
    assert latex(board).count("&=") == 2


def test_a_formula_alone_at_the_foot_of_a_page_is_no_footer():
    board = Board().line(72, 100, "The crew of the ship wrote down what follows from the height of the tide")
    board.line(72, 112, "in the bay and the wind over the sea, which was strong on that day.")
    board.at(280, 770, "x", flag=NEXT).at(288, 770, "≤", "symbols").at(299, 770, "y")
    assert [block.kind for block in board.blocks()] == ["paragraph", "formula"]


def test_html_shows_braces_labels_arrows_and_stacks():
    board = Board().put("x").at(207, 294.3, "def", "text", size=7)
    board.at(208.5, 300, "=", "text", flag=NEXT).at(217, 300, "y")
    html = export.html(result(display(board)))
    assert '<mover><mrow><mo>=</mo></mrow><mrow><mi mathvariant="normal">def</mi></mrow></mover>' in html

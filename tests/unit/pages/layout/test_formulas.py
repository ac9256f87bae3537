"""Formulas of born-digital pages as LaTeX: set with the fonts, sizes, baselines and rules of a typesetter."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from quire.core.fonts import Font
from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import Block
from quire.output import export
from quire.pages.layout import page_blocks
from tests.unit.output.export.results import result

FONTS = {
    "text": Font("CMR10"),
    "emphasis": Font("CMTI10"),
    "math": Font("CMMI10"),
    "symbols": Font("CMSY10"),
    "large": Font("CMEX10"),
    "bold": Font("CMBX10"),
    "double": Font("MSBM10"),
}
NAMES = list(FONTS)
WIDTHS = {"large": 1.0, "symbols": 0.78}


@dataclass
class Board:
    """A page on which runs are put where a typesetter puts them."""

    texts: list[str] = field(default_factory=list)
    boxes: list[float] = field(default_factory=list)
    baselines: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    fonts: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    rulings: list[float] = field(default_factory=list)
    images: list[float] = field(default_factory=list)
    x: float = 200.0
    y: float = 300.0

    def put(self, text: str, font: str = "math", *, size: float = 10.0, up: float = 0.0, gap: float = 0.0) -> Board:
        """A run behind the last one; `up` raises its baseline, a wide `gap` is a space."""
        start = self.x + gap
        self.at(start, self.y - up, text, font, size=size, flag=SPACE if gap > 2 else 0)
        self.x = self.boxes[-2]
        return self

    def at(self, x: float, y: float, text: str, font: str = "math", *, size: float = 10.0, flag: int = SPACE) -> Board:
        first = LINE if not self.texts or flag & LINE else 0
        width = WIDTHS.get(font, 0.5) * size * len(text)
        height = (0.75, 0.25) if font != "large" else (1.0, 0.5)
        self.texts.append(text)
        self.boxes += [x, y - height[0] * size, x + width, y + height[1] * size]
        self.baselines.append(y)
        self.sizes.append(size)
        self.fonts.append(NAMES.index(font))
        self.flags.append(flag | first)
        return self

    def line(self, x: float, y: float, words: str) -> Board:
        """A line of text from x on."""
        for number, word in enumerate(words.split()):
            self.at(x, y, word, "text", flag=SPACE | (0 if number else LINE))
            x = self.boxes[-2] + 3.3
        self.x, self.y = x - 3.3, y
        return self

    def rule(self, left: float, right: float, y: float) -> Board:
        self.rulings += [left, y, right, y, 0.4]
        return self

    def page(self) -> PageText:
        count = len(self.texts)
        return PageText(
            number=1,
            width=600.0,
            height=800.0,
            rotation=0,
            chars=sum(map(len, self.texts)),
            unmapped=0,
            invisible=0,
            font_table=list(FONTS.values()),
            links=[],
            fields=[],
            tags=[],
            texts=self.texts,
            boxes=self.boxes,
            baselines=self.baselines,
            sizes=self.sizes,
            colors=[0] * count,
            fonts=self.fonts,
            angles=[0] * count,
            mcids=[-1] * count,
            flags=self.flags,
            rulings=self.rulings,
            rects=[],
            rect_colors=[],
            images=self.images,
            drawings=[],
        )

    def blocks(self) -> tuple[Block, ...]:
        return page_blocks(self.page()).blocks


def between(draw: Board) -> Board:
    """What was drawn, with a line of text far above and one far below."""
    board = Board().line(72, 100, "The crew of the ship wrote down what follows from the height of the tide in the bay")
    for name in ("texts", "boxes", "baselines", "sizes", "fonts", "flags", "rulings", "images"):
        getattr(board, name).extend(getattr(draw, name))
    board.flags[-len(draw.flags)] |= LINE
    return board.line(72, 500, "and therefore nothing in the harbour moves before the morning of the next day comes")


def display(draw: Board) -> Block:
    """The only formula between two lines of text."""
    blocks = between(draw).blocks()
    assert [block.kind for block in blocks] == ["paragraph", "formula", "paragraph"]
    return blocks[1]


def latex(draw: Board) -> str:
    formula = display(draw).latex
    assert formula is not None
    return formula


def test_scripts_are_known_by_their_size_and_baseline():
    board = Board().put("E").put("=", "text", gap=2.8).put("mc", gap=2.8).put("2", "text", size=7, up=4)
    assert latex(board) == "E = mc^{2}"


def test_both_scripts_of_one_letter_are_its_own():
    board = Board().put("x").put("2", "text", size=7, up=4)
    board.x -= 3.5
    board.put("i", size=7, up=-2.5).put("+", "text", gap=2.2).put("y", gap=2.2)
    assert latex(board) == "x_{i}^{2} + y"


def test_a_script_has_scripts():
    board = (
        Board().put("e").put("x", size=7, up=4).put("2", "text", size=5, up=6.9).put("+", "text", gap=3).put("1", gap=3)
    )
    assert latex(board) == "e^{x^{2}} + 1"


def test_a_rule_between_two_parts_is_a_fraction():
    board = Board().put("y").put("=", "text", gap=2.8)
    board.at(220, 293.2, "a", flag=SPACE | LINE).at(220, 306.9, "b", flag=SPACE | LINE).rule(219, 226, 297.5)
    assert latex(board) == r"y = \frac{a}{b}"


def test_a_thin_bitmap_is_a_rule_too():
    board = Board().put("y").put("=", "text", gap=2.8)
    board.at(220, 293.2, "a", flag=SPACE | LINE).at(220, 306.9, "b", flag=SPACE | LINE)
    board.images += [219, 297.2, 226, 297.8]
    assert latex(board) == r"y = \frac{a}{b}"


def test_a_rule_behind_a_root_sign_covers_what_is_below_it():
    board = Board().put("r").put("=", "text", gap=2.8).at(220, 292.4, "√", "symbols")
    left = board.boxes[-2]
    board.at(left, 300, "x", flag=0).at(left + 7.2, 300, "+", "text").at(left + 14.4, 300, "1", "text")
    board.rule(left, left + 20, 292.0)
    assert latex(board) == r"r = \sqrt{x + 1}"


def test_limits_of_a_sum_stand_above_and_below_it():
    board = Board().put("s").put("=", "text", gap=2.8).at(220, 300, "∑", "large", size=10)
    board.at(221.5, 287.5, "∞", "symbols", size=7, flag=SPACE | LINE)
    board.at(217.5, 314, "n", size=7, flag=SPACE | LINE).at(221, 314, "=0", "text", size=7, flag=0)
    board.at(232, 300, "a", flag=SPACE | LINE).at(237, 301.5, "n", size=7, flag=0)
    assert latex(board) == r"s = \sum_{n = 0}^{\infty}a_{n}"


def test_a_tall_bracket_around_rows_is_a_matrix():
    board = Board().put("A").put("=", "text", gap=2.8)
    board.at(218, 300, "[", "large", size=24)
    board.sizes[-1] = 10
    for row, pair in enumerate(("ab", "cd")):
        for column, letter in enumerate(pair):
            board.at(245 + 20 * column, 294 + 14 * row, letter, flag=SPACE | LINE)
    board.at(275, 300, "]", "large", size=24, flag=SPACE | LINE)
    board.sizes[-1] = 10
    assert latex(board) == r"A = \begin{bmatrix} a & b \\ c & d \end{bmatrix}"


def test_rows_of_a_formula_are_aligned_at_their_relations():
    board = Board().put("x").put("=", "text", gap=2.8).put("1", "text", gap=2.8)
    board.x, board.y = 200.0, 317.0
    board.at(200, 317, "y", flag=SPACE | LINE)
    board.x = board.boxes[-2]
    board.put("=", "text", gap=2.8).put("2", "text", gap=2.8)
    assert latex(board) == "\\begin{aligned}\nx &= 1 \\\\\ny &= 2\n\\end{aligned}"


def test_alphabets_follow_from_fonts_and_names_of_functions_are_commands():
    board = Board().put("v", "bold").put("∈", "symbols", gap=2.8).put("R", "double", gap=2.8).put("n", size=7, up=4)
    board.put(",").put("sin", "text", gap=2.8).put("α", gap=2)
    assert latex(board) == r"\mathbf{v} \in \mathbb{R}^{n},\sin\alpha"


def test_the_number_of_an_equation_is_beside_the_formula():
    board = Board().put("E").put("=", "text", gap=2.8).put("mc", gap=2.8).put("2", "text", size=7, up=4)
    board.at(480, 300, "(3)", "text", flag=SPACE | LINE)
    block = display(board)
    assert block.latex == "E = mc^{2}"
    assert block.text == "E = mc2 (3)"


def test_what_cannot_be_composed_is_unsure():
    board = Board().put("E").put("=", "text", gap=2.8).put("√", "symbols", gap=2.8).put("x")
    (span,) = (span for span in display(board).spans if span.latex)
    assert span.unsure


def sentence() -> Board:
    board = Board().line(72, 100, "The height of the tide depends on")
    board.put("x", gap=3.3).put("1", "text", size=7, up=-1.5).put("=", "text", gap=2.8).put("α", gap=2.8)
    board.put(".", "text").put("The", "text", gap=3.3).put("harbour", "text", gap=3.3)
    return board.line(72, 112, "is empty in the morning, and nobody is there to see it at the quay.")


def test_a_formula_in_a_sentence_is_a_span_and_the_characters_stay():
    (block,) = sentence().blocks()
    (span,) = (span for span in block.spans if span.latex)
    assert span.latex == r"x_{1} = \alpha"
    assert block.text[span.start : span.end] == "x1 = α"
    assert block.text.startswith("The height of the tide depends on x1 = α. The harbour\nis empty")


def test_a_fraction_in_a_sentence_does_not_tear_its_line():
    board = Board().line(72, 100, "The height of the tide depends on")
    board.put("α", gap=3.3).put("=", "text", gap=2.8)
    x = board.x + 3
    board.at(x, 96, "1", "text", size=7, flag=SPACE | LINE).at(x, 104.5, "2", "text", size=7, flag=SPACE | LINE)
    board.rule(x, x + 3.5, 97.5)
    board.line(x + 7, 100, "of the moon, and the harbour")
    board.line(72, 112, "is empty in the morning, and nobody is there to see it at the quay.")
    (block,) = board.blocks()
    (span,) = (span for span in block.spans if span.latex)
    assert span.latex == r"\alpha = \frac{1}{2}"


def test_a_word_in_italics_is_no_formula():
    board = Board().line(72, 100, "The captain said that it was").put("a", "emphasis", gap=3.3)
    board.put("very", "emphasis", gap=3.3).put("long", "emphasis", gap=3.3).put("journey", "text", gap=3.3)
    (block,) = board.line(72, 112, "and that he would never go to sea again in his whole life.").blocks()
    assert not any(span.latex for span in block.spans)


def test_prose_on_a_page_without_formulas_has_no_dollars():
    board = Board().line(72, 100, "The ship cost 5 or 6 times as much in the year 1923 as before")
    (block,) = board.line(72, 112, "and that was too much [3] for the owners (see page 12).").blocks()
    assert not any(span.latex for span in block.spans)


@pytest.mark.parametrize("numbered", [True, False])
def test_markdown_writes_formulas_between_dollars(numbered):
    board = Board().put("E").put("=", "text", gap=2.8).put("mc", gap=2.8).put("2", "text", size=7, up=4)
    if numbered:
        board.at(480, 300, "(3)", "text", flag=SPACE | LINE)
    markdown = export.markdown(result(display(board), *sentence().blocks()))
    assert markdown.startswith("$$\nE = mc^{2}\n$$\n\n" + ("(3)\n\n" if numbered else ""))
    assert r"depends on $x_{1} = \alpha$. The harbour is empty" in markdown


def test_html_writes_formulas_as_mathml():
    board = Board().put("y").put("=", "text", gap=2.8)
    board.at(220, 293.2, "a", flag=SPACE | LINE).at(220, 306.9, "b", flag=SPACE | LINE).rule(219, 226, 297.5)
    html = export.html(result(display(board)))
    assert '<math display="block">' in html
    assert "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>" in html
    assert r"y = \frac{a}{b}</annotation>" in html

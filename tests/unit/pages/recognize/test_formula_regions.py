"""Which parts of a recognised page look like a formula, and which do not."""

from __future__ import annotations

import pytest

from quire.core.engine import Recognition
from quire.core.types import BBox
from quire.pages.recognize.formula_regions import formula_regions
from quire.pages.recognize.seen import Seen
from tests.unit.pages.recognize.seen import A_PAGE, line, prepared

ABOVE = (
    line("Several words of ordinary prose stand above the formula of this page", 40, 100),
    line("and they continue over another line of the very same paragraph here", 40, 118),
)
BELOW = (
    line("After the display the sentence continues with other ordinary words", 40, 240),
    line("until the last line of this rather short column is finally reached", 40, 258),
)
MIDDLE = 240.0  # points: that of the column


def centred(text: str, top: float, *, size: float = 12.0):
    return line(text, MIDDLE - 0.25 * size * len(text), top, size=size)


def boxes(*lines) -> list[BBox]:
    readings = [Recognition("fake", (*ABOVE, *lines, *BELOW))]
    return [region.bbox for region in formula_regions(Seen(prepared()), readings)]


def holds(box: BBox, *lines) -> bool:
    return all(
        box.left <= one.bbox.left
        and one.bbox.right <= box.right
        and box.top <= one.bbox.top
        and one.bbox.bottom <= box.bottom
        for one in lines
    )


def test_a_centred_equation_is_a_region_that_leaves_the_text_out():
    equation = centred("E = mc2", 178)
    [box] = boxes(equation)
    assert holds(box, equation)
    assert max(one.bbox.bottom for one in ABOVE) < box.top
    assert box.bottom < min(one.bbox.top for one in BELOW)


def test_the_pieces_of_a_fraction_are_one_region():
    pieces = [centred("αβxa-1", 168), line("hk =", MIDDLE - 60, 178), centred("√1 + κ2x2", 186)]
    [box] = boxes(*pieces)
    assert holds(box, *pieces)


def test_two_equations_with_white_space_between_them_are_two_regions():
    assert len(boxes(centred("a = b + c", 150), centred("d = e − f", 200))) == 2


def test_the_number_of_an_equation_is_not_read_as_part_of_it():
    equation, number = centred("x = y + z", 178), line("(3.2)", 410, 178)
    [box] = boxes(equation, number)
    assert holds(box, equation)
    assert box.right <= number.bbox.left


@pytest.mark.parametrize("text", ["(n − 1)(n + 1)", "d log d + k2 + γ", "φ(x) ∈ Rd", "1/(1 ± x)2"])
def test_an_expression_needs_no_equals_sign(text):
    assert len(boxes(centred(text, 178))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "A–Z",
        "Smith + Sons",
        "+49 30 1234",
        "Results",
        "Total 1,204.50",
        "12.50 EUR",
        "– 7 –",
        "Figure 3",
        "A. B. Smith",
        "(continued)",
        "2019-2021",
        "* * *",
    ],
)
def test_centred_words_and_figures_are_no_formula(text):
    assert boxes(centred(text, 178)) == []


def test_a_last_line_of_a_paragraph_is_no_formula():
    assert boxes(line("p = 0.05.", 40, 136)) == []


def test_a_formula_beside_words_belongs_to_their_line():
    assert boxes(line("where", 60, 178), centred("x = y", 178)) == []


def test_a_page_without_text_has_no_formula():
    lines = [line("Subtotal = 12", 100, 100), line("x = y", 100, 130)]
    assert formula_regions(Seen(prepared()), [Recognition("fake", tuple(lines))]) == ()


def test_regions_say_how_high_the_lines_around_them_are():
    [region] = formula_regions(Seen(prepared()), [Recognition("fake", (*ABOVE, centred("E = mc2", 178), *BELOW))])
    assert region.attrs == {"line": pytest.approx(1.3 * 12 * prepared().size[1] / A_PAGE[1], abs=0.1)}

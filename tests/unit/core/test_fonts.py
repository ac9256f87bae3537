"""The style of a font, by its name and flags."""

from __future__ import annotations

import pytest

from quire.core.fonts import FIXED_PITCH, FORCE_BOLD, ITALIC, Font


def looks(font: Font) -> set[str]:
    return {name for name in ("bold", "italic", "mono", "math") if getattr(font.look, name)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Times-Roman", set()),
        ("Helvetica", set()),
        ("Helvetica-Bold", {"bold"}),
        ("Times-BoldItalic", {"bold", "italic"}),
        ("Helvetica-Oblique", {"italic"}),
        ("Courier", {"mono"}),
        ("Courier-Bold", {"mono", "bold"}),
        ("Arial-BoldMT", {"bold"}),
        ("Calibri-Light", set()),
        ("Roboto-Black", {"bold"}),
        ("SourceSansPro-Semibold", {"bold"}),
        ("DejaVuSansMono", {"mono"}),
        ("CMBX10", {"bold"}),
        ("CMTI10", {"italic"}),
        ("CMSSBX10", {"bold"}),
        ("SFSX1000", {"bold"}),
        ("CMBXTI10", {"bold", "italic"}),
        ("CMTT10", {"mono"}),
        ("CMR10", set()),
        ("CMSY10", {"math"}),
        ("CambriaMath", {"math"}),
        ("Symbol", {"math"}),
        ("NimbusMonL-Regu", {"mono"}),
        ("AdvTimes-b", {"bold"}),
        ("AdvTimes-i", {"italic"}),
    ],
)
def test_the_name_of_a_font_tells_its_look(name, expected):
    assert looks(Font(name)) == expected


def test_the_letters_of_formulas_are_mathematical_whatever_else_they_are():
    assert "math" in looks(Font("CMMI10"))


@pytest.mark.parametrize(("flag", "look"), [(FIXED_PITCH, "mono"), (ITALIC, "italic"), (FORCE_BOLD, "bold")])
def test_the_flags_of_a_font_tell_what_its_name_does_not(flag, look):
    assert looks(Font("Fleischmann", flags=flag)) == {look}


def test_a_typeface_that_is_known_to_be_proportional_is_not_mono_by_a_wrong_flag():
    assert looks(Font("ArialMT", flags=FIXED_PITCH)) == set()


def test_a_heavy_weight_makes_a_font_bold():
    assert looks(Font("Garamond", weight=700)) == {"bold"}


def test_a_name_that_says_regular_is_stronger_than_the_weight():
    assert looks(Font("Garamond-Regular", weight=700)) == set()


def test_a_font_without_a_name_is_plain():
    assert looks(Font("")) == set()


@pytest.mark.parametrize(
    ("name", "bold", "italic"),
    [
        ("NimbusRomNo9L-Medi", True, False),
        ("NimbusRomNo9L-ReguItal", False, True),
        ("NimbusRomNo9L-MediItal", True, True),
    ],
)
def test_the_fonts_of_tex_papers_are_known_by_their_names(name, bold, italic):
    look = Font(name).look
    assert (look.bold, look.italic) == (bold, italic)

"""Areas of tables given by hand: what they may say, which pages they are for, and where they are found."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.core.table_areas import PatternArea, TableArea, TableOptions, areas_beside, areas_for

BOX = (0.1, 0.2, 0.8, 0.3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "needs a box, columns or tables"),
        ({"box": [0.1, 0.2, 0.8]}, "box is [0.1, 0.2, 0.8]; write [left, top, width, height]"),
        ({"box": "0.1 0.2"}, "box is '0.1 0.2'"),
        ({"box": [10, 20, 300, 200]}, "not on the page"),
        ({"box": [0.5, 0.2, 0.8, 0.1]}, "not on the page"),
        ({"columns": [0.5, 0.3]}, "must rise"),
        ({"columns": 0.3}, "columns is 0.3"),
        ({"box": list(BOX), "columns": [0.05]}, "inside the box"),
        ({"tables": "grid"}, "tables is 'grid'; choose from auto, lines, words, none"),
        ({"columns": [0.3], "tables": "none"}, "is a table"),
        ({"columns": [0.3], "pages": "x"}, "cannot read the pages 'x'"),
        ({"columns": [0.3], "pages": 3}, "pages is 3; write a text like '1-3,7'"),
        ({"column": [0.3]}, "there is no 'column' in an area; known are pages, box, columns, tables"),
        ("left", "an area is 'left'"),
    ],
)
def test_a_wrong_area_is_a_mistake_of_the_caller(given, said):
    with pytest.raises(UsageError) as error:
        TableArea.of_json(given)
    assert said in str(error.value)


def test_an_area_survives_json():
    area = TableArea("2-3", BOX, (0.3, 0.5), "words")
    assert TableArea.of_json(area.to_json()) == area
    assert TableArea(tables="none").to_json() == {"tables": "none"}


def test_a_page_has_its_own_areas_and_the_last_mode_that_is_said_of_it():
    first, last = TableArea("1", BOX), TableArea("3-", columns=(0.5,))
    options = TableOptions("lines", (first, TableArea("2-3", tables="words"), TableArea("3", tables="none"), last))
    assert options.of_page(1) == TableOptions("lines", (first,))
    assert options.of_page(2) == TableOptions("words")
    assert options.of_page(3) == TableOptions("none", (last,))
    assert [options.of_page(number).describe() for number in (1, 2, 3)] == [
        "1 area by hand, lines",
        "words",
        "1 area by hand, none",
    ]


def test_only_the_pages_of_an_area_have_another_key():
    options, other = TableOptions(areas=(TableArea("2", BOX),)), TableOptions(areas=(TableArea("2,4", BOX),))
    assert options.key(1) == () == TableOptions().key(2)
    assert options.key(2) == other.key(2) != ()
    assert options.key(2) != TableOptions(areas=(TableArea("2", BOX, (0.5,)),)).key(2)
    assert TableOptions("words").key(1) != TableOptions("lines").key(1)


def test_patterns_are_of_the_name_or_of_the_end_of_the_path():
    area, other = TableArea(tables="none"), TableArea(tables="words")
    patterns = [PatternArea("*.pdf", area), PatternArea("reports/q?.pdf", other)]
    assert areas_for("/data/reports/q1.pdf", patterns) == (area, other)
    assert areas_for("/data/letters/q1.pdf", patterns) == (area,)
    assert areas_for("q1.png", patterns) == ()


def test_the_file_beside_a_document_has_its_areas(tmp_path):
    document = tmp_path / "scan.pdf"
    assert areas_beside(document) == ()
    beside = tmp_path / "scan.pdf.quire.toml"
    beside.write_text('[[area]]\npages = "2"\nbox = [0.1, 0.2, 0.8, 0.3]\n\n[[area]]\npages = "3"\ntables = "none"\n')
    assert areas_beside(document) == (TableArea("2", BOX), TableArea("3", tables="none"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[area]]\ncolumns = [0.2]\n[[area]]\nbox = [1]\n", "[[area]] 2: box is [1]"),
        ("[area]\ncolumns = [0.2]\n", "write [[area]], with two brackets"),
        ("[[areas]]\n", "there is no 'areas' here"),
        ("box = [", "Invalid"),
        ("\xff", "cannot read"),
    ],
)
def test_a_mistake_in_that_file_names_the_file_and_the_entry(tmp_path, text, said):
    beside = tmp_path / "scan.pdf.quire.toml"
    beside.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError) as error:
        areas_beside(tmp_path / "scan.pdf")
    assert str(beside) in str(error.value) and said in str(error.value)

"""Tables of numbered items with rows of their own below each."""

from __future__ import annotations

import quire
from tests.documents import Piece, listed, placed

TITLES = ((72, "Line"), (110, "Start"), (170, "Description"), (290, "Length"), (350, "Days"), (420, "Amount"))


def order(items: int, *, nested: bool = True, sign: str = "$") -> bytes:
    """An order whose items have a row with other columns below them, and a column that is empty."""
    pieces = [Piece(x, 200, title) for x, title in TITLES]
    for i in range(items):
        y = 224 + (44 if nested else 15) * i
        row = ((80, str(i + 1)), (110, f"01/{15 + i}/20"), (170, f"Morning news {i}"), (295, ":30"))
        pieces += [Piece(x, y, text) for x, text in row] + [Piece(420, y, f"{sign}{150 + i}.00")]
        if nested:
            pieces += [
                Piece(x, y + 14, text) for x, text in ((100, "Weeks:"), (150, "From"), (200, "To"), (260, "Rate"))
            ]
            pieces += [Piece(x, y + 27, text) for x, text in ((150, "01/14/20"), (200, "01/20/20"), (260, "$75.00"))]
    return placed(pieces)


def test_the_columns_are_those_of_the_items_and_their_titles_are_the_header():
    (block,) = quire.read(order(4)).tables
    grid = block.table.grid()
    assert grid[0] == ["Line", "Start", "Description", "Length", "Days", "Amount"]
    assert grid[1] == ["1", "01/15/20", "Morning news 0", ":30", "", "$150.00"]
    assert grid[10] == ["4", "01/18/20", "Morning news 3", ":30", "", "$153.00"]
    assert [cell.header for cell in block.table.cells[:7]] == [True] * 6 + [False]


def test_the_rows_below_an_item_stay_rows_with_every_word():
    (block,) = quire.read(order(3)).tables
    assert " ".join(" ".join(block.table.grid()[3]).split()) == "01/14/20 01/20/20 $75.00"
    assert block.table.rows == 10
    (page,) = quire.read(order(3)).pages
    assert page.info.characters
    assert page.info.characters.unaccounted == 0


def test_items_without_rows_below_them_are_an_ordinary_table():
    (block,) = quire.read(order(5, nested=False)).tables
    assert block.table.rows == 6


def test_the_frame_of_a_form_is_no_part_of_the_table_in_it():
    """A frame over the whole page: boxes with lists of labels and names, then the rows of a table."""
    across = [(50, y, 550, y) for y in (60, 170, *range(190, 490, 20))]
    down = [(50, 60, 50, 470), (550, 60, 550, 470), *((x, 60, x, 470) for x in (180, 330, 440))]
    names = ["Agency", "Buyer", "Seller", "Product", "Brand", "Office", "Region"]
    pieces = [*listed(names, 54, 74), *listed(["Marlow", "Ada", "Heron", "Salt", "Grey", "East", "North"], 190, 74)]
    pieces += [Piece(x, 185, title) for x, title in ((54, "Line"), (190, "Program"), (340, "Length"), (450, "Amount"))]
    for i in range(14):
        row = ((54, f"{i + 1}.0"), (190, f"Evening news {i}"), (340, "00:30"), (450, f"${15 + i}.00"))
        pieces += [Piece(x, 205 + 20 * i, text) for x, text in row]
    block = quire.read(placed(pieces, rules=[*across, *down])).tables[-1]
    assert block.table.header == ["Line", "Program", "Length", "Amount"]
    assert block.table.grid()[1] == ["1.0", "Evening news 0", "00:30", "$15.00"]


def test_rows_below_a_strip_of_titles_have_the_columns_of_its_boxes():
    """Two tables side by side whose titles are in boxes; the rows of the second are a little lower."""
    titles = ("Month", "Spots", "Gross", "Net")
    pieces, rules = [], []
    for left, shift in ((60, 0), (320, 3)):
        rules += [(left, 200, left + 220, 200), (left, 214, left + 220, 214)]
        rules += [(left + 55 * i, 200, left + 55 * i, 214) for i in range(5)]
        pieces += [Piece(left + 4 + 55 * i, 210, title, 8) for i, title in enumerate(titles)]
        for number, row in enumerate(
            (("May 2020", "19", "$870.00", "$739.50"), ("Totals", "19", "$870.00", "$739.50"))
        ):
            pieces += [Piece(left + 4 + 55 * i, 224 + shift + 12 * number, text, 8) for i, text in enumerate(row)]
    pieces += [Piece(60, 252, "People", 8, "Helvetica-Bold")]
    tables = quire.read(placed(pieces, rules=rules)).tables
    assert [block.table.grid()[0] for block in tables] == [list(titles)] * 2
    assert [block.table.grid()[2] for block in tables] == [["Totals", "19", "$870.00", "$739.50"]] * 2

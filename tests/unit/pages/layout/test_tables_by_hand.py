"""Tables that are asked for: by lines, by words, none, or in areas given by hand."""

from __future__ import annotations

import pytest

import quire
from quire import TableArea
from tests import documents
from tests.documents import Piece

ROWS = [["Berth", "Depth", "Length"], ["North quay", "7.20", "180"], ["South quay", "9.80", "240"]]


def tight(*, degrees: float = 0) -> bytes:
    """Three columns of words so near to each other that white space does not show them."""
    xs, size = (100, 154, 182), (595, 842)
    words = [(x, 200 + 14 * r, text) for r, row in enumerate(ROWS) for x, text in zip(xs, row, strict=True)]
    if degrees:
        placed = [Piece(y, size[1] - x, text, degrees=90) for x, y, text in words]
        return documents.placed(placed, size=size)
    prose = documents.wrapped(documents.prose(6), 100, 300, 400)
    return documents.placed([*(Piece(*word) for word in words), *prose], size=size)


def grids(result: quire.DocumentResult) -> list[list[list[str]]]:
    return [block.table.grid() for block in result.tables]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (documents.ruled_table, {"auto": 1, "lines": 1, "words": 1, "none": 0}),
        (documents.unruled_table, {"auto": 1, "lines": 0, "words": 1, "none": 0}),
        (documents.tagged, {"auto": 1, "none": 0}),
    ],
)
def test_tables_are_found_as_asked(data, found):
    results = {mode: quire.read(data(), tables=mode) for mode in found}
    assert {mode: len(result.tables) for mode, result in results.items()} == found
    assert [result.pages[0].info.tables for result in results.values()] == [
        None if mode == "auto" else mode for mode in found
    ]
    letters = {"".join(sorted("".join(block.text for block in r.blocks))).strip() for r in results.values()}
    assert len(letters) == 1, "no text is lost"


def test_columns_that_only_a_reader_sees_are_given_by_hand():
    area = TableArea("1", (0.15, 0.2, 0.4, 0.1), (0.2562, 0.3034))
    result = quire.read(tight(), areas=[area])
    assert grids(result) == [ROWS]
    assert result.tables[0].table.header == ROWS[0]
    assert result.pages[0].info.tables == "1 area by hand"
    assert [block.kind for block in result.blocks] == ["table", "paragraph"]


def test_columns_without_a_box_are_those_of_the_page():
    [grid] = grids(quire.read(tight(), areas=[TableArea(columns=(0.2562, 0.3034))]))
    assert grid[:3] == ROWS


def test_columns_of_a_page_written_sideways_are_measured_from_its_top():
    columns = tuple(sorted(1 - x / 842 for x in (152.5, 180.5)))
    result = quire.read(tight(degrees=90), areas=[TableArea(columns=columns)])
    assert grids(result) == [ROWS]


def test_prose_in_an_area_is_a_table_all_the_same():
    [grid] = grids(quire.read(documents.simple(), areas=[TableArea(box=(0, 0, 1, 1))]))
    assert len(grid[0]) == 1 and len(grid) > 2


def test_an_area_without_words_is_no_table():
    assert quire.read(tight(), areas=[TableArea(box=(0.8, 0.8, 0.1, 0.1))]).tables == ()


def test_the_rows_of_an_area_are_between_its_lines():
    pieces = [
        Piece(105, 215, "a"),
        Piece(105, 229, "b"),
        Piece(205, 215, "c"),
        Piece(105, 255, "d"),
        Piece(205, 255, "e"),
    ]
    rules = [(100, y, 300, y) for y in (200, 240, 270)]
    data = documents.placed(pieces, rules=rules)
    box = (100 / 595.28, 200 / 841.89, 200 / 595.28, 70 / 841.89)
    [grid] = grids(quire.read(data, areas=[TableArea(box=box, columns=(0.3,), tables="lines")]))
    assert grid == [["a b", "c"], ["d", "e"]]


def test_the_rest_of_the_page_is_read_as_asked():
    area = TableArea(box=(0, 0, 1, 0.1))
    for mode, count in (("auto", 1), ("none", 0)):
        result = quire.read(documents.ruled_table(), areas=[area], tables=mode)
        assert len([block for block in result.tables if block.bbox.top > 0.1]) == count


def test_the_file_beside_a_document_is_used_and_is_part_of_the_key(tmp_path):
    path, store = tmp_path / "quays.pdf", tmp_path / "store"
    path.write_bytes(tight())
    events: list[str] = []

    def read() -> int:
        events.clear()
        result = quire.read(path, store=store, on_event=lambda event: events.append(f"{event.stage} {event.kind}"))
        return len(result.tables)

    assert read() == 0
    beside = tmp_path / "quays.pdf.quire.toml"
    beside.write_text("[[area]]\nbox = [0.15, 0.2, 0.4, 0.1]\ncolumns = [0.2562, 0.3034]\n")
    assert read() == 1
    assert "native-text hit" in events and "page-blocks finished" in events
    assert read() == 1
    assert "page-blocks hit" in events
    beside.unlink()
    assert read() == 0


def test_a_mistake_beside_a_document_stops_the_read(tmp_path):
    path = tmp_path / "quays.pdf"
    path.write_bytes(tight())
    (tmp_path / "quays.pdf.quire.toml").write_text('[[area]]\ntables = "often"\n')
    with pytest.raises(quire.UsageError, match=r"quays\.pdf\.quire\.toml: \[\[area\]\] 1: tables is 'often'"):
        quire.read(path)

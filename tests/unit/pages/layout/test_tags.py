"""Tagged files: their structure is used where it agrees with the page, and ignored where it does not."""

from __future__ import annotations

import quire
from tests import documents
from tests.documents import Piece, Tag, prose, tagged_lines, tagged_tree, wrapped


def found(data: bytes) -> list[tuple[str, int | None, str]]:
    return [(block.kind, block.level, block.text.split()[0]) for block in quire.read(data).blocks]


def paragraph(text: str, y: float) -> Tag:
    return tagged_lines("P", wrapped(text, 72, y, 450))


def test_tags_make_headings_of_lines_in_body_type():
    tree = [
        Tag("H1", piece=Piece(72, 90, "Arrival of ships")),
        paragraph("Alpha " + prose(4), 105),
        Tag("H2", piece=Piece(72, 180, "Signals by day")),
        paragraph("Bravo " + prose(4), 195),
    ]
    assert found(tagged_tree(*tree)) == [
        ("heading", 1, "Arrival"),
        ("paragraph", None, "Alpha"),
        ("heading", 2, "Signals"),
        ("paragraph", None, "Bravo"),
    ]


def test_tags_part_paragraphs_without_space_between_them():
    first, second = wrapped("Alpha " + prose(5), 72, 90, 450), wrapped("Bravo " + prose(5), 72, 0, 450)
    second = [piece._replace(y=piece.y + first[-1].y + 13) for piece in second]
    tree = (tagged_lines("P", first), tagged_lines("P", second))
    assert [word for _, _, word in found(tagged_tree(*tree))] == ["Alpha", "Bravo"]


def test_tags_hold_a_paragraph_together_over_a_gap():
    lines = wrapped("Alpha " + prose(6), 72, 90, 450)
    lines = [line._replace(y=line.y + (12 if i > 1 else 0)) for i, line in enumerate(lines)]
    assert found(tagged_tree(tagged_lines("P", lines))) == [("paragraph", None, "Alpha")]


def test_list_items_of_tags_hold_label_and_body():
    blocks = quire.read(documents.tagged()).blocks
    items = [(block.text, block.marker, block.level) for block in blocks if block.kind == "list_item"]
    assert items == [("1. First item", "1.", 1), ("2. Second item", "2.", 1)]


def test_nested_lists_of_tags_have_their_depth():
    def item(label: str, text: str, x: float, y: float, *inner: Tag) -> Tag:
        parts = [Tag("Lbl", piece=Piece(x, y, label)), Tag("LBody", inner, piece=Piece(x + 15, y, text))]
        return Tag("LI", parts)

    nested = Tag("L", [item("a.", "Blue for a pilot", 100, 132), item("b.", "Yellow for the doctor", 100, 147)])
    tree = Tag("L", [item("1.", "Flags", 72, 117, nested), item("2.", "Lamps", 72, 162)])
    blocks = quire.read(tagged_tree(paragraph(prose(1), 90), tree)).blocks
    items = [(block.marker, block.level) for block in blocks if block.kind == "list_item"]
    assert items == [("1.", 1), ("a.", 2), ("b.", 2), ("2.", 1)]


def table(rows: list[list[str]], *, top: float = 130, extra: dict[str, str] | None = None) -> Tag:
    spans = extra or {}
    return Tag(
        "Table",
        [
            Tag(
                "TR",
                [
                    Tag(
                        "TH" if r == 0 else "TD",
                        piece=Piece(72 + 130 * c, top + 18 * r, text),
                        extra=spans.get(text, ""),
                    )
                    for c, text in enumerate(row)
                ],
            )
            for r, row in enumerate(rows)
        ],
    )


def test_a_tagged_table_has_the_cells_and_headers_of_its_tags():
    rows = [["Port", "Vessels", "Cargo"], ["Easthaven", "many", "salt"], ["Old Basin", "few", "timber and rope"]]
    blocks = quire.read(tagged_tree(paragraph(prose(2), 90), table(rows), paragraph(prose(2), 220))).blocks
    assert [block.kind for block in blocks] == ["paragraph", "table", "paragraph"]
    grid = blocks[1].table
    assert grid is not None and (grid.rows, grid.columns) == (3, 3)
    assert [cell.text for cell in grid.cells] == [text for row in rows for text in row]
    assert [cell.header for cell in grid.cells] == [True] * 3 + [False] * 6


def test_a_tagged_table_keeps_its_spans():
    rows = [
        ["Vessels of both years"],
        ["Port", "last", "this"],
        ["Easthaven", "412", "430"],
        ["Old Basin", "187", "190"],
    ]
    data = tagged_tree(table(rows, extra={"Vessels of both years": "/A<</O/Table/ColSpan 3>>"}))
    grid = quire.read(data).tables[0].table
    assert grid is not None and (grid.rows, grid.columns) == (4, 3)
    assert [(cell.text, cell.column_span) for cell in grid.cells][:2] == [("Vessels of both years", 3), ("Port", 1)]


def test_a_tagged_table_that_the_page_does_not_show_is_ignored():
    """Layout tables: everything in one column, the rows stacked in no order."""
    texts = ["Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot"]
    ys = [300, 100, 500, 200, 600, 400]
    cells = [Tag("TD", piece=Piece(72, y, f"{text} {prose(1)}")) for text, y in zip(texts, ys, strict=True)]
    data = tagged_tree(Tag("Table", [Tag("TR", cells[i : i + 2]) for i in (0, 2, 4)]))
    blocks = quire.read(data).blocks
    assert "table" not in [block.kind for block in blocks]
    assert [block.text.split()[0] for block in blocks] == ["Bravo", "Delta", "Alpha", "Foxtrot", "Charlie", "Echo"]


def test_a_heading_tag_around_a_long_text_is_ignored():
    data = tagged_tree(tagged_lines("H1", wrapped(prose(14), 72, 90, 450)), paragraph(prose(6), 300))
    assert [kind for kind, _, _ in found(data)] == ["paragraph", "paragraph"]


def test_artifacts_in_the_margin_are_headers_footers_and_page_numbers():
    artifacts = (
        "/Artifact BMC BT /F1 10 Tf 72 790 Td (Harbour Office) Tj ET EMC\n"
        "/Artifact BMC BT /F1 10 Tf 72 60 Td (Printed at the pier) Tj ET EMC\n"
        "/Artifact BMC BT /F1 10 Tf 500 60 Td (7) Tj ET EMC"
    )
    data = tagged_tree(*(paragraph(f"Text {prose(9)}", 90 + 150 * i) for i in range(4)), artifacts=artifacts)
    kinds = [kind for kind, _, _ in found(data)]
    assert kinds == ["header", *["paragraph"] * 4, "footer", "page_number"]


def test_the_tree_tells_the_reading_order_where_the_file_wrote_another():
    boxes = [("Alpha", 72, 100), ("Bravo", 320, 100), ("Charlie", 72, 300), ("Delta", 320, 300)]
    tree = [tagged_lines("P", wrapped(f"{word} {prose(5)}", x, y, 200)) for word, x, y in boxes]
    data = tagged_tree(*tree, written=lambda pieces: pieces[::-1])
    assert [word for _, _, word in found(data)] == ["Alpha", "Bravo", "Charlie", "Delta"]


def test_a_figure_has_its_alternative_text():
    picture = Tag(
        "Figure",
        paint="q 150 0 0 120 200 480 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q",
        extra=f"/Alt({documents.TAGGED_ALT})",
    )
    data = tagged_tree(paragraph(prose(4), 90), picture, paragraph(prose(4), 400))
    figures = [block.text for block in quire.read(data).blocks if block.kind == "figure"]
    assert figures == [documents.TAGGED_ALT]


def test_tags_that_cover_little_of_the_text_are_ignored():
    untagged = "\n".join(
        f"BT /F1 10.5 Tf 72 {700 - 13 * i} Td ({line.text}) Tj ET"
        for i, line in enumerate(wrapped(prose(12), 72, 0, 450))
    )
    data = tagged_tree(Tag("H1", piece=Piece(72, 90, "Stray words of")), artifacts=untagged)
    assert "heading" not in [kind for kind, _, _ in found(data)]


def test_a_caption_and_a_note_are_told_by_their_tags():
    tree = [
        paragraph(prose(6), 90),
        Tag("Caption", piece=Piece(72, 200, "The customs house at noon")),
        paragraph(prose(6), 240),
        Tag("Note", piece=Piece(72, 340, "Counted without ferries")),
    ]
    assert [kind for kind, _, _ in found(tagged_tree(*tree))] == ["paragraph", "caption", "paragraph", "footnote"]


def test_very_deep_tags_do_no_harm():
    inner = Tag("P", piece=Piece(72, 100, "Deep down."))
    for _ in range(200):
        inner = Tag("P", [inner])
    assert "Deep down." in quire.read(tagged_tree(inner)).to_text()


def test_a_small_tagged_table_is_a_table():
    assert [block.kind for block in quire.read(documents.tagged()).blocks].count("table") == 1


def test_a_filled_shape_tagged_as_a_figure_is_one():
    figures = [block.text for block in quire.read(documents.tagged()).blocks if block.kind == "figure"]
    assert figures == [documents.TAGGED_ALT]


def test_a_span_wider_than_its_table_does_not_widen_it():
    rows = [["Vessels"], ["Port", "last"], ["Easthaven", "412"], ["Old Basin", "187"]]
    data = tagged_tree(table(rows, extra={"Vessels": "/A<</O/Table/ColSpan 100000>>"}))
    grid = quire.read(data).tables[0].table
    assert grid is not None and grid.columns == 2

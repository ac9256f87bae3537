"""What kind each block is."""

from __future__ import annotations

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

import quire
from tests import documents
from tests.documents import Piece, listed, placed, prose, wrapped


def kinds(data: bytes) -> list[str]:
    return [block.kind for block in quire.read(data).blocks]


def only(data: bytes, kind: str) -> quire.Block:
    (block,) = [block for block in quire.read(data).blocks if block.kind == kind]
    return block


def of_kind(data: bytes, kind: str) -> list[quire.Block]:
    return [block for block in quire.read(data).blocks if block.kind == kind]


def test_the_largest_line_at_the_top_of_the_first_page_is_the_title():
    assert only(documents.two_columns(), "title").text == documents.COLUMNS_TITLE


def test_a_title_that_begins_with_an_article_is_a_title():
    assert only(documents.headings_and_lists(), "title").text == "A Handbook for Pilots"


def test_a_title_of_two_lines_is_one_block():
    title = [
        Piece(100, 80, "The Harbour at Low Tide", 20, "Times-Bold"),
        Piece(130, 104, "and at High Tide", 20, "Times-Bold"),
    ]
    block = only(placed([*title, *wrapped(prose(10), 72, 150, 450)]), "title")
    assert block.text.split("\n") == ["The Harbour at Low Tide", "and at High Tide"]


def test_numbered_headings_have_the_depth_of_their_number():
    blocks = of_kind(documents.headings_and_lists(), "heading")
    levels = {block.text: block.level for block in blocks}
    assert levels == levels | {"1 Arrival": 1, "1.1 Signals": 2, "1.1.1 Lamps": 3, "2 Departure": 1}


def test_a_bold_line_in_body_type_over_a_paragraph_is_a_heading():
    pieces = wrapped(prose(8), 72, 90, 450)
    pieces += [Piece(72, 220, "Pilots and Tides", 10.5, "Times-Bold"), *wrapped(prose(8, start=2), 72, 236, 450)]
    assert only(placed(pieces), "heading").text == "Pilots and Tides"


def test_a_line_in_capitals_over_a_paragraph_is_a_heading():
    pieces = wrapped(prose(8), 72, 90, 450)
    pieces += [Piece(72, 220, "PILOTS AND TIDES"), *wrapped(prose(8, start=2), 72, 240, 450)]
    assert only(placed(pieces), "heading").text == "PILOTS AND TIDES"


def test_a_bold_sentence_within_a_paragraph_is_no_heading():
    lines = wrapped(prose(10), 72, 90, 450)
    lines[2] = lines[2]._replace(font="Times-Bold")
    assert kinds(placed(lines)) == ["paragraph"]


def test_a_page_all_in_bold_is_no_page_of_headings():
    pieces = [piece for i in range(4) for piece in wrapped(prose(4, start=i), 72, 90 + 80 * i, 450, font="Times-Bold")]
    assert set(kinds(placed(pieces))) == {"paragraph"}


def test_bullets_are_list_items_with_their_marker_and_depth():
    items = of_kind(documents.headings_and_lists(), "list_item")[:4]
    assert [(item.marker, item.level) for item in items] == [("•", 1), ("–", 2), ("–", 2), ("•", 1)]


def test_numbers_are_list_items_with_their_marker():
    items = of_kind(documents.headings_and_lists(), "list_item")[4:]
    assert [(item.marker, item.level) for item in items] == [("1.", 1), ("2.", 1), ("3.", 1)]
    assert items[0].text.split() == ["1.", "Pay", "the", "dues."]


def test_numbered_items_of_several_lines_hold_lettered_ones():
    items = of_kind(documents.nested_numbers(), "list_item")
    assert [(item.marker, item.level) for item in items] == [
        ("1.", 1),
        ("(a)", 2),
        ("(b)", 2),
        ("2.", 1),
        ("(a)", 2),
    ]
    assert all(item.text.count("\n") == 1 for item in items)


def test_a_year_at_the_start_of_a_line_is_no_list_item():
    lines = [
        "The pilots of the bay were counted for the first time in the spring of",
        "1998. They were counted again ten years later, and",
    ]
    lines += ["again when the new lighthouse was finished. No other count was made."]
    assert kinds(placed(listed(lines, 72, 100))) == ["paragraph"]


def test_a_ruled_table_is_one_block_with_its_grid():
    table = only(documents.ruled_table(), "table").table
    assert table is not None
    assert [[cell.text for cell in table.cells if cell.row == row] for row in range(table.rows)] == [
        list(row) for row in documents.RULED
    ]


def test_a_chart_of_bars_is_a_figure_with_its_labels_inside():
    figure = only(documents.figure_with_caption(), "figure")
    assert [word.text for word in figure.words] == ["May", "June", "July", "Aug", "Sept"]


def test_the_line_under_a_figure_is_its_caption():
    blocks = quire.read(documents.figure_with_caption()).blocks
    assert [block.kind for block in blocks] == ["paragraph", "figure", "caption", "paragraph"]
    assert blocks[2].text == documents.CAPTION


def test_a_picture_is_a_figure_between_the_paragraphs_around_it():
    assert kinds(documents.picture()) == ["paragraph", "figure", "caption", "paragraph"]


def test_a_sentence_that_begins_with_a_figure_is_no_caption():
    lines = ["Figure 7 shows the customs house as it stood in the years before the", "fire. " + prose(1)]
    assert kinds(placed([*listed(lines, 72, 100), *wrapped(prose(6), 72, 150, 450)])) == ["paragraph", "paragraph"]


def test_a_caption_stands_over_its_table():
    pieces = [*wrapped(prose(4), 72, 90, 450), Piece(72, 160, "Table 2. Vessels by port.", 9, "Times-Italic")]
    pieces += [
        Piece(80 + 100 * c, 185 + 18 * r, text) for r, row in enumerate(documents.RULED) for c, text in enumerate(row)
    ]
    rules = [(72, 172 + 18 * r, 480, 172 + 18 * r) for r in range(6)]
    found = kinds(placed(pieces, rules=rules))
    assert found == ["paragraph", "caption", "table"]


def test_a_displayed_formula_with_its_number_is_one_formula():
    assert kinds(documents.formula()) == ["paragraph", "formula", "paragraph"]


def test_a_line_of_greek_signs_set_apart_is_a_formula():
    pieces = wrapped(prose(6), 72, 90, 450)
    pieces += [Piece(250, 190, "α = β + γ − δ", 11, "Symbol"), *wrapped(prose(6), 72, 220, 450)]
    assert kinds(placed(pieces)) == ["paragraph", "formula", "paragraph"]


def test_code_keeps_its_lines_and_their_indentation():
    assert only(documents.code_listing(), "code").text == "\n".join(documents.CODE)


def test_code_keeps_an_empty_line_within_it():
    lines = [*documents.CODE, "", "print(tide(4))"]
    pieces = wrapped(prose(6), 72, 90, 450) + listed(lines, 72, 180, size=9, font="Courier")
    assert only(placed([*pieces, *wrapped(prose(6), 72, 280, 450)]), "code").text.split("\n")[-1] == "print(tide(4))"


def test_a_fixed_width_word_within_a_sentence_is_no_code_block():
    assert kinds(documents.emphasis()) == ["paragraph", "paragraph"]


def test_a_page_full_of_code_is_judged_by_the_text_around_it():
    lines = [*documents.CODE, *documents.CODE, *documents.CODE, *documents.CODE]
    pieces = wrapped(prose(2), 72, 90, 450) + listed(lines, 72, 140, size=8, font="Courier")
    pieces += wrapped(prose(1), 72, 340, 450)
    assert kinds(placed(pieces)) == ["paragraph", "code", "paragraph"]


def test_a_changed_line_of_code_keeps_its_sign():
    lines = [Piece(72, 140, "tide(4) {", 9, "Courier"), Piece(60, 151, "-", 9, "Courier")]
    lines += [Piece(120, 151, "old = tide(3);", 9, "Courier"), Piece(72, 162, "}", 9, "Courier")]
    code = only(placed([*wrapped(prose(3), 72, 90, 450), *lines, *wrapped(prose(3), 72, 190, 450)]), "code")
    assert "- old = tide(3);" in code.text


def test_a_typewritten_letter_is_no_code():
    pieces = wrapped(prose(6), 72, 90, 450, font="Courier") + wrapped(prose(6, start=2), 72, 300, 450, font="Courier")
    blocks = quire.read(placed(pieces)).blocks
    assert [block.kind for block in blocks] == ["paragraph", "paragraph"]
    assert not any(block.spans for block in blocks)


def test_the_typewritten_entries_of_a_form_are_no_code():
    labels = listed(["Name of the vessel", "Port of registry", "Name of the captain"], 72, 90)
    entry = listed(
        ["Anna Maria of the North", "Kept at the long stone pier", "until the autumn storms"], 72, 150, font="Courier"
    )
    blocks = quire.read(placed([*wrapped(prose(4), 72, 200, 450), *labels, *entry])).blocks
    assert "code" not in [block.kind for block in blocks]
    assert not any(span.code for block in blocks for span in block.spans)


def test_a_bullet_with_a_wide_tab_begins_an_item():
    pieces = wrapped(prose(2), 72, 90, 450)
    for number, line in enumerate(documents.SENTENCES[:3]):
        pieces += [Piece(72, 140 + 18 * number, "\u2022"), Piece(108, 140 + 18 * number, line)]
    assert [block.marker for block in of_kind(placed(pieces), "list_item")] == ["\u2022"] * 3


def test_a_drawn_bullet_begins_an_item():
    def draw(canvas: Canvas) -> None:
        for number, line in enumerate(documents.SENTENCES[:3]):
            canvas.setFont("Times-Roman", 10.5)
            canvas.circle(76, 700 - 18 * number + 3, 2, stroke=0, fill=1)
            canvas.drawString(90, 700 - 18 * number, line)

    items = of_kind(documents.drawn(draw), "list_item")
    assert [item.text for item in items] == list(documents.SENTENCES[:3])


def test_initials_and_telephone_numbers_are_no_items():
    names = ["Y. Carver and the pilots of the bay", "(212) 733-2323 is the number of the office"]
    for name in names:
        assert kinds(placed([*wrapped(prose(4), 72, 90, 450), *listed([name], 72, 200)])) == ["paragraph", "paragraph"]


def test_letters_in_sequence_are_items():
    pieces = wrapped(prose(4), 72, 90, 450) + listed(["A. Pay the dues.", "B. Sign the ledger."], 72, 200)
    assert kinds(placed(pieces)) == ["paragraph", "list_item", "list_item"]


def test_the_lines_of_a_table_of_contents_stay_lines():
    lines = [f"{name} {'.' * 40} {page}" for name, page in (("Arrival", 3), ("Signals", 12), ("Departure", 40))]
    texts = [block.text for block in quire.read(placed([*listed(lines, 72, 90)])).blocks]
    assert texts == lines


@pytest.mark.parametrize("line", ["www.harbour.example/ledger", "12 Harbour Street", "$ 1,250.00", "Phone: 555 0100"])
def test_addresses_and_amounts_are_no_headings(line: str):
    pieces = [Piece(72, 90, line, 14, "Times-Bold"), *wrapped(prose(8), 72, 130, 450)]
    assert kinds(placed(pieces)) == ["paragraph", "paragraph"]


def test_a_short_line_in_another_font_above_a_paragraph_is_a_heading():
    pieces = wrapped(prose(6), 72, 90, 450)
    pieces += [Piece(72, 170, "Signals by day", 10.5, "Times-Italic"), *wrapped(prose(6), 72, 183, 450)]
    assert kinds(placed(pieces)) == ["paragraph", "heading", "paragraph"]


def test_a_title_in_another_typeface_that_runs_into_its_paragraph_is_a_heading():
    pieces = wrapped(prose(6), 72, 90, 450)
    pieces += [
        Piece(72, 190, "Signals by day.", 10.5, "Helvetica-Bold"),
        Piece(158, 190, documents.SENTENCES[0][:-1] + " and leaves it at"),
    ]
    pieces += wrapped(prose(4), 72, 203, 450)
    assert kinds(placed(pieces)) == ["paragraph", "heading", "paragraph"]
    assert only(placed(pieces), "heading").text == "Signals by day."


def test_bold_words_at_the_beginning_of_a_paragraph_are_no_heading():
    pieces = [
        Piece(72, 190, "Signals by day.", 10.5, "Times-Bold"),
        Piece(150, 190, documents.SENTENCES[0][:-1] + " and leaves it at"),
    ]
    assert kinds(placed([*pieces, *wrapped(prose(4), 72, 203, 450)])) == ["paragraph"]


def test_an_entry_of_a_bibliography_is_one_block():
    entries = [
        ["Carver, Y., Boser, B. and the pilots of the bay, 2013, Tides and Channels 428,", "2216, doi: 10.1086/430694"],
        ["Dale, J. E. 2006, MNRAS 366, 1424"],
        ["Eggen, O. J. 1998, The Harbour 115, 2435, and the works that follow it there,", "C. Gabriel, 666"],
        [
            "Feast, M. W. and Whitelock, P. A. 2000, in the Ledger of Vessels of the Bay,",
            "edited by D. Pilot, 317, 460",
        ],
        ["Gaia, B. 2018, A Small Museum 616, A1"],
    ]
    pieces, y = [], 90.0
    for entry in entries:
        for number, line in enumerate(entry):
            pieces.append(Piece(86 if number else 72, y, line))
            y += 13
    blocks = quire.read(placed(pieces)).blocks
    assert [block.text.split("\n") for block in blocks] == entries
    assert {block.kind for block in blocks} == {"paragraph"}


def test_the_rest_of_a_sentence_in_larger_type_is_no_heading():
    pieces = [Piece(72, 90, "as would be the widening of the road", 10.5), *wrapped(prose(20), 72, 120, 450, size=9)]
    assert kinds(placed(pieces)) == ["paragraph", "paragraph"]


def test_a_single_asterisk_is_no_bullet():
    pieces = [*wrapped(prose(6), 72, 90, 450), *listed(["* May include the dues of the harbour."], 72, 200)]
    assert kinds(placed(pieces)) == ["paragraph", "paragraph"]


def test_two_headings_below_each_other_are_two():
    pieces = [Piece(72, 90, "Signals and lamps", 13), Piece(72, 111, "V4.1 Signals by day", 13)]
    assert kinds(placed([*pieces, *wrapped(prose(8), 72, 140, 450, size=10)])) == ["title", "heading", "paragraph"]


def test_the_label_of_an_entry_is_joined_with_it():
    pieces = wrapped(prose(2), 72, 90, 450)
    for number, label in enumerate(("[Cop87]", "[Joh15a]", "[GEB15]")):
        pieces += [Piece(72, 140 + 18 * number, label), Piece(134, 140 + 18 * number, documents.SENTENCES[number])]
    texts = [block.text for block in quire.read(placed(pieces)).blocks]
    assert texts[1:] == [
        f"[Cop87] {documents.SENTENCES[0]}",
        f"[Joh15a] {documents.SENTENCES[1]}",
        f"[GEB15] {documents.SENTENCES[2]}",
    ]


def test_a_note_in_pieces_does_not_tear_the_sentence_above_it():
    column = wrapped(prose(24)[:-1] + " and for", 72, 90, 210)[:48]
    note = [Piece(72 + 60 * n, 735, word, 8) for n, word in enumerate(("* Corresponding", "author:", "M. Carver"))]
    body = [*column, *note, *wrapped("the first time " + prose(10), 320, 90, 210)]
    blocks = quire.read(placed(body)).blocks
    assert any("for\nthe first time" in block.text for block in blocks)


def test_a_note_at_the_foot_of_a_column_follows_the_text_of_the_page():
    left = [*wrapped(prose(12), 72, 90, 210), Piece(72, 720, "1 Counted at the buoy.", 8)]
    right = wrapped("Beyond the bar. " + prose(12), 320, 90, 210)
    blocks = quire.read(placed([*left, *right], rules=[(72, 705, 150, 705)])).blocks
    assert [block.kind for block in blocks] == ["paragraph", "paragraph", "footnote"]


def test_lines_set_far_apart_are_one_paragraph():
    lines = [piece._replace(y=90 + 16.5 * n) for n, piece in enumerate(wrapped(prose(12), 72, 90, 300))]
    assert kinds(placed(lines)) == ["paragraph"]


def test_a_heading_across_a_narrow_gutter_is_not_joined_with_the_text_beside_it():
    left = wrapped(prose(20), 72, 90, 210)
    reach = max(72 + stringWidth(piece.text, "Times-Roman", 10.5) for piece in left)
    aside = reach + 10
    right = [Piece(aside, left[3].y, "Harbour Dues", 15, "Times-Bold"), *wrapped(prose(8, start=3), aside, 160, 200)]
    blocks = quire.read(placed([*wrapped(prose(1), aside, 90, 200)[:2], *left, *right])).blocks
    assert [block.text for block in blocks if block.kind in ("title", "heading")] == ["Harbour Dues"]


@pytest.mark.parametrize("text", ["Figures . " + prose(3), "Tables; " + prose(3)])
def test_a_sentence_that_begins_with_figures_is_no_caption(text):
    assert kinds(placed([*wrapped(text, 72, 90, 450), *wrapped(prose(6), 72, 200, 450)]))[0] == "paragraph"


def test_the_words_of_a_stretched_line_stay_in_their_paragraph():
    lines = wrapped(prose(12), 72, 90, 210)[:8]
    width = stringWidth(lines[2].text, "Times-Roman", 10.5)
    far = [Piece(72, lines[3].y, "incomprehensible"), Piece(72 + width - 60, lines[3].y, "circumstances")]
    right = 72 + width - stringWidth("circumstances", "Times-Roman", 10.5)
    full = [piece._replace(text=lines[2].text) for piece in lines]
    pieces = [*full[:3], far[0], far[1]._replace(x=right), *full[4:]]
    (block,) = quire.read(placed(pieces)).blocks
    assert "incomprehensible circumstances" in block.text


def test_the_note_under_the_short_rule_is_a_footnote():
    note = only(documents.footnotes(), "footnote")
    assert note.text.split(maxsplit=1) == ["1", documents.FOOTNOTE]


def test_running_lines_and_page_numbers_are_told_from_the_text_on_every_page():
    found = kinds(documents.running_headers(3))
    assert found == ["header", "paragraph", "paragraph", "footer", "page_number"] * 3


def test_a_number_alone_at_the_foot_of_one_page_is_a_page_number():
    pieces = [*wrapped(prose(12), 72, 90, 450), Piece(290, 800, "12", 9)]
    assert only(placed(pieces), "page_number").text == "12"


@pytest.mark.parametrize("top", [50, 60, 70, 80, 90])
def test_the_years_of_a_balance_sheet_are_its_header_wherever_the_page_begins(top):
    rows = [
        ("", "2024", "2023"),
        ("Cash", "5,406", "34,036"),
        ("Receivables", "67,113", "3,791"),
        ("Goodwill", "9", "12"),
    ]
    pieces = [Piece(72, top, "Grey Heron: balance sheet", 13, "Times-Bold")]
    for number, (label, *amounts) in enumerate(rows):
        pieces.append(Piece(72, top + 26 + 16 * number, label))
        for end, text in zip((430, 540), amounts, strict=True):
            pieces.append(Piece(end - stringWidth(text, "Times-Roman", 10.5), top + 26 + 16 * number, text))
    data = placed([*pieces, *wrapped(prose(5), 72, top + 140, 450)])
    table = only(data, "table").table
    assert table is not None
    assert table.grid() == [list(row) for row in rows]
    assert of_kind(data, "page_number") == []


def test_the_last_lines_of_narrow_columns_are_no_footer():
    columns = [wrapped(prose(30, start=at), 60 + 125 * at, 90, 90, size=9) for at in range(4)]
    ends = [lines[: 50 if at == 1 else 51] for at, lines in enumerate(columns)]
    pieces = [piece._replace(y=90 + 13.5 * at) for lines in ends for at, piece in enumerate(lines)]
    assert {block.kind for block in quire.read(placed(pieces)).blocks} == {"paragraph"}


@pytest.mark.parametrize("text", ["12", "Page 12", "Page 12 of 40", "- 12 -", "xii", "12 / 40"])
def test_page_numbers_are_written_in_many_ways(text):
    pages = [[*wrapped(prose(12), 72, 90, 450), Piece(280, 800, text.replace("12", str(n)), 9)] for n in (12, 13)]
    found = of_kind(placed(*pages), "page_number")
    assert len(found) == 2


def test_filled_fields_are_blocks_with_name_and_value():
    texts = [block.text for block in of_kind(documents.form_fields(), "field")]
    assert texts[:4] == ["name: Ada Marlow", "vessel: Grey Heron", "pilot: on", "flag: blue"]


def test_empty_fields_are_left_out():
    assert not any("night" in block.text for block in of_kind(documents.form_fields(), "field"))


def test_a_page_of_fields_without_text_is_not_skipped():
    def draw(canvas):
        canvas.acroForm.textfield(name="name", value="Ada Marlow", x=200, y=734, width=200, height=20)
        canvas.showPage()

    result = quire.read(documents.drawn(draw))
    assert [(block.kind, block.text) for block in result.blocks] == [("field", "name: Ada Marlow")]
    assert result.pages[0].status == "ok"


def test_short_paragraphs_in_a_script_without_capitals_are_no_headings():
    assert "heading" not in kinds(documents.right_to_left_columns())


def test_right_to_left_lines_with_a_ragged_left_edge_are_one_paragraph():
    assert kinds(documents.right_to_left_columns()) == ["paragraph", "paragraph"]


def test_a_radio_button_that_is_set_says_which_one():
    texts = [block.text for block in of_kind(documents.form_fields(), "field")]
    assert "berth: inner" in texts


def test_references_in_small_type_at_the_end_of_a_column_are_no_footnotes():
    text = wrapped(prose(14), 72, 90, 450)
    heading = Piece(72, 330, "References", 10.5, "Times-Bold")
    entries = [f"{number}. Keeper A. On lamps and tides. Harbour Review {number}." for number in range(1, 6)]
    small = [Piece(72, 350 + 11 * number, entry, 8) for number, entry in enumerate(entries)]
    blocks = quire.read(placed([*text, heading, *small])).blocks
    assert [block.kind for block in blocks] == ["paragraph", "heading", *["list_item"] * 5]


def test_bold_numbers_in_sequence_are_the_steps_of_a_list():
    texts = ("Open the buckle of the lamp.", "Trim the wick and fill the tank.", "Close the buckle again.")
    pieces = [
        piece
        for number, text in enumerate(texts, start=1)
        for piece in (Piece(72, 90 + 30 * number, str(number), 12, "Times-Bold"), Piece(90, 90 + 30 * number, text))
    ]
    blocks = quire.read(placed(pieces)).blocks
    assert [(block.kind, block.marker) for block in blocks] == [("list_item", str(n)) for n in (1, 2, 3)]


def test_a_line_in_small_type_under_a_picture_is_its_caption_without_a_number_too():
    assert only(documents.picture("Grain elevator, 1910."), "caption").text == "Grain elevator, 1910."


def test_notes_below_each_other_are_parted_by_their_numbers():
    text = wrapped(prose(20), 72, 90, 450)
    notes = [Piece(72, 700, "1", 5), Piece(75, 703, "The lamp is lit at dusk.", 8)]
    more = [Piece(72, 710, "2", 5), Piece(75, 713, "The horn is blown in fog.", 8)]
    page = placed([*text, *notes, *more], rules=[(72, 690, 200, 690)])
    assert [block.text for block in of_kind(page, "footnote")] == [
        "1The lamp is lit at dusk.",
        "2The horn is blown in fog.",
    ]


def test_a_small_bold_heading_in_the_middle_below_a_table_is_no_footnote():
    text = wrapped(prose(12), 72, 90, 450)
    rows = [Piece(250 + 40 * column, 420 + 14 * row, f"{row}{column}", 10) for row in range(3) for column in range(3)]
    heading = Piece(
        297 - stringWidth("Keeping of lamps", "Helvetica-Bold", 9.5) / 2, 520, "Keeping of lamps", 9.5, "Helvetica-Bold"
    )
    page = placed([*text, *rows, heading, *wrapped(prose(6), 72, 545, 450)], rules=[(245, 405, 360, 405)])
    assert only(page, "heading").text == "Keeping of lamps"


def test_a_numbered_heading_may_be_smaller_than_the_text():
    text = wrapped(prose(9), 72, 90, 450)
    small = [Piece(72, 260, "A. Lamps", 9.4, "Helvetica-Bold"), Piece(72, 420, "1. Horns", 9.4, "Times-Italic")]
    page = placed([*text, small[0], *wrapped(prose(9), 72, 285, 450), small[1], *wrapped(prose(9), 72, 445, 450)])
    assert [block.text for block in of_kind(page, "heading")] == ["A. Lamps", "1. Horns"]


def test_a_number_directly_before_its_text_begins_an_item():
    lines = listed(["1)Lamps are lit at dusk.", "2)Horns are blown in fog."], 72, 260)
    assert [block.marker for block in of_kind(placed([*wrapped(prose(9), 72, 90, 450), *lines]), "list_item")] == [
        "1)",
        "2)",
    ]


def test_a_drawn_bullet_alone_at_its_edge_is_like_the_others_of_its_size():
    def draw(canvas: Canvas) -> None:
        for x, y in ((72, 500), (90, 480), (300, 500)):
            canvas.circle(x, y + 3, 2, fill=1)
            canvas.drawString(x + 10, y, "The lamp is lit at dusk.")
        for row in range(12):
            canvas.drawString(
                72, 700 - 14 * row, "The keeper climbs the stairs of the tower and lights the lamp there."
            )

    assert len(of_kind(documents.drawn(draw), "list_item")) == 3


def test_a_single_dash_below_an_item_and_further_right_is_an_item_of_it():
    lines = [
        Piece(72, 260, "• Lamps are lit at dusk."),
        Piece(90, 275, "– Horns are blown in fog."),
        Piece(72, 290, "• Ropes are kept dry."),
    ]
    items = of_kind(placed([*wrapped(prose(9), 72, 90, 450), *lines]), "list_item")
    assert [(item.marker, item.level) for item in items] == [("•", 1), ("–", 2), ("•", 1)]

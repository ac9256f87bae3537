"""Excerpts in a terminal."""

from __future__ import annotations

from quire.cli.excerpts import BOLD, PLAIN, excerpt_lines
from quire.lexicon.terms import places_of
from quire.retrieval.search.excerpts import excerpt_of

ROWS = [*(f"| No {number} | {number} |" for number in range(98, 101)), "| Plover | 250 |"]
TABLE = "\n".join(["| Boat | Seats |", "| --- | --- |", *ROWS])


def printed(text: str, *words: str, width: int = 100, bold: bool = False) -> list[str]:
    return [*excerpt_lines(excerpt_of(text, places_of({*words}, text)), width, bold=bold)]


def test_a_table_has_columns_with_numbers_to_the_right():
    columns = ["Boat    Seats", "No 98      98", "No 99      99", "No 100    100", "Plover    250"]
    assert printed(TABLE, "plover") == columns


def test_what_is_left_out_of_a_table_does_not_move_its_columns():
    rows = TABLE.replace("| No 98 | 98 |", "\n".join(f"| No {n} | {n} |" for n in range(80, 99)))
    assert printed(rows, "plover")[:3] == ["Boat    Seats", "…", "No 98      98"]


def test_matching_words_are_bold_where_lines_are_broken_too():
    lines = printed(f"{'word ' * 30}match. Next.", "match", width=40, bold=True)
    assert f"{BOLD}match{PLAIN}." in "\n".join(lines)
    assert all(len(line.replace(BOLD, "").replace(PLAIN, "")) <= 40 for line in lines)


def test_a_table_that_is_too_wide_keeps_every_cell():
    text = f"| Item | Terms | Price |\n| --- | --- | --- |\n| Boat | {'long terms ' * 8}| 25 |"
    assert "".join(printed(text, "boat", width=50)).endswith("Price: 25")


def test_control_characters_of_a_document_reach_no_terminal():
    assert "\x1b" not in "".join(printed("a \x1b[31mred text", "red"))

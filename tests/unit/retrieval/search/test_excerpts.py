"""What of a passage is shown: the answer, and what makes it understood."""

from __future__ import annotations

import re

from quire.lexicon.terms import places_of
from quire.retrieval.search.excerpts import LENGTH, ExcerptLine, excerpt_of
from quire.retrieval.search.query import parse_query

FLEET = "\n".join(
    [
        "Table 3. Boats in service.",
        "| Boat | Route | Seats |",
        "| --- | --- | --- |",
        *(f"| Boat {number} | Outer \\| inner | {number * 10} |" for number in range(1, 30)),
        "| Plover | Inner harbour | 250 |",
        "| Redshank | Reserve | 120 |",
    ]
)


def excerpt(query: str, text: str) -> tuple[ExcerptLine, ...]:
    return excerpt_of(text, places_of({*parse_query(query).terms}, text))


def shown(lines: tuple[ExcerptLine, ...]) -> list[str]:
    return [" / ".join(cell.text for cell in line.cells) or "…" for line in lines]


def marked(lines: tuple[ExcerptLine, ...]) -> list[str]:
    return [cell.text[begin:end] for line in lines for cell in line.cells for begin, end in cell.marks]


def test_the_row_that_matches_is_shown_with_caption_header_and_the_rows_around_it():
    found = excerpt("seats of plover", FLEET)
    assert shown(found) == [
        "Table 3. Boats in service.",
        "Boat / Route / Seats",
        "…",
        "Boat 28 / Outer | inner / 280",
        "Boat 29 / Outer | inner / 290",
        "Plover / Inner harbour / 250",
        "Redshank / Reserve / 120",
    ]
    assert [line.kind for line in found] == ["text", "header", "gap", "row", "row", "row", "row"]
    assert marked(found) == ["Seats", "Plover"]


def test_rows_that_match_as_well_come_before_those_around():
    found = excerpt("10 and 270", FLEET)
    assert [line for line in shown(found) if "Boat 1 " in line or "Boat 27" in line] == [
        "Boat 1 / Outer | inner / 10",
        "Boat 27 / Outer | inner / 270",
    ]
    assert sum(line.kind == "row" for line in found) == 4


def test_marks_fit_behind_an_escaped_pipe():
    found = excerpt("inner", FLEET.replace("Plover | Inner harbour", "Plover | a \\| b \\| inner harbour"))
    assert set(marked(found)) == {"inner"}


def test_a_caption_that_matches_brings_the_beginning_of_its_table():
    found = excerpt("boats in service", FLEET)
    assert shown(found)[:3] == ["Table 3. Boats in service.", "Boat / Route / Seats", "Boat 1 / Outer | inner / 10"]
    assert shown(found)[-1] == "…"


def test_a_text_is_not_cut_before_the_answer_but_at_its_sentences():
    filler = " ".join(f"The boat was mentioned in sentence {number} of the minutes." for number in range(40))
    answer = "The boat was sold for 610,000 crowns to the island council."
    found = excerpt("what was the boat sold for", f"{filler} {answer} It left in May. {filler}")
    (line,) = [line for line in found if line.kind == "text"]
    assert answer in line.cells[0].text and "It left in May." in line.cells[0].text
    assert re.match(r"The boat was mentioned", line.cells[0].text)
    assert len(line.cells[0].text) <= LENGTH
    assert found[0].kind == found[-1].kind == "gap"


def test_an_announced_list_is_shown_with_its_items():
    found = excerpt("what is included", "Included in the price are:\n- breakfast\n- the ferry\n- a guide")
    assert shown(found) == ["Included in the price are:", "- breakfast", "- the ferry", "- a guide"]


def test_a_long_text_without_sentences_is_cut_around_the_words():
    found = excerpt("needle", f"{'hay ' * 900}needle {'hay ' * 900}")
    (line,) = [line for line in found if line.kind == "text"]
    assert marked(found) == ["needle"] and len(line.cells[0].text) <= 800


def test_a_text_without_any_of_the_words_is_shown_from_its_beginning():
    assert shown(excerpt("meaning", "First sentence. Second sentence.")) == ["First sentence. Second sentence."]
    assert shown(excerpt("meaning", FLEET))[:2] == ["Table 3. Boats in service.", "Boat / Route / Seats"]
    assert excerpt("meaning", "") == ()

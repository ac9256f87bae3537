"""Text that the page does not show is found in its picture; what a person can see stays."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import quire
from quire.core.pagetext import PageText
from quire.reading.unseen import without_unseen
from tests import documents, injected
from tests.injected import say

pytestmark = pytest.mark.both_readers

BOX = "\nq 1 g 60 380 450 80 re f Q\n"
LINE = say(72, 420, "Paid in full on 3 April")


def seen(content: bytes) -> tuple[str, int]:
    """The text of the first page that its picture shows, and how many characters it does not."""
    with quire.Document(content) as document:
        (data,) = document.reader.text([1])
        text = PageText.from_bytes(data)
        shown = without_unseen(document, text) or text
    return " ".join(shown.texts), shown.left_out.get("hidden", 0)


def test_a_text_on_a_white_box_is_seen_and_one_below_it_is_not():
    assert seen(documents.one_page(BOX + LINE)) == ("Paid in full on 3 April", 0)
    assert seen(documents.one_page(LINE + BOX)) == ("", len("PaidinfullonApril3"))


def test_a_box_that_covers_half_of_a_line_hides_the_words_below_it_alone():
    text, hidden = seen(documents.one_page(LINE + "\nq 1 g 120 380 450 80 re f Q"))
    assert text.startswith("Paid in")
    assert "April" not in text
    assert hidden


def test_reading_draws_no_page_to_look_for_hidden_text():
    assert quire.read(documents.one_page(LINE + BOX)).pages[0].text == "Paid in full on 3 April"


def test_a_label_over_a_picture_stays_with_it():
    result = quire.read(documents.word_over_figure(), ocr="never")
    assert result.pages[0].info.hidden == 0


def test_a_page_drawn_on_a_white_ground_keeps_all_of_its_text():
    ground = "q 1 g 0 0 595 842 re f Q\n"
    page = quire.read(documents.one_page(ground + LINE)).pages[0]
    assert (page.text, page.info.hidden) == ("Paid in full on 3 April", 0)


def test_type_of_one_point_is_small_and_half_a_point_is_hidden():
    small, tiny = (
        quire.read(documents.one_page(LINE + "\n" + say(72, 300, "fine", size))).pages[0] for size in (1.5, 0.5)
    )
    assert ("fine" in small.text, small.info.hidden) == (True, 0)
    assert ("fine" in tiny.text, tiny.info.hidden) == (False, 4)


def test_several_documents_at_the_same_time_hide_the_same():
    names = ["under a picture", "under a white box", "tiny type", "black on a black box"] * 3
    with ThreadPoolExecutor(4) as threads:
        hidden = list(threads.map(lambda name: seen(injected.injected(name).pdf)[1], names))
    assert hidden == [112] * len(names)

"""Words created lazily from runs."""

from __future__ import annotations

import copy
import pickle

import pytest

from quire.core.lazy_words import JoinedWords, PageWords
from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import BBox, Word

RUNS = [("Fresh", LINE), ("fi", SPACE), ("sh", 0), ("daily", LINE | SPACE)]


def page_text() -> PageText:
    boxes = [edge for number in range(len(RUNS)) for edge in (10.0 * number, 5.0, 10.0 * number + 10, 15.0 + number)]
    nothing = dict.fromkeys(
        ("font_table", "links", "fields", "tags", "rulings", "rects", "rect_colors", "images", "drawings"), ()
    )
    each = dict.fromkeys(("baselines", "sizes", "colors", "fonts", "angles", "mcids"), [0] * len(RUNS))
    return PageText(
        number=1,
        width=100.0,
        height=50.0,
        rotation=0,
        chars=17,
        unmapped=0,
        invisible=0,
        texts=[text for text, _ in RUNS],
        flags=[flags for _, flags in RUNS],
        boxes=boxes,
        **nothing,
        **each,
    )


def test_glued_runs_are_one_word_in_one_box():
    words = PageWords(page_text, [(0, 4)])
    assert [word.text for word in words] == ["Fresh", "fish", "daily"]
    assert words[1] == Word("fish", BBox(0.1, 0.1, 0.2, 0.24))


def test_a_range_begins_with_a_word_of_its_own():
    assert [word.text for word in PageWords(page_text, [(2, 4), (0, 1)])] == ["sh", "daily", "Fresh"]


def test_the_text_of_the_page_is_not_touched_before_a_word_is():
    def load() -> PageText:
        raise AssertionError("nobody asked for a word")

    words = PageWords(load, [(0, 4)])
    assert words
    assert not PageWords(load, [(1, 1)])
    assert "0, 4" in repr(words)
    with pytest.raises(AssertionError):
        len(words)


def test_other_text_can_be_bound():
    words = PageWords(lambda: 1 / 0, [(0, 1)])
    words.bind(page_text, 7)
    assert (words.page, len(words)) == (7, 1)


def test_joined_words_follow_each_other_and_flatten():
    first, last = PageWords(page_text, [(0, 1)]), PageWords(page_text, [(3, 4)])
    joined = JoinedWords([JoinedWords([first, last]), (Word("today", BBox(0, 0, 1, 1)),)])
    assert [word.text for word in joined] == ["Fresh", "daily", "today"]
    assert len(joined.parts) == 3
    assert joined
    assert not JoinedWords([])


def test_equal_words_are_equal_and_copies_stand_alone():
    words = PageWords(page_text, [(0, 4)])
    assert words == JoinedWords([PageWords(page_text, [(0, 1)]), PageWords(page_text, [(1, 4)])])
    assert hash(words) == hash(PageWords(page_text, [(0, 4)]))
    assert words != PageWords(page_text, [(0, 3)])
    assert pickle.loads(pickle.dumps(words)) == tuple(words) == copy.deepcopy(words)

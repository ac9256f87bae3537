"""What an engine read, placed on the displayed page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.core.engine import ReadLine, Recognition
from quire.core.keys import ArtifactKey, Digest
from quire.core.pagetext import LINE, PageText
from quire.core.types import REDACTED, AnswerSource, BBox, Box, Word
from quire.pages.prepare.prepared import Redaction
from quire.pages.recognize import recognised_text as placing
from quire.pages.recognize.recognised_text import placed
from quire.pages.recognize.seen import Seen
from tests.unit.pages.recognize.seen import A_PAGE, line, native, prepared


def page(*lines, seen=None, base=None, whole=True) -> PageText:
    reading = Recognition("fake", tuple(lines))
    return placed(base or native(), seen or Seen(prepared()), [reading], engine="fake", whole=whole)


def words(text: PageText):
    return list(text.texts)


def test_words_stand_where_the_engine_saw_them():
    text = page(line("two words", 50, 70, size=20))
    assert words(text) == ["two", "words"]
    assert text.box(0) == pytest.approx((50, 70, 80, 96), abs=0.1)
    assert text.box(1) == pytest.approx((90, 70, 140, 96), abs=0.1)
    assert text.sizes == pytest.approx([placing.SIZE * 26] * 2, abs=0.1)
    assert (text.engine, text.recognised, text.confidences) == ("fake", 0, [0.95, 0.95])


def test_the_bytes_of_a_recognised_page_are_read_back():
    text = page(line("two words", 50, 70))
    assert PageText.from_bytes(text.to_bytes()).texts == ["two", "words"]


def test_the_answer_travels_with_the_text_that_was_read_in_it():
    source = AnswerSource("fake", "1", Digest("p"), ArtifactKey("k"), 0.995)
    text = replace(page(line("two words", 50, 70)), source=source)
    assert PageText.from_bytes(text.to_bytes()).source == source
    assert text.to_bytes() != replace(text, source=replace(source, similarity=None)).to_bytes()
    assert PageText.from_bytes(text.to_bytes()).confidence(1) == 0.95


@pytest.mark.parametrize(
    ("turn", "angle", "box"),
    [
        (0, 0, (50, 70, 80, 96)),
        (90, 270, (70, 420, 96, 450)),
        (180, 180, (420, 604, 450, 630)),
        (270, 90, (604, 50, 630, 80)),
    ],
)
def test_a_page_that_was_turned_to_be_read_has_its_words_where_they_are_displayed(turn, angle, box):
    size = A_PAGE[::-1] if turn % 180 else A_PAGE
    text = page(line("two words", 50, 70, size=20), seen=Seen(prepared(turn=turn)), base=native(size=size))
    assert text.angles == [angle, angle]
    assert text.box(0) == pytest.approx(box, abs=0.1)


def test_lines_are_sorted_from_the_top_and_the_left():
    lines = [line("right", 300, 71), line("below", 50, 120), line("left", 50, 70)]
    assert words(page(*lines)) == ["left", "right", "below"]


def test_words_far_apart_begin_lines_of_their_own():
    read = line("a b", 50, 70)
    first, second = read.words
    apart = second.__class__(second.text, BBox(0.8, second.bbox.top, 0.02, second.bbox.height), 0.9)
    text = page(read.__class__(read.text, read.bbox, 0.9, (first, apart)))
    assert [bool(flag & LINE) for flag in text.flags] == [True, True]
    together = page(line("a b", 50, 70))
    assert [bool(flag & LINE) for flag in together.flags] == [True, False]


def test_native_text_gives_way_on_a_page_that_is_read_as_a_whole():
    base = native(texts=[("garbage", (50, 70, 90, 84))], images=[(0, 0, 500, 700)])
    assert words(page(line("words", 50, 70), base=base)) == ["words"]


SCANNED = [line(f"line {n} of some scanned text here", 60, 400 + 30 * n, size=14) for n in range(5)]
INSERT = (40, 380, 460, 580)


def test_scanned_text_in_a_picture_follows_the_native_text_of_its_page():
    base = native(texts=[("native", (50, 70, 90, 84))], images=[INSERT])
    text = page(*SCANNED, base=base, whole=False)
    assert words(text)[:3] == ["native", "line", "0"]
    assert (text.recognised, list(text.images)) == (1, [])
    assert text.confidence(0) is None and text.confidence(1) == 0.95


def test_what_stands_under_native_text_already_is_left_out():
    under = SCANNED[0].words[0].bbox.points(A_PAGE)
    base = native(texts=[("line", under)], images=[INSERT])
    assert words(page(*SCANNED, base=base, whole=False))[:3] == ["line", "0", "of"]


def test_words_outside_the_pictures_of_a_page_of_text_are_left_out():
    base = native(texts=[("native", (50, 70, 90, 84))], images=[INSERT])
    text = page(line("elsewhere", 60, 200), base=base, whole=False)
    assert (words(text), text.left_out) == (["native"], {"unasked": 9})


def test_a_picture_with_few_words_is_a_figure_whose_words_are_kept():
    base = native(texts=[("native", (50, 70, 90, 84))], images=[INSERT])
    kept = page(line("pump", 100, 450), base=base, whole=False)
    assert (words(kept), list(kept.images)) == (["native", "pump"], list(INSERT))


def test_a_redaction_is_a_word_and_nothing_under_it_is_read():
    box = BBox(0.1, 0.1, 0.4, 0.04)
    seen = Seen(prepared(redactions=[Redaction(box, 0.87)]))
    text = page(line("secret", 60, 75), line("public", 60, 120), seen=seen)
    assert (words(text), text.left_out) == (["public", REDACTED], {"redacted": 6})
    assert text.box(1) == pytest.approx(box.points(A_PAGE), abs=0.01)
    assert text.confidence(1) == 0.87


def test_rules_come_from_the_picture_except_strokes_of_letters():
    read = line("crossed words", 50, 70, size=20)  # 100 to 360 and 140 to 192 in pixels
    below, through = (100.0, 300.0, 800.0, 300.0, 2.0), (120.0, 160.0, 340.0, 160.0, 2.0)
    text = page(read, seen=Seen(prepared(), (below, through)))
    assert list(text.rulings) == pytest.approx([50, 150, 400, 150, 1])


def test_nothing_read_leaves_nothing():
    text = page()
    assert (words(text), list(text.rulings), text.engine) == ([], [], "fake")


def test_words_on_both_sides_of_an_upright_rule_are_two_lines():
    both = line("left right", 140, 140)
    between = 2 * (both.words[0].bbox.right + both.words[1].bbox.left) / 2 * 500
    for length, split in ((400, True), (20, False)):
        text = page(both, seen=Seen(prepared(), ((between, 270.0, between, 270.0 + length, 2.0),)))
        assert [bool(flag & LINE) for flag in text.flags] == [True, split]


def test_a_piece_of_a_column_rule_is_no_text_but_is_counted():
    read = line("word ] word", 140, 140)
    at = (read.words[1].bbox.left + read.words[1].bbox.right) / 2 * 1000
    beside = page(read)
    on = page(read, seen=Seen(prepared(), ((at, 200.0, at, 600.0, 2.0),)))
    assert (words(beside), words(on)) == (["word", "]", "word"], ["word", "word"])
    assert (beside.left_out, on.left_out) == ({}, {"speck": 1})


def test_an_unsure_point_on_its_own_is_dust():
    box = BBox(0.3, 0.3, 0.004, 0.003)
    small = replace(line(".", 140, 140), bbox=box, words=(Word(".", box, confidence=0.4),))
    assert page(small).left_out == {"speck": 1}
    sure = replace(small, words=(replace(small.words[0], confidence=0.9),))
    assert words(page(sure)) == ["."]


def heavy_seen(read, weights) -> Seen:
    """A picture in which these words of a line have strokes of these widths, where 2 is usual."""
    boxes = [word.bbox.points(prepared().size) for word in read.words]
    return Seen(prepared(), (), (), 2.0, tuple((*box, width) for box, width in zip(boxes, weights, strict=True)))


def bold_in(text: PageText) -> list[str]:
    looks = text.looks()
    return [word for word, font in zip(text.texts, text.fonts, strict=True) if looks[font].bold]


def test_words_with_heavy_strokes_are_bold_with_those_beside_them_that_are_nearly_so():
    read = line("the Total amount due is paid", 50, 70)
    seen = heavy_seen(read, (2.0, 2.9, 2.4, 2.1, 2.0, 2.4))
    others = [line("nothing is emphasised in this line", 50, 100 + 30 * n) for n in range(4)]
    assert bold_in(page(read, *others, seen=seen)) == ["Total", "amount"]


def test_large_type_is_not_bold_because_its_strokes_are_wide():
    read = line("Annual report", 50, 70, size=30)
    others = [line("nothing is emphasised in this line", 50, 150 + 30 * n, size=12) for n in range(4)]
    assert bold_in(page(read, *others, seen=heavy_seen(read, (4.0, 4.0)))) == []


def test_a_page_that_is_mostly_heavy_has_no_bold_words():
    read = line("the Total amount due is paid", 50, 70)
    assert bold_in(page(read, seen=heavy_seen(read, (3.0,) * 6))) == []


def justified(text: str, top: float, gaps: dict[int, float]) -> ReadLine:
    """A line whose words are six points apart, or as `gaps` says behind the word of that number."""
    found, at = [], 50.0
    for number, word in enumerate(text.split()):
        box = BBox(at / A_PAGE[0], top / A_PAGE[1], 5 * len(word) / A_PAGE[0], 12 / A_PAGE[1])
        found.append(Word(word, box, 0.95))
        at += 5 * len(word) + gaps.get(number, 6.0)
    left, right = found[0].bbox.left, found[-1].bbox.right
    return ReadLine(text, BBox(left, top / A_PAGE[1], right - left, 14 / A_PAGE[1]), 0.95, tuple(found))


def test_the_wide_space_behind_a_sentence_of_an_old_print_does_not_split_its_line():
    prose = "so he left the old town. The boat was gone"
    text = page(justified(prose, 100, {5: 20.0}))
    assert [bool(flag & LINE) for flag in text.flags] == [True] + [False] * 9
    columns = page(justified("so he left the old town it boat was gone", 100, {5: 20.0}))
    assert sum(bool(flag & LINE) for flag in columns.flags) == 2
    short = page(justified("Total. Amount", 100, {0: 20.0}))
    assert sum(bool(flag & LINE) for flag in short.flags) == 2


def test_lines_of_one_type_have_one_size_whatever_letters_they_hold():
    text = page(
        line("the usual size of type", 50, 70),
        line("acorn", 50, 100, size=11.2),
        line("Large", 50, 130, size=20),
    )
    assert sorted(set(text.sizes)) == pytest.approx([placing.SIZE * 15.6, placing.SIZE * 26], abs=0.1)


def test_a_slanting_line_is_not_larger_than_its_words():
    level = justified("words of a line that slants", 100, {})
    slanting = replace(level, bbox=replace(level.bbox, height=30 / A_PAGE[1]))
    assert page(slanting).sizes == pytest.approx([placing.SIZE * 12 / placing.WORD_HEIGHT] * 6, abs=0.1)


def test_the_shadow_of_the_binding_beside_the_lines_is_no_picture():
    lines = [line("a line of the page", 60, 100 + 20 * number) for number in range(3)]
    shadow, photograph = Box(0.0, 180.0, 110.0, 300.0), Box(500.0, 400.0, 900.0, 700.0)
    text = page(*lines, seen=Seen(prepared(), pictures=(shadow, photograph)))
    assert text.images == pytest.approx([250, 200, 450, 350], abs=0.5)

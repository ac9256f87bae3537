"""Which texts of a drawing are tags, of which kind."""

from __future__ import annotations

import pytest

from quire.core.types import BBox
from quire.pipelines.domains.drawings.grammar import tag_of
from quire.pipelines.domains.drawings.tags import find_tags
from quire.pipelines.domains.drawings.texts import SheetText


def at(text: str, left: float, top: float, *, angle: int = 0, confidence: float | None = None) -> SheetText:
    long, high = 0.006 * len(text), 0.01
    box = BBox(left, top, high, long) if angle % 180 else BBox(left, top, long, high)
    return SheetText(text, 1, box, angle, confidence)


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("P-101A/B", "equipment", "101A/B"),
        ("T4750", "equipment", "4750"),
        ("BA001", "equipment", "001"),
        ("PIC 4712.01", "instrument", "4712.01"),
        ("LT-203", "instrument", "203"),
        ("PSV-1204", "valve", "1204"),
        ("HV 4750.01", "valve", "4750.01"),
        ('6"-CWS-1203-A1A-H', "line", "1203"),
        ("80-PL-1001-CS2", "line", "1001"),
        ("WKb 47131 75HB13 50", "line", "47131"),
        ("LR001.10000-100-10HF01B1 RA 101", "line", "LR001"),
        ("MNC-49125-25 MM-75HG12- T-49125", "line", "49125"),
        ("10LAB20 AA001", "valve", "10LAB20 AA001"),
        ("N12", "nozzle", "12"),
    ],
)
def test_tags_are_known_by_the_way_they_are_written(text, kind, number):
    found = tag_of(text)
    assert found is not None
    assert (found.kind, found.number) == (kind, number)


@pytest.mark.parametrize(
    "text",
    [
        *("DN 100", "PN16", "REV 01", "2020-03-17", "1.4571", "GGG-40", "SIZE A1", "75HB13-50", "840 MM X 595 MM"),
        *("TANK", "4712", "46.8 m^2", "Design Temp. max. Chamber 1 / 2", "A", "SCH40", "1450 U/min", ""),
    ],
)
def test_sizes_materials_standards_and_words_are_no_tags(text):
    assert tag_of(text) is None


def test_letters_above_a_number_are_one_instrument():
    tags = find_tags([at("PIC", 0.5, 0.3), at("4712.01", 0.49, 0.311), at("FIC", 0.7, 0.3), at("F0001", 0.697, 0.311)])
    assert [(tag.text, tag.kind) for tag in tags] == [("PIC 4712.01", "instrument"), ("F0001", "instrument")]
    assert tags[0].bbox.height == pytest.approx(0.021)


def test_letters_beside_a_number_or_far_above_it_are_none():
    assert not find_tags([at("PIC", 0.5, 0.3), at("4712", 0.6, 0.3), at("TIC", 0.2, 0.5), at("4713", 0.2, 0.6)])


def test_a_stack_that_is_written_upwards_is_read_like_one_that_is_not():
    letters, number = at("PIC", 0.5, 0.3, angle=270), at("4712", 0.511, 0.297, angle=270)
    assert [(tag.text, tag.angle) for tag in find_tags([letters, number])] == [("PIC 4712", 270)]


def test_where_instruments_are_stacked_two_letters_with_a_number_name_equipment():
    alone = [at("PA001", 0.1, 0.1)]
    stacks = [
        text
        for number, code in enumerate(("FIC", "PIC", "TIC"))
        for text in (at(code, 0.2 * number + 0.2, 0.3), at(f"000{number}", 0.2 * number + 0.2, 0.311))
    ]
    assert find_tags(alone)[0].kind == "instrument"
    assert find_tags([*alone, *stacks])[0].kind == "equipment"


def test_a_tag_within_a_longer_text_has_its_own_box():
    (tag,) = find_tags([at("spare of P-101A in store", 0.1, 0.1)])
    assert (tag.text, tag.kind) == ("P-101A", "equipment")
    assert 0.1 < tag.bbox.left < tag.bbox.right < 0.1 + 0.006 * 24


def test_a_class_that_ocr_read_in_two_ways_is_written_as_it_is_usually_read():
    texts = [at(text, 0.1, 0.1 * row, confidence=0.9) for row, text in enumerate(("75HB13", "75HB13", "75HB13"))]
    odd = at("MNc 47124 75H813 80", 0.5, 0.5, confidence=0.9)
    assert [tag.text for tag in find_tags([*texts, odd])] == ["MNc 47124 75HB13 80"]
    assert find_tags([*texts, at("MNc 47124 75H813 80", 0.5, 0.5)])[0].text == "MNc 47124 75H813 80"


def test_digits_that_ocr_split_or_took_for_letters_and_points_that_it_lost_are_put_right():
    read = ("PV 4712.02", "TV 4750.03", "HV 475001", "QSa 47 140 75HB13 50", "H1OO8", "PIESA")
    texts = [at(text, 0.1, 0.1 * row, confidence=0.9) for row, text in enumerate(read)]
    found = {tag.text for tag in find_tags([*texts, at("4712.02", 0.1, 0.511, confidence=0.9)])}
    assert found == {
        *("PV 4712.02", "TV 4750.03", "HV 4750.01", "QSa 47140 75HB13 50", "H1008", "PICSA 4712.02"),
    }


def test_a_text_of_a_hundred_thousand_letters_takes_no_time_to_speak_of():
    assert not find_tags([at("A" * 100_000, 0.1, 0.1, confidence=0.9), at("P1-" * 30_000, 0.1, 0.2, confidence=0.9)])

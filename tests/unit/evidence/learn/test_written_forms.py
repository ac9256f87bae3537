"""How people write values, what OCR misreads, and hints for engines."""

from __future__ import annotations

import pytest

import quire
from quire.core.engine import Question
from quire.core.types import BBox, Region
from quire.evidence.extract.candidates import Candidate
from quire.evidence.extract.schema import LeafSpec
from quire.evidence.learn.choices import LeafChoice
from quire.evidence.learn.hints import RecognitionHint
from quire.evidence.learn.spelling import KnownSpellings, dictionary_of, vocabulary_of
from quire.evidence.learn.written_forms import way_of, written
from tests.unit.evidence.learn.receipts import sample


@pytest.mark.parametrize(
    ("triples", "way", "given", "expected"),
    [
        ([("2031-01-02", "2.1.31", "02/01/2031")] * 3, "date %d/%m/%Y", "2032-12-31", "31/12/2032"),
        ([("Acme Ltd", "Acme Ltd", "ACME LTD")] * 3, "upper", "Lantern", "LANTERN"),
        ([("Acme, Inc.", "Acme, Inc.", "Acme Inc.")] * 3, "without commas", "Lantern, Ltd", "Lantern Ltd"),
        ([("$8.70", "$8.70", "8.70")] * 3, "digits", "$9.10", "9.10"),
    ],
)
def test_values_are_written_as_all_samples_write_them(triples, way, given, expected):
    assert way_of(triples) == way
    assert written(way, given, given) == expected


def test_samples_that_disagree_teach_no_way_of_writing():
    assert way_of([("a", "a", "A"), ("b", "b", "B"), ("c", "c", "c")]) == "value"
    assert way_of([("a", "a", "A"), ("b", "b", "B")]) == "value"
    assert written("date %d/%m/%Y", "spring 2031", "spring 2031") == "spring 2031"


def choice(text: str, confidence: float | None) -> LeafChoice:
    place = BBox(0.1, 0.1, 0.3, 0.02)
    return LeafChoice(Candidate("name", text, text, 1, place, "p1-b1", "p1-b1", "line", 0, confidence=confidence), text)


def test_what_ocr_misread_is_spelt_as_two_samples_confirm():
    confirmed = [["Lantern Pantry Ltd"], ["Lantern Pantry Ltd"], ["Northlight Chandlers"]]
    known = KnownSpellings.of(LeafSpec("shop", "shop"), confirmed, [])
    assert known.of_choice(choice("Lantem Pantry Ltd", 0.8)) == "Lantern Pantry Ltd"
    assert known.of_choice(choice("Lanterm Stores", 0.8)) == "Lantern Stores"
    assert known.of_choice(choice("Lanterm Stores", None)) == "Lanterm Stores"
    assert known.of_choice(choice("Northlihgt Chandlers", 0.8)) == "Northlihgt Chandlers"


def test_numbers_and_dates_are_never_respelt():
    assert not KnownSpellings.of(LeafSpec("total", "total", kind="amount"), [["12.40"], ["12.40"]], [])


def test_correctors_for_reading_know_what_two_samples_confirm():
    several = [sample(number) for number in range(4)]
    assert "The Lantern Pantry" in dictionary_of(several).entries
    assert vocabulary_of(several).corrected("Chandiers") == "Chandlers"
    assert dictionary_of(several[:1]).entries == {}


def test_hints_are_values_confirmed_near_the_place():
    several = [sample(number) for number in range(4)]
    place = several[0].places["total"].bboxes[0]
    hints = quire.RecognitionHint.from_store(several, near=Region("r1", place), k=3)
    assert hints[0].startswith("total: ")
    assert len(hints) == 3
    assert Question((10, 10), 150, hints=hints).hints == hints
    assert RecognitionHint.from_store([], near=place) == ()

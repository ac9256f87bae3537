"""Corrections by dictionary and vocabulary."""

from __future__ import annotations

import json

import pytest

from quire.core.errors import ConfigurationError
from quire.pipelines import correct
from tests.unit.pipelines.correct.readings import reading, table


@pytest.mark.parametrize(
    ("read", "right"),
    [
        ("Inv0ice", "Invoice"),  # the entry itself
        ("inv0ice", "Invoice"),  # whatever its case
        ("Your Inv0ice number", "Your Invoice number"),  # inside a text
        ("Net arnount due", "Net amount due"),  # the longest entry first
        ("Invojce", "Invoice"),  # similar to a correct spelling
        ("Delivery addres", "Delivery address"),  # the whole text is similar
        ("the Delivry date", "the Delivery date"),  # a word is similar
        ("Invoice", "Invoice"),
        ("12", "12"),
        ("", ""),
    ],
)
def test_texts_become_what_the_dictionary_says(read, right):
    words = {"Inv0ice": "Invoice", "arnount": "amount", "arnount due": "amount due", "Delivery": "Delivery"}
    words |= {"Delivery address": "Delivery address"}
    assert correct.dictionary(words).corrected(read) == right


def test_entries_are_not_found_inside_words_and_likeness_can_be_turned_off():
    assert correct.dictionary({"cat": "dog"}, fuzzy=2, token_fuzzy=2).corrected("the category") == "the category"
    assert correct.dictionary(["Delivery"], fuzzy=2, token_fuzzy=2).corrected("Delivry") == "Delivry"


def test_digits_are_never_changed_by_likeness():
    assert correct.dictionary(["Section 2018"]).corrected("Section 2019") == "Section 2019"
    assert correct.dictionary(["Section 2018"]).corrected("Secton 2018") == "Section 2018"


def test_a_text_like_two_entries_is_left_alone():
    assert correct.dictionary(["North gate", "South gate"]).corrected("Sorth gate") == "Sorth gate"


def test_entries_without_spaces_between_words_are_found_anywhere():
    assert correct.dictionary({"束京": "東京"}).corrected("束京都") == "東京都"


def test_lines_words_and_cells_are_corrected_and_stay_in_their_place():
    dictionary = correct.dictionary({"arnount": "amount", "inall": "in all"})
    before = reading("the arnount due inall")
    after = dictionary.correct(before)
    (line,) = after.lines
    assert (line.text, [word.text for word in line.words]) == (
        "the amount due in all",
        ["the", "amount", "due", "in", "all"],
    )
    old = before.lines[0].words
    assert line.words[1].bbox == old[1].bbox
    assert line.words[3].bbox.left == old[3].bbox.left
    assert line.words[4].bbox.right == pytest.approx(old[3].bbox.right, abs=1e-4)
    cells = dictionary.correct(table("arnount", "7")).blocks[0]
    assert (cells.text, [cell.text for cell in cells.table.cells]) == ("amount 7", ["amount", "7"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("words.json", json.dumps({"Inv0ice": "Invoice"})),
        ("words.toml", '"Inv0ice" = "Invoice"\n'),
        ("words.txt", "# what was read\nInv0ice\tInvoice\nTotal\n"),
    ],
)
def test_a_dictionary_is_read_from_a_file(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert correct.dictionary.from_file(tmp_path / name).corrected("Inv0ice") == "Invoice"


@pytest.mark.parametrize(
    ("name", "content"), [("a.json", "{"), ("a.json", "[1]"), ("a.toml", "a = 1"), ("a.txt", None)]
)
def test_a_file_that_is_no_dictionary_is_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError, match="cannot read the dictionary"):
        correct.dictionary.from_file(tmp_path / name)


def test_a_dictionary_is_learnt_from_samples():
    samples = [
        ("Tota1 due", "Total due"),
        ("Tota1 paid", "Total paid"),
        ("rn total", "m total"),  # once is not enough to learn from
        ("Paid in ful", "Paid in full"),
        ("ful moon", "ful moon"),  # correct here, so never changed
        ("Paid in ful", "Paid in full"),
    ]
    learnt = correct.dictionary.from_samples(samples)
    assert learnt.entries == {"Tota1": "Total", "Paid in ful": "Paid in full"}


@pytest.mark.parametrize(
    ("read", "right"),
    [
        ("harbonr", "harbour"),
        ("HARBONR Office", "HARBOUR Office"),
        ("Harb0ur", "Harbour"),  # a digit that looks like a letter
        ("A4711", "A4711"),  # digits that do not
        ("cat", "cat"),  # too short
        ("lighthouze keepers", "lighthouse keepers"),
        ("form", "form"),  # in the list
        ("fxrm", "fxrm"),  # similar to two of them
    ],
)
def test_words_become_the_most_similar_of_the_vocabulary(read, right):
    words = ["harbour", "office", "lighthouse", "keepers", "form", "farm"]
    assert correct.vocabulary(words, fuzzy=0.7).corrected(read) == right


def test_of_two_similar_words_the_far_more_frequent_is_taken():
    assert correct.vocabulary({"form": 500, "farm": 3}, fuzzy=0.7).corrected("fxrm") == "form"


def test_settings_are_part_of_the_profile():
    digests = {
        correct.dictionary(["a"]).profile.digest(),
        correct.dictionary(["b"]).profile.digest(),
        correct.dictionary(["b"], fuzzy=0.9).profile.digest(),
        correct.vocabulary(["b"]).profile.digest(),
    }
    assert len(digests) == 4
    assert correct.dictionary(["b", "a"]).profile == correct.dictionary(["a", "b"]).profile

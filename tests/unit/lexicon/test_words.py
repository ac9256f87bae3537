"""The data files of the languages: anyone can add one, and a mistake in it fails here with its name."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import quire
from quire.evidence.extract.naming.concepts import BY_ID
from quire.evidence.extract.sections.document_sections import Topic
from quire.lexicon.finance.statement_kinds import STATEMENTS
from quire.lexicon.phrases import folded, without_accents
from quire.lexicon.words import KEYS, phrase_patterns, word_groups, word_weights, words_by_language, words_of
from quire.pages.recognize.languages import all_languages

FOLDER = Path(quire.__file__).parent / "lexicon" / "languages"
FILES = sorted(FOLDER.glob("*.json"))
AS_WRITTEN = {"labels", "label_weights", "countries", "us_states", "other_states", "nationalities", "legal_forms"}
"""Keys with words that have capitals; all others are in lower case."""
GROUPS = {
    "months": {str(number) for number in range(1, 13)},
    "ordinals": {str(number) for number in range(1, 32)},
    "durations": {"year", "quarter", "month", "week", "day"},
    "item_columns": {"description", "quantity", "unit_price", "amount"},
    "legal_forms": {"all", "bills", "agreements", "ends", "words", "capitals"},
    "party_words": {"called", "labelled", "fields"},
    **{key: {*get_args(Topic)} for key in ("section_fields", "section_headings")},
    **{key: {*STATEMENTS} for key in ("statement_names", "statement_titles", "statement_topics")},
    **{key: {*BY_ID} for key in ("labels", "label_weights", "field_names")},
}


def read(path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        assert not twice, f"{path.name} has these keys twice: {twice}"
        return dict(pairs)

    return dict(json.loads(path.read_text("utf-8"), object_pairs_hook=once))


def lists_of(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Each list of words of a file, with its key and its group."""
    for key, listed in read(path).items():
        groups = listed.items() if isinstance(listed, dict) else [("", listed)]
        yield from ((key, group, list(listed)) for group, listed in groups)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_language_file_is_well_formed(path):
    wrong = []
    for key, group, listed in lists_of(path):
        where = f"{key} {group}".strip()
        if key not in KEYS:
            wrong.append(f"{where}: is not a key of quire.lexicon.words.KEYS")
        if group and key in GROUPS and group not in GROUPS[key]:
            wrong.append(f"{where}: {key} has no such group")
        if not listed:
            wrong.append(f"{where}: has no words")
        wrong += [f"{where}: {word!r} twice" for word, count in Counter(listed).items() if count > 1]
        wrong += [f"{where}: {word!r} has spaces too many" for word in listed if word != " ".join(word.split())]
        wrong += [f"{where}: {word!r} is not NFC" for word in listed if not unicodedata.is_normalized("NFC", word)]
        if key not in AS_WRITTEN:
            wrong += [f"{where}: {word!r} is not in lower case" for word in listed if word != word.lower()]
    assert not wrong, path.name


def test_files_are_named_by_the_codes_of_languages():
    codes = {language.code for language in all_languages()}
    assert not {path.stem for path in FILES} - codes - {"any"}


def test_weights_differ_from_1_and_no_label_has_two():
    weighted, plain = word_weights("label_weights"), word_groups("labels")
    assert not {label for labels in weighted.values() for label, weight in labels.items() if weight == 1}
    assert not {(name, label) for name, labels in weighted.items() for label in labels if label in plain.get(name, ())}


def test_a_month_has_one_number_in_all_languages():
    months = [{folded(name, without_accents) for name in names} for names in word_groups("months").values()]
    numbers = Counter(name for names in months for name in names)
    ambiguous = {name for name, count in numbers.items() if count > 1}
    assert not ambiguous


def test_every_key_is_used_and_filled():
    used = {path: path.read_text("utf-8") for path in FOLDER.parents[1].rglob("*.py") if path.name != "words.py"}
    unused = [key for key in KEYS if not any(f'"{key}"' in text or f"'{key}'" in text for text in used.values())]
    assert not unused
    assert not [key for key in KEYS if not words_by_language(key)]


def test_words_of_all_languages_come_once():
    assert len({*words_of("stop_words")}) == len(words_of("stop_words"))
    assert {"der", "the", "les"} <= {*words_of("stop_words")}


def test_a_phrase_has_parts_that_may_be_missing_and_gaps():
    patterns = phrase_patterns("statement_lines")
    costs, operating = patterns["income: cost of sales"], patterns["cash flow: operating"]
    assert all(costs.search(text) for text in ("cost of sales", "| costs of goods sold |"))
    assert not costs.search("accosts of salesmen")
    assert operating.search("net cash provided by (used in) operating activities")
    assert not operating.search("cash. the operating activities")


def test_each_line_item_has_names_and_labels_and_each_line_its_statement():
    assert {*word_groups("line_item_labels")} == {*word_groups("line_item_names")}
    assert {line.partition(":")[0] for line in word_groups("statement_lines")} == {*STATEMENTS}

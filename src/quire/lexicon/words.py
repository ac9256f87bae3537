"""The words of every language, from the data files in `languages`: one for each language, and `any.json`.

A file maps keys (`KEYS`) to words, to groups of words, or to groups of words with weights. A word is written as the
language spells it; whoever compares it with a text folds both. In phrases, what stands in brackets may be missing, `*`
is any word, and `…` is for up to forty characters of the same sentence: `cost(s) of sales`, `(*) skills`, `cash …
operating activities`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from quire.lexicon.phrases import folded, without_accents

KEYS: Mapping[str, str] = {
    "address_stops": "phrases of lines that end an address: telephone, tax numbers, headings",
    "captions": "words before the number of a figure or a table",
    "countries": "names of countries",
    "country_abbreviations": "short names of countries, as in the last line of an address",
    "currencies": "by ISO code: signs, abbreviations and names",
    "currency_codes": "ISO codes of currencies that stand beside numbers",
    "dated_stamps": "words of rubber stamps that stand with a date",
    "durations": "by unit (year, quarter, month, week, day): its names",
    "field_names": "by concept: how schemas call it",
    "form_words": "words that labels of forms are made of, besides those in `labels`",
    "frequent_words": "the words by which a text shows its language",
    "headings": "titles of sections that many documents have",
    "item_columns": "by column of an invoice: names that ask for all values of it",
    "label_fillers": "words of labels that name nothing: articles, prepositions, currencies",
    "label_synonyms": "by word: other words of labels that mean the same",
    "label_weights": "by concept: labels that name it more or less surely than 1",
    "labels": "by concept: how pages call it",
    "legal_form_names": "by legal form of companies: what it is spelled out",
    "legal_forms": "by where they show a company: `all`, `bills`, `agreements`, `ends`, `words` at ends, `capitals`",
    "letters": "letters that few other languages have",
    "line_item_fillers": "words of labels of line items that name nothing",
    "line_item_labels": "by line item: how financial statements call it, the usual labels first",
    "line_item_names": "by line item: how schemas and questions call it",
    "line_item_qualifiers": "words behind the name of a line item that make it no other one",
    "line_item_synonyms": "by word: other words of line items that mean the same",
    "months": "by number: full names and abbreviations",
    "name_particles": "words without a capital that names of companies have",
    "nationalities": "adjectives of countries",
    "no": "words that deny",
    "number_words": "by number: its names",
    "ordinals": "by number: its names",
    "other_states": "states and provinces with laws of their own, outside of the United States",
    "page_of": "words between a page number and the number of pages",
    "page_words": "words before a page number",
    "party_words": "phrases for a party of an agreement: how it is `called`, `labelled` or asked for in `fields`",
    "period_fillers": "words that stand beside `period_words`",
    "period_words": "words by which a line names the period or the unit of the numbers below it",
    "query_reasons": "in the group `reasons`: phrases of questions that ask for them",
    "query_synonyms": "by the words that documents use: phrases of questions that mean them",
    "scales": "by factor: words behind a number that multiply it",
    "section_fields": "by topic of a section: phrases by which schemas call it",
    "section_headings": "by topic of a section: phrases of its heading",
    "section_words": "words before the number of a section",
    "sentence_words": "words of sentences, which no line of an address has",
    "slogan_words": "words of what a company promises, which no name has",
    "stamps": "words of rubber stamps",
    "statement_lines": "by financial statement and kind of line: phrases of such lines",
    "statement_names": "by financial statement: phrases of questions that name it",
    "statement_titles": "by financial statement: phrases of its title",
    "statement_topics": "by financial statement: phrases of questions that imply it",
    "stop_words": "words of queries that find nothing by themselves",
    "street_endings": "ends of the names of streets, before a house number",
    "street_words": "phrases in the lines of an address: streets, buildings, parts of towns",
    "unit_words": "words of the line above a table that names the unit of its numbers",
    "unsettled_figures": "words of notes by which a figure is not final, or was changed",
    "us_states": "states of the United States",
    "yes": "words that affirm",
}
"""The keys of language files, each with a description of its words."""
_PART = r"\\\(([^)]*)\\\)"
"""Brackets in a phrase, in the form of `re.escape`."""
_FIRST_WORDS, _FURTHER_WORD = re.compile(rf"(?:{_PART} )*"), re.compile(rf" {_PART}(?= |$)")


@cache
def _languages() -> Mapping[str, Mapping[str, Any]]:
    folder = Path(__file__).with_name("languages")
    return {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}


def words_by_language(key: str) -> dict[str, Any]:
    """The words of a key as the file of each language has them, by its code: a list, or a list for each group."""
    return {name: language[key] for name, language in _languages().items() if key in language}


def words_of(key: str) -> list[str]:
    """The words of a key in all languages, each once."""
    return list(dict.fromkeys(word for listed in words_by_language(key).values() for word in listed))


def word_groups(key: str) -> dict[str, list[str]]:
    """The words of a key in all languages, by their group."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for language in _languages().values():
        for group, listed in language.get(key, {}).items():
            found[group].update(dict.fromkeys(listed))
    return {group: list(listed) for group, listed in found.items()}


def word_weights(key: str) -> dict[str, dict[str, float]]:
    """The words of a key in all languages with their weights, by their group."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for language in _languages().values():
        for group, weighted in language.get(key, {}).items():
            found[group].update(weighted)
    return dict(found)


def folded_words(key: str) -> dict[str, str]:
    """The group of each word of a key: words in lower case and without accents."""
    return {folded(word, without_accents): group for group, listed in word_groups(key).items() for word in listed}


def alternatives(listed: Iterable[str]) -> str:
    """A regular expression for any of some words, the longest first; a space is white space of any length."""
    escaped = (re.escape(word).replace(r"\ ", r"\s+") for word in sorted(listed, key=lambda word: (-len(word), word)))
    return f"(?:{'|'.join(escaped)})"


@cache
def phrase_patterns(key: str) -> Mapping[str, re.Pattern[str]]:
    """By group: a regular expression for any phrase of a key in all languages, as whole words in small letters."""
    return {group: re.compile(rf"(?<!\w){phrase_pattern(listed)}(?!\w)") for group, listed in word_groups(key).items()}


@cache
def squeezed_patterns(key: str) -> Mapping[str, re.Pattern[str]]:
    """By group: the same for a text without spaces, where a phrase may be a part of a longer word."""
    return {group: re.compile(phrase_pattern(listed).replace(" ", "")) for group, listed in word_groups(key).items()}


def phrase_pattern(phrases: Iterable[str]) -> str:
    """A regular expression for any of some phrases."""
    return f"(?:{'|'.join(map(_phrase, phrases))})"


def _phrase(phrase: str) -> str:
    escaped = re.escape(phrase).replace(r"\ ", " ").replace(r"\*", r"\w+")
    end = _first_words(escaped)
    first = re.sub(f"{_PART} ", r"(?:\1 )?", escaped[:end])
    rest = re.sub(_PART, r"(?:\1)?", _FURTHER_WORD.sub(r"(?: \1)?", escaped[end:]))
    return first + rest.replace(" …", "[^.|]{0,40}")


def _first_words(phrase: str) -> int:
    """The position behind the optional words with which a phrase begins."""
    found = _FIRST_WORDS.match(phrase)
    return found.end() if found else 0

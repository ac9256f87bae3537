"""The query language: words, phrases, -not, filters; and whole questions."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.retrieval.search.query import SearchFilter, parse_query


def test_words_phrases_and_exclusions_are_told_apart() -> None:
    query = parse_query('margin "total assets" -draft -"pro forma"')
    assert query.terms == ("margin", "total", "asset")
    assert query.phrases == (("total", "asset"),)
    assert query.excluded == (("draft",), ("pro", "forma"))


def test_filters_in_the_text_join_those_given() -> None:
    query = parse_query("margin page:12 page:20-22 kind:table in:reports/2022 doc:a.pdf", SearchFilter(tenant="t"))
    assert query.terms == ("margin",)
    assert query.filter == SearchFilter(
        documents=("a.pdf",), folders=("reports/2022",), kinds=("table",), pages="12,20-22", tenant="t"
    )


def test_a_word_with_a_colon_is_a_word() -> None:
    assert "note" in parse_query("note:5 receivables").terms


def test_a_hyphen_inside_a_word_excludes_nothing() -> None:
    assert parse_query("non-current 30-49").excluded == ()


@pytest.mark.parametrize("text", ["", "page:3", "-draft", "kind:table"])
def test_a_query_without_words_says_what_to_write(text: str) -> None:
    with pytest.raises(UsageError, match="no words to look for"):
        parse_query(text)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'diagram'.*table"):
        parse_query("margin kind:diagram")


def test_sentences_that_say_how_to_answer_are_not_looked_for() -> None:
    query = parse_query(
        'What was the net income in 2021? Answer in a list like ["one thing", "other thing"]. Round it.'
    )
    assert query.terms == ("net", "income", "2021")
    assert query.phrases == ()


def test_a_query_that_only_looks_like_an_instruction_is_kept() -> None:
    assert parse_query("base salary").terms == ("base", "salary")


def test_a_named_statement_is_surer_than_an_implied_one() -> None:
    named = parse_query("What are the inventories? Use the balance sheet.").intent.statements
    implied = parse_query("How did the gross margin develop?").intent.statements
    assert named == (("balance", 1.0),)
    assert dict(implied)["income"] < 1


def test_reasons_are_looked_for_in_the_text_rather_than_in_statements() -> None:
    why = parse_query("Why did the gross margin fall?").intent.statements
    what = parse_query("What was the gross margin?").intent.statements
    assert dict(why)["income"] < dict(what)["income"]


def test_other_words_for_what_is_asked_are_looked_for_as_well() -> None:
    assert {"purchase", "property"} <= {*parse_query("capex 2018").intent.others}


def test_kinds_of_blocks_that_a_question_names() -> None:
    assert parse_query("how many charts are there?").intent.kinds == ("figure",)
    assert parse_query("what is in the table of contents?").intent.kinds == ()

"""Chunks by tokens: split, joined, never longer than a model takes."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.retrieval.chunk import ChunkOptions, Tokenizer, chunks, find_tokenizer
from quire.retrieval.chunk.text_splitter import split
from tests.unit.output.export.results import block, item, report, result, table

WORDS = Tokenizer("words", None, lambda text: len(text.split()))


def cut(document, **options):
    return chunks(document, ChunkOptions(**options), tokenizer=WORDS)


def test_neighbours_below_the_same_headings_are_joined_while_they_fit():
    document = result(
        block("heading", "H", id="h", level=1),
        *(block("paragraph", f"one two three {n}", id=f"p{n}") for n in range(3)),
        block("heading", "I", id="i", level=1),
        block("paragraph", "last", id="p9"),
    )
    found = cut(document, max_tokens=9)
    assert [chunk.text for chunk in found] == [
        "H\none two three 0\none two three 1",
        "H\none two three 2",
        "I\nlast",
    ]
    assert [chunk.tokens for chunk in found] == [9, 5, 2]
    assert found[0].blocks == ("p0", "p1")
    assert len(cut(document, max_tokens=9, merge_peers=False)) == 4


def test_text_is_split_between_sentences_then_clauses_then_words():
    text = (
        "The first sentence is short. The second one is as short. The third, unlike those, is much too long for that."
    )
    found = cut(result(block("paragraph", text, id="p")), max_tokens=7)
    assert [chunk.raw_text for chunk in found] == [
        "The first sentence is short.",
        "The second one is as short.",
        "The third, unlike those,",
        "is much too long for that.",
    ]
    assert [text[chunk.start : chunk.end] for chunk in found] == [chunk.raw_text for chunk in found]
    assert {chunk.blocks for chunk in found} == {("p",)}
    assert len({chunk.id for chunk in found}) == 4


def test_a_word_without_borders_is_split_between_characters():
    letters = Tokenizer("letters", 4, len)
    found = chunks(result(block("paragraph", "abcdefghij", id="p")), tokenizer=letters)
    assert [chunk.raw_text for chunk in found] == ["abcd", "efgh", "ij"]


def test_a_megabyte_without_borders_is_split_at_once():
    letters = Tokenizer("letters", 1000, len)
    found = chunks(result(block("paragraph", "x" * 1_000_000, id="p")), tokenizer=letters)
    assert {chunk.tokens for chunk in found} == {1000}


def test_closing_quotes_stay_with_their_sentence():
    text = 'He said "go." Then he left.'
    places = split(text, lambda part: len(part.split()), 3)
    assert [text[start:end] for start, end in places] == ['He said "go."', "Then he left."]


def test_a_long_table_is_split_between_rows_below_its_head_again():
    rows = [["Name", "Value"], *([f"n{n}", f"v{n}"] for n in range(5))]
    document = result(table(rows), block("caption", "Table 1: Long", id="c"))
    found = cut(document, max_tokens=22, use_markdown_tables=True)
    head = "| Name | Value |\n| --- | --- |\n"
    assert [chunk.raw_text for chunk in found] == [
        f"Table 1: Long\n\n{head}| n0 | v0 |",
        f"{head}| n1 | v1 |\n| n2 | v2 |",
        f"{head}| n3 | v3 |\n| n4 | v4 |",
    ]
    assert all(chunk.tokens <= 22 for chunk in found)
    assert [round(chunk.places[-1].bbox.top, 2) for chunk in found] == [0.25, 0.3, 0.4]


def test_the_rows_of_a_table_in_sentences_need_no_head():
    rows = [["Name", "Value"], *([f"n{n}", f"v{n}"] for n in range(4))]
    found = cut(result(table(rows)), max_tokens=8)
    assert [chunk.raw_text for chunk in found] == [
        "n0, Value = v0. n1, Value = v1",
        "n2, Value = v2. n3, Value = v3",
    ]
    assert found[1].places != found[0].places


def test_a_table_joined_with_what_stands_above_it_begins_a_line():
    document = result(block("paragraph", "Sales rose", id="p"), table([["Region", "Sales"], ["North", "12"]]))
    assert [chunk.raw_text for chunk in cut(document, max_tokens=20)] == ["Sales rose\nNorth, Sales = 12"]


def test_a_table_that_fits_has_the_box_of_its_block():
    document = result(table([["a", "b"], ["1", "2"]]))
    (found,) = cut(document, max_tokens=50)
    assert found.places == document.blocks[0].places


def test_a_head_too_long_to_repeat_is_a_row():
    rows = [["many words in this head", "and as many here"], ["1", "2"], ["3", "4"]]
    found = cut(result(table(rows)), max_tokens=12, use_markdown_tables=True)
    assert sum("many words" in chunk.raw_text for chunk in found) == 1
    assert all(chunk.tokens <= 12 for chunk in found)
    assert "| 3 | 4 |" in found[-1].raw_text


def test_long_lists_are_split_between_items():
    found = cut(result(*(item(f"w{n} x y", id=str(n)) for n in range(4))), max_tokens=8)
    assert [chunk.blocks for chunk in found] == [("0", "1"), ("2", "3")]


def test_headings_that_take_too_much_stay_in_the_path_only():
    long = " ".join(["long"] * 20)
    document = result(
        block("heading", long, id="h", level=1),
        block("heading", "near", id="i", level=2),
        block("paragraph", "a b c", id="p"),
    )
    (found,) = cut(document, max_tokens=8)
    assert found.text == "near\na b c"
    assert found.headings == (long, "near")


def test_small_chunks_are_joined_across_headings_up_to_the_soft_limit():
    document = result(
        block("title", "T", id="t"),
        block("heading", "A", id="a", level=1),
        block("paragraph", "one two", id="p1"),
        block("heading", "B", id="b", level=1),
        block("paragraph", "three four", id="p2"),
    )
    assert len(cut(document, max_tokens=20)) == 2
    (found,) = cut(document, max_tokens=20, min_tokens=10, soft_margin=5)
    assert found.text == "T\nA\none two\nB\nthree four"
    assert (found.headings, found.blocks) == (("T",), ("a", "p1", "b", "p2"))
    assert len(cut(document, max_tokens=20, min_tokens=10, soft_margin=15)) == 2


def test_a_small_last_chunk_is_joined_with_the_one_before():
    document = result(
        block("heading", "A", id="a", level=1),
        block("paragraph", "one two three four five", id="p1"),
        block("heading", "B", id="b", level=1),
        block("paragraph", "six", id="p2"),
    )
    (found,) = cut(document, max_tokens=20, min_tokens=4, soft_margin=0)
    assert found.raw_text == "A\none two three four five\nB\nsix"


def test_the_default_counts_as_the_default_model_does():
    text = "Electroencephalographically speaking, it rains. " * 40
    found = chunks(result(block("paragraph", text, id="p")))
    count = find_tokenizer("sentence-transformers/all-MiniLM-L6-v2").count
    assert [chunk.tokens for chunk in found] == [count(chunk.text) for chunk in found]
    assert max(chunk.tokens for chunk in found) in range(230, 257)


def test_ids_are_stable_and_depend_on_what_matters():
    first, second = chunks(report()), chunks(report())
    assert first == second
    assert len({chunk.id for chunk in first}) == len(first)
    same = chunks(report(), ChunkOptions(max_tokens=256, image_placeholder="unused"))
    assert [chunk.id for chunk in same] == [chunk.id for chunk in first]
    other = chunks(report(), ChunkOptions(max_tokens=255))
    assert not {chunk.id for chunk in other} & {chunk.id for chunk in first}


def test_a_tokenizer_without_a_limit_needs_max_tokens():
    with pytest.raises(UsageError, match="give max_tokens"):
        chunks(report(), tokenizer=WORDS)

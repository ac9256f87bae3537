"""Whatever a document holds: nothing of its text is lost, no chunk is too long, boxes are on pages that exist."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.chunk import ChunkOptions, Tokenizer, chunks
from quire.types import FURNITURE
from tests.unit.export.results import block, item, result, table

words = st.text(st.characters(codec="utf-8", exclude_characters="|\\"), min_size=1, max_size=30)
kinds = st.sampled_from(["title", "heading", "paragraph", "caption", "figure", "code", "footnote", "header", "formula"])
texts = st.builds(
    lambda kind, listed, level: block(kind, " ".join(listed), level=level),
    kinds,
    st.lists(words, max_size=8),
    st.integers(1, 3),
)
items = st.builds(item, words, st.sampled_from(["•", "1.", "(a)"]), st.integers(1, 3))
tables = st.integers(1, 3).flatmap(
    lambda columns: st.lists(st.lists(words, min_size=columns, max_size=columns), min_size=1, max_size=4).map(table)
)


def numbered(blocks):
    from dataclasses import replace

    return result(*(replace(one, id=f"b{number}") for number, one in enumerate(blocks)))


documents = st.lists(texts | items | tables, max_size=8).map(numbered)
tokenizers = st.sampled_from(
    [Tokenizer("words", 40, lambda text: len(text.split())), Tokenizer("letters", 40, lambda text: len(text))]
)
options = st.builds(
    ChunkOptions,
    max_tokens=st.integers(1, 60),
    merge_peers=st.booleans(),
    min_tokens=st.integers(0, 20),
    soft_margin=st.integers(0, 10),
    use_markdown_tables=st.booleans(),
)


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.slow
@given(documents, options, tokenizers)
def test_chunks_hold_the_text_and_keep_to_the_limit(document, chosen, tokenizer):
    found = chunks(document, chosen, tokenizer=tokenizer)
    most = chosen.max_tokens
    assert found == chunks(document, chosen, tokenizer=tokenizer)
    assert len({chunk.id for chunk in found}) == len(found)
    assert all(chunk.tokens <= most or len(bare(chunk.raw_text)) <= 1 for chunk in found)
    assert all(bare(chunk.raw_text) for chunk in found)
    assert {place.page for chunk in found for place in chunk.places} <= {page.number for page in document.pages}
    assert [chunk.start for chunk in found] == sorted(chunk.start for chunk in found)
    known = {one.id for one in document.blocks if one.kind not in FURNITURE}
    assert {one for chunk in found for one in chunk.blocks} <= known
    held = bare("".join(chunk.raw_text for chunk in found))
    above = bare("".join(heading for chunk in found for heading in chunk.headings))
    for one in document.blocks:
        if one.table is None and one.kind not in FURNITURE and bare(one.text):
            assert bare(one.text) in held or bare(one.text) in above or one.kind == "list_item"


@pytest.mark.slow
@given(documents)
def test_chunks_by_structure_make_up_the_text(document):
    found = chunks(document, ChunkOptions(chunker="hierarchical"))
    text = "\n".join(chunk.raw_text for chunk in found)
    assert [text[chunk.start : chunk.end] for chunk in found] == [chunk.raw_text for chunk in found]

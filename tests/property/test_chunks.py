"""Whatever a document holds: its text is in its chunks once, no chunk is too long, boxes are on pages that exist."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.core.types import FURNITURE
from quire.output.export._flow import flow
from quire.retrieval.chunk import ChunkOptions, Tokenizer, chunks
from quire.retrieval.chunk.table_text import pipes
from tests.unit.output.export.results import block, item, result, table

words = st.text(st.characters(codec="utf-8", exclude_characters="|\\$«»"), min_size=1, max_size=30)
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


def mark(*numbers):
    return f"«{'.'.join(map(str, numbers))}»"


def marked(document):
    """A document whose blocks and cells begin with marks of their own, wherever they say something."""
    return result(*map(_marked, document.blocks))


def _marked(one):
    if one.table is None:
        rest = one.text.removeprefix(one.marker).strip()
        return replace(one, text=f"{one.marker} {mark(one.id)}{rest}".strip()) if rest or one.marker else one
    cells = (replace(cell, text=f"{mark(one.id, cell.row, cell.column)}{cell.text}") for cell in one.table.cells)
    grid = replace(one.table, cells=tuple(cells))
    return replace(one, table=grid, text=grid.text)


def said(one):
    """What a block other than a table says, in the way that chunks write it, without white space."""
    if one.kind == "list_item":
        return bare(one.text.replace("•", "-", 1))
    return bare(f"```{one.text}```") if one.kind == "code" else bare(one.text)


@pytest.mark.slow
@given(documents.map(marked), st.booleans())
def test_every_block_is_in_one_chunk_that_says_what_its_blocks_say(document, markdown):
    found = chunks(document, ChunkOptions(chunker="hierarchical", use_markdown_tables=markdown))
    text = "\n".join(chunk.raw_text for chunk in found)
    assert [text[chunk.start : chunk.end] for chunk in found] == [chunk.raw_text for chunk in found]
    above = {heading for chunk in found for heading in chunk.headings}
    held = Counter(id for chunk in found for id in chunk.blocks)
    for one in document.blocks:
        in_body = one.kind not in FURNITURE and bare(one.text) and flow(one.text) not in above
        assert held[one.id] == bool(in_body) or (one.kind == "figure" and not bare(one.text)), one
    blocks = {one.id: one for one in document.blocks}
    for chunk in found:
        assert chunk.text == "".join(f"{heading}\n" for heading in chunk.headings) + chunk.raw_text
        rest = bare(chunk.raw_text).replace("$", "")
        for one in (blocks[id] for id in chunk.blocks):
            if one.table is None:
                assert rest.startswith(said(one)), one
                rest = rest.removeprefix(said(one))
                continue
            for cell in one.table.cells:
                times = rest.count(mark(one.id, cell.row, cell.column))
                repeats = cell.header or cell.row == 0 or (cell.column == 0 and not markdown)
                assert times >= (markdown or not repeats) and (times == 1 or repeats), cell
                assert bare(cell.text) in rest or not times
            rest = ""
        assert not rest, "a chunk says nothing else"


@pytest.mark.slow
@given(documents.map(marked), options, tokenizers)
def test_however_a_text_is_cut_each_part_of_it_is_in_one_chunk(document, chosen, tokenizer):
    text = "\n".join(chunk.raw_text for chunk in chunks(document, replace(chosen, chunker="hierarchical")))
    found = chunks(document, chosen, tokenizer=tokenizer)
    places = [(0, 0), *((chunk.start, chunk.end) for chunk in found), (len(text), len(text))]
    for (_, end), (start, _) in pairwise(places):
        assert end <= start and not bare(text[end:start]).strip("."), (
            "between chunks is nothing but what separates rows"
        )
    begins = beginnings(text, document)
    ends = dict(zip(begins, [*begins.values(), len(text)][1:], strict=True))
    repeated = [pipes(one.table).head for one in document.blocks if one.table is not None]
    repeated += [flow(one.text) for one in document.blocks if one.kind in ("title", "heading")]
    for chunk in found:
        own = {id for id, begin in begins.items() if bare(text[max(begin, chunk.start) : min(ends[id], chunk.end)])}
        assert own == begins.keys() & {*chunk.blocks}
        assert adds_only(repeated, chunk.raw_text, text[chunk.start : chunk.end]), chunk


def beginnings(text, document):
    """Where each block begins in the text of a document: at the start of a line."""
    kinds = {one.id: one.kind for one in document.blocks}
    found = {}
    for match in re.finditer("«(b[0-9]+)", text):
        line = text.rfind("\n", 0, match.start()) + 1
        found.setdefault(match[1], line - len("```\n") * (kinds[match[1]] == "code"))
    return found


def adds_only(repeated, longer, text):
    """Whether a text is another one with some of these above lines of it, again."""
    if longer == text:
        return True
    common = next(
        (at for at, (a, b) in enumerate(zip(longer, text, strict=False)) if a != b), min(len(longer), len(text))
    )
    starts = [0, *(match.end() for match in re.finditer("\n", longer[:common]))]
    cut = {
        longer[:at] + longer[at + len(one) + 1 :]
        for at in starts
        for one in repeated
        if longer.startswith(f"{one}\n", at)
    }
    return any(adds_only(repeated, shorter, text) for shorter in cut)

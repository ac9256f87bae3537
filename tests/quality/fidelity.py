"""Fidelity without truth: faults that any page can show by itself, whatever it says."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import pypdfium2

from quire.core.types import Block, Table

_COMMAND = re.compile(r"\\[a-zA-Z]+")
_LANGUAGE = re.compile(r"[^\W\d_]{4,}")
_WORD = re.compile(r"\w+")
MOST = 8  # faults that are named


def words_of_pages(data: bytes) -> list[list[str]]:
    """The words that PDFium itself finds on each page, in the order of the file."""
    pdf = pypdfium2.PdfDocument(data)
    try:
        return [_WORD.findall(_folded(page.get_textpage().get_text_bounded())) for page in pdf]
    finally:
        pdf.close()


def faults_of_words(words: Sequence[str], blocks: Sequence[Block]) -> Iterator[str]:
    """Words that are in no block, and letters that are there more often or less often than on the page.

    Where words begin and end may differ, and with it hyphens: a word is looked for in the letters of the blocks.
    """
    said = "".join(_WORD.findall(_folded(" ".join(block.text for block in blocks))))
    lost = [word for word in words if word not in said]
    if lost:
        yield f"words in no block: {' '.join(lost[:MOST])}"
    here, there = Counter(said), Counter("".join(words))
    if more := here - there:
        yield f"letters that are said more than once: {_counted(more)}"
    if fewer := there - here:
        yield f"letters that are said too seldom: {_counted(fewer)}"


def faults_of_formulas(blocks: Sequence[Block]) -> Iterator[str]:
    """Language inside of formulas."""
    for block in blocks:
        for span in block.spans:
            words = _LANGUAGE.findall(_COMMAND.sub(" ", span.latex or ""))
            if words:
                yield f"language in a formula: {' '.join(words[:MOST])}"


def faults_of_tables(blocks: Sequence[Block]) -> Iterator[str]:
    """Tables that have no columns: fewer than two with text in them."""
    for block in blocks:
        if block.table and _columns(block.table) < 2:
            yield f"a table without columns: {block.table.text[:60]!r}"


def faults_of(words: Sequence[str], blocks: Sequence[Block]) -> list[str]:
    return [*faults_of_words(words, blocks), *faults_of_formulas(blocks), *faults_of_tables(blocks)]


def _columns(table: Table) -> int:
    return len({cell.column for cell in table.cells if cell.text})


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _counted(letters: Counter[str]) -> str:
    return " ".join(f"{letter} {number}" for letter, number in letters.most_common(MOST))

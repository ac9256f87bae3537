"""Finds the footnotes at values: a mark behind the value, its label or its column, and the note that begins with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from quire.core.types import Block
from quire.evidence.catalog.records import EvidenceRecord
from quire.evidence.extract.values import LeafEvidence
from quire.evidence.verify.matches import quoted_in
from quire.lexicon.phrases import folded
from quire.lexicon.words import phrase_pattern, words_of
from quire.solving.checks.reviewed_answer import ReviewedAnswer, ReviewedValue
from quire.solving.findings import Finding

LONGEST = 600
"""Characters of a note."""
_SIGNS = r"\*{1,4}|[†‡§¶]{1,3}|[¹²³⁰⁴-⁹]{1,2}|[⁽(]\s?(?:\d{1,2}|[a-z])\s?[)⁾]|[※＊]\d?"
_BEHIND = re.compile(rf"\s?({_SIGNS}|(?<=[^\W\d])\d{{1,2}}\)|(?<=\d) \d{{1,2}}\))(?=[\s|,;:.)]|$)")
_AT_END = re.compile(rf"({_SIGNS}|(?<=[^\W\d])\s?\d{{1,2}}\))\s*[:.]?\s*$")
_RAISED = str.maketrans("¹²³⁰⁴⁵⁶⁷⁸⁹⁽⁾＊", "1230456789()*")


def footnote_findings(reviewed: ReviewedAnswer) -> Iterator[Finding]:
    """The notes at values: remarks, and open where a note says that the figure is not final or was changed."""
    for one in reviewed.values:
        if one.evidence is None or not one.evidence.supported:
            continue
        for mark in dict.fromkeys(_marks(one.evidence, reviewed)):
            noted = _note(mark, one.evidence, reviewed)
            if noted is not None:
                yield _finding(one, mark, *noted, reviewed)
                break


def _marks(evidence: LeafEvidence, reviewed: ReviewedAnswer) -> Iterator[str]:
    for record in reviewed.cited(evidence):
        yield from _behind(record, evidence, reviewed)
    cell = reviewed.cell(evidence)
    if cell is not None:
        texts = [cell.row_label, *(" ".join(head.text.split()) for head in cell.heads)]
    else:
        texts = [evidence.label]
    for text in texts:
        if match := _AT_END.search(text):
            yield _plain(match[1])


def _behind(record: EvidenceRecord, evidence: LeafEvidence, reviewed: ReviewedAnswer) -> Iterator[str]:
    """The mark right behind the quote in its record: a sign, or characters that are raised."""
    block = reviewed.whole.block_by_id[record.blocks[0]]
    for span in quoted_in(evidence.quote, reviewed.whole.texts.of(record))[:1] if evidence.quote else ():
        if match := _BEHIND.match(record.text, span[1]):
            yield _plain(match[1])
        elif record.level == "block":
            yield from (
                _plain(block.text[raised.start : raised.end])
                for raised in block.spans
                if raised.superscript and span[1] - 2 <= raised.start <= span[1] + 2
            )
    if match := _AT_END.search(evidence.quote):
        yield _plain(match[1])


def _note(mark: str, evidence: LeafEvidence, reviewed: ReviewedAnswer) -> tuple[Block, str] | None:
    """The block on the page of a value that is the note of a mark, and its text."""
    if evidence.page is None or evidence.document not in reviewed.documents.shorts:
        return None
    page = reviewed.documents.page_in_whole(evidence.document, evidence.page)
    own = {name for record in reviewed.cited(evidence) for name in record.blocks}
    blocks = [block for block in reviewed.whole.blocks if any(place.page == page for place in block.places)]
    for block in sorted(blocks, key=lambda block: block.kind != "footnote"):
        for text in _notes(block, inside=block.id in own):
            plain = _plain(text)
            signs = mark.strip("()") if mark.strip("()").isalnum() else ""
            begins = [mark, f"({signs})", f"{signs})", *([f"{signs} "] if block.kind == "footnote" else ())]
            if any(len(one) > 1 - (not signs) and plain.startswith(one) for one in begins):
                return block, text
    return None


def _notes(block: Block, *, inside: bool) -> Sequence[str]:
    """The lines of a block that may be notes; in a table the rows that are a single text."""
    if block.table is None:
        return () if inside else [" ".join(line.split()) for line in [block.text, *block.text.splitlines()[1:]]]
    rows: dict[int, list[str]] = {}
    for cell in block.table.cells:
        if cell.text.strip():
            rows.setdefault(cell.row, []).append(" ".join(cell.text.split()))
    return [texts[0] for row, texts in rows.items() if row and len(texts) == 1]


def _finding(one: ReviewedValue, mark: str, block: Block, text: str, reviewed: ReviewedAnswer) -> Finding:
    note = text[:LONGEST]
    changed = _changing().search(folded(note)) is not None
    made = replace(Finding(one.path, "footnote", f"the note {mark} belongs to it", open=changed), value=one.value)
    record = reviewed.whole.by_id.get(block.id)
    return made if record is None else reviewed.at_record(made, record, block.places, note)


@cache
def _changing() -> re.Pattern[str]:
    words = [folded(word) for word in words_of("unsettled_figures")]
    spaced = [word for word in words if word.isascii() or not _is_unspaced(word)]
    solid = [word for word in words if word not in spaced]
    pattern = rf"(?<!\w){phrase_pattern(spaced)}(?!\w)"
    return re.compile("|".join([pattern, *map(re.escape, solid)]))


def _is_unspaced(word: str) -> bool:
    return any("\u3040" <= letter <= "\u9fff" for letter in word)


def _plain(mark: str) -> str:
    return "".join(mark.split(" ", 1) if len(mark) <= 4 else [mark]).translate(_RAISED)

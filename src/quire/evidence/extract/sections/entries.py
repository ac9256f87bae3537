"""The entries of a section: positions, degrees, publications, awards, with what is said about each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from quire.core.types import Block
from quire.evidence.extract.sections.document_sections import DocumentSection

_MONTH = r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|fall|autumn|winter)\w*\.?,? +|\d{1,2}/)?"
_DAY = rf"{_MONTH}(?:19|20)\d\d"
_RANGE = re.compile(
    rf"(?P<from>{_DAY})\s*(?:[-–—]|to|until)\s*(?P<to>{_DAY}|present|current|now|today|ongoing|heute)", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SPLIT = re.compile(r"\s+[–—|-]\s+|\s*\|\s*")
_INSTITUTION = re.compile(
    r"universi|institut|college|school|academy|scuola|hochschule|facult|polytech|liceo|gymnas", re.IGNORECASE
)
_MARK = re.compile(r"^\s*(?:[•●▪◦‣*·–-]|\[\d+\]|\(?\d{1,3}[.)])\s+")
_WORK = re.compile(
    r"^(?P<authors>[^()\"“]{3,300}?)\s*(?:\((?:eds?|Hrsg)\.?\)\s*)?\((?P<year>(?:19|20)\d\d)\w?\)[.,:]?\s*"
    r"(?P<title>[\"“*][^\"”*]+[\"”*]|[^.?!]{8,300}[.?!])\s*(?P<publisher>[^.\[]*)",
    re.DOTALL,
)
_LATER = re.compile(
    r"^(?P<authors>[^\"“]{3,400}?)\.\s+(?P<title>[A-Z\"“][^.?!]{8,300})[.?!]\s*(?P<publisher>[^\n]*?)[,.]?\s*"
    r"(?P<year>(?:19|20)\d\d)\w?\W*(?:URL.*)?$",
    re.DOTALL,
)


@dataclass
class SectionEntry:
    """The parts of an entry (title, organization, year) by name, each with its block and its span there."""

    parts: dict[str, tuple[Block, tuple[int, int]]] = field(default_factory=dict)
    texts: list[Block] = field(default_factory=list)
    is_current: bool = False

    def put(self, name: str, block: Block, start: int, end: int) -> None:
        while start < end and block.text[start] in ' \t\n,;|*"“–—-•(':
            start += 1
        while end > start and block.text[end - 1] in ' \t\n,;|*"”–—-.':
            end -= 1
        if end > start:
            self.parts.setdefault(name, (block, (start, end)))


def entries_of(section: DocumentSection) -> list[SectionEntry]:
    """The positions or degrees of a section: each begins with a heading, or with a block that has a period."""
    texts = list(section.texts())
    headed = any(block.kind == "heading" for block, first in texts if not first)
    entries: list[SectionEntry] = []
    for block, first in texts:
        begins = block.kind == "heading" if headed else bool(_RANGE.search(block.text))
        if begins and not first:
            entries.append(_begun(block))
        elif entries:
            _continued(entries[-1], block)
    return entries


def _begun(block: Block) -> SectionEntry:
    entry = SectionEntry()
    line = len(block.text.split("\n")[0])
    period = _dated(entry, block)
    end = period if 0 < period <= line else line
    cuts = list(_SPLIT.finditer(block.text, 0, end))
    named = _INSTITUTION.search(block.text, 0, end)
    if named and (comma := max((block.text.rfind(mark, 0, named.start()) for mark in ",–—|"), default=-1)) > 0:
        entry.put("title", block, 0, comma)
        entry.put("organization", block, comma + 1, end)
    elif cuts:
        entry.put("title", block, 0, cuts[0].start())
        entry.put("organization", block, cuts[0].end(), cuts[1].start() if len(cuts) > 1 else end)
    else:
        entry.put("title", block, 0, end)
    if len(block.text) > line + 1:
        entry.texts.append(block)
    return entry


def _continued(entry: SectionEntry, block: Block) -> None:
    dated = "from" not in entry.parts and _dated(entry, block) >= 0
    if "organization" not in entry.parts and not entry.texts:
        first = _SPLIT.search(block.text)
        end = first.start() if first else len(block.text.split("\n")[0])
        if found := _RANGE.search(block.text):
            end = min(end, found.start())
        entry.put("organization", block, 0, end)
    elif not dated or len(block.text) > 60:
        entry.texts.append(block)


def _dated(entry: SectionEntry, block: Block) -> int:
    """Takes the period that a block names; where it begins, or -1."""
    found = _RANGE.search(block.text)
    if found is None:
        return -1
    entry.put("from", block, *found.span("from"))
    entry.is_current = not _YEAR.search(found["to"])
    entry.put("current" if entry.is_current else "to", block, *found.span("to"))
    return found.start()


def works_of(section: DocumentSection) -> list[SectionEntry]:
    """The publications or references of a section, with their authors, year, title and publisher."""
    entries = []
    for block, first in section.texts():
        for begin, end in _items(block, first):
            text = block.text[begin:end]
            found = _WORK.match(text) or _LATER.match(text)
            if found is None:
                continue
            entry = SectionEntry(texts=[block])
            for name in ("authors", "year", "title", "publisher"):
                entry.put(name, block, begin + found.start(name), begin + found.end(name))
            entry.put("whole", block, begin, end)
            entries.append(entry)
    return entries


def items_of(section: DocumentSection, *, by_comma: bool = False) -> list[SectionEntry]:
    """The single items of a section, a line or a list item each; with `by_comma` also what commas divide."""
    entries = []
    for block, first in section.texts():
        spans = list(_items(block, first))
        if block.kind != "list_item" and "\n" in block.text[first:]:
            spans = [span for begin, end in spans for span in _lines(block.text, begin, end)]
        for begin, end in spans:
            pieces = _pieces(block.text, begin, end) if by_comma else [(begin, end)]
            for piece in pieces:
                entry = SectionEntry()
                entry.put("whole", block, *piece)
                if years := list(_YEAR.finditer(block.text, *piece)):
                    entry.put("date", block, years[0].start(), years[-1].end() if len(years) == 2 else years[0].end())
                if entry.parts:
                    entries.append(entry)
    return entries


def _items(block: Block, first: int) -> Iterator[tuple[int, int]]:
    """A block without the mark of its list."""
    mark = _MARK.match(block.text, first)
    yield (mark.end() if mark else first), len(block.text)


def _lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    for line in re.finditer(r"[^\n]+", text[begin:end]):
        yield begin + line.start(), begin + line.end()


def _pieces(text: str, begin: int, end: int) -> Sequence[tuple[int, int]]:
    """The spans between commas outside of brackets."""
    found, depth, start = [], 0, begin
    for at in range(begin, end):
        depth += (text[at] == "(") - (text[at] == ")")
        if text[at] in ",;•\n" and depth <= 0:
            found.append((start, at))
            start = at + 1
    return [*found, (start, end)]


NAMED: Mapping[str, str] = {
    "title": r"title|position|role|degree|qualification",
    "organization": r"employer|institution|company|organi[sz]ation|school|university|affiliation",
    "name": r"name",
    "email": r"e ?mail",
    "from": r"start|from|begin",
    "to": r"end|to|until",
    "year": r"year",
    "date": r"date|year",
    "authors": r"authors?",
    "publisher": r"publisher|journal|venue",
    "current": r"current",
    "texts": r"description|details|summary|content|responsibilities",
}
"""The words in the names of properties of a schema, by the part of an entry that they mean."""

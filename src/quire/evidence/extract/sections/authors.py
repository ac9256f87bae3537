"""The authors of a paper: the names between its title and its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.core.types import FURNITURE, Block
from quire.evidence.extract.sections.entries import SectionEntry

_WORD = r"(?:[A-ZÀ-Þ][\w’'-]*\.?|de|da|del|della|der|den|di|du|la|le|van|von|bin|al|ten)"
_NAME = re.compile(rf"(?<![\w.@])[A-ZÀ-Þ][\w’'-]*\.?(?:[ -]{_WORD}){{1,4}}(?![\w@])")
_PLACE = re.compile(
    r"universi|institut|college|school|academy|laborator|research|department|dept|center|centre|corp|company|inc\b|ltd|"
    r"hospital|facult|hochschule|polytech|google|microsoft|nvidia|meta\b|openai|abstract|abteilung|\bAI\b",
    re.IGNORECASE,
)
_DIVIDES = re.compile(
    r"\s*(?:,|;|\n|\band\b|(?<=\s)&(?=\s)|·|•|\|)\s*|(?<=[a-zà-þ.])\s*[\d*†‡§¶∗⋆]+(?:,[\d*†‡§¶∗⋆]+)*\s*"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LONGEST = 80
"""Words of a block: a longer one is the text itself."""


def authors_of(blocks: Sequence[Block]) -> list[SectionEntry]:
    """The authors, each with the institution and the address that can only be theirs."""
    head = list(_head(blocks))
    entries: list[SectionEntry] = []
    places: list[tuple[Block, tuple[int, int]]] = []
    addresses = [(block, found.span()) for block in head for found in _EMAIL.finditer(block.text)]
    for block in head:
        for begin, end in _pieces(block.text):
            piece = block.text[begin:end]
            if _PLACE.search(piece):
                places.append((block, (begin, end)))
            elif (found := _NAME.fullmatch(piece)) and re.search(r"[a-zà-þ]{2}", piece):
                entry = SectionEntry()
                entry.put("name", block, begin + found.start(), begin + found.end())
                entries.append(entry)
    for at, entry in enumerate(entries):
        if len(places) == 1:
            entry.parts["organization"] = places[0]
        if len(addresses) == len(entries):
            entry.parts["email"] = addresses[at]
    return entries


def _head(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks between the title and the text of the first page."""
    body = [block for block in blocks if block.kind not in FURNITURE and block.kind != "figure"]
    title = next((at for at, block in enumerate(body) if block.kind in ("title", "heading")), None)
    if title is None:
        return
    for block in body[title + 1 :]:
        is_text = len(block.text.split()) > _LONGEST or re.match(
            r"\W*(?:abstract|1?\W*introduction)\b", block.text, re.I
        )
        if block.page != body[title].page or block.table is not None or is_text:
            return
        yield block


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for found in (*_DIVIDES.finditer(text), None):
        end = found.start() if found else len(text)
        piece = text[begin:end]
        first = begin + len(piece) - len(piece.lstrip(" *†‡∗0123456789"))
        if first < end:
            yield first, end
        begin = found.end() if found else end

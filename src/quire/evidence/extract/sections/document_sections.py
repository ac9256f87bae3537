"""The sections of a document whose headings are usual ones, with the blocks below each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from quire.core.types import FURNITURE, Block
from quire.lexicon.words import phrase_pattern, word_groups

Topic: TypeAlias = Literal[
    "abstract", "statement", "experience", "education", "publications", "awards", "languages", "skills", "keywords",
    "references", "media",
]  # fmt: skip
_HEADINGS = {
    topic: re.compile(rf"(?:\d+\.? )?{phrase_pattern(phrases)}(?: \(.*\))?\W*", re.IGNORECASE)
    for topic, phrases in word_groups("section_headings").items()
}
_SHORT = 6
"""Words of a heading."""


@dataclass(frozen=True)
class DocumentSection:
    """The blocks below a heading, and the text behind it in its block, which begins at `first`."""

    topic: Topic
    heading: Block
    blocks: Sequence[Block]
    first: int

    def texts(self) -> Iterator[tuple[Block, int]]:
        """The blocks of the section, each with where its text begins."""
        if self.heading.text[self.first :].strip():
            yield self.heading, self.first
        for block in self.blocks:
            if block.text.strip() and block.kind not in FURNITURE and block.kind != "figure":
                yield block, 0


def sections_of(blocks: Sequence[Block]) -> list[DocumentSection]:
    """The sections in the order of the document."""
    starts = [(at, *found) for at, block in enumerate(blocks) if (found := _heading(block))]
    sections = []
    for at, topic, first in starts:
        end = next((place for place in range(at + 1, len(blocks)) if _ends(blocks[at], blocks[place])), len(blocks))
        sections.append(DocumentSection(topic, blocks[at], blocks[at + 1 : end], first))
    return sections


def _heading(block: Block) -> tuple[Topic, int] | None:
    """The topic of a block that is a heading, or begins with one in a line of its own or before a dash."""
    if block.kind in FURNITURE or block.table is not None:
        return None
    line, _, rest = block.text.partition("\n")
    for text, first in ((line, len(line)), *_run_in(block.text)):
        plain = " ".join(text.split()).strip(" :.—–-")
        is_heading = block.kind in ("heading", "title") or (rest and plain.isupper()) or first < len(line)
        if is_heading and len(plain.split()) <= _SHORT:
            for topic, pattern in _HEADINGS.items():
                if pattern.fullmatch(plain):
                    return cast("Topic", topic), first
    return None


def _run_in(text: str) -> Iterator[tuple[str, int]]:
    """`Abstract—We show that …`, `Keywords: …`."""
    found = re.match(r"([A-Z][A-Za-z ]{2,24})\s*[:—–.]\s*(?=\S)", text)
    if found:
        yield found[1], found.end()


def _ends(heading: Block, block: Block) -> bool:
    """Whether a block begins another section: one with a usual heading, or with a heading like this one."""
    if _heading(block) is not None:
        return True
    if block.kind not in ("heading", "title"):
        return False
    here, there = heading.text.split("\n")[0], block.text.split("\n")[0]
    if here.isupper() != there.isupper():
        return here.islower()
    return here.isupper() or (block.level or 0) <= (heading.level or 0)

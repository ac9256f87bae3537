"""Documents made up by chance whose structure is known: headings, paragraphs, lists, tables and notes."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from benchmarks.corpus import REPOSITORY

PartKind = Literal["heading", "paragraph", "item", "table"]
_PLAIN = re.compile(r"[`*_#|<>\[\](){}$&%~^\\\"]|https?:\S+")
_SENTENCE = re.compile(r"[A-Z][^.!?:]{40,220}\.(?=\s|$)")
_CODE = re.compile(r"[=/]| [,;.]|[A-Z]{2,} [A-Z]{2,}|--")
_SMALL = ("the", "a", "an", "of", "and", "in", "to", "is", "are", "with", "for", "by", "or", "that", "as", "on", "it")


@dataclass(frozen=True)
class MadePart:
    """A heading or an item with its level, a paragraph with its footnote, or the rows of a table."""

    kind: PartKind
    text: str = ""
    level: int = 1
    note: str = ""
    numbered: bool = False
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass
class MadeDocument:
    """The parts in reading order; the first is the title."""

    parts: list[MadePart] = field(default_factory=list)

    def of(self, kind: PartKind) -> list[MadePart]:
        return [part for part in self.parts if part.kind == kind]


def sentences() -> list[str]:
    """Sentences of the documentation, in plain ASCII words that every program sets as they are."""
    text = " ".join(path.read_text() for path in sorted((REPOSITORY / "docs").rglob("*.md")))
    found = {" ".join(s.split()) for s in _SENTENCE.findall(_PLAIN.sub(" ", text))}
    return sorted(sentence for sentence in found if sentence.isascii() and not _CODE.search(sentence))


def made_document(chance: random.Random, known: Sequence[str], *, numbered: bool, notes: bool) -> MadeDocument:
    """A document of two to four levels of headings; with `numbered` their numbers are part of their text."""
    made = MadeDocument()
    depth = chance.randint(2, 4)

    def prose(least: int, most: int) -> str:
        return " ".join(chance.choice(known) for _ in range(chance.randint(least, most)))

    def items() -> None:
        counted, deeper = chance.random() < 0.3, chance.random() < 0.4
        for place in range(chance.randint(2, 5)):
            made.parts.append(MadePart("item", prose(1, 2), 1, numbered=counted))
            if deeper and place == 0:
                made.parts += [MadePart("item", prose(1, 1), 2) for _ in range(2)]

    def table() -> None:
        heads = chance.sample(("Name", "First", "Second", "Total", "Share", "Year"), 4)
        body = [[chance.choice(known).split()[0], *(str(chance.randint(1, 999)) for _ in range(3))] for _ in range(5)]
        made.parts.append(MadePart("table", rows=tuple(map(tuple, [heads, *body]))))

    def section(level: int, number: str) -> None:
        words = chance.choice(known).rstrip(".").split()[: chance.randint(1, 7)]
        while words and words[-1].lower() in _SMALL:
            words.pop()
        title = " ".join(words).strip(" ,;:'")
        if not title:
            title = "Overview"
        made.parts.append(MadePart("heading", f"{number} {title}" if numbered and number else title, level))
        for _ in range(chance.randint(1, 3)):
            note = prose(1, 1) if notes and chance.random() < 0.15 else ""
            made.parts.append(MadePart("paragraph", prose(2, 6), note=note))
        if chance.random() < 0.3:
            items()
            made.parts.append(MadePart("paragraph", prose(2, 4)))
        if chance.random() < 0.15:
            table()
            made.parts.append(MadePart("paragraph", prose(2, 4)))

    section(1, "")
    for first in range(1, chance.randint(3, 5)):
        section(2, f"{first}.")
        for second in range(1, chance.randint(1, 4) if depth > 2 else 1):
            section(3, f"{first}.{second}")
            for third in range(1, chance.randint(1, 3) if depth > 3 else 1):
                section(4, f"{first}.{second}.{third}")
    return made

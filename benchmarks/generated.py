"""Headings, levels, paragraphs, lists, tables and notes of made documents, by Chromium, LibreOffice and LaTeX.

The structure of each is known because it was made here. Tags and outlines are taken away before reading.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pikepdf

import quire
from benchmarks import madelatex, madeoffice, madeweb
from benchmarks.made import MadeDocument, made_document, sentences
from benchmarks.report import LeftOut, Options, Report, Table
from quire.core.types import Block

DOCUMENTS, FEW = 40, 4
PROGRAMS: dict[str, ModuleType] = {"Chromium": madeweb, "LibreOffice": madeoffice, "LaTeX": madelatex}
_FOLDED = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"^\s*(?:chapter \d+|\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.)\s+", re.IGNORECASE)
_COUNT = re.compile(r"\s*\d+\s*\Z")


@dataclass
class Counts:
    """What was found of a document."""

    wanted: int = 0
    found: int = 0
    right: int = 0
    pairs: int = 0
    ordered: int = 0
    paragraphs: int = 0
    whole: int = 0
    items: int = 0
    listed: int = 0
    nested: int = 0
    tables: int = 0
    filled: int = 0
    notes: int = 0
    noted: int = 0
    steps: int = 0
    onwards: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def row(self) -> list[float | None]:
        parts = ((self.right, self.found), (self.right, self.wanted), (2 * self.right, self.found + self.wanted))
        others = (
            (self.ordered, self.pairs),
            (self.whole, self.paragraphs),
            (self.listed, self.items),
            (self.nested, self.listed),
            (self.filled, self.tables),
            (self.noted, self.notes),
            (self.onwards, self.steps),
        )
        return [good / of if of else None for good, of in (*parts, *others)]


COLUMNS = (
    *("documents", "n", "precision", "recall", "F1 of headings", "levels in order", "paragraphs whole"),
    *("list items", "their depth", "tables", "footnotes", "order"),
)


def run(options: Options) -> Report:
    known = sentences()
    report = Report("Generated documents")
    rows: list[list[object]] = []
    for name, program in PROGRAMS.items():
        try:
            counts = measured(program, known, FEW if options.quick else DOCUMENTS)
        except LeftOut as reason:
            report.notes.append(f"{name} is left out: {reason}.")
            continue
        for half, part in (("tuned", counts[0::2]), ("untuned", counts[1::2]), ("all", counts)):
            rows.append([f"{name}, {half}", len(part), *sum(part, Counts()).row()])
    if not rows:
        raise LeftOut("none of Chromium, LibreOffice and pdflatex is here")
    report.tables = [Table(list(COLUMNS), rows)]
    report.notes.append("Levels in order: of two headings the one is above, below or level with the other as written.")
    report.notes.append("Whole: one block of the right kind has all its text; tables: every cell in its row.")
    return report


def measured(program: ModuleType, known: Sequence[str], count: int) -> list[Counts]:
    """What is found of so many documents."""
    with tempfile.TemporaryDirectory(prefix="quire-generated-") as folder:
        made, paths = made_files(program, known, count, Path(folder))
        return [compared(m, quire.read(str(path)).blocks) for m, path in zip(made, paths, strict=True)]


def made_files(
    program: ModuleType, known: Sequence[str], count: int, folder: Path
) -> tuple[list[MadeDocument], list[Path]]:
    """Documents and their PDFs without tags."""
    documents = []
    for seed in range(count):
        chance = random.Random(seed)
        numbered = program.NUMBERED and chance.random() < 0.4
        documents.append((made_document(chance, known, numbered=numbered, notes=program.NOTES), chance))
    paths = program.printed(documents, folder)
    return [made for made, _ in documents], [_untagged(path) for path in paths]


def _untagged(path: Path) -> Path:
    plain = path.with_name(f"{path.stem}-plain.pdf")
    with pikepdf.open(path) as pdf:
        for key in ("/StructTreeRoot", "/MarkInfo", "/Outlines"):
            if key in pdf.Root:
                del pdf.Root[key]
        pdf.save(plain)
    return plain


def compared(made: MadeDocument, blocks: Sequence[Block]) -> Counts:
    """The parts that were found, and how many pairs of neighbours keep their levels and their order."""
    found = [(0 if b.kind == "title" else b.level or 1, _title(b.text)) for b in blocks if _is_heading(b)]
    found = [(level, title) for level, title in found if title]
    wanted = [(part.level, _title(part.text)) for part in made.of("heading")]
    matched = list(_matched(wanted, found))
    counts = Counts(wanted=len(wanted), found=len(found), right=len(matched))
    for (a, x), (b, y) in pairwise(matched):
        counts.pairs += 1
        counts.ordered += _sign(a - b) == _sign(x - y)
    paragraphs = Counter(_folded(_COUNT.sub("", b.text)) for b in blocks if b.kind == "paragraph")
    counts.paragraphs = len(made.of("paragraph"))
    counts.whole = sum(paragraphs[_folded(part.text)] > 0 for part in made.of("paragraph"))
    levels = {_folded(b.text.removeprefix(b.marker)): b.level for b in blocks if b.kind == "list_item"}
    items = made.of("item")
    counts.items = len(items)
    counts.listed = sum(_folded(item.text) in levels for item in items)
    counts.nested = sum(levels.get(_folded(item.text)) == item.level for item in items)
    grids = [[list(map(_folded, row)) for row in b.table.grid()] for b in blocks if b.table]
    counts.tables = len(made.of("table"))
    counts.filled = sum([list(map(_folded, row)) for row in part.rows] in grids for part in made.of("table"))
    notes = [_folded(b.text).lstrip("0123456789") for b in blocks if b.kind == "footnote"]
    noted = [part.note for part in made.of("paragraph") if part.note]
    counts.notes, counts.noted = len(noted), sum(_folded(note) in notes for note in noted)
    places = list(_places(made, blocks))
    counts.steps = max(len(places) - 1, 0)
    counts.onwards = sum(a < b for a, b in pairwise(places))
    return counts


def _places(made: MadeDocument, blocks: Sequence[Block]) -> Iterable[int]:
    """Where the parts that can be told apart stand among the blocks."""
    texts = [_folded(block.text) for block in blocks]
    for part in made.parts:
        begin = _folded(part.text)[:60]
        at = [place for place, text in enumerate(texts) if begin in text[: len(begin) + 6]] if len(begin) == 60 else []
        if len(at) == 1:
            yield at[0]


def _matched(wanted: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> Iterable[tuple[int, int]]:
    """The level as written and as read of each heading, in order."""
    at = 0
    for level, text in wanted:
        place = next((n for n in range(at, len(found)) if found[n][1] == text), None)
        if place is not None:
            yield level, found[place][0]
            at = place + 1


def _is_heading(block: Block) -> bool:
    return block.kind in ("title", "heading")


def _title(text: str) -> str:
    return _folded(_NUMBER.sub("", text + " "))


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).lower()


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)

"""Headings, levels and paragraphs of generated documents, printed by Chromium in many styles.

The structure of each is known because it was made here. Tags are taken away before reading.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path

import pikepdf

import quire
from benchmarks.corpus import REPOSITORY
from benchmarks.report import LeftOut, Options, Report, Table
from quire.result import DocumentResult

DOCUMENTS, FEW = 40, 4
_PLAIN = re.compile(r"[`*_#|<>\[\](){}]|https?:\S+")
_SENTENCE = re.compile(r"[A-Z][^.!?:]{40,220}\.(?=\s|$)")
_FOLDED = re.compile(r"[\W_]+")
FONTS = ("Liberation Serif", "Liberation Sans", "DejaVu Serif", "DejaVu Sans", "serif", "sans-serif")


@dataclass
class Made:
    """A document: its HTML, its headings with levels, and its paragraphs."""

    html: str = ""
    headings: list[tuple[int, str]] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)


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

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def row(self) -> list[float]:
        precision, recall = self.right / max(self.found, 1), self.right / max(self.wanted, 1)
        f1 = 2 * self.right / max(self.found + self.wanted, 1)
        return [precision, recall, f1, self.ordered / max(self.pairs, 1), self.whole / max(self.paragraphs, 1)]


def run(options: Options) -> Report:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise LeftOut("there is no chromium: the package of that name has it")
    sentences = _sentences()
    counts = []
    with tempfile.TemporaryDirectory(prefix="quire-generated-") as folder:
        for seed in range(FEW if options.quick else DOCUMENTS):
            made = document(random.Random(seed), sentences)
            counts.append(compared(made, quire.read(str(printed(made, Path(folder), chromium)))))
    report = Report("Generated documents")
    parts = [("tuned", counts[0::2]), ("untuned", counts[1::2]), ("all", counts)]
    rows = [[name, len(part), *sum(part, Counts()).row()] for name, part in parts]
    report.tables = [
        Table(["documents", "n", "precision", "recall", "F1 of headings", "levels in order", "paragraphs whole"], rows)
    ]
    report.notes.append("Levels in order: of two headings the one is above, below or level with the other as written.")
    return report


def _sentences() -> list[str]:
    """Sentences of the documentation."""
    text = " ".join(path.read_text() for path in sorted((REPOSITORY / "docs").rglob("*.md")))
    return sorted({" ".join(s.split()) for s in _SENTENCE.findall(_PLAIN.sub(" ", text))})


def document(chance: random.Random, sentences: Sequence[str]) -> Made:
    """A document of two to four levels of headings in a style of its own."""
    made = Made()
    numbered, depth = chance.random() < 0.4, chance.randint(2, 4)
    body: list[str] = []

    def prose(least: int, most: int) -> str:
        return " ".join(chance.choice(sentences) for _ in range(chance.randint(least, most)))

    def add(level: int, number: str) -> None:
        words = chance.choice(sentences).rstrip(".").split()[: chance.randint(1, 7)]
        while words and words[-1].lower() in ("the", "a", "an", "of", "and", "in", "to", "is", "are", "with", "for"):
            words.pop()
        title = f"{number} {' '.join(words)}" if numbered and number else " ".join(words)
        title = title.strip().rstrip(",;:")
        if not words:
            return
        made.headings.append((level, title))
        body.append(f"<h{level}>{escape(title)}</h{level}>")
        for _ in range(chance.randint(1, 3)):
            text = prose(2, 6)
            made.paragraphs.append(text)
            body.append(f"<p>{escape(text)}</p>")
        if chance.random() < 0.3:
            body.append("<ul>" + "".join(f"<li>{escape(prose(1, 1))}</li>" for _ in range(3)) + "</ul>")
        if chance.random() < 0.15:
            rows = [[chance.randint(1, 999) for _ in range(4)] for _ in range(4)]
            cells = "".join("<tr>" + "".join(f"<td>{c}</td>" for c in row) + "</tr>" for row in rows)
            body.append(f"<table>{cells}</table>")

    add(1, "")
    for first in range(1, chance.randint(3, 5)):
        add(2, f"{first}.")
        for second in range(1, chance.randint(1, 4) if depth > 2 else 1):
            add(3, f"{first}.{second}")
            for third in range(1, chance.randint(1, 3) if depth > 3 else 1):
                add(4, f"{first}.{second}.{third}")
    made.html = f"<!doctype html><meta charset=utf-8><style>{_style(chance)}</style>{''.join(body)}"
    return made


def _style(chance: random.Random) -> str:
    size = chance.choice((9, 10, 11, 12))
    title = chance.choice((1.2, 1.5, 1.8))
    step = chance.choice((1.0, 1.12, 1.25))
    sizes = [size * step**2 * title, *(size * step**n for n in (2, 1, 0))]
    looks = [
        f"h{level} {{font-size: {points}pt; margin: {chance.choice((0.6, 1.0, 1.4))}em 0 {chance.choice((0.2, 0.5))}em;"
        f" color: {chance.choice(('black', 'black', '#225588', '#993311'))};"
        f" font-weight: {'bold' if step == 1.0 else chance.choice(('bold', 'bold', 'normal'))};"
        f" font-style: {'italic' if level == 4 else 'normal'};"
        f" text-align: {'center' if level == 1 and chance.random() < 0.5 else 'left'};"
        f" text-transform: {'uppercase' if level == 2 and chance.random() < 0.2 else 'none'}}}"
        for level, points in zip((1, 2, 3, 4), sizes, strict=True)
    ]
    columns = chance.choice((1, 1, 2))
    apart = chance.choice(("margin: 0 0 0.6em", "margin: 0; text-indent: 1.5em"))
    return (
        f"@page {{size: {chance.choice(('A4', 'Letter'))}; margin: {chance.choice((18, 25))}mm}}"
        f" body {{font: {size}pt '{chance.choice(FONTS)}'; line-height: {chance.choice((1.15, 1.3, 1.5))};"
        f" columns: {columns}; text-align: {chance.choice(('left', 'justify'))}; hyphens: none}}"
        f" h1, h2, h3, h4 {{font-family: '{chance.choice(FONTS)}'; break-after: avoid}} p {{{apart}}}"
        f" td {{border: 1px solid black; padding: 2pt 8pt}} {' '.join(looks)}"
    )


def printed(made: Made, folder: Path, chromium: str) -> Path:
    """The document as a PDF without tags."""
    page, tagged, plain = folder / "page.html", folder / "tagged.pdf", folder / "plain.pdf"
    page.write_text(made.html)
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    command = [chromium, *quiet, f"--print-to-pdf={tagged}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with pikepdf.open(tagged) as pdf:
        for key in ("/StructTreeRoot", "/MarkInfo", "/Outlines"):
            if key in pdf.Root:
                del pdf.Root[key]
        pdf.save(plain)
    return plain


def compared(made: Made, result: DocumentResult) -> Counts:
    """The headings that were found, how many pairs of neighbours keep their order, and the paragraphs in one block."""
    levels = [(0 if b.kind == "title" else b.level or 1, _folded(b.text)) for b in result.blocks if _is_heading(b.kind)]
    wanted = [(level, _folded(title)) for level, title in made.headings]
    matched = list(_matched(wanted, levels))
    counts = Counts(wanted=len(wanted), found=len(levels), right=len(matched))
    for (a, x), (b, y) in pairwise(matched):
        counts.pairs += 1
        counts.ordered += _sign(a - b) == _sign(x - y)
    texts = [_folded(block.text) for block in result.blocks if block.kind == "paragraph"]
    counts.paragraphs = len(made.paragraphs)
    counts.whole = sum(_folded(paragraph) in texts for paragraph in made.paragraphs)
    return counts


def _matched(wanted: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> Iterable[tuple[int, int]]:
    """The level as written and as read of each heading, in order."""
    at = 0
    for level, text in wanted:
        place = next((n for n in range(at, len(found)) if found[n][1] == text), None)
        if place is not None:
            yield level, found[place][0]
            at = place + 1


def _is_heading(kind: str) -> bool:
    return kind in ("title", "heading")


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).lower()


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)

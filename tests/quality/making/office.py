"""Documents of two or three pages by LibreOffice: text that goes on over pages, lists, tables and footnotes."""

from __future__ import annotations

import random
import tempfile
from io import BytesIO
from pathlib import Path

import pikepdf
from benchmarks import madeoffice
from benchmarks.made import MadeDocument, MadePart, made_document

from tests.quality.making.phrases import ENGLISH
from tests.quality.making.printing import save
from tests.quality.truth import GoldenDocument, Part, TruthCell

DOCUMENTS = 12
LENGTH = 24  # parts


def print_office() -> list[GoldenDocument]:
    made = []
    for seed in range(DOCUMENTS):
        chance = random.Random(seed)
        document = made_document(chance, ENGLISH, numbered=seed % 3 == 0, notes=seed % 2 == 0)
        made.append((MadeDocument(document.parts[:LENGTH]), chance))
    with tempfile.TemporaryDirectory() as folder, pikepdf.new() as whole:
        documents, first = [], 1
        for (document, _), path in zip(made, madeoffice.printed(made, Path(folder)), strict=True):
            with pikepdf.open(path) as pdf:
                whole.pages.extend(pdf.pages)
                last = first + len(pdf.pages) - 1
            parts = [part for one in document.parts for part in _parts(one)]
            documents.append(GoldenDocument("office", first, last, parts))
            first = last + 1
        whole.remove_unreferenced_resources()
        data = BytesIO()
        whole.save(data)
    save("office", data.getvalue(), documents)
    return documents


def _parts(made: MadePart) -> list[Part]:
    if made.kind == "heading":
        return [Part("heading", made.text, made.level)]
    if made.kind == "item":
        return [Part("list_item", made.text, made.level)]
    if made.kind == "table":
        cells = tuple(TruthCell(r, c, text) for r, row in enumerate(made.rows) for c, text in enumerate(row))
        return [Part("table", " ".join(cell.text for cell in cells), cells=cells)]
    note = [Part("footnote", made.note)] if made.note else []
    return [Part("paragraph", made.text), *note]

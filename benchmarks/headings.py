"""Headings of journal pages: the titles of the publishers' XML, and those that it leaves out though they are printed.

The truth of `headings-jats` lists a title only where the text of its section stands on the same page, and none of the
back matter; `headings.json` has the others, written down from the pages. Section numbers are not part of a title.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import quire
from benchmarks.corpus import CORPUS, pdfs
from benchmarks.report import Options, Report, Table

SET = "page-facts-jats"
UNLISTED = Path(__file__).with_name("headings.json")
GOAL = 0.80
_NUMBER = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[IVX]+\.|[A-Z]\.)\s+")
_FOLDED = re.compile(r"[\W_]+")

Titles = Counter[str]


def run(options: Options) -> Report:
    pdfs(SET)
    unlisted: dict[str, list[str]] = json.loads(UNLISTED.read_text())
    truth = [json.loads(line) for line in (CORPUS / SET / "truth" / "headings.jsonl").read_text().splitlines()]
    pages = []
    for entry in truth[: 6 if options.quick else None]:
        path = CORPUS / SET / "pdf" / entry["pdf"]
        blocks = quire.read(str(path)).blocks
        found = _titles(block.text for block in blocks if block.kind in ("title", "heading"))
        listed = _titles(heading["text"] for heading in entry["headings"])
        pages.append((found, listed, listed + _titles(unlisted.get(path.stem, []))))
    rows = [
        [
            name,
            len(part),
            *_shares([(found, listed) for found, listed, _ in part]),
            *_shares([(f, a) for f, _, a in part]),
        ]
        for name, part in (("tuned", pages[0::2]), ("untuned", pages[1::2]), ("all", pages))
    ]
    columns = [
        "pages",
        "n",
        *(f"{m}, {which}" for which in ("listed", "printed") for m in ("precision", "recall", "F1")),
    ]
    report = Report("Headings of journal pages", data={"goal": GOAL})
    report.tables = [Table(columns, rows)]
    return report


def _titles(texts: Iterable[str]) -> Titles:
    return Counter(_FOLDED.sub("", _NUMBER.sub("", unicodedata.normalize("NFKC", text))).lower() for text in texts)


def _shares(pages: list[tuple[Titles, Titles]]) -> list[float]:
    right = sum((found & wanted).total() for found, wanted in pages)
    found, wanted = (sum(titles[i].total() for titles in pages) for i in (0, 1))
    return [right / max(found, 1), right / max(wanted, 1), 2 * right / max(found + wanted, 1)]

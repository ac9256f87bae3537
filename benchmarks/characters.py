"""Every character of a page ends in a block or in the account of what was left out, compared with PDFium's own text.

`python -m benchmarks.characters FILE` prints the pages of one file: that is how each file is read, in its own process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pypdfium2

from benchmarks import corpus
from benchmarks.report import LeftOut, Options, Report, Table
from quire.core.document import Document
from quire.core.errors import QuireError
from quire.core.pagetext import PageText
from quire.pages.layout import page_blocks
from quire.pages.layout.quality import judge
from quire.pages.render.glyphs import EXPANSIONS
from quire.system.budget import cpu_budget

PAGES = 60  # of a document
SECONDS = 120.0  # for a document
WORST = 20


def run(options: Options) -> Report:
    if not corpus.CORPUS.is_dir():
        raise LeftOut("there is no ../shared/corpus beside the repository")
    sets = sorted({path.relative_to(corpus.CORPUS).parts[0] for path in corpus.CORPUS.rglob("*.pdf")})
    rows, pages, refused = [], [], []
    for name in sets:
        files = corpus.pdfs(name)
        found, unread = _read(corpus.spread(files, 5) if options.quick else files)
        rows.append([name, len(files), *_sums(found)])
        pages += found
        refused += unread
    columns = ["set", "files", "pages", "characters", "in blocks", "left out", "unaccounted", "missing letters"]
    report = Report("Characters", [Table(columns, [*rows, ["all", None, *_sums(pages)]])])
    worst = sorted((page for page in pages if _is_wrong(page)), key=_wrongness, reverse=True)[:WORST]
    shown = [[p["file"], p["page"], p["drawn"], p["unaccounted"], p["missing"], p["letters"]] for p in worst]
    names = ["file", "page", "characters", "unaccounted", "missing letters", "the most frequent"]
    report.tables.append(Table(names, shown, title="Worst pages"))
    reasons = Counter[str]()
    for page in pages:
        reasons.update(page["left_out"])
    report.tables.append(Table(["left out", "characters"], reasons.most_common(), title="Reasons"))
    report.notes = [
        "Pages are read without OCR. Unaccounted: characters that are neither in a block nor in the account. Missing "
        "letters: letters and digits of PDFium's own text that are not in the blocks, beyond those in the "
        "account and letters that the reader corrects to the signs of TeX's fonts.",
        f"At most {PAGES} pages of a document. {len(refused)} files cannot be read in {SECONDS:g} s.",
    ]
    report.data = {"worst": worst, "refused": refused}
    return report


def _read(files: Sequence[Path]) -> tuple[list[dict], list[str]]:
    pages: list[dict] = []
    refused = []
    with ThreadPoolExecutor(cpu_budget()) as readers:
        for path, rows in zip(files, readers.map(_read_one, files), strict=True):
            if rows is None:
                refused.append(corpus.shown(path))
            else:
                pages += [{"file": corpus.shown(path), **json.loads(row)} for row in rows]
    return pages, refused


def _read_one(path: Path) -> list[bytes] | None:
    """The pages of a file, read in another process; None when it cannot be read, or not in time."""
    command = [sys.executable, "-m", "benchmarks.characters", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, cwd=corpus.REPOSITORY)
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout.splitlines()


def _sums(pages: Sequence[dict]) -> list[int]:
    names = ("drawn", "in_blocks", "out", "unaccounted", "missing")
    return [len(pages), *(sum(abs(page[name]) for page in pages) for name in names)]


def _is_wrong(page: dict) -> bool:
    return bool(page["unaccounted"] or page["missing"])


def _wrongness(page: dict) -> tuple[int, int]:
    return abs(page["unaccounted"]), page["missing"]


def pages_of(path: Path) -> Iterator[dict[str, object]]:
    """The account of each page, and which letters and digits of PDFium's text it does not explain."""
    with Document(path) as document, closing(pypdfium2.PdfDocument(path)) as plain:
        numbers = range(1, min(document.page_count, PAGES) + 1)
        for number, data in zip(numbers, document.reader.text(numbers), strict=True):
            if not isinstance(data, bytes):
                continue
            text = PageText.from_bytes(data)
            made = page_blocks(text, judge(text))
            counted = made.info.characters
            assert counted is not None
            here, there = "".join(block.text for block in made.blocks), _plain_text(plain, number)
            missing = _letters(there) - _letters(here)
            left_out = sum(counted.left_out.values())
            corrected = _signs(here) - _signs(there)
            yield {
                "page": number,
                "status": made.status,
                "drawn": counted.drawn,
                "in_blocks": counted.in_blocks,
                "left_out": dict(counted.left_out),
                "out": left_out,
                "unaccounted": counted.unaccounted,
                "missing": max(0, missing.total() - left_out - corrected.total()),
                "letters": "".join(letter for letter, _ in missing.most_common(12)),
            }


def _plain_text(plain: pypdfium2.PdfDocument, number: int) -> str:
    page = plain[number - 1]
    return page.get_textpage().get_text_range()


def _letters(text: str) -> Counter[str]:
    """Letters and digits, with ligatures and presentation forms as their letters."""
    plain = "".join(EXPANSIONS.get(character, character) for character in text)
    return Counter(c for c in unicodedata.normalize("NFKD", plain) if c.isalnum())


def _signs(text: str) -> Counter[str]:
    """What is no letter: where the fonts of TeX draw a sign, PDFium often has a letter, which the reader corrects."""
    return Counter(c for c in text if not c.isalnum() and not c.isspace())


if __name__ == "__main__":
    try:
        for row in pages_of(Path(sys.argv[1])):
            print(json.dumps(row))
    except (QuireError, pypdfium2.PdfiumError) as error:
        sys.exit(str(error))

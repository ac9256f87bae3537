"""Work by stage on a fixed set of small documents: lines of Python, and machine instructions where valgrind is.

Both repeat to a fraction of a percent on any load, unlike seconds. Lines are counted in `src/quire` alone, with the
interpreter's own tracing and the pure-Python reader; `tests/unit/test_instructions.py` compares them with the record.
Instructions contain the compiled reader, PDFium and regular expressions too: `valgrind --tool=callgrind` writes what it
has counted whenever the program calls `getloadavg`, a C function that nothing else calls.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from benchmarks.report import RESULTS, Options, Report, Table

KINDS = ("lines", "instructions")
STAGES = ("native text", "layout", "assemble", "export", "chunk", "extract")
TOLERANCE = 0.1
"""How much dearer than the record a stage may become without a word."""
RECORD = RESULTS / "instructions.json"
ROOT = Path(__file__).parents[1]
FIELDS = "number, date, name, total, address, IBAN"

Stage = Callable[[str, Callable[[], Any]], Any]
"""Calls the work of a stage, by its name, and gives its result."""
Counts = Mapping[str, int]


def run(options: Options) -> Report:
    known, report = record(), Report("Work by stage", data={"python": python()})
    rows: list[list[object]] = [[stage] for stage in STAGES]
    columns = ["stage"]
    for kind in KINDS:
        if kind == "instructions" and shutil.which("valgrind") is None:
            report.notes.append("valgrind is missing here: machine instructions are left out.")
            continue
        counts, before = counted(kind), known.get(kind, {})
        report.data[kind] = counts
        columns += [f"{kind} per page", "of the record"]
        for row, stage in zip(rows, STAGES, strict=True):
            row += [f"{counts[stage] / counts['pages']:,.0f}", counts[stage] / before[stage] if before else None]
        if dear := dearer(counts, before):
            report.notes.append(f"**Dearer than the record** in {kind}: {dear}. Commit it with the reason.")
            report.failed = True
    report.tables.append(Table(columns, rows))
    report.notes.append(f"{len(documents())} documents of this repository; what a process loads once is not counted.")
    return report


def python() -> str:
    """The version of the language that lines are counted in: another one counts other lines."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def record() -> dict[str, Any]:
    """The numbers that were recorded, by kind; none before the first time."""
    return json.loads(RECORD.read_text())["data"] if RECORD.exists() else {}


def dearer(counts: Counts, known: Counts, tolerance: float = TOLERANCE) -> str:
    """The stages whose work exceeds the record by more than the tolerance; "" when none does."""
    grown = {stage: counts[stage] / known[stage] - 1 for stage in STAGES if known.get(stage)}
    return ", ".join(f"{stage} by {growth:.0%}" for stage, growth in grown.items() if growth > tolerance)


def counted(kind: str) -> Counts:
    """The work of each stage, and the pages, in a program of its own: what others have cached is not there."""
    command = [sys.executable, "-m", "benchmarks.instructions", kind]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "QUIRE_MODELS": "/dev/null/models"}
    if kind == "lines":
        environment["QUIRE_NATIVE"] = "0"
    with TemporaryDirectory() as folder:
        if kind == "instructions":
            out = f"--callgrind-out-file={folder}/counts"
            command = ["valgrind", "-q", "--tool=callgrind", out, "--dump-before=getloadavg", *command]
        ended = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
        stages = json.loads(ended.stdout)
        return _dumped(Path(folder), stages["order"], stages["pages"]) if kind == "instructions" else stages


def documents() -> dict[str, bytes]:
    """The fixed set: files of this repository, and pages that are drawn as the tests draw them."""
    from tests import documents

    files = ["examples/sample.pdf", *(f"src/quire/flow/samples/{name}.pdf" for name in ("drawing", "form", "invoice"))]
    drawn = ("two_columns", "unruled_table", "ruled_table", "headings_and_lists", "key_values", "footnotes")
    return {
        **{name: (ROOT / name).read_bytes() for name in files},
        **{name: getattr(documents, name)() for name in drawn},
    }


def work_through(stage: Stage, name: str, data: bytes) -> int:
    """All stages of a document; the number of its pages."""
    from quire.core.document import Document
    from quire.core.pagetext import PageText
    from quire.pages import layout
    from quire.pages.assemble import assemble
    from quire.reading.result import DocumentResult

    with closing(Document.from_bytes(data, name=name)) as document:
        reader, numbers = document.reader, range(1, document.page_count + 1)
        texts = stage("native text", lambda: [PageText.from_bytes(text) for text in reader.text(numbers)])
        made = stage("layout", lambda: [layout.page_blocks(text) for text in texts])
        blocks = stage("assemble", lambda: assemble(made, reader.outline()))
        result = DocumentResult(document, [page.info for page in made], blocks)
        for export in (result.to_markdown, result.to_html, result.to_json, result.to_docling):
            stage("export", export)
        stage("chunk", result.chunks)
        stage("extract", lambda: result.extract(fields=FIELDS))
        return len(numbers)


class LineCounter:
    """Counts the lines of Quire's functions that a stage executes, not those of modules that are imported."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lines = 0
        self._source = str(ROOT / "src" / "quire")

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        self._lines = 0
        sys.settrace(self._enter)
        try:
            return work()
        finally:
            sys.settrace(None)
            self.counts[name] += self._lines

    def _enter(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        return self._line if code.co_filename.startswith(self._source) and code.co_name != "<module>" else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        if event == "line":
            self._lines += 1
        return self._line


class DumpedStages:
    """Lets callgrind write its counts before and after each stage; they are told apart by their order."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        os.getloadavg()
        self.order += ["", name]
        try:
            return work()
        finally:
            os.getloadavg()


def _dumped(folder: Path, order: list[str], pages: int) -> Counts:
    """The instructions in the files of callgrind, which are numbered: `counts.1`, `counts.2`, …"""
    counts: Counter[str] = Counter()
    for number, name in enumerate(order, 1):
        found = re.search(r"^(?:totals|summary): (\d+)", (folder / f"counts.{number}").read_text(), re.M)
        if name and found:
            counts[name] += int(found[1])
    return {**counts, "pages": pages}


def main(kind: str) -> None:
    asked = documents()
    # Once without counting: imports, models and tables that a process loads once are not the work of a page.
    work_through(lambda _, work: work(), "sample", asked["examples/sample.pdf"])
    stages = LineCounter() if kind == "lines" else DumpedStages()
    pages = sum(work_through(stages, name, data) for name, data in asked.items())
    counts = stages.counts if isinstance(stages, LineCounter) else {"order": stages.order}
    print(json.dumps({**counts, "pages": pages}))


if __name__ == "__main__":
    main(sys.argv[1])

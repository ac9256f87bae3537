"""CPU per page of a whole warm read, one thread, against pypdfium2's plain text extraction on the same pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pypdfium2

import quire
from benchmarks import clock, corpus, harness
from benchmarks.clock import Sample, Samples, measure
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.pagetext import PageText
from quire.pages.assemble import assemble
from quire.pages.layout import page_blocks

GOALS = {corpus.PAPERS: 4.0, corpus.LONG: 8.0}
BASE, WHOLE, TEXT, LAYOUT, ASSEMBLE = "pypdfium2", "quire.read", "native text", "layout", "assemble"
SLOW = ("opendataloader", "pymupdf4llm")  # a few short papers are enough
SLOW_PAGES = 60

Works = dict[str, Callable[[], Sample]]


def run(options: Options) -> Report:
    report = Report("Speed of a whole read")
    parts, rows = [], []
    for name in (corpus.PAPERS, corpus.LONG):
        paths = corpus.pdfs(name)
        paths = paths[:3] if options.quick and len(paths) > 3 else paths
        pages = {path: _page_count(path) for path in paths}
        samples = {path: clock.interleave(_works(path), options.rounds(7, 3)) for path in paths}
        least = _sums(samples.values())
        whole = least[WHOLE] / least[BASE]
        count = sum(pages.values())
        per_page = {what: seconds * 1000 / count for what, seconds in least.items()}
        rest = per_page[WHOLE] - per_page[TEXT] - per_page[LAYOUT] - per_page[ASSEMBLE]
        rows.append(
            [name, count, per_page[BASE], per_page[WHOLE], whole, *goal(whole, GOALS[name], most=True, digits=0)]
        )
        cells = [per_page[TEXT], per_page[LAYOUT], per_page[ASSEMBLE], rest]
        parts.append([name, *cells, *(value / per_page[BASE] for value in cells)])
        report.data[name] = {
            corpus.shown(path): {"pages": pages[path], **clock.as_data(s)} for path, s in samples.items()
        }
        report.tables.append(_documents(name, samples, pages))
    columns = ["set", "pages", "pypdfium2, ms", "quire.read, ms", "times", "goal", "reached"]
    summary = Table(columns, rows, title="CPU per page")
    shares = ["text", "layout", "assemble", "rest"]
    breakdown = Table(["set", *(f"{s}, ms" for s in shares), *(f"{s}, times" for s in shares)], parts, "Where it goes")
    report.tables = [summary, breakdown, *report.tables]
    if options.peers:
        _add_peers(report, options)
    report.notes += [
        "One process, warm, `threads=1`, temporary store; the least CPU of several interleaved rounds, summed over "
        "the documents. “times” is against pypdfium2: `page.get_textpage().get_text_bounded()` page by page.",
        "Text, layout and assemble are measured one by one on the same pages; the rest is what the whole costs more: "
        "keys, store, events, hashing and opening the file.",
    ]
    return report


def _works(path: Path) -> Works:
    """What is measured on a document, each run once before so that all of it is warm."""
    texts = _texts(path)
    pages = [page_blocks(PageText.from_bytes(text)) for text in texts]
    with quire.Document(path) as document:
        outline = document.reader.outline()
    works: dict[str, Callable[[], object]] = {
        BASE: partial(plain_text, path),
        WHOLE: partial(quire.read, path, threads=1),
        TEXT: partial(_texts, path),
        LAYOUT: lambda: [page_blocks(PageText.from_bytes(text)) for text in texts],
        ASSEMBLE: lambda: assemble(pages, outline),
    }
    works[BASE]()
    if (status := quire.read(path, threads=1).status) != "complete":
        raise LeftOut(f"{corpus.shown(path)} was read only in part ({status}): its time would not count")
    return {name: partial(measure, work) for name, work in works.items()}


def plain_text(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()


def _texts(path: Path) -> list[bytes]:
    with quire.Document(path) as document:
        found = document.reader.text(range(1, document.page_count + 1), threads=1)
        return [text for text in found if isinstance(text, bytes)]


def _page_count(path: Path) -> int:
    with quire.Document(path) as document:
        return document.page_count


def _sums(samples: Iterable[Samples]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for taken in samples:
        for name, some in taken.items():
            sums[name] = sums.get(name, 0.0) + clock.least_cpu(some)
    return sums


def _documents(name: str, samples: dict[Path, Samples], pages: dict[Path, int]) -> Table:
    rows = []
    for path, taken in samples.items():
        base, whole = clock.least_cpu(taken[BASE]), clock.least_cpu(taken[WHOLE])
        rows.append([path.name, pages[path], base * 1000 / pages[path], whole * 1000 / pages[path], whole / base])
    return Table(["document", "pages", "pypdfium2, ms", "quire.read, ms", "times"], rows, title=f"{name}, by document")


def _add_peers(report: Report, options: Options) -> None:
    """The peers on the same documents, each warm in a process of its own, in turns with pypdfium2 in another."""
    harness.check()
    rows: list[list[object]] = []
    for name in (corpus.PAPERS, corpus.LONG):
        for system in [*harness.SYSTEMS[1:], "poppler"]:
            paths = [p for p in corpus.pdfs(name) if system not in SLOW or _page_count(p) < SLOW_PAGES]
            paths = paths[:2] if system in SLOW or options.quick else paths
            if not paths:
                continue
            try:
                version, least = _peer(system, paths)
            except LeftOut as reason:
                report.notes.append(f"Left out: {reason}.")
                continue
            count = sum(map(_page_count, paths))
            mine, base = least[WHOLE], least[BASE]
            row = [name, f"{system} {version}", count, base * 1000 / count, mine * 1000 / count]
            rows.append([*row, least[system] * 1000 / count, mine / base, least[system] / base])
    columns = ["set", "peer", "pages", "pypdfium2, ms", "Quire, ms", "peer, ms", "Quire, times", "peer, times"]
    report.tables.insert(1, Table(columns, rows, "Peers on the same pages, text only"))


def _peer(system: str, paths: Sequence[Path]) -> tuple[str, dict[str, float]]:
    with ExitStack() as stack:
        if system == "poppler":
            program = shutil.which("pdftotext")
            if program is None:
                raise LeftOut("poppler is not installed")
            version, read = "pdftotext", lambda path: clock.command([program, str(path), "-"])[0]
        else:
            peer = stack.enter_context(harness.Peer(system))
            version, read = peer.version, peer.read
        read(paths[0])
        works = {
            path: {
                BASE: partial(measure, partial(plain_text, path)),
                WHOLE: partial(measure, partial(quire.read, path, threads=1)),
                system: partial(read, path),
            }
            for path in paths
        }
        return version, _sums([clock.interleave(each, 2) for each in works.values()])

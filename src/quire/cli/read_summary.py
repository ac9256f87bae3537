"""The last line of `quire read`: what was written where, pages, time, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from quire.cli.display_numbers import duration, left_out_files, spell
from quire.core.types import PageStatus
from quire.durable.folders.discovery import FoundSources

if TYPE_CHECKING:
    from quire.cli.read_server import ServerResult
    from quire.reading.result import DocumentResult

GoesTo = Literal["files", "stdout", "memory"]
"""The destination of the output of a document; `memory`: the command writes it later."""
STATUSES = get_args(PageStatus)


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """The outcome of one document: its exit code, its pages by status, and the files that were written."""

    code: int
    files: Sequence[Path] = ()
    pages: Counter[str] | None = None
    ocr: int = 0
    seconds: float = 0.0
    goes_to: GoesTo = "files"

    @property
    def written(self) -> bool:
        return bool(self.files) or self.goes_to != "files"


def page_counts(result: DocumentResult | ServerResult) -> Counter[str]:
    counts = Counter(str(page.status) for page in result.pages)
    counts["text left out"] = sum(page.info.lacks_text for page in result.pages)
    return counts


def document_line(outcome: ReadOutcome) -> str:
    """The line that `-v` prints for a document that was read."""
    parts = [*_read([outcome], outcome.seconds), *_written([outcome], None)]
    return "; ".join([*parts, *_left_out([outcome], 0)])


def summary_line(outcomes: Sequence[ReadOutcome], seconds: float, output: Path | None, found: FoundSources) -> str:
    parts = [*_read(outcomes, seconds), *_written(outcomes, output)]
    if len(outcomes) > 1 or found.unreadable:  # of one document each page was named before
        parts += _left_out(outcomes, len(found.unreadable))
    if found.left_out:
        parts.append(f"left out {left_out_files({one.name: one.kind for one in found.left_out})}")
    return "; ".join(parts)


def _read(outcomes: Sequence[ReadOutcome], seconds: float) -> Iterator[str]:
    done = [outcome for outcome in outcomes if outcome.pages is not None]
    counts = sum((outcome.pages for outcome in done if outcome.pages), Counter[str]())
    total = sum(counts[status] for status in STATUSES)
    lost = counts["failed"] + counts["skipped"]
    pages = f"{total - lost} of {spell(total, 'page')}" if lost else spell(total, "page")
    ocr = sum(outcome.ocr for outcome in done)
    documents = f"{spell(len(done), 'document')}, " if len(outcomes) > 1 else ""
    yield f"read {documents}{pages} in {duration(seconds)}" + (f" ({ocr} with OCR)" if ocr else "")


def _written(outcomes: Sequence[ReadOutcome], output: Path | None) -> Iterator[str]:
    files = [file for outcome in outcomes for file in outcome.files]
    if any(outcome.goes_to == "stdout" for outcome in outcomes):
        yield "wrote to standard output"
    elif any(outcome.goes_to == "memory" for outcome in outcomes):
        return
    elif len(files) == 1:
        yield f"wrote {files[0]}"
    elif files:
        yield f"wrote {spell(len(files), 'file')} to {output or files[0].parent}"
    else:
        yield "wrote nothing"


def _left_out(outcomes: Sequence[ReadOutcome], unreadable: int) -> Iterator[str]:
    failed = sum(outcome.pages is None for outcome in outcomes) + unreadable
    pages = sum((outcome.pages for outcome in outcomes if outcome.pages is not None), Counter[str]())
    counts = [
        spell(failed, "document") if failed else "",
        f"{spell(pages['failed'], 'page')} that failed" if pages["failed"] else "",
        f"{spell(pages['skipped'], 'page')} that {'needs' if pages['skipped'] == 1 else 'need'} OCR"
        if pages["skipped"]
        else "",
        spell(pages["empty"], "blank page") if pages["empty"] else "",
        f"text of {spell(pages['text left out'], 'page')}" if pages["text left out"] else "",
    ]
    if any(counts):
        yield f"left out {', '.join(filter(None, counts))}"

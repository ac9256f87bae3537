"""`quire read`: documents to Markdown and other formats."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from typer import Argument, Option

from quire.atomic_files import write_files
from quire.cli import options
from quire.cli.asking import check_formats
from quire.cli.progress import ProgressBar
from quire.cli.settings import settings_of
from quire.config import Settings
from quire.durable.folders.discovery import NamedSource, find_sources
from quire.errors import (
    EXIT_COMPLETE,
    EXIT_PARTIAL,
    ConfigurationError,
    InputError,
    PasswordError,
    QuireError,
    StoreError,
    UsageError,
)
from quire.page_ranges import selection

if TYPE_CHECKING:
    from quire.result import DocumentResult
    from quire.store.artifacts import ArtifactStore

T = TypeVar("T")

EXAMPLES = """\b
Examples:
  quire read report.pdf > report.md
  quire read report.pdf --pages 1-3,7 --to json --words
  quire read report.pdf --to md --to docling --to csv -o out
  quire read letters/ scan.tiff -o out --store ~/.cache/quire
  quire read report.pdf --show -o out
  quire read scan.pdf --lang de --profile accurate
"""


def read(  # noqa: PLR0913 - one argument per option
    files: Annotated[list[Path], Argument(metavar="FILE...", readable=False, help="PDFs, images, or folders of them.")],
    to: Annotated[
        list[str] | None,
        Option(
            metavar="FORMAT",
            help="md (default), html, txt, json, docling, doctags, csv, xlsx, hocr, alto, pdf. May be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Folder for the files; needed for several.")
    ] = None,
    pages: Annotated[
        str | None, Option(metavar="PAGES", help="Only these pages, like 1-3,7 or 5- (to the end).")
    ] = None,
    words: options.Words = False,
    password: Annotated[
        str | None, Option(metavar="PASSWORD", help="Password of encrypted documents; better in QUIRE_PASSWORD.")
    ] = None,
    show: Annotated[bool, Option("--show", help="Write pictures of the pages with the boxes drawn.")] = False,
    store: Annotated[
        str | None,
        Option(metavar="PLACE", help="Folder or bucket that keeps what was read: the same file is not read twice."),
    ] = None,
    facts: options.Facts = None,
    profile: options.Profile = None,
    effort: options.Effort = None,
    ocr: options.Ocr = None,
    engine: options.Engine = None,
    lang: options.Lang = None,
    workers: Annotated[
        int | None, Option(metavar="N", help="Pages recognised at a time; one for each CPU by default.")
    ] = None,
    figures: options.Figures = None,
    redactions: options.Redactions = None,
    similar: Annotated[
        bool, Option("--similar", help="Take the answer for a nearly equal picture from the store, and say so.")
    ] = False,
    trace: options.Trace = False,
) -> int:
    """Read documents: Markdown to standard output, or files in a folder."""
    settings = settings_of({name: value for name, value in locals().items() if name not in ("to", "output")})
    formats = tuple(dict.fromkeys(to or (() if show else ("md",))))
    request = _Request(formats, output, pages, words, show, trace, similar, settings)
    _check(request, files)
    sources = find_sources(files, output)
    with _opened(settings) as opened, ProgressBar(len(sources)) as progress:
        outcomes = [_read_one(source, request, opened, progress) for source in sources]
    if not any(outcome.written for outcome in outcomes):
        return next(outcome.code for outcome in outcomes if outcome.code)
    return EXIT_PARTIAL if any(outcome.code for outcome in outcomes) else EXIT_COMPLETE


@dataclass(frozen=True, slots=True)
class _Request:
    """What the options ask for."""

    formats: tuple[str, ...]
    output: Path | None
    pages: str | None
    words: bool
    show: bool
    trace: bool
    similar: bool
    settings: Settings


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one document: its exit code, and whether anything was written."""

    code: int
    written: bool


def _check(request: _Request, files: Sequence[Path]) -> None:
    """Refuse what cannot work before anything is read."""
    from quire.page_ranges import check_pages

    check_pages(request.pages)
    check_formats(request.formats, words=request.words, trace=request.trace)
    if request.similar and request.settings.store is None:
        raise UsageError("--similar needs earlier answers; name their folder with --store")
    _check_recognition(request.settings)
    if request.output is not None:
        if request.output.exists() and not request.output.is_dir():
            raise UsageError(f"{request.output} is not a folder; -o names the folder for the files")
        return
    if len(files) > 1 or any(path.is_dir() for path in files):
        raise UsageError("several documents need a folder for their files; name it with -o")
    if request.show or len(request.formats) > 1 or request.formats[0] in ("csv", "xlsx"):
        what = "pictures" if request.show else "several formats" if len(request.formats) > 1 else request.formats[0]
        raise UsageError(f"{what} cannot go to standard output; name a folder with -o")


def _check_recognition(asked: Settings) -> None:
    from quire.budget import worker_count

    if asked.workers is not None:
        notice = worker_count(asked.workers).notice
        if notice:
            print(f"quire: {notice}", file=sys.stderr)
    if asked.lang:
        from quire.recognize.languages import resolve

        for language in asked.lang:
            resolve(language)


def _one_of(known: tuple[T, ...], given: str, option: str) -> T:
    for value in known:
        if value == given:
            return value
    raise UsageError(f"{option} is {given!r}; choose from {', '.join(map(str, known))}")


@contextmanager
def _opened(asked: Settings) -> Iterator[ArtifactStore | None]:
    """The store for all documents; None when none is named."""
    if asked.store is None:
        yield None
        return
    from quire.store.opening import open_store

    with open_store(asked.store, asked.facts) as store:
        yield store


def _read_one(source: NamedSource, request: _Request, store: ArtifactStore | None, progress: ProgressBar) -> _Outcome:
    """Read and write one document. What is wrong with it is said, and does not stop the others."""
    from quire.reading.call import read as read_document
    from quire.recognize.options import EFFORTS, OCR_MODES

    if request.formats == ("md",):
        import quire.export._markdown  # noqa: F401 - while the worker gets ready, not when the pages are there
    try:
        asked = request.settings
        result = read_document(
            source.path,
            pages=request.pages,
            password=asked.password,
            store=store,
            on_event=progress,
            ocr=_one_of(OCR_MODES, asked.ocr, "--ocr"),
            profile=_one_of(EFFORTS, asked.effort, "--effort"),
            engines=asked.engine,
            lang=asked.lang,
            workers=asked.workers,
            figures=asked.figures,
            redactions=asked.redactions,
            similar=request.similar,
            isolate=True,
        )
        if store is not None:
            store.flush()  # what is done is kept, whatever becomes of the next document
        undrawn = _write(result, source, request, progress)
    except (StoreError, ConfigurationError):
        raise  # would happen to every document
    except QuireError as error:
        hint = " (--password or QUIRE_PASSWORD)" if isinstance(error, PasswordError) else ""
        progress.say(f"{source.path}: {error.args[0]}{hint}")
        return _Outcome(error.exit_code, written=False)
    except Exception as error:
        progress.say(f"{source.path}: internal error, please report it: {type(error).__name__}: {error}")
        return _Outcome(QuireError.exit_code, written=False)
    not_drawn = [f"page {error.page} not drawn: {error.args[0]}" for error in undrawn]
    for line in (*_left_out(result), *not_drawn):
        progress.say(f"{source.path}: {line}")
    if not request.formats and len(undrawn) == len(result.pages):
        return _Outcome(undrawn[0].exit_code, written=False)
    return _Outcome(EXIT_PARTIAL if undrawn or result.status == "partial" else EXIT_COMPLETE, written=True)


def _write(
    result: DocumentResult, source: NamedSource, request: _Request, progress: ProgressBar
) -> Sequence[InputError]:
    """Write what was asked for; returns the errors of pages that could not be drawn."""
    if request.output is None:
        content = result.to_bytes(request.formats[0], words=request.words, trace=request.trace)
        progress.stop()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return ()
    folder = request.output / source.folder
    result.save(folder, request.formats, stem=source.stem, words=request.words, trace=request.trace)
    undrawn = []
    for number, picture in _pictures(result, source, request) if request.show else ():
        if isinstance(picture, InputError):
            undrawn.append(picture)
        else:
            write_files({folder / f"{source.stem}.page-{number}.png": picture})
    return undrawn


def _pictures(
    result: DocumentResult, source: NamedSource, request: _Request
) -> Iterator[tuple[int, bytes | InputError]]:
    """The pages with the boxes drawn, by a worker: the file may be anybody's."""
    from quire.opened import Opened
    from quire.reading.drawing import show

    numbers = [page.number for page in result.pages]
    opened = Opened(source.path.absolute(), result.name, result.id, request.settings.password)
    return zip(numbers, show(opened, numbers, result.blocks), strict=True)


def _left_out(result: DocumentResult) -> list[str]:
    """One line per reason: which pages failed or were left out."""
    reasons: dict[str, list[int]] = {}
    for page in result.pages:
        if page.status in ("failed", "skipped"):
            what = "failed" if page.status == "failed" else "left out"
            reasons.setdefault(f"{what}: {page.info.reason}", []).append(page.number)
    return [f"{_pages(numbers)} {reason}" for reason, numbers in reasons.items()]


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 3-5,9`."""
    return f"page{'' if len(numbers) == 1 else 's'} {selection(numbers)}"

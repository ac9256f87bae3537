"""`quire read`: documents to Markdown and other formats."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from typer import Argument, Option

from quire.atomic_files import write_files
from quire.cli import options
from quire.cli.asking import check_engines, check_formats
from quire.cli.progress import ProgressBar
from quire.cli.read_summary import ReadOutcome, document_line, page_counts, summary_line
from quire.cli.reporting import Loudness, show_traceback
from quire.cli.settings import settings_of
from quire.config import Settings
from quire.document import is_url
from quire.durable.folders.discovery import find_sources
from quire.durable.folders.naming import NamedSource
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
    from quire.cli.read_server import ServerResult
    from quire.client import Client
    from quire.result import DocumentResult
    from quire.store.artifacts import ArtifactStore

T = TypeVar("T")

EXAMPLES = """\b
Examples:
  quire read report.pdf > report.md
  quire read scan.pdf --lang de --effort accurate
  quire read https://example.org/report.pdf --pages 1-3,7 --to json --words
  quire read letters/ scan.tiff -o out --to md --to csv --show
  quire read letters/ -o out --server http://localhost:5001
"""


def read(  # noqa: PLR0913 - one argument per option
    files: Annotated[list[str], Argument(metavar="FILE...", help="PDFs, images, folders of them, or URLs.")],
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="DIR", help="Output folder; required for several documents or formats."),
    ] = None,
    to: Annotated[
        list[str] | None,
        Option(
            metavar="FORMAT",
            help="md (default), html, txt, json, docling, doctags, csv, xlsx, hocr, alto, pdf.",
        ),
    ] = None,
    show: Annotated[bool, Option("--show", help="Also write page images with the boxes drawn.")] = False,
    words: options.Words = False,
    trace: options.Trace = False,
    pages: options.Pages = None,
    password: options.Password = None,
    password_for: options.PasswordFor = None,
    allow_private_urls: options.AllowPrivateUrls = None,
    ocr: options.Ocr = None,
    lang: options.Lang = None,
    engine: options.Engine = None,
    effort: options.Effort = None,
    preset: options.Preset = None,
    figures: options.Figures = None,
    redactions: options.Redactions = None,
    similar: Annotated[
        bool, Option("--similar", help="Reuse OCR results of nearly identical images in the store.")
    ] = False,
    store: Annotated[
        str | None, Option(metavar="PLACE", help="Cache folder or bucket: a page is not processed twice.")
    ] = None,
    facts: options.Facts = None,
    workers: options.Workers = None,
    server: options.Server = None,
    api_key: options.ApiKey = None,
    quiet: options.Quiet = False,
) -> int:
    """Read PDFs, scans (OCR) and photos: Markdown to standard output, or files in a folder."""
    begun = time.monotonic()
    given = dict(locals())
    settings = settings_of({name: value for name, value in given.items() if name not in ("to", "output")})
    if settings.server:
        from quire.cli.read_server import check_server_options

        check_server_options(settings, given)
    formats = tuple(dict.fromkeys(to or ("md",)))
    request = _Request(formats, output, pages, words, show, trace, similar, settings)
    _check(request, files)
    found = find_sources(files, output)
    with ProgressBar(len(found.sources), quiet=quiet) as progress:
        for path in found.unreadable:
            progress.say(str(path.error))
        if not found.sources:
            return found.unreadable[0].error.exit_code
        for name in found.others if Loudness.verbose else ():
            progress.say(f"{name}: not a document")
        with _opened(settings) as opened:
            outcomes = [_read_one(source, request, opened, progress) for source in found.sources]
        if not quiet and (len(outcomes) > 1 or outcomes[0].pages is not None):  # a failure has been reported already
            progress.stop()
            progress.say(summary_line(outcomes, time.monotonic() - begun, output, found))
    if not any(outcome.written for outcome in outcomes):
        return next(outcome.code for outcome in outcomes if outcome.code)
    whole = not found.unreadable and not any(outcome.code for outcome in outcomes)
    return EXIT_COMPLETE if whole else EXIT_PARTIAL


@dataclass(frozen=True, slots=True)
class _Request:
    """The request, from the options."""

    formats: tuple[str, ...]
    output: Path | None
    pages: str | None
    words: bool
    show: bool
    trace: bool
    similar: bool
    settings: Settings


def _check(request: _Request, files: Sequence[str]) -> None:
    """Reject options that cannot work before anything is read."""
    from quire.page_ranges import check_pages

    check_pages(request.pages)
    check_formats(request.formats, words=request.words, trace=request.trace)
    if request.similar and request.settings.store is None:
        raise UsageError("--similar needs a store with earlier results; give it with --store")
    _check_recognition(request.settings)
    if request.output is not None:
        if request.output.exists() and not request.output.is_dir():
            raise UsageError(f"{request.output} is not a folder; -o names the folder for the files")
        return
    if len(files) > 1 or any(not is_url(path) and Path(path).is_dir() for path in files):
        raise UsageError("several documents need an output folder; give it with -o DIR")
    if request.show or len(request.formats) > 1 or request.formats[0] in ("csv", "xlsx"):
        what = "page images" if request.show else "several formats" if len(request.formats) > 1 else request.formats[0]
        raise UsageError(f"{what} cannot go to standard output; give an output folder with -o DIR")


def _check_recognition(asked: Settings) -> None:
    from quire.budget import worker_count

    if asked.workers is not None:
        notice = worker_count(asked.workers).notice
        if notice:
            print(f"quire: {notice}", file=sys.stderr)
    asked.passwords  # noqa: B018 - checks them
    if asked.server:
        return  # it has its own engines
    check_engines(asked.engine)
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
def _opened(asked: Settings) -> Iterator[ArtifactStore | Client | None]:
    """The server that reads all documents, or the store for them; None when none is named."""
    if asked.server:
        from quire.client import Client

        with Client(asked.server, api_key=asked.api_key) as client:
            yield client
        return
    if asked.store is None:
        yield None
        return
    from quire.store.opening import open_store

    with open_store(asked.store, asked.facts) as store:
        yield store


def _read_one(
    source: NamedSource, request: _Request, place: ArtifactStore | Client | None, progress: ProgressBar
) -> ReadOutcome:
    """Read and write one document. Its errors are printed and do not stop the others."""

    if request.formats == ("md",):
        import quire.export._markdown  # noqa: F401 - import it while the worker starts up, not when the pages arrive
    begun = time.monotonic()
    try:
        result = _result(source, request, place, progress)
        files, undrawn = _write(result, source, request, progress)
    except (StoreError, ConfigurationError):
        raise  # affects every document
    except QuireError as error:
        hint = " (--password, --password-for or QUIRE_PASSWORD)" if isinstance(error, PasswordError) else ""
        progress.say(f"{source.shown}: {error.args[0]}{hint}")
        show_traceback(error)
        return ReadOutcome(error.exit_code)
    except Exception as error:
        progress.say(f"{source.shown}: internal error, please report it: {type(error).__name__}: {error}")
        show_traceback(error)
        return ReadOutcome(QuireError.exit_code)
    not_drawn = [f"page {error.page} not drawn: {error.args[0]}" for error in undrawn]
    for line in (*_left_out(result), *not_drawn):
        progress.say(f"{source.shown}: {line}")
    code = EXIT_PARTIAL if undrawn or result.status == "partial" else EXIT_COMPLETE
    seconds = time.monotonic() - begun
    outcome = ReadOutcome(code, files, page_counts(result), len(result.path), seconds, request.output is None)
    if Loudness.verbose:
        progress.say(f"{source.shown}: {document_line(outcome)}")
    return outcome


def _result(
    source: NamedSource, request: _Request, place: ArtifactStore | Client | None, progress: ProgressBar
) -> DocumentResult | ServerResult:
    if request.settings.server:
        from quire.cli.read_server import read_on_server

        return read_on_server(cast("Client", place), source, request.settings, request.pages, progress)
    store = cast("ArtifactStore | None", place)
    result = _read_here(source, request, store, progress)
    if store is not None:
        store.flush()  # finished work is kept, even if the next document crashes
    return result


def _read_here(
    source: NamedSource, request: _Request, store: ArtifactStore | None, progress: ProgressBar
) -> DocumentResult:
    from quire.reading.call import read as read_document
    from quire.recognize.options import EFFORTS, OCR_MODES

    asked = request.settings
    fetch = None
    if source.url:
        from quire.fetching import FetchPolicy

        fetch = FetchPolicy(allow_private=asked.allow_private_urls)
    return read_document(
        source.url or source.path,
        pages=request.pages,
        password=asked.passwords.of(source.path.absolute()),
        store=store,
        on_event=progress,
        ocr=_one_of(OCR_MODES, asked.ocr, "--ocr"),
        effort=_one_of(EFFORTS, asked.effort, "--effort"),
        engines=asked.engine,
        lang=asked.lang,
        workers=asked.workers,
        figures=asked.figures,
        redactions=asked.redactions,
        similar=request.similar,
        isolate=True,
        fetch=fetch,
    )


def _write(
    result: DocumentResult | ServerResult, source: NamedSource, request: _Request, progress: ProgressBar
) -> tuple[Sequence[Path], Sequence[InputError]]:
    """Write the requested formats; returns the files, and the errors of pages that could not be drawn."""
    if request.output is None:
        content = result.to_bytes(request.formats[0], words=request.words, trace=request.trace)
        progress.stop()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return (), ()
    folder = request.output / source.folder
    files = result.save(folder, request.formats, stem=source.stem, words=request.words, trace=request.trace)
    undrawn = []
    for number, picture in _pictures(result) if request.show else ():
        if isinstance(picture, InputError):
            undrawn.append(picture)
        else:
            files.append(folder / f"{source.stem}.page-{number}.png")
            write_files({files[-1]: picture})
    return files, undrawn


def _pictures(result: DocumentResult | ServerResult) -> Iterator[tuple[int, bytes | InputError]]:
    """The pages with the boxes drawn, in a worker process: the file is untrusted."""
    from quire.result import DocumentResult

    if not isinstance(result, DocumentResult):
        yield from result.shown()
        return
    from quire.opened import DiskCopy
    from quire.reading.drawing import show

    numbers = [page.number for page in result.pages]
    with result.reopened() as document:
        yield from zip(numbers, show(DiskCopy(document).opened(), numbers, result.blocks), strict=True)


def _left_out(result: DocumentResult | ServerResult) -> list[str]:
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

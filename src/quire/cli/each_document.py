"""Reads documents one after the other, as `quire read` and `quire chunk` do: progress, errors, exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from quire.cli.batch_settings import check_engines
from quire.cli.command_errors import Loudness, show_traceback
from quire.cli.progress import ProgressBar
from quire.cli.read_summary import GoesTo, ReadOutcome, document_line, page_counts, summary_line
from quire.core.config import Configuration, Settings
from quire.core.errors import (
    EXIT_COMPLETE,
    EXIT_PARTIAL,
    ConfigurationError,
    InputError,
    PasswordError,
    QuireError,
    StoreError,
    UsageError,
)
from quire.core.page_ranges import check_pages, selection
from quire.core.table_areas import TABLES_MODES, areas_beside, areas_for
from quire.durable.folders.discovery import find_sources
from quire.durable.folders.output_names import NamedSource
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.cli.read_server import ServerResult
    from quire.client import Client
    from quire.core.types import PageStatus
    from quire.output.export.crops import Crop
    from quire.reading.result import DocumentResult
    from quire.store.artifacts import ArtifactStore

T = TypeVar("T")

NEEDS_OCR = "needs-recognition: "
"""The beginning of the reason of a page that is skipped because OCR is off."""

Written = tuple[Sequence[Path], Sequence[InputError]]
"""The files of a document, and the errors of pages that could not be drawn."""


Write = Callable[["DocumentResult", NamedSource, ProgressBar], Written]
"""Writes the files of a document."""


@dataclass(frozen=True, slots=True)
class DocumentsRequest:
    """The documents of a command: how they are read, and what is done with each."""

    write: Write
    output: Path | None
    pages: str | None
    configuration: Configuration
    similar: bool = False
    quiet: bool = False
    collects: bool = False
    """The command writes only when all documents are read."""
    whole: bool = True
    """Whether `write` needs all blocks of a document that a server has read; else it gets a `ServerResult`."""

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @property
    def goes_to(self) -> GoesTo:
        return "memory" if self.collects else "stdout" if self.output is None else "files"

    def check(self) -> None:
        """Reject options that cannot work before anything is read."""
        check_pages(self.pages)
        if self.similar and self.settings.store is None:
            raise UsageError("--similar needs a store with earlier results; give it with --store")
        _check_recognition(self.settings)
        if self.output is not None and self.output.exists() and not self.output.is_dir():
            raise UsageError(f"{self.output} is not a folder; -o names the folder for the files")


def read_each(files: Sequence[str], request: DocumentsRequest) -> int:
    """Read and write every document, and return the exit code."""
    request.check()
    begun = time.monotonic()
    discovered = find_sources(files, request.output)
    with ProgressBar(len(discovered.sources), quiet=request.quiet) as progress:
        for path in discovered.unreadable:
            progress.say(str(path.error))
        if not discovered.sources:
            return discovered.unreadable[0].error.exit_code
        for one in discovered.left_out if Loudness.verbose else ():
            progress.say(f"{one.path}: left out: {one.reason}")
        with _opened(request.settings) as opened:
            outcomes = [_read_one(source, request, opened, progress) for source in discovered.sources]
        if not request.quiet and (len(outcomes) > 1 or outcomes[0].pages is not None):  # else it was reported already
            progress.stop()
            progress.say(summary_line(outcomes, time.monotonic() - begun, request.output, discovered))
    if not any(outcome.written for outcome in outcomes):
        return next(outcome.code for outcome in outcomes if outcome.code)
    whole = not discovered.unreadable and not any(outcome.code for outcome in outcomes)
    return EXIT_COMPLETE if whole else EXIT_PARTIAL


def write_to_stdout(content: bytes, progress: ProgressBar) -> None:
    progress.stop()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def write_or_print(content: bytes, file: Path | None, progress: ProgressBar) -> Written:
    """Write the file of a document; print it where there is no folder for it."""
    if file is None:
        write_to_stdout(content, progress)
        return (), ()
    write_files({file: content})
    return [file], ()


def file_writer(content: Callable[[DocumentResult], bytes], output: Path | None, suffix: str) -> Write:
    """Writes one file of each document below a folder, named after the document; prints it without a folder."""

    def write(read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        file = output / source.folder / f"{source.stem}.{suffix}" if output else None
        return write_or_print(content(read), file, progress)

    return write


@contextmanager
def page_crops(result: DocumentResult | ServerResult) -> Iterator[Crop | None]:
    """Cuts pictures out of pages that a worker process renders: the file is untrusted."""
    from quire.core.opened import DiskCopy
    from quire.output.export.crops import PageCrops
    from quire.reading.result import DocumentResult
    from quire.reading.worker_rendering import rendered_in_worker

    if not isinstance(result, DocumentResult):
        yield None
        return
    with result.reopened() as document, closing(DiskCopy(document)) as copy:
        yield PageCrops(rendered_in_worker(copy.opened()))


def _check_recognition(settings: Settings) -> None:
    from quire.system.budget import worker_count

    if settings.workers is not None:
        notice = worker_count(settings.workers).notice
        if notice:
            print(f"quire: {notice}", file=sys.stderr)
    settings.passwords  # noqa: B018 - checks them
    if settings.server:
        return  # it has its own engines
    check_engines(settings.engine)
    if settings.lang:
        from quire.pages.recognize.languages import resolve

        for language in settings.lang:
            resolve(language)


def one_of(choices: tuple[T, ...], text: str, option: str) -> T:
    """The value of an option that has a few. Raises UsageError for another one."""
    for value in choices:
        if value == text:
            return value
    raise UsageError(f"{option} is {text!r}; choose from {', '.join(map(str, choices))}")


@contextmanager
def _opened(settings: Settings) -> Iterator[ArtifactStore | Client | None]:
    """The server that reads all documents, or the store for them; None when none is named."""
    if settings.server:
        from quire.client import Client

        with Client(settings.server, api_key=settings.api_key) as client:
            yield client
        return
    if settings.store is None:
        yield None
        return
    from quire.store.opening import open_store

    with open_store(settings.store, settings.facts) as store:
        yield store


def _read_one(
    source: NamedSource, request: DocumentsRequest, place: ArtifactStore | Client | None, progress: ProgressBar
) -> ReadOutcome:
    """Read and write one document. Its errors are printed and do not stop the others."""
    begun = time.monotonic()
    try:
        result = _result(source, request, place, progress)
        read = cast("ServerResult", result).loaded() if request.whole and request.settings.server else result
        files, undrawn = request.write(cast("DocumentResult", read), source, progress)
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
    outcome = ReadOutcome(code, files, page_counts(result), len(result.path), seconds, request.goes_to)
    if Loudness.verbose:
        progress.say(f"{source.shown}: {document_line(outcome)}")
    return outcome


def _result(
    source: NamedSource, request: DocumentsRequest, place: ArtifactStore | Client | None, progress: ProgressBar
) -> DocumentResult | ServerResult:
    if request.settings.server:
        from quire.cli.read_server import read_on_server

        areas = (
            ()
            if source.url
            else (*areas_for(source.path.absolute(), request.configuration.areas), *areas_beside(source.path))
        )
        return read_on_server(cast("Client", place), source, request.settings, request.pages, progress, areas)
    store = cast("ArtifactStore | None", place)
    result = _read_here(source, request, store, progress)
    if store is not None:
        store.flush()  # finished work is kept, even if the next document crashes
    return result


def _read_here(
    source: NamedSource, request: DocumentsRequest, store: ArtifactStore | None, progress: ProgressBar
) -> DocumentResult:
    from quire.pages.recognize.options import EFFORTS, OCR_MODES
    from quire.reading.call import read as read_document

    settings = request.settings
    fetch = None
    if source.url:
        from quire.core.fetch_policy import FetchPolicy

        fetch = FetchPolicy(allow_private=settings.allow_private_urls)
    return read_document(
        source.url or source.path,
        pages=request.pages,
        password=settings.passwords.of(source.path.absolute()),
        store=store,
        on_event=progress,
        ocr=one_of(OCR_MODES, settings.ocr, "--ocr"),
        effort=one_of(EFFORTS, settings.effort, "--effort"),
        engines=settings.engine,
        lang=settings.lang,
        workers=settings.workers,
        figures=settings.figures,
        redactions=settings.redactions,
        tables=one_of(TABLES_MODES, settings.tables, "--tables"),
        areas=areas_for(source.path.absolute(), request.configuration.areas) if source.url is None else (),
        similar=request.similar,
        isolate=True,
        fetch=fetch,
    )


def _left_out(result: DocumentResult | ServerResult) -> list[str]:
    """One line per reason: which pages failed or were left out, lack some of their text, or have another note."""
    reasons: dict[str, list[int]] = {}
    for page in result.pages:
        if page.status in ("failed", "skipped"):
            reasons.setdefault(_why(page.status, str(page.info.reason)), []).append(page.number)
        elif page.info.reason:
            reasons.setdefault(page.info.reason, []).append(page.number)
    return [f"{_pages(numbers)} {reason}" for reason, numbers in reasons.items()]


def _why(status: PageStatus, reason: str) -> str:
    if reason.startswith(NEEDS_OCR):
        return f"left out, OCR is off: {reason.removeprefix(NEEDS_OCR)}"
    return f"{'failed' if status == 'failed' else 'left out'}: {reason}"


def _pages(numbers: Sequence[int]) -> str:
    """`page 3`, `pages 3-5,9`."""
    return f"page{'' if len(numbers) == 1 else 's'} {selection(numbers)}"

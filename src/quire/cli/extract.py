"""`quire extract`: values from documents, each with the place where it stands."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import extract_options, options
from quire.cli.batch_settings import Choice, asked_for
from quire.cli.command_errors import print_lines
from quire.cli.each_document import DocumentsRequest, Written, page_crops, read_each, write_to_stdout
from quire.cli.progress import ProgressBar
from quire.cli.settings import configuration_of, reading_configuration
from quire.core.document import is_url
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, UsageError
from quire.core.types import shortened
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.folders.discovery import check_paths
from quire.durable.folders.output_names import NamedSource
from quire.evidence.extract.reports import PICTURED, REPORT_FORMATS, ReportFormat, check_report_format, report
from quire.evidence.extract.reports.value_rows import STATUS_WORDS, ValueRow, value_rows
from quire.evidence.extract.values import SURE, Extraction
from quire.reading.extract_call import read_again, recording

if TYPE_CHECKING:
    from quire.core.config import Configuration, Settings
    from quire.reading.result import DocumentResult

EXAMPLES = """\b
Examples:
  quire extract invoice.pdf --fields "invoice number, date, total"
  quire extract invoice.pdf --schema invoice.json > invoice.values.json
  quire extract receipts/ --schema receipt.json -o out --to csv --to html
  quire extract lease.pdf --fields "tenant, rent" --min-confidence 0.6
"""
FLOW = "extract"
WIDTH = 100


def extract(  # noqa: PLR0913 - one argument per option
    files: Annotated[
        list[str], Argument(metavar="FILE...", help="PDFs, images, or folders of them; a URL without -o.")
    ],
    *,
    schema: extract_options.SchemaFile = None,
    fields: extract_options.Fields = None,
    extractor: extract_options.Extractors = None,
    learned: extract_options.Learned = None,
    min_confidence: extract_options.MinConfidence = None,
    reread: extract_options.Reread = None,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Output folder, for any number of documents.")
    ] = None,
    to: Annotated[
        list[str] | None,
        Option(metavar="FORMAT", help=f"{', '.join(REPORT_FORMATS)}; json by default. Repeatable, with -o."),
    ] = None,
    reading: options.ReadingOptions,
    tables: options.Tables = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    force: options.Force = False,
    retry: options.Retry = False,
    place: options.ExtractStoreOptions,
) -> int:
    """Extract values from PDFs, scans (OCR) and photos. Each has its place on the page and says how it was checked, or
    that it is not in the document and which pages were searched. One document is printed: as a table on a terminal,
    else as JSON. With -o, any number of them; run it again to continue."""
    given = dict(locals())
    extract_request = extract_options.extract_request(
        schema, fields, extractor, learned, min_confidence, reread, reading.lang
    )
    formats = [check_report_format(name) for name in dict.fromkeys(to or ())]
    if output is not None:
        given["to"] = formats or ["json"]
        configuration = configuration_of({**given, "flow": FLOW})
        choice = Choice(reading.pages, force=force, retry=retry, inputs=extract_options.flow_inputs(extract_request))
        return _run(configuration, files, choice, quiet=place.quiet)
    _check_single(files, formats)
    configuration = reading_configuration(given, "to")
    settings = configuration.settings
    if extract_request.reread:
        if settings.server:
            raise UsageError("--reread draws the document here; with --server, start it there: POST /api/extract")
        extract_request = replace(extract_request, lang=settings.lang)
    printed = _Printed(extract_request, formats[0] if formats else None, settings)
    request = DocumentsRequest(printed.write, None, reading.pages, configuration, quiet=place.quiet)
    with recording(settings.store, settings.facts):
        code = read_each(files, request)
    return EXIT_PARTIAL if code == EXIT_COMPLETE and printed.failed else code


def _run(configuration: Configuration, files: Sequence[str], choice: Choice, *, quiet: bool) -> int:
    """The flow `extract` over documents: the batch of `quire run`."""
    from quire.cli.batch_run import Showing, drive

    if configuration.settings.server:
        raise UsageError("--server reads one document; leave out -o, or start the run there: POST /api/extract")
    paths = [Path(file) for file in files]
    check_paths(paths)
    place, request = asked_for(configuration, paths, choice)
    return drive(request, configuration.settings, place, Showing(quiet=quiet))


def _check_single(files: Sequence[str], formats: Sequence[ReportFormat]) -> None:
    if len(files) > 1 or (not is_url(files[0]) and Path(files[0]).is_dir()):
        raise UsageError("several documents need a folder for their files: -o DIR")
    if len(formats) > 1:
        raise UsageError("one document is printed in one format; for several, name a folder with -o DIR")
    if "xlsx" in formats:
        raise UsageError("a workbook is not printed; name a folder with -o DIR")


@dataclass(slots=True)
class _Printed:
    """Prints the extraction of a document: a table on a terminal, otherwise in a format."""

    asked: ExtractRequest
    format: ReportFormat | None
    settings: Settings
    failed: bool = False

    def write(self, read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        request = self.asked
        extraction = read.extract(
            request.schema, fields=request.fields, extractors=request.extractors, min_confidence=request.min_confidence
        )
        engine = request.engine()
        if engine is not None:
            extraction = read_again(
                read, extraction, request.extract_schema(), engine, self.settings.store, self.settings.facts
            )
        self.failed = self.failed or bool(extraction.failures)
        for failure in extraction.failures:
            progress.say(f"{source.shown}: {failure.extractor}: {failure.reason}")
        if self.format is None and sys.stdout.isatty():
            progress.stop()
            print_lines(table_lines(extraction, shutil.get_terminal_size((WIDTH, 24)).columns))
            return (), ()
        format: ReportFormat = self.format or "json"
        with page_crops(read) if format in PICTURED else nullcontext() as crop:
            write_to_stdout(report(extraction, format, crop), progress)
        return (), ()


def table_lines(extraction: Extraction, width: int) -> Iterator[str]:
    """The values for a terminal: whether each stands there, how sure it is, field, value, page and quote."""
    rows = value_rows(extraction)
    room = max((len(row.path) for row in rows), default=0)
    room = min(room, width // 3)
    for row in rows:
        yield _line(row, room, width)
    coverage = extraction.coverage
    counts = [f"{coverage.returned} of {coverage.leaves} values returned, {coverage.found} at their place"]
    counts.append(f"{coverage.sure} at least {100 * SURE:.0f} % sure")
    if extraction.reread:
        counts.append(f"{coverage.crop_verified} with a picture that reads the same")
    if extraction.conflicts:
        counts.append(f"{len(extraction.conflicts)} in conflict")
    yield ", ".join(counts)


def _line(row: ValueRow, room: int, width: int) -> str:
    evidence = row.evidence
    head = f"{STATUS_WORDS[evidence.status]:<16}  {row.sure:>10}  {shortened(row.path, room):<{room}}  "
    if row.value is None:
        return head + f"- ({shortened(evidence.reason, max(20, width - len(head) - 4))})"
    where = f"  page {evidence.page}" if evidence.page else ""
    left = max(20, width - len(head) - len(where))
    value = shortened(row.text, left)
    if evidence.picture_differs:
        return f"{head}{value}{where}  ({evidence.reason})"
    quote = shortened(evidence.quote, max(0, left - len(value) - 4)) if left - len(value) > 12 else ""
    same = not quote or quote == value
    return head + value + where + ("" if same else f'  "{quote}"')

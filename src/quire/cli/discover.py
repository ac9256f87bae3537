"""`quire discover`: a schema proposed from documents whose fields are not known yet."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.cli import options
from quire.cli.command_errors import print_lines
from quire.cli.each_document import DocumentsRequest, Written, read_each
from quire.cli.progress import ProgressBar
from quire.cli.settings import reading_configuration
from quire.durable.folders.output_names import NamedSource
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.pipelines.domains.discover import Discovery
    from quire.reading.result import DocumentResult

EXAMPLES = """\b
Examples:
  quire discover a.pdf b.pdf c.pdf -o schema.json
  quire discover forms/ -o schema.json --values values.jsonl
  quire discover letter.pdf --share 1
"""


def discover(
    files: options.Files,
    *,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="FILE", help="The file for the schema; else standard output.")
    ] = None,
    values: Annotated[
        Path | None,
        Option(metavar="FILE", help="Also extract by the schema: a line of JSON for each document."),
    ] = None,
    share: Annotated[
        float,
        Option(metavar="SHARE", help="Share of the documents that have a field; 0.5 by default.", show_default=False),
    ] = 0.5,
    reading: options.ReadingOptions,
    tables: options.Tables = None,
    cache: options.CacheOptions,
) -> int:
    """Propose a JSON Schema from a few documents of one type: the labels that most of them have with a value, the
    kinds of these values, and the tables with the same heads. Adjust it, then pass it to `quire extract --schema`."""
    configuration = reading_configuration(locals(), "output", "values", "share")
    results: list[DocumentResult] = []

    def collect(read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        results.append(read)
        return (), ()

    request = DocumentsRequest(collect, None, reading.pages, configuration, quiet=cache.quiet, collects=True)
    code = read_each(files, request)
    if not results:
        return code
    from quire.pipelines.domains.discover import schema

    found = schema(results, share=share)
    _write(found, output, values)
    written = [str(path) for path in (output, values) if path is not None]
    if written and not cache.quiet:
        print(f"quire: wrote {' and '.join(written)}", file=sys.stderr)
    return code


def _write(found: Discovery, output: Path | None, values: Path | None) -> None:
    text = json.dumps(found.schema, indent=2, ensure_ascii=False)
    if output is None:
        print_lines(text.splitlines())
    else:
        write_files({output: f"{text}\n".encode()})
    if values is not None:
        rows = [{"document": one.name, "values": one.values} for one in found.fill()]
        write_files({values: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()})

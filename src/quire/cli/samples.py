"""`quire samples`: documents with confirmed values, kept in a folder to learn from."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options, sample_documents
from quire.cli.command_errors import group, print_json, print_lines, print_report, reporting_errors
from quire.cli.settings import configuration_of
from quire.core.errors import EXIT_COMPLETE, UsageError

if TYPE_CHECKING:
    from quire.evidence.learn.samples import Sample

EXAMPLES = """\b
Examples:
  quire samples add samples/ --documents scans/ --truth values.jsonl --schema receipt.json
  quire samples import samples/ reviews.jsonl
  quire samples list samples/
  quire samples remove samples/ scan7.png
  quire samples export samples/ > samples.jsonl
  quire samples export samples/ --to label-studio > tasks.json
  quire samples export samples/ --to fixtures --documents scans/ -o fixtures
"""
FORMATS = ("jsonl", "label-studio", "fixtures")

_Folder = Annotated[Path, Argument(metavar="DIR", help="The folder of the samples.")]
_Format = Annotated[
    str, Option("--to", metavar="FORMAT", help="jsonl (default), label-studio or fixtures.", show_default=False)
]


def list_(folder: _Folder, as_json: options.Json = False) -> int:
    """List the samples of a folder: id, document, and how many values each has."""
    from quire.evidence.learn.sample_store import SampleStore

    rows = [
        {"id": one.id, "document": one.document, "name": one.name, "values": len(one.values)}
        for one in SampleStore(folder)
    ]
    lines = (f"{row['id']}  {row['name']}  {row['values']} values" for row in rows)
    print_report({"samples": rows}, lines, as_json=as_json)
    return EXIT_COMPLETE


def add(
    folder: _Folder,
    *,
    given: sample_documents.SampleOptions,
    reading: options.SampleReadingOptions,
    quiet: options.Quiet = False,
) -> int:
    """Read documents and keep them with their values, which are located on the pages."""
    documents, truth = given.documents, given.truth
    if documents is None or truth is None:
        raise UsageError("name the documents with --documents, and their values with --truth")
    from quire.evidence.learn.sample_store import SampleStore

    schema, configuration = given.json_schema(), configuration_of(vars(reading))
    made = sample_documents.read_with_values(documents, truth, schema, configuration, quiet=quiet)
    SampleStore(folder).add(*made)
    print_lines([f"{len(made)} samples in {folder}"])
    return EXIT_COMPLETE


def remove(
    folder: _Folder,
    samples: Annotated[list[str], Argument(metavar="SAMPLE...", help="Ids, or names of documents.")],
) -> int:
    """Forget samples. Learn again to forget what was learnt from them."""
    from quire.evidence.learn.sample_store import SampleStore

    kept = SampleStore(folder)
    for name in samples:
        print_lines([f"{kept.remove(name).name} is forgotten; learn again to forget what was learnt from it"])
    return EXIT_COMPLETE


def export(
    folder: _Folder,
    to: _Format = "jsonl",
    documents: sample_documents.Documents = None,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="DIR", help="Folder for fixtures and their documents.")
    ] = None,
) -> int:
    """Print the samples: a line of JSON for each, or tasks of Label Studio. As fixtures for `quire eval` they are
    written into a folder, with their documents."""
    from quire.evidence.learn.label_studio import tasks_of
    from quire.evidence.learn.sample_store import read_samples, samples_jsonl

    found = read_samples(folder)
    if _checked(to) == "fixtures":
        if documents is None or output is None:
            raise UsageError("fixtures need their documents: name the folder of these with --documents, and -o DIR")
        _write_fixtures(found, documents, output)
    elif to == "jsonl":
        sys.stdout.buffer.write(samples_jsonl(found))
        sys.stdout.buffer.flush()
    else:
        print_json(tasks_of(found))
    return EXIT_COMPLETE


def _write_fixtures(samples: Sequence[Sample], documents: Path, output: Path) -> None:
    """Each sample as a fixture, beside a copy of its document: both are named after the document and the sample."""
    from quire.solving.evaluation.fixture import fixture_files
    from quire.system.atomic_files import write_files

    there = sample_documents.DocumentFolder(documents)
    files: dict[Path, bytes] = {}
    for sample in samples:
        path = there.path_of(sample)
        made = fixture_files(sample, path.name, path.read_bytes())
        files |= {output / name: data for name, data in made.items()}
    write_files(files)
    print_lines([f"{len(samples)} fixtures in {output}"])


def import_(
    folder: _Folder,
    files: Annotated[list[Path], Argument(metavar="FILE...", help="Lines of JSON, or JSON of Label Studio.")],
    documents: sample_documents.Documents = None,
    quiet: options.Quiet = False,
) -> int:
    """Add samples that a review, `quire samples export` or Label Studio wrote."""
    from quire.evidence.learn.label_studio import samples_of
    from quire.evidence.learn.sample_store import SampleStore, read_samples

    configuration = configuration_of({})
    kept, number = SampleStore(folder), 0
    for file in files:
        tasks = _tasks(file)
        found = samples_of(tasks) if tasks is not None else read_samples(file)
        made = sample_documents.completed(found, documents, configuration, quiet=quiet)
        kept.add(*made)
        number += len(made)
    print_lines([f"{number} samples in {folder}"])
    return EXIT_COMPLETE


def _tasks(file: Path) -> list[dict[str, object]] | None:
    """The tasks of a file of Label Studio, which is one JSON list; None for lines of JSON."""
    try:
        found = json.loads(file.read_bytes())
    except ValueError:
        return None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    return found if isinstance(found, list) else None


def _checked(to: str) -> str:
    if to not in FORMATS:
        raise UsageError(f"--to is {to!r}; choose from {', '.join(FORMATS)}")
    return to


app = group("samples", "Documents with confirmed values, to learn from.")
app.command("list", short_help="List samples.", epilog=EXAMPLES)(reporting_errors(list_))
app.command("add", short_help="Read documents into samples.", epilog=EXAMPLES)(reporting_errors(add))
app.command("remove", short_help="Forget samples.", epilog=EXAMPLES)(reporting_errors(remove))
app.command("export", short_help="Print samples.", epilog=EXAMPLES)(reporting_errors(export))
app.command("import", short_help="Add exported samples.", epilog=EXAMPLES)(reporting_errors(import_))

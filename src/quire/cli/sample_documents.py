"""Samples from documents and a file with their values: for `quire learn` and `quire samples add`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from quire.cli.each_document import DocumentsRequest, Written, read_each
from quire.cli.extract_options import Fields, SchemaFile, load_schema
from quire.cli.option_groups import OptionGroup
from quire.cli.progress import ProgressBar
from quire.core.context import Json
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, UsageError
from quire.core.hashing import hash_file
from quire.durable.folders.output_names import NamedSource
from quire.evidence.extract.schema import asked_schema
from quire.evidence.learn.samples import NO_CONTENT, Sample, SamplePlace

if TYPE_CHECKING:
    from quire.core.config import Configuration
    from quire.reading.result import DocumentResult

Documents = Annotated[
    Path | None, Option(metavar="DIR", help="Folder of the documents that samples, or --truth, are about.")
]


class SampleOptions(OptionGroup):
    """The documents of samples, and what is known of them."""

    documents: Documents = None
    truth: Annotated[
        Path | None,
        Option(metavar="FILE", help='Their values: lines of {"file": NAME, "values": {...}}, with --documents.'),
    ] = None
    schema: SchemaFile = None
    fields: Fields = None

    def json_schema(self) -> Json:
        """The schema as samples keep it: a JSON Schema, or names. Raises UsageError."""
        given = None if self.schema is None else load_schema(self.schema)
        asked_schema(given, self.fields)
        return given if given is not None else [one.strip() for one in (self.fields or "").split(",")]


def truth_rows(truth: Path, schema: Json) -> dict[str, Mapping[str, Json]]:
    """The values of each document; those that a line leaves out are not in the document. Raises UsageError."""
    names = [leaf.path for leaf in asked_schema(*_either(schema)).leaves if "[]" not in leaf.path]
    by_file: dict[str, Mapping[str, Json]] = {}
    try:
        lines = truth.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the values {truth} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
            values = row.get("values", row.get("fields"))
            chosen = {name: value for name, value in values.items() if name.split(".")[0].split("[")[0] in _tops(names)}
            missing = {name: None for name in names if "." not in name and name not in chosen}
            by_file[str(row["file"])] = {**chosen, **missing}
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise UsageError(f'{truth}:{number} is not {{"file": NAME, "values": {{"field": value, …}}}}') from error
    return by_file


def read_with_values(
    folder: Path, truth: Path, schema: Json, configuration: Configuration, *, quiet: bool
) -> list[Sample]:
    """Read the documents that a file has values for, and make samples of them.

    Raises UsageError for a document that the folder does not have.
    """
    rows = truth_rows(truth, schema)
    missing = [name for name in rows if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} has no {missing[0]}, which there are values for")
    by_path = {folder / name: [WantedSample(schema, values)] for name, values in rows.items()}
    return _read(by_path, configuration, quiet=quiet)


def completed(
    samples: Sequence[Sample], documents: Path | None, configuration: Configuration, *, quiet: bool
) -> list[Sample]:
    """The samples, of which those without content get it from their documents.

    Raises UsageError for a document that the folder does not have.
    """
    without = [one for one in samples if not one.content]
    if not without:
        return list(samples)
    if documents is None:
        raise UsageError(f"the sample of {without[0].name} has no content; {NO_CONTENT}")
    by_path: dict[Path, list[WantedSample]] = {}
    folder = DocumentFolder(documents)
    for one in without:
        by_path.setdefault(folder.path_of(one), []).append(WantedSample(one.schema, one.values, one.places))
    return [one for one in samples if one.content] + _read(by_path, configuration, quiet=quiet)


class DocumentFolder:
    """The documents of a folder by their bytes: their names, and even the folders below, may be others by now."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, sample: Sample) -> Path:
        named = self._folder / sample.name
        if named.is_file() and hash_file(named).digest == sample.document:
            return named
        if sample.document not in self._others:
            raise UsageError(f"{self._folder} has no file with the bytes of {sample.name}, which there is a sample of")
        return self._others[sample.document]

    @cached_property
    def _others(self) -> Mapping[str, Path]:
        return {hash_file(path).digest: path for path in sorted(self._folder.rglob("*")) if path.is_file()}


def _read(
    samples_at: Mapping[Path, Sequence[WantedSample]], configuration: Configuration, *, quiet: bool
) -> list[Sample]:
    samples: list[Sample] = []
    by_path = {path.absolute(): listed for path, listed in samples_at.items()}

    def collect(read: DocumentResult, source: NamedSource, progress: ProgressBar) -> Written:
        catalog = read.catalog()
        for one in by_path[source.path.absolute()]:
            samples.append(Sample.of(catalog, one.schema, one.values, one.places))
        return (), ()

    request = DocumentsRequest(collect, None, None, configuration, quiet=quiet, collects=True)
    code = read_each([str(path) for path in samples_at], request)
    if code not in (EXIT_COMPLETE, EXIT_PARTIAL) or not samples:
        raise UsageError("no document of the samples could be read")
    return samples


@dataclass(frozen=True, slots=True)
class WantedSample:
    """The values of a document that has to be read, and where they stand, if that is known."""

    schema: Json
    values: Mapping[str, Json]
    places: Mapping[str, SamplePlace] | None = None


def _either(schema: Json) -> tuple[Any, Any]:
    return (schema, None) if isinstance(schema, Mapping) else (None, schema)


def _tops(names: Sequence[str]) -> set[str]:
    return {name.split(".")[0] for name in names}

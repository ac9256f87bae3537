"""Samples from documents and a file with their values: for `quire learn` and `quire samples add`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from quire.cli.each_document import DocumentsRequest, Written, read_each
from quire.cli.extract_options import load_schema
from quire.cli.progress import ProgressBar
from quire.cli.read_server import ServerResult
from quire.context import Json
from quire.durable.folders.naming import NamedSource
from quire.errors import EXIT_COMPLETE, EXIT_PARTIAL, UsageError
from quire.extract.schema import asked_schema
from quire.learn.samples import Sample

if TYPE_CHECKING:
    from quire.config import Settings
    from quire.result import DocumentResult

Documents = Annotated[
    Path | None, Option(metavar="DIR", help="Folder of the documents that samples, or --truth, are about.")
]
Truth = Annotated[
    Path | None,
    Option(metavar="FILE", help='Their values: lines of {"file": NAME, "values": {...}}, with --documents.'),
]


def schema_of(schema: Path | None, fields: str | None) -> Json:
    """The schema as samples keep it: a JSON Schema, or names. Raises UsageError."""
    given = None if schema is None else load_schema(schema)
    asked_schema(given, fields)
    return given if given is not None else [one.strip() for one in (fields or "").split(",")]


def truth_rows(truth: Path, schema: Json) -> dict[str, Mapping[str, Json]]:
    """The values of each document; those that a line leaves out are not in the document. Raises UsageError."""
    names = [leaf.path for leaf in asked_schema(*_either(schema)).leaves if "[]" not in leaf.path]
    found: dict[str, Mapping[str, Json]] = {}
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
            given = {name: value for name, value in values.items() if name.split(".")[0].split("[")[0] in _tops(names)}
            missing = {name: None for name in names if "." not in name and name not in given}
            found[str(row["file"])] = {**given, **missing}
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise UsageError(f'{truth}:{number} is not {{"file": NAME, "values": {{...}}}}: {error!r}') from error
    return found


def read_into_samples(
    folder: Path, wanted: Mapping[str, WantedSample], settings: Settings, *, quiet: bool
) -> list[Sample]:
    """Read the documents of a folder, by name, and make samples of them. Raises UsageError for one that is missing."""
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} has no {missing[0]}, which there are values for")
    making = _Making({(folder / name).absolute(): one for name, one in wanted.items()})
    request = DocumentsRequest(making.write, None, None, settings, quiet=quiet)
    request.check()
    code = read_each([str(folder / name) for name in wanted], request)
    if code not in (EXIT_COMPLETE, EXIT_PARTIAL) or not making.made:
        raise UsageError(f"no document of {folder} could be read")
    return making.made


@dataclass(frozen=True, slots=True)
class WantedSample:
    """What is known of a document that has to be read: its values, or a sample without content."""

    schema: Json
    values: Mapping[str, Json]
    sample: Sample | None = None


@dataclass(frozen=True, slots=True)
class _Making:
    wanted: Mapping[Path, WantedSample]
    made: list[Sample] = field(default_factory=list)

    def write(self, result: DocumentResult | ServerResult, source: NamedSource, progress: ProgressBar) -> Written:
        read = result.loaded() if isinstance(result, ServerResult) else result
        wanted, catalog = self.wanted[source.path.absolute()], read.catalog()
        known = wanted.sample
        if known is not None and known.document != catalog.document:
            raise UsageError("this is not the document of the sample: its bytes differ")
        self.made.append(Sample.of(catalog, wanted.schema, wanted.values, known.places if known is not None else None))
        return (), ()


def completed(samples: Sequence[Sample], documents: Path | None, settings: Settings, *, quiet: bool) -> list[Sample]:
    """The samples, of which those without content, as a review exports them, get it from their documents."""
    without = {one.name: WantedSample(one.schema, one.values, one) for one in samples if not one.content}
    if not without:
        return list(samples)
    if documents is None:
        raise UsageError(
            f"the sample of {next(iter(without))} has no content; name the folder of the documents with --documents"
        )
    return [one for one in samples if one.content] + read_into_samples(documents, without, settings, quiet=quiet)


def _either(schema: Json) -> tuple[Any, Any]:
    return (schema, None) if isinstance(schema, Mapping) else (None, schema)


def _tops(names: Sequence[str]) -> set[str]:
    return {name.split(".")[0] for name in names}

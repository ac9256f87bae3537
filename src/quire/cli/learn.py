"""`quire learn`: learns from samples how to choose values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from quire.cli import options, sample_documents
from quire.cli.command_errors import print_json, print_lines
from quire.cli.display_numbers import spell
from quire.cli.settings import configuration_of
from quire.core.context import Json
from quire.core.errors import EXIT_COMPLETE, UsageError
from quire.core.types import shortened

if TYPE_CHECKING:
    from quire.evidence.learn.samples import Sample
    from quire.evidence.learn.training import Learning

EXAMPLES = """\b
Examples:
  quire learn samples/ -o receipts.model
  quire learn reviews.jsonl -o receipts.model
  quire learn --documents scans/ --truth values.jsonl --schema receipt.json -o receipts.model
  quire learn samples/ --check
"""
SHOWN = 60


def learn(
    samples: Annotated[
        list[Path] | None,
        Argument(metavar="SAMPLES...", help="Folders of samples, or lines of JSON that a review or Quire exported."),
    ] = None,
    *,
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="FILE", help="The model, for `quire extract --learned`.")
    ] = None,
    check: Annotated[bool, Option("--check", help="Only show what would come out wrong; write no model.")] = False,
    given: sample_documents.SampleOptions,
    as_json: options.Json = False,
    reading: options.SampleReadingOptions,
    quiet: options.Quiet = False,
) -> int:
    """Learn from samples, documents with confirmed values, which place of a page is the value of a field. Shows what a
    cross-validation on the samples would have got wrong. Five samples are enough to start."""
    if (output is None) != check:
        raise UsageError("name the file of the model with -o, or only check with --check")
    configuration = configuration_of(vars(reading))
    from quire.evidence.learn.sample_store import read_samples
    from quire.evidence.learn.training import checked_learning

    documents, truth = given.documents, given.truth
    schema = given.json_schema() if truth or given.schema or given.fields else None
    found: list[Sample] = []
    for place in samples or ():
        listed = _of_schema(read_samples(place), schema)
        found += sample_documents.completed(listed, documents, configuration, quiet=quiet)
    if truth is not None:
        if documents is None:
            raise UsageError("--truth needs the folder of its documents: --documents")
        found += sample_documents.read_with_values(documents, truth, schema, configuration, quiet=quiet)
    if not found:
        raise UsageError("nothing to learn from; name samples of this schema, or --documents with --truth and --schema")
    learning = checked_learning(found)
    if output is not None:
        learning.model.save(output)
    if as_json:
        print_json(_report(learning))
    elif not quiet or check:
        print_lines(report_lines(learning))
    return EXIT_COMPLETE


def _of_schema(samples: Sequence[Sample], schema: Json) -> Sequence[Sample]:
    """The samples of a schema; all of them without a schema."""
    from quire.evidence.extract.schema import ExtractSchema

    digest = ExtractSchema.of(schema).digest if schema is not None else None
    return [one for one in samples if digest in (None, one.leaves.digest)]


def report_lines(learning: Learning) -> Iterator[str]:
    """The result of the cross-validation: the scores of each field, then every mistake."""
    from quire.evidence.learn.training import FEWEST

    model = learning.model
    yield f"learnt from {len(model.samples)} samples; version {model.digest[:12]}"
    for path, leaf in model.leaves.items():
        used = "chosen" if leaf.weights else "spelt" if leaf.spellings else "rules"
        few = learning.usable.get(path, FEWEST)
        if few < FEWEST:
            said = f"nothing learnt: {spell(few, 'sample')} with a decision and its place, {FEWEST} are needed"
        else:
            said = f"{leaf.learned.f1:.3f} learnt"
        yield f"  {path}: F1 {leaf.rules.f1:.3f} by rules, {said}; uses {used}"
    if learning.mistakes:
        yield f"{len(learning.mistakes)} values would come out wrong without their own sample:"
    for one in learning.mistakes:
        where = f", page {one.page}" if one.page else ""
        yield f"  {one.document}{where}: {one.path} is {_shown(one.expected)}, not {_shown(one.got)}"
    for document, paths in learning.undecided:
        undecided = f"its sample says nothing about {', '.join(paths)}"
        yield f"  {document}: {undecided}; decide on every field, also that it is not there"
    for document, path in learning.unplaced:
        yield f"  {document}: the value of {path} is no candidate: it stands in the middle of a text, or nowhere"


def _report(learning: Learning) -> dict[str, object]:
    leaves = {
        path: {
            "rules": {**asdict(leaf.rules), "f1": leaf.rules.f1},
            "learned": {**asdict(leaf.learned), "f1": leaf.learned.f1},
            "samples": learning.usable.get(path),
            "chosen": bool(leaf.weights),
            "spelt": bool(leaf.spellings),
        }
        for path, leaf in learning.model.leaves.items()
    }
    return {
        "version": learning.model.digest,
        "samples": len(learning.model.samples),
        "fields": leaves,
        "mistakes": [asdict(one) for one in learning.mistakes],
        "undecided": [{"document": document, "paths": paths} for document, paths in learning.undecided],
        "unplaced": [{"document": document, "path": path} for document, path in learning.unplaced],
    }


def _shown(value: object) -> str:
    return "nothing" if value is None else shortened(repr(value), SHOWN)

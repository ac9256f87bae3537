"""The options of a batch: `quire run` and `quire plan`, which take the same."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.batch_settings import Choice
from quire.cli.extract_options import Fields, SchemaFile, given_inputs
from quire.cli.option_groups import OptionGroup


class BatchPlaceOptions(OptionGroup):
    """The flow of a batch, and the places of its output and results."""

    flow: Annotated[str | None, Option(metavar="FLOW", help="Flow to run on each document: a name or a file.")] = None
    output: options.Output = None
    to: Annotated[
        list[str] | None,
        Option(metavar="FORMAT", help="Format, see `quire read -h`; the flow's by default. Repeatable."),
    ] = None
    store: options.Store = None
    facts: options.Facts = None


class BatchReadingOptions(OptionGroup):
    """The options for reading the documents of a batch, and for choosing among those in folders."""

    preset: options.Preset = None
    effort: options.Effort = None
    ocr: options.Ocr = None
    engine: options.Engine = None
    lang: options.Lang = None
    pages: options.Pages = None
    figures: options.Figures = None
    redactions: options.Redactions = None
    tables: options.Tables = None
    schema: SchemaFile = None
    fields: Fields = None
    words: options.Words = False
    trace: options.Trace = False
    include: options.Include = None
    exclude: options.Exclude = None


class BatchSelectionOptions(OptionGroup):
    """The documents of a batch that are worked on, and the work that is done again."""

    limit: options.Limit = None
    shard: Annotated[
        str | None, Option(metavar="K/N", help="Only part K of N, to split the work between machines.")
    ] = None
    force: options.Force = False
    retry: options.Retry = False
    overwrite: Annotated[
        bool, Option("--overwrite", help="Replace output files that were edited; they are kept otherwise.")
    ] = False
    verify_hash: Annotated[
        bool | None, Option("--verify-hash/--no-verify-hash", help="Detect changes by content, not by size and time.")
    ] = None


def choice_of(reading: BatchReadingOptions, selection: BatchSelectionOptions) -> Choice:
    """The options that are not settings."""
    return Choice(
        reading.pages,
        reading.words,
        reading.trace,
        selection.limit,
        selection.shard,
        selection.force,
        selection.retry,
        selection.overwrite,
        given_inputs(reading.schema, reading.fields),
    )

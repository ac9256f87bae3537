"""Build the request of a batch from the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quire.cli.stores import BATCH, existing_place, looked_at, place_for
from quire.core.config import Configuration, Settings, option
from quire.core.errors import UsageError

if TYPE_CHECKING:
    from quire.batch.contracts import Policy, Schedule
    from quire.core.context import Json
    from quire.durable.folders.batch_request import BatchRequest
    from quire.flow import FlowDefinition

INPUTS = {
    "effort": "effort",
    "ocr": "ocr",
    "engine": "engines",
    "lang": "lang",
    "figures": "figures",
    "redactions": "redactions",
    "tables": "tables",
}
"""Settings that are inputs of flows, and the names of those inputs."""
WHERE = ("output", "store", "facts", "runtime", "ingress", "manifest", "preset")
"""Settings that may be given when a run is repeated: they locate the run and do not change what it does."""
MOST_LOOKED_AT = 1000
"""The number of runs that are searched for the last one of an output folder."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Options that are not settings: which documents and pages, and what to write about them."""

    pages: str | None = None
    words: bool = False
    trace: bool = False
    limit: int | None = None
    shard: str | None = None
    force: bool = False
    retry: bool = False
    overwrite: bool = False
    inputs: Mapping[str, Json] = field(default_factory=dict)
    """Further inputs of the flow: what is extracted."""


def asked_for(configuration: Configuration, paths: Sequence[Path] | None, choice: Choice) -> tuple[str, BatchRequest]:
    """The store and the request of a batch: for the paths, or without paths that of the last run.

    Raises UsageError for options that cannot work, before anything is read.
    """
    settings = configuration.settings
    if paths:
        return place_for(settings), request_of(configuration, paths, choice)
    changed = [name for name, source in configuration.sources.items() if source.startswith("--") and name not in WHERE]
    changed += [name for name in ("pages", "words", "trace", "limit", "shard") if getattr(choice, name)]
    changed += choice.inputs
    if changed:
        changing = f"without PATH the last run is repeated, and {option(changed[0])} would change it"
        raise UsageError(f"name the documents as well: {changing}")
    place = existing_place(settings)
    last = _last_request(settings, place)
    return place, replace(last, force=choice.force, retry=choice.retry, overwrite=choice.overwrite)


def _last_request(settings: Settings, place: str) -> BatchRequest:
    from quire.database.runs import Runs
    from quire.durable.folders.batch_request import BatchRequest

    folder = settings.output and str(Path(settings.output).absolute())
    with looked_at(settings, place) as database:
        earlier = Runs(database).latest_inputs(BATCH, limit=MOST_LOOKED_AT)
    last = next((inputs for inputs in earlier if folder in (None, inputs["output"])), None)
    if last is None:
        whose = f" for {settings.output}" if folder else ""
        raise UsageError(f"no batch{whose} has run on this store yet; start one with `quire run PATH… -o DIR`")
    return BatchRequest.from_json(last)


def request_of(configuration: Configuration, paths: Sequence[Path], choice: Choice) -> BatchRequest:
    """The request of a batch. Raises UsageError for options that cannot work, before anything is read."""
    from quire.batch.contracts import StageOptions
    from quire.durable.folders.batch_request import BatchRequest, Shard
    from quire.durable.inline.flow_call import Flow

    settings = configuration.settings
    if settings.output is None:
        raise UsageError("name a folder for the files with -o DIR, or set output in quire.toml")
    if Path(settings.output).exists() and not Path(settings.output).is_dir():
        raise UsageError(f"{settings.output} is not a folder; -o names the folder for the files")
    flow = Flow.load(settings.flow).definition
    check_engines(settings.engine)
    formats = _formats(configuration, flow)
    check_formats(formats, words=choice.words, trace=choice.trace)
    return BatchRequest(
        paths=tuple(map(str, paths)),
        output=settings.output,
        flow=settings.flow,
        formats=formats,
        inputs=_inputs(configuration, choice, flow),
        include=settings.include,
        exclude=settings.exclude,
        shard=Shard.parse(choice.shard) if choice.shard else None,
        limit=choice.limit,
        force=choice.force,
        retry=choice.retry,
        overwrite=choice.overwrite,
        verify_hash=settings.verify_hash,
        areas=configuration.areas,
        options=StageOptions(
            policy=cast("Policy", settings.policy),  # one of its choices, as the schedule
            workers=settings.workers,
            per_item_timeout_s=settings.timeout_s,
            retries=settings.retries,
            retry_backoff_s=settings.retry_backoff_s,
            error_budget=settings.error_budget,
            schedule=cast("Schedule", settings.schedule),
            diagnostics_interval_s=settings.diagnostics_interval_s,
        ),
    )


def check_engines(names: Sequence[str]) -> None:
    """Raises UsageError for an engine that does not exist, whether a page needs it or not."""
    if names:
        from quire.pages.recognize import engine_registry as registry

        registry.check_names(names)


def check_formats(formats: Sequence[str], *, words: bool, trace: bool) -> None:
    """Raises UsageError for an unknown format, and for options that need JSON."""
    from quire.output.export import format_names

    names = format_names()
    unknown = [name for name in formats if name not in names]
    if unknown:
        hint = "; repeat --to for each" if "," in unknown[0] else ""
        raise UsageError(f"there is no format {unknown[0]!r}; choose from {', '.join(names)}{hint}")
    for flagged, flag in ((words, "--words"), (trace, "--trace")):
        if flagged and "json" not in formats:
            raise UsageError(f"{flag} only works with JSON; add --to json")


def _formats(configuration: Configuration, flow: FlowDefinition) -> tuple[str, ...]:
    """The requested formats, or else the flow's default."""
    formats, source, declared = configuration.settings.to, configuration.sources["to"], flow.inputs.get("formats")
    if declared is None and source.startswith("--"):
        raise UsageError(f"the flow {flow.name!r} has no input for formats; leave --to out")
    if source == "default" and declared is not None and declared.default is not None:
        formats = tuple(declared.default)
    return tuple(dict.fromkeys(formats))


def _inputs(configuration: Configuration, choice: Choice, flow: FlowDefinition) -> Mapping[str, Json]:
    """The inputs for the flow. Defaults are left out: they would change the key.

    A setting from a file or the environment that the flow has no input for is ignored; one from the command line is
    passed on, and the flow rejects it.
    """
    from quire.core.page_ranges import check_pages

    usual = Settings()
    inputs: dict[str, Json] = {}
    for name, called in INPUTS.items():
        value, source = getattr(configuration.settings, name), configuration.sources[name]
        declared = flow.inputs.get(called)
        if source == "default" or (declared is None and not source.startswith("--")):
            continue
        if value != getattr(usual, name) or declared is None or declared.default is not None:
            inputs[called] = list(value) if isinstance(value, tuple) else value
    if lang := inputs.get("lang"):
        inputs["lang"] = _codes(lang)
    check_pages(choice.pages)
    chosen = {"pages": choice.pages, "words": choice.words or None, "trace": choice.trace or None}
    return inputs | {name: value for name, value in chosen.items() if value is not None} | dict(choice.inputs)


def _codes(languages: Sequence[str]) -> list[str]:
    from quire.pages.recognize.languages import resolve

    return [resolve(language).code for language in languages]

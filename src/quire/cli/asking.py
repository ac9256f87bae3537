"""From settings to what is asked of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from quire.config import Configuration, Settings
from quire.errors import UsageError

if TYPE_CHECKING:
    from quire.batch.contracts import Policy, Schedule
    from quire.context import Json
    from quire.flow import FlowDefinition
    from quire.running.batches.request import BatchRequest

INPUTS = {
    "effort": "effort",
    "ocr": "ocr",
    "engine": "engines",
    "lang": "lang",
    "figures": "figures",
    "redactions": "redactions",
}
"""Settings that are inputs of flows, and what those are called there."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which documents, and what of them: options that are no settings."""

    pages: str | None = None
    words: bool = False
    trace: bool = False
    limit: int | None = None
    shard: str | None = None
    force: bool = False


def request_of(configuration: Configuration, paths: Sequence[Path], choice: Choice) -> BatchRequest:
    """What a batch is asked. Raises UsageError for what cannot work, before anything is read."""
    from quire.batch.contracts import StageOptions
    from quire.running.batches.request import BatchRequest, Shard
    from quire.running.flows.flow import Flow

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
        verify_hash=settings.verify_hash,
        options=StageOptions(
            policy=cast("Policy", settings.policy),  # one of its choices, as the schedule
            workers=settings.workers,
            per_item_timeout_s=settings.timeout_s,
            retries=settings.retries,
            retry_backoff_s=settings.retry_backoff_s,
            error_budget=settings.error_budget,
            max_queue=settings.max_queue,
            schedule=cast("Schedule", settings.schedule),
            diagnostics_interval_s=settings.diagnostics_interval_s,
        ),
    )


def check_engines(names: Sequence[str]) -> None:
    """Raises UsageError for an engine that does not exist, whether a page needs it or not."""
    if names:
        from quire.recognize import registry

        registry.check(names)


def check_formats(formats: Sequence[str], *, words: bool, trace: bool) -> None:
    """Raises UsageError for a format that nobody writes, and for what only JSON can hold."""
    from quire.export import FORMATS

    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        hint = "; repeat --to for each" if "," in unknown[0] else ""
        raise UsageError(f"there is no format {unknown[0]!r}; choose from {', '.join(FORMATS)}{hint}")
    for asked, option in ((words, "--words"), (trace, "--trace")):
        if asked and "json" not in formats:
            raise UsageError(f"{option} goes into JSON; add --to json")


def _formats(configuration: Configuration, flow: FlowDefinition) -> tuple[str, ...]:
    """Those that were asked for, or else those that the flow writes by itself."""
    asked, source, declared = configuration.settings.to, configuration.sources["to"], flow.inputs.get("formats")
    if declared is None and source.startswith("--"):
        raise UsageError(f"the flow {flow.name!r} decides by itself what it writes; leave --to out")
    if source == "default" and declared is not None and declared.default is not None:
        asked = tuple(declared.default)
    return tuple(dict.fromkeys(asked))


def _inputs(configuration: Configuration, choice: Choice, flow: FlowDefinition) -> Mapping[str, Json]:
    """The inputs of the flow that were asked for. What is as it always is stays away: it would change the key.

    A setting of a file or the environment that the flow has no input for is not meant for it; one of the command
    line is, and the flow says that it takes none.
    """
    from quire.selection import check_pages

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
    asked = {"pages": choice.pages, "words": choice.words or None, "trace": choice.trace or None}
    return inputs | {name: value for name, value in asked.items() if value is not None}


def _codes(languages: Sequence[str]) -> list[str]:
    from quire.recognize.languages import resolve

    return [resolve(language).code for language in languages]

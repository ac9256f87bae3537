"""The work of a batch on each document: the flow, its inputs, and a key of everything that decides the output."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.core.context import Json
from quire.core.errors import RunError, UsageError
from quire.core.keys import digest_bytes, digest_of
from quire.durable.flows.references import Values
from quire.durable.flows.step_work import Making
from quire.durable.flows.workflow import Registered, flow_argument
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.inline.flow_call import Flow
from quire.durable.reads.read_request import READ_STAGES, ReadRequest, SourceRef
from quire.evidence.extract.extractor import code_version
from quire.flow.definition import FlowDefinition, plain
from quire.flow.validation import input_problems
from quire.reading.messages import DecidingSettings, DocumentReference, FlowArgument, SourceJson
from quire.system.stage_versions import OURS, STAGES, stage_parts, stage_version

PATIENCE = ("retries", "retry_backoff_s")
"""Inputs that do not change the output."""


@dataclass(frozen=True)
class FlowSettings:
    """A flow and its inputs, all but the document."""

    definition: FlowDefinition
    source: str
    """The input that is the document."""
    inputs: Mapping[str, Json]
    settings: DecidingSettings
    """The settings that decide the output: the flow, its inputs, and the versions of the code. `parts` names those
    versions for users, and is not part of the key."""
    registered: str = ""
    """The name of the flow, if runs do not carry its definition."""

    @cached_property
    def digest(self) -> str:
        return digest_of({name: value for name, value in self.settings.items() if name not in ("flow", "parts")})

    def key(self, document: str, name: str, areas: str = "") -> str:
        """The key of the work on a document. It includes the name, because exports contain it.

        `areas` is the digest of the areas of tables that are given for it by hand.
        """
        parts = (self.digest.encode(), document.encode(), os.fsencode(name))
        return digest_bytes(b"\0".join((*parts, areas.encode()) if areas else parts))

    def argument(self, reference: SourceJson) -> FlowArgument:
        """The argument of the workflow `flow` for one document."""
        inputs = {**self.inputs, self.source: reference}
        if self.registered:
            return {"flow": self.registered, "inputs": inputs}
        return flow_argument(self.definition, inputs, self.settings["versions"])


def asked_by(request: BatchRequest, named: Callable[[str], Registered] | None = None) -> FlowSettings:
    """The settings of a request. `named` finds registered flows, if only those are allowed.

    Raises UsageError when the flow does not exist or its inputs are invalid.
    """
    flow = named(request.flow) if named else Flow.load(request.flow)
    definition = flow.definition
    documents = [name for name, one in definition.inputs.items() if one.type.name == "document"]
    if not documents:
        raise UsageError(f"the flow {definition.name!r} takes no document, so it cannot run over a folder")
    offered = {
        "formats": list(request.formats),
        "retries": request.options.retries,
        "retry_backoff_s": request.options.retry_backoff_s,
    }
    known = {name: value for name, value in offered.items() if name in definition.inputs}
    inputs = {**known, **request.inputs}
    if problems := input_problems(definition.inputs, {**inputs, documents[0]: {"path": ""}}):
        raise UsageError(f"flow {definition.name!r}: {'; '.join(problems)}")
    defaults = {name: one.default for name, one in definition.inputs.items() if one.default is not None}
    deciding = {name: value for name, value in {**defaults, **inputs}.items() if name not in PATIENCE}
    versions, parts = _versions(flow, {**defaults, **inputs})
    settings: DecidingSettings = {
        "flow": definition.name,
        "steps": digest_of([[step.to_json() for step in definition.steps], plain(definition.output)]),
        "inputs": deciding,
        "versions": versions,
        "parts": parts,
    }
    return FlowSettings(definition, documents[0], inputs, settings, registered=request.flow if named else "")


def difference(before: Mapping[str, Json], now: DecidingSettings) -> str:
    """The reason why an output is out of date, as a message for users."""
    if before.get("flow") != now["flow"]:
        return f"the flow was {before.get('flow')} and is {now['flow']}"
    if before.get("steps") != now["steps"]:
        return f"the steps of the flow {now['flow']} have changed"
    was, is_ = before.get("inputs", {}), now["inputs"]
    changed = sorted(name for name in was.keys() | is_.keys() if was.get(name) != is_.get(name))
    if changed:
        return ", ".join(f"{name} was {_shown(was.get(name))} and is {_shown(is_.get(name))}" for name in changed)
    made_by, makes = before.get("parts", {}), now["parts"]
    parts = sorted(name for name in made_by.keys() | makes.keys() if made_by.get(name) != makes.get(name))
    if not made_by or not parts:
        return "it was made by another version of Quire or of an engine"
    own = [name.removesuffix(OURS) for name in parts if name.endswith(OURS)]
    others = [_changed(name, made_by.get(name), makes.get(name)) for name in parts if not name.endswith(OURS)]
    if own:
        others.append(f"the {_listed(own)}{OURS} {'has' if len(own) == 1 else 'have'} changed")
    return ", ".join(others)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _changed(part: str, before: str | None, now: str | None) -> str:
    """The change of a part; with the versions where users know them."""
    if not part.startswith(("engine ", "format ")):
        return f"the {part} has changed"
    if before is None or now is None:
        return f"the {part} {before or now} is {'used now' if before is None else 'no longer used'}"
    return f"the {part} was {before} and is {now}"


def _versions(flow: Registered, inputs: Mapping[str, Json]) -> tuple[dict[str, str], dict[str, str]]:
    """The version of each step, and the versions of the parts that it covers, by name."""
    versions: dict[str, str] = {}
    parts: dict[str, str] = {}
    stages: list[str] = []
    for step in flow.definition.steps:
        component = flow.components.find(step.component)
        making = Making(step, component, _inputs(inputs))
        version = making.version
        if component.name in STAGES:
            stages.append(component.name)
        else:
            parts[f"component {component.name}"] = component.version
        parts |= {f"format {name}": one for name, one in making.format_versions().items()}
        parts |= {f"embedder {name}": one for name, one in making.embedder_versions().items()}
        parts |= {
            f"extractor {name}": one
            for name, one in making.extractor_versions().items()
            if not one.endswith(code_version())
        }
        if component.workflow == "document":
            reading = _reading(making)
            version = digest_of([version, *map(stage_version, READ_STAGES), reading.settings() if reading else ""])
            parts |= reading.engine_parts() if reading else {}
            stages += READ_STAGES
        versions[step.id] = version
    return versions, {**parts, **stage_parts(*dict.fromkeys(stages))}


def _reading(making: Making) -> ReadRequest | None:
    """The request for reading documents: settings, stages and engine; None if that is known only at run time."""
    try:
        options = making.options()
    except RunError:
        return None
    return ReadRequest.with_options(SourceRef("", "", ""), options)


def _inputs(inputs: Mapping[str, Json]) -> Values:
    def load(reference: DocumentReference) -> None:
        raise RunError("there is no document yet")

    return Values(None, load, {}, inputs, {})  # type: ignore[arg-type]  # the store is not used


def _shown(value: Json) -> str:
    if value is None:
        return "not set"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

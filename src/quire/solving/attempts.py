"""Attempts of runners as bytes: the output as it is stored by the asker, and the record of an attempt."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from quire.core.context import Json
from quire.core.keys import Digest
from quire.core.runner import Role, RunnerOutput, RunnerUsage, TimelineEntry

AttemptOutcome = Literal["ok", "hit", "retryable", "terminal", "refused", "over_budget", "invalid_output"]
"""`hit`: the same attempt was made before, by any run, and its output is in the store; otherwise a `RunnerFailure`."""


@dataclass(frozen=True, slots=True)
class RunnerAttempt:
    """One attempt, as it is in the journal, the trace and the report. `output` and `prompt` are in the store.

    `round` counts from 0, the first answer; `number` counts the attempts of this runner in the round from 1.
    """

    role: Role
    round: int
    runner: str
    version: str
    number: int
    outcome: AttemptOutcome
    workspace: Digest
    prompt: Digest
    reason: str = ""
    output: Digest | None = None
    usage: RunnerUsage = field(default_factory=RunnerUsage)
    refused: Mapping[str, str] = field(default_factory=dict)
    calls: tuple[Digest, ...] = ()
    """The answers of its model in the store, which are deleted with any of the documents."""

    @property
    def succeeded(self) -> bool:
        return self.outcome in ("ok", "hit")

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "refused": dict(self.refused), "calls": list(self.calls)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> RunnerAttempt:
        named = {one.name: given[one.name] for one in fields(cls)}
        return cls(**{**named, "usage": RunnerUsage(**given["usage"]), "calls": tuple(given["calls"])})


def encode_output(output: RunnerOutput) -> bytes:
    """The output of a runner as JSON: equal outputs are equal bytes."""
    tree = {
        "files": {name: b64encode(data).decode() for name, data in sorted(output.files.items())},
        "usage": asdict(output.usage),
        "timeline": [[one.kind, dict(one.payload)] for one in output.timeline],
        "refused": dict(output.refused),
    }
    return json.dumps(tree, ensure_ascii=True).encode()


def decode_output(data: bytes) -> RunnerOutput:
    """The output that `encode_output` wrote."""
    tree = json.loads(data)
    return RunnerOutput(
        {name: b64decode(one) for name, one in tree["files"].items()},
        RunnerUsage(**tree["usage"]),
        tuple(TimelineEntry(kind, payload) for kind, payload in tree["timeline"]),
        tree["refused"],
    )

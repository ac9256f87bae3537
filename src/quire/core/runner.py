"""The interface of a runner: an agent that solves a task over documents, or reviews the answer of another one.

A runner is asked like an engine, through the asker. Whatever it writes is a claim: values are verified afterwards
against the documents, in the same way for every runner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from quire.core.engine import Costly
from quire.core.errors import EngineError
from quire.core.keys import Digest, Profile

Role = Literal["solver", "reviewer"]
RunnerCapability = Literal[
    "files",  # reads the workspace as files, and writes its answer there
    "tools",  # calls the tools of a solve
    "vision",  # sees pictures
    "json_schema",  # keeps to a JSON Schema
    "revises",  # answers the findings of a review
    "reviews",  # can be the reviewer of an answer
    "extracts",  # is made of extractors: the confidences that it gives were measured
]
RUNNER_CAPABILITIES: tuple[RunnerCapability, ...] = get_args(RunnerCapability)

RunnerFailure = Literal["retryable", "terminal", "refused", "over_budget", "invalid_output"]
"""Why an attempt of a runner failed. `retryable`: a server or program that may answer next time. `terminal`: it never
will. `refused`: the model declines the task. `over_budget`: turns, tokens, seconds or money are used up.
`invalid_output`: what it wrote is not an answer."""
RETRIED: frozenset[RunnerFailure] = frozenset({"retryable", "invalid_output"})
"""Failures after which the same runner is asked again; after the others the next one is."""

TimelineKind = Literal["model", "tool", "stdout", "stderr", "note"]


class RunnerFailed(EngineError):
    """An attempt of a runner failed. `timeline` is what happened until then."""

    def __init__(
        self,
        runner: str,
        message: str,
        failure: RunnerFailure,
        *,
        usage: RunnerUsage | None = None,
        timeline: Sequence[TimelineEntry] = (),
    ) -> None:
        super().__init__(runner, message)
        self.reason = message
        self.failure: RunnerFailure = failure
        self.usage = usage or RunnerUsage()
        self.timeline = tuple(timeline)

    @property
    def retryable(self) -> bool:
        return self.failure in RETRIED


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one attempt, enforced outside of the model. `cost` is in US dollars; None is no limit."""

    turns: int = 60
    tokens: int = 1_000_000
    seconds: float = 900.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class RunnerUsage:
    """What an attempt has used: requests to a model, tokens, calls of tools, and US dollars where they are known."""

    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One thing that happened in an attempt, in order. It has no time: events have, and equal attempts are equal."""

    kind: TimelineKind
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunnerOutput:
    """What a runner made: the files that it wrote into `output/` of the workspace, and how it came to them.

    `answer.json` has the values, `evidence.jsonl` what they cite, `notes.md` remarks for people; a reviewer writes
    `findings.jsonl`. `refused` are files that were not taken, with the reasons.
    """

    files: Mapping[str, bytes]
    usage: RunnerUsage = RunnerUsage()
    timeline: Sequence[TimelineEntry] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BriefDocument:
    """A document of a task: its short name in citations ("" for the only one), its path in the workspace."""

    short: str
    name: str
    path: str
    pages: int


@dataclass(frozen=True, slots=True)
class TaskBrief:
    """Everything that a prompt is rendered from: the same for all runners of a role in a round.

    `answer` is the verified answer so far, to revise or to review, as the JSON of an extraction; `findings` are those
    that the solver has to answer. All texts of documents in them are data, never instructions.
    """

    role: Role
    task: str
    schema: Mapping[str, Any]
    documents: Sequence[BriefDocument]
    answer: Mapping[str, Any] | None = None
    findings: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told about it. `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """The answer of a tool: JSON, and a picture (PNG) where it shows one. `error`: the call can be repaired."""

    content: Mapping[str, Any]
    image: bytes | None = None
    error: bool = False


class RunnerTools(Protocol):
    """The fixed set of tools of a solve. They read what was read of the documents, and collect what is proposed."""

    @property
    def specs(self) -> Sequence[ToolSpec]: ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool. Wrong names and arguments are answers with `error`, never exceptions."""
        ...

    def output(self) -> Mapping[str, bytes]:
        """The files of what was proposed so far: `answer.json`, `evidence.jsonl`, `notes.md`, `findings.jsonl`."""
        ...


class RunnerWork(Protocol):
    """One attempt, as the runner sees it. Its methods may be called from the thread of the attempt alone."""

    @property
    def role(self) -> Role: ...

    @property
    def prompt(self) -> str:
        """As the runner has rendered it from the brief."""
        ...

    @property
    def brief(self) -> TaskBrief: ...

    @property
    def budget(self) -> Budget: ...

    @property
    def workspace(self) -> Digest:
        """The digest of the workspace."""
        ...

    @property
    def folder(self) -> Path:
        """The workspace on disk. Only for a runner with the capability `files`."""
        ...

    @property
    def catalog(self) -> object:
        """The `quire.evidence.catalog.records.SourceCatalog` of the documents, joined to one."""
        ...

    @property
    def tools(self) -> RunnerTools:
        """The tools of this attempt."""
        ...

    def ask(self, request: bytes) -> bytes:
        """The answer of the runner's `model` to the JSON of a chat completion, recorded: a request that was answered
        before, by any run, is not sent again. Raises EngineError."""
        ...

    def tell(self, entry: TimelineEntry) -> None:
        """Emit what just happened, for those who watch."""
        ...


class Runner(Costly, Protocol):
    """A light, picklable description of a runner.

    `run` runs in a worker process; that of a runner with the capability `files`, which mostly waits for a program of
    its own, in a thread of the parent. It raises RunnerFailed; other exceptions count as terminal. It may have a
    `model`, a `quire.net.language_model.LanguageModel`, which `RunnerWork.ask` asks: workers have neither its address
    nor key.
    """

    @property
    def version(self) -> str:
        """Changed whenever the output for the same task may change: code, model, program."""
        ...

    @property
    def capabilities(self) -> frozenset[RunnerCapability]: ...

    @property
    def context_tokens(self) -> int | None:
        """The size of the context of its model; None if there is no limit that is known."""
        ...

    @property
    def profile(self) -> Profile:
        """The settings that change the output."""
        ...

    def prompt(self, brief: TaskBrief) -> str:
        """The prompt for this runner. A pure function."""
        ...

    def run(self, work: RunnerWork) -> RunnerOutput: ...

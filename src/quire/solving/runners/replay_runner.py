"""The runner that plays a recorded run again: it answers with what is in a trace, and calls nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quire.core.engine import Policy
from quire.core.keys import Profile, digest_bytes, digest_of
from quire.core.runner import RunnerCapability, RunnerFailed, RunnerFailure, RunnerOutput, RunnerWork, TaskBrief
from quire.solving.runners.offline_runner import OfflineRunner
from quire.solving.trace.trace_file import Trace, TracedAttempt, encode_trace, load_trace

_ANY: frozenset[RunnerCapability] = frozenset({"tools", "vision", "json_schema", "revises", "reviews"})


@dataclass(frozen=True)
class ReplayRunner:
    """Answers as the runners of a trace did, for the same workspace and task, whatever their names were."""

    trace: Trace = field(repr=False)
    name: str = "replay"
    version: str = ""

    policy: Policy = "cpu"
    timeout_s: float = 600.0
    max_concurrency: int = 64
    context_tokens: int | None = None

    @classmethod
    def of(cls, argument: str, environment: Mapping[str, str]) -> ReplayRunner:
        """The runner `replay:PATH`. Raises UsageError for a file that is not a trace."""
        trace = load_trace(Path(argument))
        return cls(trace, f"replay:{argument}", digest_bytes(encode_trace(trace)))

    @property
    def capabilities(self) -> frozenset[RunnerCapability]:
        """What any runner can do but read files; its confidences were measured if all that it repeats were."""
        solvers = {one.attempt.runner for one in self.trace.attempts if one.attempt.role == "solver"}
        return _ANY | {"extracts"} if solvers == {OfflineRunner.name} else _ANY

    @property
    def profile(self) -> Profile:
        return Profile()

    def prompt(self, brief: TaskBrief) -> str:
        """The task, and what tells the rounds apart: equal prompts are asked once."""
        return f"{brief.task}\n{brief.role} {digest_of([brief.answer, list(brief.findings)])}\n"

    def run(self, work: RunnerWork) -> RunnerOutput:
        if work.workspace != self.trace.workspace:
            raise self._failed(
                f"the workspace is {work.workspace[:12]}, and that of the trace {self.trace.workspace[:12]}"
            )
        if work.brief.task != self.trace.task:
            raise self._failed("the trace is of another task")
        recorded = self._recorded(work.brief)
        for entry in recorded.output.timeline:
            work.tell(entry)
        attempt, output = recorded.attempt, recorded.output
        if attempt.outcome == "ok" or attempt.outcome == "hit":
            return output
        raise self._failed(attempt.reason, attempt.outcome, recorded)

    def _recorded(self, brief: TaskBrief) -> TracedAttempt:
        """The attempt of the role in the round that the brief is of: the one that answered, or the last that failed."""
        number = self._round(brief)
        found = [one for one in self.trace.attempts if (one.attempt.role, one.attempt.round) == (brief.role, number)]
        if not found:
            raise self._failed(f"the trace has no attempt of a {brief.role} in round {number}")
        return next((one for one in found if one.attempt.succeeded), found[-1])

    def _round(self, brief: TaskBrief) -> int:
        """A solver gets the findings of the round before, a reviewer some of its own round."""
        if brief.answer is None:
            return 0
        asked = list(brief.findings)
        listed = [[one.to_json() for one in findings if one.open] for findings in self.trace.findings]
        if brief.role == "solver":
            return next((at + 1 for at, findings in enumerate(listed) if findings == asked), len(listed))
        return next((at for at, findings in enumerate(listed) if all(one in findings for one in asked)), len(listed))

    def _failed(
        self, reason: str, failure: RunnerFailure = "terminal", recorded: TracedAttempt | None = None
    ) -> RunnerFailed:
        if recorded is None:
            return RunnerFailed(self.name, reason, failure)
        output = recorded.output
        return RunnerFailed(self.name, reason, failure, usage=output.usage, timeline=output.timeline)

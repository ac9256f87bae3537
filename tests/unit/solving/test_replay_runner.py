"""A runner that plays a trace again answers as the recorded ones did, and refuses another workspace or task."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace

import pytest

from quire.core.errors import UsageError
from quire.core.keys import Digest
from quire.core.runner import Budget, RunnerFailed, TaskBrief
from quire.evidence.extract.extraction_json import extraction_json
from quire.solving.runners.replay_runner import ReplayRunner
from quire.solving.trace.trace_file import encode_trace
from tests.fakes.traces import SCHEMA, TASK, TIMELINE, WORKSPACE, answer_claims, invoice_answer, invoice_trace, traced

FIRST = TaskBrief("solver", TASK, SCHEMA, ())


@dataclass
class Work:
    """An attempt that has nothing to call."""

    brief: TaskBrief = FIRST
    workspace: Digest = WORKSPACE
    role = "solver"
    prompt = ""
    budget = Budget()
    told: list = field(default_factory=list)

    def tell(self, entry):
        self.told.append(entry)


@pytest.fixture
def runner(tmp_path):
    (tmp_path / "a.trace.json").write_bytes(encode_trace(invoice_trace()))
    return ReplayRunner.of(str(tmp_path / "a.trace.json"), {})


def test_the_recorded_answer_and_its_timeline_come_again(runner):
    work = Work()
    again = pickle.loads(pickle.dumps(runner))
    assert again.run(work).files == answer_claims()
    assert tuple(work.told) == TIMELINE
    assert runner.name.startswith("replay:")
    assert runner.version == again.version


def test_each_round_has_its_own_output_and_prompt(tmp_path):
    trace = invoice_trace()
    second = traced("agent", round=1, files=answer_claims(total=1.0))
    runner = ReplayRunner(replace(trace, attempts=(*trace.attempts[:2], second)))
    findings = [one.to_json() for one in trace.findings[0]]
    revising = replace(FIRST, answer=extraction_json(invoice_answer()), findings=findings)
    assert runner.run(Work(revising)).files == answer_claims(total=1.0)
    assert runner.prompt(FIRST) != runner.prompt(revising)
    with pytest.raises(RunnerFailed, match="no attempt of a reviewer in round 0"):
        runner.run(Work(replace(revising, role="reviewer")))


def test_another_workspace_or_task_is_a_failure_that_says_so(runner):
    with pytest.raises(RunnerFailed, match="the workspace is 0000") as caught:
        runner.run(Work(workspace=Digest("0" * 64)))
    assert caught.value.failure == "terminal"
    with pytest.raises(RunnerFailed, match="another task"):
        runner.run(Work(replace(FIRST, task="Something else")))


def test_a_run_in_which_every_runner_failed_fails_again_with_its_timeline():
    crashed = traced("agent", "over_budget", reason="no answer within 900 s")
    runner = ReplayRunner(invoice_trace(answer=None, attempts=(crashed,), findings=()))
    with pytest.raises(RunnerFailed, match="900 s") as caught:
        runner.run(Work())
    assert caught.value.failure == "over_budget"
    assert caught.value.timeline == TIMELINE


def test_confidences_count_as_measured_only_if_those_of_the_recorded_runner_were(runner):
    assert "extracts" not in runner.capabilities
    offline = ReplayRunner(invoice_trace(attempts=(traced("offline"),)))
    assert "extracts" in offline.capabilities


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        ReplayRunner.of(str(tmp_path / "gone"), {})

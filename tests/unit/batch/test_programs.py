"""Policy `cpu`: items in worker programs, which can be killed and must be able to import the worker."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import pytest

from quire.batch import StageOptions, StagePlan, Stop, WorkItem, run_stage
from quire.core.errors import UsageError
from tests.fakes import stage_workers

pytestmark = pytest.mark.processes

CPU = StageOptions(policy="cpu", workers=2)


def plan(*names, **options):
    return StagePlan("read", [WorkItem(name, **options) for name in names])


def test_items_run_in_other_programs():
    seen = []
    outcome = run_stage(plan(*"abcd"), stage_workers.succeed, CPU, on_event=seen.append)
    assert (outcome.succeeded, outcome.failed) == (4, 0)
    workers = {event.payload["worker"] for event in seen if event.kind == "finished" and event.document}
    assert os.getpid() not in workers


def test_a_worker_with_arguments_of_its_own_is_sent():
    for worker in (stage_workers.Adder(1), functools.partial(stage_workers.add, 1)):
        seen = []
        run_stage(plan("a", metadata={"number": 2}), worker, CPU, on_event=seen.append)
        assert [event.payload["sum"] for event in seen if "sum" in event.payload] == [3]


def test_a_local_function_is_refused_before_anything_is_done():
    def local(item):
        return None

    with pytest.raises(UsageError, match=r"cannot import .*local; move it to the top level of a module"):
        run_stage(plan("a"), local, CPU)


def test_a_lambda_is_refused():
    with pytest.raises(UsageError, match=r"lambda.*use policy 'io'"):
        run_stage(plan("a"), lambda item: None, CPU)


def test_a_function_of_the_script_itself_is_refused_with_advice(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from quire.batch import *\n"
        "def worker(item): pass\n"
        "run_stage(StagePlan('read', [WorkItem('a')]), worker, StageOptions(policy='cpu'))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "cannot import __main__.worker; move it to the top level of a module" in ran.stderr


def test_an_item_that_cannot_be_sent_fails_alone():
    work = [WorkItem("a", metadata={"file": lambda: None}), WorkItem("b")]
    outcome = run_stage(StagePlan("read", work), stage_workers.succeed, CPU)
    assert (outcome.failed, outcome.succeeded) == (1, 1)
    assert "cannot be sent to a worker" in outcome.errors[0].message


@pytest.mark.parametrize(
    ("worker", "category", "told"),
    [
        (stage_workers.refuse, "input", "a: is no document"),
        (stage_workers.lose_connection, "network", "ConnectionError: the line went dead"),
        (stage_workers.crash, "transient", "7"),
    ],
)
def test_errors_have_the_class_that_they_have_in_threads(worker, category, told):
    outcome = run_stage(plan("a"), worker, CPU)
    assert outcome.errors[0].category == category
    assert told in outcome.errors[0].message


def test_a_skip_crosses_the_border():
    assert run_stage(plan("a"), stage_workers.skip, CPU).skipped == 1


def test_retries_work_across_programs(tmp_path):
    options = StageOptions(policy="cpu", workers=2, retries=2, retry_backoff_s=0.0)
    work = plan("a", "b", metadata={"marks": str(tmp_path / "marks"), "failures": 2})
    assert run_stage(work, stage_workers.fail_until_marked, options).succeeded == 2


def test_a_program_past_its_time_is_killed():
    options = StageOptions(policy="cpu", workers=1, per_item_timeout_s=0.2)
    outcome = run_stage(plan("a"), stage_workers.hang, options)
    assert outcome.errors[0].category == "timeout"


def test_stopping_now_kills_programs():
    stop = Stop()

    def sink(event):
        if event.kind == "started" and event.document:
            stop.now("second signal")

    outcome = run_stage(plan("a"), stage_workers.hang, CPU, on_event=sink, stop=stop)
    assert (outcome.cancelled, outcome.remaining) == (True, 1)


def test_the_time_of_the_cpu_is_that_of_the_programs():
    assert run_stage(plan("a", "b"), stage_workers.spin, CPU).cpu_time_total_ms >= 100


def test_the_error_and_the_manifest_that_a_worker_returns_cross_to_the_parent():
    seen, options = [], StageOptions(policy="cpu", workers=1, retries=2)
    outcome = run_stage(plan("a"), stage_workers.fail_with_manifest, options, on_event=seen.append)
    assert [(error.attempts, error.retryable) for error in outcome.errors] == [(1, False)]
    assert [event.payload["pages"] for event in seen if event.kind == "failed"] == [3]

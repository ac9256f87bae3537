"""Whatever happens to a job or to the parent, no process and no temporary file stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import CancelledError, wait
from pathlib import Path

import pytest

from quire.system.workers import Job, WorkerCrashed, WorkerPool, WorkerTimeout
from tests.unit.system.workers.watching import HANG, Hanging, ended_within, living

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc"),
]

STUCK = Job("tests.fakes.jobs:hang", "with the interpreter lock")
ROOT = Path(__file__).parents[4]


def double(pool, number=21):
    return pool.submit(Job("tests.fakes.jobs:double", number), timeout_s=60).result(60).header["number"]


@pytest.mark.parametrize("job", [HANG, STUCK], ids=["deaf to SIGTERM", "holding the interpreter lock"])
def test_a_job_past_its_deadline_is_killed_with_all_it_started_and_the_slot_comes_back(job):
    with WorkerPool(1) as pool:
        double(pool)
        hanging = Hanging(pool, timeout_s=2, job=job)
        with pytest.raises(WorkerTimeout, match="within 2 s"):
            hanging.futures[0].result(60)
        assert living(hanging.pids) == []
        assert not Path(hanging.holding[0]["folder"]).exists()
        assert double(pool) == 42


def test_cancelling_kills_what_runs_and_drops_what_waits():
    with WorkerPool(2) as pool:
        hanging = Hanging(pool, jobs=2)
        waiting = [pool.submit(Job("tests.fakes.jobs:double", 1), timeout_s=60) for _ in range(3)]
        pool.cancel([*hanging.futures, *waiting[:2]])
        assert living(hanging.pids) == []
        assert all(future.cancelled() for future in [*hanging.futures, *waiting[:2]])
        assert wait([*hanging.futures, *waiting], timeout=60).not_done == set()
        assert waiting[2].result().header["number"] == 2


def test_cancelling_a_single_future_kills_its_job():
    with WorkerPool(1) as pool:
        hanging = Hanging(pool)
        with ended_within(60, hanging.pids):
            assert hanging.futures[0].cancel()
        with pytest.raises(CancelledError):
            hanging.futures[0].result()
        assert double(pool) == 42


def test_cancelling_a_waiting_task_of_an_event_loop_kills_its_job():
    async def cancel(hanging):
        task = asyncio.ensure_future(asyncio.wrap_future(hanging.futures[0]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with WorkerPool(1) as pool:
        hanging = Hanging(pool)
        with ended_within(60, hanging.pids):
            asyncio.run(cancel(hanging))


def test_a_job_that_is_done_cannot_be_cancelled_and_its_worker_stays():
    with WorkerPool(1) as pool:
        future = pool.submit(Job("tests.fakes.jobs:double", 1), timeout_s=60)
        first = future.result(60).header["worker"]
        pool.cancel([future])
        assert not future.cancelled()
        assert pool.submit(Job("tests.fakes.jobs:double", 1), timeout_s=60).result(60).header["worker"] == first


def test_closing_ends_everything():
    pool = WorkerPool(2)
    hanging = Hanging(pool, jobs=2)
    waiting = pool.submit(Job("tests.fakes.jobs:double", 1), timeout_s=60)
    pool.close()
    assert living(hanging.pids) == []
    assert waiting.cancelled() and all(future.cancelled() for future in hanging.futures)


def test_the_death_of_a_guard_costs_one_job():
    with WorkerPool(1) as pool:
        hanging = Hanging(pool)
        worker, child, *_ = hanging.holding[0]["pids"]
        with ended_within(60, [worker, child]):
            os.kill(hanging.holding[0]["guard"], signal.SIGKILL)
            with pytest.raises(WorkerCrashed):
                hanging.futures[0].result(60)
        assert double(pool) == 42
        assert not Path(hanging.holding[0]["folder"]).exists()
        for pid in living(hanging.pids):  # no process was left to find those that had changed their session
            os.kill(pid, signal.SIGKILL)


SCRIPT = """
import json
from quire.system.workers import Job, shared_pool
job = Job("tests.fakes.jobs:hang", {how!r})
future = shared_pool(1).submit(job, timeout_s=600, on_event=lambda kind, held: print(json.dumps(held), flush=True))
{rest}
"""


def run_script(script, tmp_path):
    (tmp_path / "script.py").write_text(script)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", tmp_path / "script.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    )


@pytest.mark.parametrize("how", ["politely", "with the interpreter lock"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_nothing_survives_the_end_of_the_parent(number, how, tmp_path):
    with run_script(SCRIPT.format(how=how, rest="future.result()"), tmp_path) as parent:
        held = json.loads(parent.stdout.readline())
        pids = [*held["pids"], held["guard"]]
        with ended_within(60, pids):
            parent.send_signal(number)
            parent.wait(60)
    assert living(pids) == []
    assert not Path(held["folder"]).exists()


def test_a_parent_that_ends_without_waiting_for_its_job_leaves_nothing(tmp_path):
    with run_script(SCRIPT.format(how="politely", rest="input()"), tmp_path) as parent:
        held = json.loads(parent.stdout.readline())
        with ended_within(60, [*held["pids"], held["guard"]]):
            parent.stdin.write("go\n")
            parent.stdin.flush()
            assert parent.wait(60) == 0


def test_children_of_the_parent_that_keep_its_pipes_open_keep_no_worker_alive(tmp_path):
    script = """
        import json, os, signal, threading
        from quire.system.workers import Job, shared_pool
        told, started = {}, threading.Event()
        listen = lambda kind, held: (told.update(held), started.set())
        future = shared_pool(1).submit(Job("tests.fakes.jobs:hang"), timeout_s=600, on_event=listen)
        started.wait()
        if (child := os.fork()) == 0:
            signal.pause()
        print(json.dumps({**told, "child": child}), flush=True)
        future.result()
        """
    with run_script(textwrap.dedent(script), tmp_path) as parent:
        held = json.loads(parent.stdout.readline())
        with ended_within(60, [*held["pids"], held["guard"]]):
            parent.kill()
        os.kill(held["child"], signal.SIGKILL)


def test_a_plain_script_without_a_guard_works_and_runs_once(tmp_path):
    (tmp_path / "beside.py").write_text("def double(number, work):\n    return {'number': 2 * number}, b''\n")
    script = """
        from quire.system.workers import Job, shared_pool
        print("once")
        print(shared_pool(2).submit(Job("beside:double", 21), timeout_s=60).result().header["number"])
        """
    with run_script(textwrap.dedent(script), tmp_path) as parent:
        assert parent.communicate(timeout=60) == ("once\n42\n", "")


def test_a_class_of_the_script_itself_is_refused_with_advice(tmp_path):
    script = """
        from quire.system.workers import Job, shared_pool
        class Engine: pass
        error = shared_pool(1).submit(Job("tests.fakes.jobs:double", Engine()), timeout_s=60).exception()
        print(type(error).__name__, "into a module that can" in str(error))
        """
    with run_script(textwrap.dedent(script), tmp_path) as parent:
        assert parent.communicate(timeout=60) == ("UsageError True\n", "")


def test_a_file_in_the_current_directory_does_not_pass_for_a_module_of_the_worker(tmp_path, monkeypatch):
    (tmp_path / "socket.py").write_text("raise SystemExit('hostile')")
    monkeypatch.chdir(tmp_path)
    with WorkerPool(1) as pool:
        assert double(pool) == 42


def test_secrets_of_the_parent_do_not_reach_the_worker(monkeypatch):
    secrets = ("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "QUIRE_PASSWORD", "QUIRE_API_KEY", "DATABASE_URL")
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("QUIRE_NATIVE", "0")
    with WorkerPool(1) as pool:
        known = pool.submit(Job("tests.fakes.jobs:environment"), timeout_s=60).result(60).header
    assert "secret" not in known.values()
    assert known["QUIRE_NATIVE"] == "0"
    assert known["QUIRE_THREADS"] == known["OMP_THREAD_LIMIT"] == known["OMP_NUM_THREADS"] == "1"


def test_closing_a_pool_that_a_fork_copied_does_nothing_to_it(tmp_path):
    script = """
        import os
        from quire.core.errors import UsageError
        from quire.system.workers import Job, shared_pool
        job = Job("tests.fakes.jobs:double", 21)
        pool = shared_pool(1)
        worker = pool.submit(job, timeout_s=60).result().header["worker"]
        if (child := os.fork()) == 0:
            assert shared_pool(1) is not pool
            try:
                pool.submit(job, timeout_s=1)
            except UsageError:
                pass
            else:
                raise SystemExit(1)
            assert shared_pool(1).submit(job, timeout_s=60).result().header["worker"] != worker
            raise SystemExit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert pool.submit(job, timeout_s=60).result().header["worker"] == worker
        """
    with run_script(textwrap.dedent(script), tmp_path) as parent:
        assert parent.communicate(timeout=60) == ("", "")

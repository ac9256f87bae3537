"""The pool on a good day: answers, events, questions, what is kept, recycling, bounds."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from quire.core.errors import ConfigurationError, StoreError, UsageError
from quire.system import supervisor
from quire.system.workers import Job, WorkerPool, WorkerTimeout, shared_pool
from quire.system.workers.early import LEAST_MEMORY, MOST_MEMORY, memory_limit
from quire.system.workers.job import KEPT
from quire.system.workers.pool import Lane
from quire.system.workers.process import WorkerProcess
from tests.unit.system.workers.watching import ended_within, living

pytestmark = pytest.mark.processes


def double(number):
    return Job("tests.fakes.jobs:double", number)


def done(pool, call, arguments=None, **listeners):
    return pool.submit(Job(f"tests.fakes.jobs:{call}", arguments), timeout_s=60, **listeners).result(timeout=60)


@pytest.fixture(scope="module")
def pool():
    with WorkerPool(1) as pool:
        yield pool


def test_a_job_is_called_in_a_worker_and_its_answer_comes_back(pool):
    assert done(pool, "double", 21).header["number"] == 42


def test_an_answer_of_many_bytes_arrives_whole(pool):
    answer = done(pool, "some_bytes", 30 << 20)
    assert (answer.header, answer.data) == ({}, bytes(30 << 20))


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_answers_do_not_depend_on_the_number_of_workers(workers):
    with WorkerPool(workers) as pool:
        futures = [pool.submit(double(number), timeout_s=60) for number in range(20)]
        assert [future.result().header["number"] for future in futures] == [2 * number for number in range(20)]


def test_events_arrive_in_order_before_the_answer(pool):
    heard = []
    done(pool, "count_aloud", 50, on_event=lambda kind, payload: heard.append((kind, payload["number"])))
    assert heard == [("progress", number) for number in range(50)]


@pytest.mark.parametrize("renewed", [True, False])
def test_the_time_of_a_job_can_count_anew_after_each_question(pool, renewed):
    job = Job("tests.fakes.jobs:ask_slowly", 5)
    asked = pool.submit(job, timeout_s=3.5, renew_s=3.5 if renewed else None, on_request=lambda *_: ({}, b""))
    if renewed:
        assert asked.result(timeout=60).data == b""
    else:
        with pytest.raises(WorkerTimeout, match=r"within 3\.5 s"):
            asked.result(timeout=60)


def test_a_job_asks_its_parent_and_gets_bytes_back(pool):
    def answer(name, header, data):
        return {"name": name, **header}, data.upper()

    got = done(pool, "ask", "artifact", on_request=answer)
    assert (got.header, got.data) == ({"name": "artifact", "wanted": "artifact"}, b"QUESTION")


def test_an_error_met_while_answering_a_job_is_raised_inside_it(pool):
    def refuse(name, header, data):
        raise StoreError("the disk is full")

    assert done(pool, "ask_and_forgive", "save", on_request=refuse).header == {"met": "the disk is full"}


def test_a_question_that_nobody_answers_fails_the_job(pool):
    with pytest.raises(UsageError, match="no on_request callback"):
        done(pool, "ask", "artifact")


def test_a_job_that_is_over_cannot_speak_for_the_next(pool):
    heard = []
    done(pool, "remember", None)
    answer = done(pool, "speak_for_others", on_event=lambda kind, payload: heard.append(kind))
    assert (answer.header, heard) == ({"refused": ["the job has ended"]}, [])


def test_a_listener_that_fails_ends_its_job_and_no_other(pool):
    def refuse(kind, payload):
        raise ConfigurationError("of the listener")

    with pytest.raises(ConfigurationError, match="of the listener"):
        done(pool, "count_aloud", 5, on_event=refuse)
    assert done(pool, "double", 1).header["number"] == 2


def test_a_listener_may_cancel_its_own_job():
    with WorkerPool(1) as pool:
        futures, ready = [], threading.Event()

        def stop(kind, payload):
            ready.wait(60)
            pool.cancel(futures)

        futures.append(pool.submit(Job("tests.fakes.jobs:hang"), timeout_s=600, on_event=stop))
        ready.set()
        with pytest.raises(CancelledError):
            futures[0].result(60)
        assert done(pool, "double", 1).header["number"] == 2


def test_a_library_that_prints_does_no_harm(pool, capfd):
    assert done(pool, "print_much", 2000).header == {"printed": 2000}
    assert capfd.readouterr() == ("", "")


def test_things_stay_loaded_between_jobs_and_the_oldest_are_closed():
    with WorkerPool(1) as pool:
        assert done(pool, "keep", [1, 2]).header == {"made": 2, "closed": []}
        assert done(pool, "keep", [1]).header == {"made": 2, "closed": []}
        assert done(pool, "keep", range(3, KEPT + 2)).header["closed"] == []
        assert done(pool, "keep", [1]).header["closed"] == [2]


def test_what_a_job_uses_is_not_closed_under_it():
    with WorkerPool(1) as pool:
        assert done(pool, "keep", range(KEPT + 3)).header["closed"] == []
        assert done(pool, "keep", []).header["closed"] == [0, 1, 2]


def test_an_idle_worker_closes_what_it_keeps_before_it_leaves(tmp_path):
    with WorkerPool(1) as pool:
        done(pool, "keep_with_farewell", str(tmp_path / "farewell"))
    assert (tmp_path / "farewell").read_text() == "goodbye"


def test_a_worker_is_replaced_after_so_many_jobs():
    with WorkerPool(1, recycle_after=2) as pool:
        workers = [done(pool, "double", 1).header["worker"] for _ in range(5)]
    assert len(set(workers)) == 3
    assert workers[0] == workers[1] and workers[2] == workers[3]


def test_a_worker_that_holds_much_memory_is_replaced():
    with WorkerPool(1, recycle_above=1) as pool:
        assert len({done(pool, "double", 1).header["worker"] for _ in range(3)}) == 3


def test_a_worker_without_jobs_ends_and_another_comes_when_needed():
    with WorkerPool(1, idle_s=0.3) as pool:
        first = done(pool, "guard").header
        with ended_within(60, [first["guard"]]):
            pass
        assert living([first["worker"]]) == []
        assert done(pool, "double", 2).header["worker"] != first["worker"]


def test_an_idle_worker_that_was_killed_costs_no_job():
    with WorkerPool(1) as pool:
        first = done(pool, "guard").header
        with ended_within(60, [first["guard"]]):
            os.kill(first["worker"], signal.SIGKILL)
        assert done(pool, "double", 2).header["number"] == 4


def test_only_as_many_workers_start_as_there_are_jobs_for():
    with WorkerPool(4) as pool:
        assert len({done(pool, "double", 1).header["worker"] for _ in range(6)}) == 1


def test_submit_waits_while_enough_jobs_are_waiting():
    release, running, fourth = threading.Event(), threading.Event(), threading.Event()

    def hold(name, header, data):
        running.set()
        release.wait(60)
        return {}, b""

    with WorkerPool(1) as pool, ThreadPoolExecutor(1) as thread:
        held = pool.submit(Job("tests.fakes.jobs:ask", "leave"), timeout_s=60, on_request=hold)
        assert running.wait(60)
        waiting = [pool.submit(double(number), timeout_s=60) for number in range(2)]
        last = thread.submit(lambda: (pool.submit(double(2), timeout_s=60), fourth.set())[0])
        assert not fourth.wait(0.2)
        release.set()
        assert held.result(60)
        assert [future.result(60).header["number"] for future in [*waiting, last.result(60)]] == [0, 2, 4]


def test_jobs_may_come_from_several_threads():
    with WorkerPool(2) as pool, ThreadPoolExecutor(4) as threads:
        answers = threads.map(lambda number: done(pool, "double", number).header["number"], range(40))
        assert list(answers) == [2 * number for number in range(40)]


def test_a_closed_pool_takes_no_jobs():
    pool = WorkerPool(1)
    pool.close()
    with pytest.raises(UsageError, match="closed"):
        pool.submit(double(1), timeout_s=1)


def test_a_pool_without_workers_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        WorkerPool(0)


def test_arguments_that_cannot_travel_are_refused_at_once(pool):
    with pytest.raises((AttributeError, TypeError), match="pickle"):
        pool.submit(Job("tests.fakes.jobs:double", threading.Lock()), timeout_s=1)


def test_there_is_one_shared_pool_and_it_can_be_resized():
    first = shared_pool(1)
    try:
        assert shared_pool() is first and first.workers == 1
        assert shared_pool(2) is first and first.workers == 2
    finally:
        first.close()
    second = shared_pool(1)
    try:
        assert second is not first
    finally:
        second.close()


def test_workers_share_the_memory_that_there_is():
    assert memory_limit(2, None) == memory_limit(2, 100 << 30) == MOST_MEMORY
    assert memory_limit(2, 6 << 30) == 3 << 30
    assert memory_limit(4, 1 << 30) == LEAST_MEMORY


def test_a_smaller_pool_lets_the_surplus_workers_go():
    gate = threading.Barrier(2)

    def meet(name, header, data):
        gate.wait(60)
        return {}, b""

    with WorkerPool(2) as pool:
        both = [pool.submit(Job("tests.fakes.jobs:ask", "meet"), timeout_s=60, on_request=meet) for _ in range(2)]
        assert all(future.result(60) for future in both)
        pool.resize(1)
        assert len({done(pool, "double", 1).header["worker"] for _ in range(8)}) == 1


class Held:
    """A pool whose only worker is busy until `release`; remembers in which order later jobs end."""

    def __init__(self, pool):
        self.pool, self.order = pool, []
        self._asked, self._answer, self._jobs = threading.Event(), threading.Event(), []
        self._jobs.append(pool.submit(Job("tests.fakes.jobs:ask", "more"), timeout_s=60, on_request=self._hold))
        assert self._asked.wait(60)

    def _hold(self, name, header, data):
        self._asked.set()
        assert self._answer.wait(60)
        return {}, b""

    def submit(self, number, **options):
        job = self.pool.submit(double(number), timeout_s=60, **options)
        job.add_done_callback(lambda done: self.order.append(done.result().header["number"] // 2))
        self._jobs.append(job)
        return job

    def release(self):
        self._answer.set()
        for job in self._jobs:
            job.result(timeout=60)


def test_a_brief_job_waits_neither_for_the_queue_nor_for_a_busy_worker():
    with WorkerPool(1) as pool:
        held = Held(pool)
        for number in (1, 2):  # now the queue is full
            held.submit(number)
        assert held.submit(3, lane=Lane.CALL).result(60)
        assert held.submit(4, lane=Lane.BRIEF).result(60), "by the same worker"
        held.release()
    assert held.order == [3, 4, 1, 2]


def test_runs_take_turns_and_a_full_queue_of_one_is_not_in_the_way_of_another():
    with WorkerPool(1) as pool:
        held = Held(pool)
        for number, share in ((1, "long"), (2, "long"), (3, "short"), (4, "short"), (5, "other")):
            held.submit(number, share=share)
        held.release()
        assert held.order == [1, 3, 5, 2, 4]


def test_a_stream_of_short_jobs_does_not_hold_up_a_long_run():
    with WorkerPool(1) as pool:
        held = Held(pool)
        for number in (1, 2):
            held.submit(number, share="long")
        for number in range(3, 23):
            held.submit(number, share=f"run {number}", lane=Lane.LONG)
        held.release()
        assert held.order.index(1) == 0 and held.order.index(2) <= 5


@pytest.mark.restarts
def test_a_slot_whose_worker_cannot_be_looked_at_takes_the_next_job(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    resident, failed = WorkerProcess.resident, []

    def looked_at(worker):
        if not failed:
            failed.append(worker)
            raise OSError("too many open files")
        return resident(worker)

    monkeypatch.setattr(WorkerProcess, "resident", looked_at)
    with WorkerPool(1) as pool:
        futures = [pool.submit(double(number), timeout_s=60) for number in range(3)]
        assert [future.result(timeout=60).header["number"] for future in futures] == [0, 2, 4]
    assert failed

"""Jobs that fail, crash, eat memory or speak nonsense: each costs itself and nothing else."""

from __future__ import annotations

import re
import signal
import struct
import subprocess
import sys

import pytest

from quire.core.errors import CorruptError, EngineError, LimitError
from quire.system.workers import Job, JobFailed, WorkerCrashed, WorkerOutOfMemory, WorkerPool
from quire.system.workers.frames import MAX_DATA

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def pool():
    with WorkerPool(1, memory_limit=300 << 20) as pool:
        yield pool


def done(pool, call, arguments=None):
    return pool.submit(Job(f"tests.fakes.jobs:{call}", arguments), timeout_s=60).result(timeout=60)


def worker_of(pool):
    return done(pool, "double", 1).header["worker"]


def test_an_exception_comes_back_by_name_and_the_worker_stays(pool):
    before = worker_of(pool)
    with pytest.raises(JobFailed) as failed:
        done(pool, "fail", "plain")
    assert (str(failed.value), failed.value.kind) == ("ValueError: no such thing", "ValueError")
    assert "in fail" in failed.value.__notes__[0]
    assert worker_of(pool) == before


def test_an_exception_that_can_be_neither_pickled_nor_printed_comes_back(pool):
    with pytest.raises(JobFailed, match=r"UnprintableError.*RuntimeError"):
        done(pool, "fail", "unprintable")


def test_a_library_that_leaves_the_program_ends_its_job_only(pool):
    before = worker_of(pool)
    with pytest.raises(JobFailed, match="SystemExit"):
        done(pool, "fail", "exit")
    assert worker_of(pool) == before


def test_a_broken_pipe_inside_a_job_is_not_taken_for_the_end_of_the_parent(pool):
    with pytest.raises(JobFailed, match="of the engine"):
        done(pool, "fail", "broken pipe")


def test_errors_of_the_family_come_back_as_themselves(pool):
    with pytest.raises(CorruptError) as corrupt:
        done(pool, "fail", "corrupt")
    assert str(corrupt.value) == "a.pdf, page 7: the bytes are no document"
    assert (corrupt.value.document, corrupt.value.page) == ("a.pdf", 7)
    with pytest.raises(EngineError) as engine:
        done(pool, "fail", "engine")
    assert (str(engine.value), engine.value.engine) == ("tesseract: it has no languages", "tesseract")
    with pytest.raises(LimitError) as special:
        done(pool, "fail", "special")
    assert str(special.value) == "page 2: too many pixels"


def test_a_message_cannot_command_the_terminal_or_fill_it(pool):
    with pytest.raises(JobFailed) as failed:
        done(pool, "fail", "escape")
    assert "\x1b" not in str(failed.value) and "\x07" not in str(failed.value)
    assert len(str(failed.value)) < 3000


def test_a_call_that_does_not_exist_is_an_error_of_the_job(pool):
    with pytest.raises(JobFailed, match=r"AttributeError.*missing"):
        done(pool, "missing")
    with pytest.raises(JobFailed, match=r"ModuleNotFoundError.*nowhere"):
        pool.submit(Job("nowhere.at.all:function"), timeout_s=60).result(60)


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("segfault", -signal.SIGSEGV, "killed by SIGSEGV"),
        ("abort", -signal.SIGABRT, "killed by SIGABRT"),
        ("exit", 7, "ended with exit code 7"),
    ],
)
def test_a_crash_tells_how_and_the_last_words_and_the_slot_comes_back(pool, how, code, said):
    with pytest.raises(WorkerCrashed, match=f"{said}: these were my last words") as crashed:
        done(pool, "crash", how)
    assert crashed.value.code == code
    assert done(pool, "double", 4).header["number"] == 8


def test_what_an_earlier_job_wrote_is_no_reason_for_a_crash(pool):
    before = worker_of(pool)
    done(pool, "grumble", "a scanline is damaged")
    assert worker_of(pool) == before
    with pytest.raises(WorkerCrashed, match=r"ended with exit code 9$"):
        done(pool, "leave", 9)


def test_a_job_that_eats_memory_is_killed(pool):
    with pytest.raises(WorkerOutOfMemory, match="a worker may have 300 MB"):
        done(pool, "eat", 10)
    assert done(pool, "double", 4).header["number"] == 8


def test_memory_of_child_processes_counts(pool):
    with pytest.raises(WorkerOutOfMemory, match="a worker may have 300 MB"):
        done(pool, "eat_in_a_child")


def test_memory_asked_for_at_once_is_refused_before_the_machine_feels_it(pool):
    before = worker_of(pool)
    with pytest.raises(WorkerOutOfMemory, match="more memory"):
        done(pool, "eat", 100_000)
    assert worker_of(pool) != before


def test_an_answer_past_the_limit_is_refused():
    with WorkerPool(1) as pool, pytest.raises(JobFailed, match="too many for one message"):
        done(pool, "some_bytes", MAX_DATA + 1)


@pytest.mark.parametrize(
    "raw",
    [
        struct.pack(">cIQ", b"A", 2, 1 << 60),
        struct.pack(">cIQ", b"A", 1 << 31, 0),
        struct.pack(">cIQ", b"A", 3, 0) + b"NaN",
        struct.pack(">cIQ", b"A", 100_000, 0) + b"[" * 100_000,
        struct.pack(">cIQ", b"A", 2, 0) + b"[]",
        struct.pack(">cIQ", b"E", 2, 0) + b"{}",
        struct.pack(">cIQ", b"Q", 2, 0) + b"{}",
        struct.pack(">cIQ", b"?", 2, 0) + b"{}",
        b"a line that a program meant for its standard output\n",
    ],
    ids=["vast data", "vast header", "not a number", "deep", "no object", "event", "question", "kind", "text"],
)
def test_a_worker_that_breaks_the_format_is_killed(pool, raw):
    with pytest.raises(WorkerCrashed, match="the worker sent"):
        done(pool, "say", raw)
    assert done(pool, "double", 4).header["number"] == 8


def test_a_worker_that_hangs_up_is_killed(pool):
    with pytest.raises(WorkerCrashed, match="SIGKILL"):
        done(pool, "hang_up")


def test_one_poison_job_among_twenty_leaves_nineteen_right():
    with WorkerPool(2) as pool:
        numbers = [*range(7), -1, *range(7, 19)]
        futures = [pool.submit(Job("tests.fakes.jobs:perhaps_crash", number), timeout_s=60) for number in numbers]
        errors = [future.exception(timeout=60) for future in futures]
        assert [type(error) for error in errors if error] == [WorkerCrashed]
        assert errors[7] is not None
        right = [future.result().header["number"] for future, error in zip(futures, errors, strict=True) if not error]
        assert right == [2 * number for number in range(19)]


LIMITED = """
import os, resource, tempfile
from quire.core.errors import ConfigurationError
from quire.system.workers import Job, WorkerPool

def limit(soft):
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, HARD))

def double(number):
    return POOL.submit(Job("tests.fakes.jobs:double", number), timeout_s=60).result(timeout=60).header["number"]

HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
tempfile.gettempdir()  # looked for once, with files
with WorkerPool(1) as POOL:
    before = os.listdir("/proc/self/fd")
    limit(3)  # whatever is open already: no further file
    try:
        double(1)
    except ConfigurationError as error:
        print(error)
    limit(HARD)
    print(os.listdir("/proc/self/fd") == before, double(21))
limit(20)
with WorkerPool(1):
    print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 30)
"""
"""In a process of its own: a limit on files would hit the threads of other tests, and they would open files."""


@pytest.fixture(scope="module")
def limited():
    command = [sys.executable, "-c", LIMITED]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout.splitlines()


def test_a_worker_that_gets_no_descriptors_says_what_to_raise_and_leaves_nothing(limited):
    error, after, _ = limited
    assert re.search(r"Too many open files.*ulimit -n", error)
    assert after == "True 42"


def test_a_soft_limit_that_is_too_low_is_raised_for_the_workers(limited):
    assert limited[-1] == "True"

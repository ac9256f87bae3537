"""How many workers to use: by the requested number, by CPUs, by memory."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.system.budget import WORKER_BYTES, memory_budget, worker_count

PLENTY = 100 * WORKER_BYTES


def count(asked=None, *, available=PLENTY, **environment):
    return worker_count(asked, {"QUIRE_THREADS": "4", **environment}, available)


def test_there_is_one_worker_for_each_cpu():
    assert count() == (4, None)


def test_the_argument_goes_before_the_environment():
    assert count(QUIRE_WORKERS="2") == (2, None)
    assert count(3, QUIRE_WORKERS="2") == (3, None)


def test_more_workers_than_cpus_are_refused_with_a_sentence():
    assert count(9) == (4, "9 workers were requested; 4 CPUs are available: using 4")


def test_workers_that_do_not_fit_into_memory_are_refused_with_a_sentence():
    assert count(4, available=2_000_000_000) == (2, "4 workers need about 3.6 GB; 2.0 GB are available: using 2")


def test_one_worker_always_runs():
    workers, notice = count(1, available=100_000_000)
    assert workers == 1
    assert notice == "1 worker needs about 0.9 GB; 0.1 GB are available: using 1 anyway"


@pytest.mark.parametrize("setting", ["0", "-1", "many", "1.5"])
def test_a_setting_that_is_no_number_of_workers_is_an_error(setting):
    with pytest.raises(UsageError, match="QUIRE_WORKERS"):
        count(QUIRE_WORKERS=setting)


@pytest.mark.parametrize("asked", [0, -2])
def test_asking_for_no_workers_is_an_error(asked):
    with pytest.raises(UsageError, match="at least 1"):
        count(asked)


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_memory_follows_the_machine_and_the_control_group(tmp_path):
    assert memory_budget(tmp_path) is None
    write(tmp_path, "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n")
    assert memory_budget(tmp_path) == 8000 * 1024
    write(tmp_path, "proc/self/cgroup", "0::/box\n")
    write(tmp_path, "sys/fs/cgroup/box/memory.max", "max\n")
    write(tmp_path, "sys/fs/cgroup/box/memory.current", "500\n")
    assert memory_budget(tmp_path) == 8000 * 1024
    write(tmp_path, "sys/fs/cgroup/box/memory.max", "2000\n")
    write(tmp_path, "sys/fs/cgroup/box/memory.stat", "anon 400\ninactive_file 100\n")
    assert memory_budget(tmp_path) == 1600


def test_memory_follows_an_older_control_group(tmp_path):
    write(tmp_path, "proc/self/cgroup", "7:memory:/box\n")
    write(tmp_path, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "3000\n")
    write(tmp_path, "sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1000\n")
    assert memory_budget(tmp_path) == 2000

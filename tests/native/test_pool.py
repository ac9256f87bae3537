"""The worker threads: bounded, shared, cancelled with their iterator, gone with the interpreter."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quire.core.document import RenderOptions
from quire.system.budget import cpu_budget
from tests import documents

MEGABYTE = 2**20
RENDERS = """
import resource, sys
from quire.core.document import Document, RenderOptions
from quire.pages.render._native import NativeReader
reader = NativeReader(Document(sys.argv[1]))
pages = range(1, reader.page_count + 1)
assert sum(1 for _ in reader.text(pages, threads=2)) == reader.page_count
assert sum(1 for _ in reader.render(pages, RenderOptions(dpi=40), threads=2)) == reader.page_count
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
LEAVES_EARLY = """
import sys
from quire.core.document import Document, RenderOptions
from quire.pages.render._native import NativeReader
reader = NativeReader(Document(sys.argv[1]))
pages = reader.render(range(1, reader.page_count + 1), RenderOptions(dpi=300), threads=2)
next(pages)
print("left")
"""
COUNTS_THREADS = """
import sys
from pathlib import Path
from quire.core.document import Document
from quire.pages.render._native import NativeReader
def count():
    return len(list(Path("/proc/self/task").iterdir()))

before = count()
reader = NativeReader(Document(sys.argv[1]))
for threads in (1, 3, 2):
    assert len(list(reader.text(range(1, 9), threads=threads))) == 8
    print(count() - before, end=" ")
"""
FORKS = """
import os, sys
from quire.core.document import Document, RenderOptions
from quire.pages.render._native import NativeReader
reader = NativeReader(Document(sys.argv[1]))
before = list(reader.text([1, 2], threads=2))
child = os.fork()
if child == 0:
    os._exit(0 if list(reader.text([1, 2], threads=2)) == before else 1)
assert os.waitpid(child, 0)[1] == 0
assert list(reader.text([1, 2], threads=2)) == before
print("same")
"""


def run(program: str, path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.slow
def test_an_iterator_dropped_early_leaves_the_pool_usable(native):
    reader = native(documents.simple(40))
    for _ in range(5):
        pages = reader.render(range(1, 41), RenderOptions(), threads=2)
        assert next(pages).number == 1
        del pages
        gc.collect()

    assert len(list(reader.text(range(1, 41), threads=2))) == 40


def test_documents_are_read_at_the_same_time(native):
    readers = [native(documents.simple(10)) for _ in range(6)]
    iterators = [reader.text(range(1, 11), threads=2) for reader in readers]

    for pages in zip(*iterators, strict=True):
        assert len(set(pages)) == 1


def test_callers_in_many_threads_get_their_own_results(native):
    expected = {pages: list(native(documents.simple(pages)).text(range(1, pages + 1))) for pages in (3, 4, 5)}
    wrong: list[int] = []

    def call(pages: int) -> None:
        reader = native(documents.simple(pages))
        for _ in range(5):
            if list(reader.text(range(1, pages + 1), threads=3)) != expected[pages]:
                wrong.append(pages)

    callers = [threading.Thread(target=call, args=(pages,)) for pages in (3, 4, 5) * 2]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert not wrong


@pytest.mark.processes
def test_the_pool_is_as_large_as_the_largest_call(native, saved):
    assert run(COUNTS_THREADS, saved(documents.simple(8))) == "1 3 3"


def test_a_pool_that_was_shut_down_is_made_anew(native):
    import quire_native

    reader = native(documents.simple(4))
    before = list(reader.text(range(1, 5), threads=2))
    quire_native.shutdown()

    assert list(reader.text(range(1, 5), threads=2)) == before


@pytest.mark.processes
def test_a_document_of_many_pages_takes_no_more_memory(native, saved):
    few, many = saved(documents.many_pages(20), "few.pdf"), saved(documents.many_pages(400), "many.pdf")

    assert int(run(RENDERS, many)) - int(run(RENDERS, few)) < 60 * MEGABYTE


@pytest.mark.processes
def test_the_interpreter_ends_while_pages_are_rendered(native, saved):
    assert run(LEAVES_EARLY, saved(documents.simple(60))) == "left"


@pytest.mark.processes
def test_a_forked_child_reads_on(native, saved):
    assert run(FORKS, saved(documents.simple(4))) == "same"


def test_the_budget_follows_the_control_group(tmp_path: Path):
    group = tmp_path / "sys/fs/cgroup/batch/job"
    group.mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/batch/job\n")
    (group / "cpu.max").write_text("max 100000\n")
    unlimited = cpu_budget({}, tmp_path)
    (group.parent / "cpu.max").write_text("50000 100000\n")

    assert unlimited >= 1
    assert cpu_budget({}, tmp_path) == 1
    assert cpu_budget({"QUIRE_THREADS": "7"}, tmp_path) == 7


def test_the_budget_follows_an_older_control_group(tmp_path: Path):
    group = tmp_path / "sys/fs/cgroup/cpu,cpuacct"
    group.mkdir(parents=True)
    (group / "cpu.cfs_quota_us").write_text("100000\n")
    (group / "cpu.cfs_period_us").write_text("100000\n")

    assert cpu_budget({}, tmp_path) == 1

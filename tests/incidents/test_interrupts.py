"""A read that is interrupted, killed or cancelled: it ends soon, leaves nobody behind, and loses nothing it has."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import quire
from quire.recognize import from_function
from quire.system.workers.procfs import descendants
from tests import scans
from tests.fakes.engines import BadEngine, NumberEngine, SlowEngine, held, said_of, says_its_process
from tests.unit.system.workers.watching import ended_within, living

pytestmark = pytest.mark.processes

PAGES, POISON = 50, 20


@pytest.fixture
def hanging(stranger, tmp_path):
    """A read of 50 pages in a program of its own that hangs at page 20; gives the program and the engine."""
    engine = stranger("hang", POISON)
    (tmp_path / "scan.pdf").write_bytes(scans.numbered_scans(PAGES))
    arguments = [
        "-m",
        "quire",
        "read",
        "-q",
        tmp_path / "scan.pdf",
        "--engine",
        "stranger",
        "--workers",
        "1",
        "--to",
        "json",
    ]
    arguments += ["--store", tmp_path / "store", "-o", tmp_path / "out"]

    class Reading:
        stranger = engine
        out = tmp_path / "out"
        process = engine.program(*arguments, start_new_session=True)

        def again(self):
            engine.mend()
            return engine.run(*arguments)

    reading = Reading()
    until = time.monotonic() + 60
    while not engine.hangs:
        assert reading.process.poll() is None, reading.process.stderr.read()
        assert time.monotonic() < until
        time.sleep(0.01)
    yield reading
    if reading.process.poll() is None:
        os.killpg(reading.process.pid, signal.SIGKILL)
    reading.process.communicate()


def nothing_is_asked_twice(reading):
    """A second run asks for what was not answered, and all pages are there."""
    asked = list(reading.stranger.calls)
    answered = {*asked} - {f"stranger {POISON}"}
    assert len(answered) >= POISON - 1
    run = reading.again()
    assert (run.returncode, run.stderr) == (0, "")
    later = reading.stranger.calls[len(asked) :]
    assert sorted(later) == sorted({f"stranger {number}" for number in range(1, PAGES + 1)} - answered)
    written = (reading.out / "scan.json").read_text()
    assert all(f'"{said_of(number)}"' in written for number in range(1, PAGES + 1))


@pytest.mark.parametrize("whom", ["program", "group"])
def test_ctrl_c_ends_a_long_scan_at_once_and_keeps_what_was_read(hanging, whom):
    workers = sorted(set(descendants(hanging.process.pid)) - {hanging.process.pid})
    assert len(workers) >= 4, "the worker, its guard and what the engine holds"
    with ended_within(60, sorted({*workers, *hanging.stranger.held})):
        if whom == "program":
            hanging.process.send_signal(signal.SIGINT)
        else:
            os.killpg(hanging.process.pid, signal.SIGINT)
        _, said = hanging.process.communicate(timeout=60)
    assert hanging.process.returncode == 130
    assert said == "quire: interrupted; unfinished files were not written\n"
    assert not hanging.out.exists() or not list(hanging.out.iterdir())
    nothing_is_asked_twice(hanging)


def test_a_program_that_is_killed_leaves_no_workers_and_loses_no_answers(hanging):
    workers = sorted(set(descendants(hanging.process.pid)) - {hanging.process.pid})
    with ended_within(60, sorted({*workers, *hanging.stranger.held})):
        hanging.process.kill()
        hanging.process.wait()
    nothing_is_asked_twice(hanging)


@pytest.mark.parametrize("policy", ["cpu", "io"])
def test_cancelling_aread_ends_the_work(pool, tmp_path, policy):
    log = tmp_path / "calls"
    engine = SlowEngine(log=log) if policy == "io" else BadEngine(how="hang", log=log)

    async def cancelled():
        task = asyncio.create_task(quire.aread(scans.numbered_scans(30), engines=engine))
        while not log.exists() or not ("hangs" in log.read_text() or "waits" in log.read_text()):
            await asyncio.sleep(0.01)
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return begun

    begun = asyncio.run(cancelled())  # waits for the thread of the read
    assert time.monotonic() - begun < engine.timeout_s, "it was not left to its time limit"
    assert living(held(log)) == []
    result = quire.read(scans.numbered_scans(3), engines=NumberEngine())
    assert result.status == "complete", "the pool goes on"


def test_two_reads_at_the_same_time_share_the_workers(pool):
    engine = from_function("process", says_its_process, capabilities=("text", "line_boxes"), max_concurrency=64)
    with ThreadPoolExecutor(2) as threads:
        reads = [threads.submit(quire.read, scans.numbered_scans(12), engines=engine) for _ in range(2)]
        results = [read.result(timeout=60) for read in reads]
    assert [result.status for result in results] == ["complete", "complete"]
    pids = {page.text for result in results for page in result.pages}
    assert len(pids) <= pool.workers == 2


def test_reads_at_the_same_time_do_not_mix_up_their_pages(pool):
    with ThreadPoolExecutor(3) as threads:
        texts = list(
            threads.map(
                lambda start: [
                    page.text
                    for page in quire.read(
                        scans.scanned(*(scans.numbered_sheet(start + n) for n in range(8))), engines=NumberEngine()
                    ).pages
                ],
                (1, 20, 40),
            )
        )
    assert texts == [[said_of(start + n) for n in range(8)] for start in (1, 20, 40)]

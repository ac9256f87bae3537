"""The disk of the store is full in the middle of a run: a clear error, nothing torn, and it goes on with more room."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from contextlib import closing

import pytest

from quire.core.errors import StoreError
from quire.database.sqlite import SqliteDatabase
from quire.runtime.local import LocalRuntime
from quire.store.files import FileStore
from tests import scans
from tests.fakes.engines import said_of
from tests.fakes.small_disks import small_disk
from tests.runtime.tracking import PATIENCE_S, Track, wait_until
from tests.runtime.workflows import WORKFLOWS

pytestmark = pytest.mark.processes

PAGES = 8
STUCK = 4


@pytest.fixture
def disk(tmp_path):
    """Four megabytes."""
    with small_disk(tmp_path / "disk", 4) as mounted:
        if mounted is None:
            pytest.skip("nobody but root may mount a small disk")
        yield mounted


@pytest.fixture
def reading(stranger, tmp_path, disk):
    """A durable run in a program of its own, with its store on the small disk; its engine waits at one page."""
    engine = stranger("wait", STUCK)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "scan.pdf").write_bytes(scans.numbered_scans(PAGES))

    class Reading:
        stranger = engine
        out = tmp_path / "out"

        def arguments(self, out="out", store=disk.folder / "store"):
            options = ["--engine", "stranger", "--workers", "1", "--to", "json", "--retries", "0"]
            return ["-m", "quire", "run", tmp_path / "in", *options, "-o", tmp_path / out, "--store", store]

        def begin(self) -> subprocess.Popen[str]:
            process = engine.program(*self.arguments())
            wait_until(lambda: engine.waiting > 0 or process.poll() is not None, "it does not begin")
            assert process.poll() is None, process.stderr.read()
            return process

    return Reading()


def test_a_run_says_that_the_disk_is_full_and_goes_on_after_room_was_made(reading, disk, tmp_path):
    process = reading.begin()
    answered = Counter(reading.stranger.calls)
    disk.fill()
    reading.stranger.mend()
    summary, said = process.communicate(timeout=60)
    assert process.returncode not in (0, 130), summary
    assert "No space left on device" in said or "disk is full" in said, said
    assert "make room" in said
    assert not list(reading.out.glob("*.json")), "nothing that is not whole"

    disk.empty()
    again = reading.stranger.run(*reading.arguments())
    assert (again.returncode, again.stderr) == (0, "")
    calls = Counter(reading.stranger.calls)
    assert all(calls[call] == 1 for call in answered if call != f"stranger {STUCK}"), "what was answered is kept"
    assert calls[f"stranger {STUCK}"] <= 2 and set(calls.values()) <= {1, 2}
    written = json.loads((reading.out / "scan.json").read_text())
    assert [block["text"] for block in written["blocks"]] == [said_of(number) for number in range(1, PAGES + 1)]

    undisturbed = reading.stranger.run(*reading.arguments("elsewhere", tmp_path / "store"))
    assert undisturbed.returncode == 0
    assert (tmp_path / "elsewhere" / "scan.json").read_bytes() == (reading.out / "scan.json").read_bytes()


def test_a_full_disk_is_told_without_a_stack_trace(reading, disk):
    process = reading.begin()
    disk.fill()
    reading.stranger.mend()
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said


def test_whoever_waits_for_a_run_hears_of_the_full_disk_and_the_run_goes_on_by_itself(disk, tmp_path):
    track = Track(tmp_path)
    database = SqliteDatabase(disk.folder / "facts.sqlite3")
    with closing(database), LocalRuntime(database, WORKFLOWS, lease_s=1.0) as runtime:
        run = runtime.submit("held", {"folder": str(tmp_path)}, key="k")
        track.until("held here")
        disk.fill()
        track.open("go")
        with pytest.raises(StoreError, match="make room"):
            runtime.result(run, timeout_s=PATIENCE_S)
        disk.empty()
        wait_until(lambda: runtime.status(run).state == "finished", "it does not go on")
        assert runtime.result(run, timeout_s=PATIENCE_S) == ["held before", "held here", "held after"]
    assert (track.counts["held before"], track.counts["held after"]) == (1, 1)
    assert track.counts["held here"] <= 2, "its result could not be recorded the first time"


def test_the_same_process_can_save_again_once_there_is_room(disk):
    with FileStore(disk.folder / "store") as store:
        early = store.save("k1", b"early", stage="s", document="d")
        store.flush()
        disk.fill()
        store.save("k2", b"x" * 200_000, stage="s", document="d")
        with pytest.raises(StoreError, match="make room"):
            store.flush()
        assert store.load(early) == b"early"
        disk.empty()
        late = store.save("k3", b"late", stage="s", document="d")
        store.flush()
    with FileStore(disk.folder / "store") as store:
        assert (store.load(early), store.load(late)) == (b"early", b"late")
        assert store.find("k2") is not None and len(store.load(store.find("k2"))) == 200_000

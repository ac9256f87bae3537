"""`quire up` and `quire worker` as programs: they come up, work, and leave nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from quire.cli.devcluster.cluster import LocalCluster
from quire.cli.devcluster.program import listens
from tests import documents, scans
from tests.fakes.strangers import Stranger, install
from tests.runtime.tracking import wait_until
from tests.servers import cluster as clusters
from tests.servers import restate

pytestmark = pytest.mark.servers

PATIENCE_S = 60.0


@contextmanager
def started(*arguments: str, environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A command of quire, and the file with what it says. It is killed at the end, if it is still there."""
    log = Path(environment["TMPDIR"]) / "said"
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "quire", *arguments], env=environment, stdout=said, stderr=said
        )
    try:
        yield process, log
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """With a folder of this test's own for temporary files, that the user of PostgreSQL can enter."""
    clusters.check_parts()
    with tempfile.TemporaryDirectory(prefix="quire-up-") as folder:
        Path(folder).chmod(0o755)
        yield {**os.environ, "TMPDIR": folder, "QUIRE_RESTATE_SERVER": str(restate.program())}


def test_a_whole_cluster_is_started_used_and_ended(environment, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "report.pdf").write_bytes(documents.simple())
    with started("up", environment=environment) as (process, log):
        wait_until(
            lambda: "The cluster is running" in log.read_text() or process.poll() is not None,
            log.read_text(),
            PATIENCE_S,
        )
        told = log.read_text()
        assert "The cluster is running" in told, told
        settings = dict(re.findall(r"export (QUIRE_\w+)=(\S+)", told))
        os.kill(_worker_in(environment["TMPDIR"]), signal.SIGKILL)
        wait_until(lambda: "is restarted" in log.read_text(), "the worker stays away", PATIENCE_S)
        command = [sys.executable, "-m", "quire", "run", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
        ran = subprocess.run(
            command, env={**environment, **settings}, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        assert ran.returncode == 0, ran.stderr
        assert (tmp_path / "out" / "report.md").exists()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    ports = [int(port) for port in re.findall(r"127\.0\.0\.1:(\d+)", told)]
    assert len(set(ports)) >= 4
    assert not [port for port in ports if listens(port)]
    assert not list(Path(environment["TMPDIR"]).glob("quire-cluster-*")), "the data is removed"


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="only setpriv ties programs to their parent")
def test_a_cluster_whose_parent_is_killed_ends_by_itself(environment):
    with started("up", environment=environment) as (process, log):
        wait_until(
            lambda: "The cluster is running" in log.read_text() or process.poll() is not None,
            "it does not start",
            PATIENCE_S,
        )
        assert len(_living_in(environment["TMPDIR"])) >= 5
        process.kill()
        process.wait()
        wait_until(lambda: not _living_in(environment["TMPDIR"]), "something is left behind", PATIENCE_S)


def _worker_in(folder: str) -> int:
    """The process of one worker of the cluster in there."""
    for process in _living_in(folder):
        with suppress(OSError):
            if b"worker\0--bind" in Path(f"/proc/{process}/cmdline").read_bytes():
                return int(process)
    raise AssertionError(f"no worker runs in {folder}")


def _living_in(folder: str) -> list[str]:
    """The processes whose current folder is in there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if str((process / "cwd").readlink()).startswith(folder):
                found.append(process.name)
    return found


def test_a_folder_on_a_cluster_is_shared_by_the_workers_and_read_once(tmp_path):
    stranger = install(tmp_path / "stranger", "wait", *range(1, 30))
    (tmp_path / "in").mkdir()
    for first in (1, 11, 21):
        sheets = (scans.numbered_sheet(number) for number in range(first, first + 4))
        (tmp_path / "in" / f"{first}.pdf").write_bytes(scans.scanned(*sheets))
    with clusters.running(stranger.environment) as cluster:
        asking = replace(stranger, environment={**stranger.environment, **cluster.settings})
        command = ("-m", "quire", "run", tmp_path / "in", "-o", tmp_path / "out", "--engine", "stranger")
        with asking.program(*command) as process:
            wait_until(lambda: len(_reading(cluster, stranger)) == 2, "one worker does everything", PATIENCE_S)
            stranger.mend()
            _, wrong = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, wrong
        assert len(stranger.calls) == 12 == len(set(stranger.calls))
        assert sorted(path.name for path in (tmp_path / "out").glob("*.md")) == ["1.md", "11.md", "21.md"]
        again = asking.run(*command)
        assert again.returncode == 0, again.stderr
        assert len(stranger.calls) == 12, "the second run asks nobody"
        assert [worker.stop() for worker in cluster.workers] == [0, 0], "workers that were used end on SIGTERM"


def _reading(cluster: LocalCluster, stranger: Stranger) -> set[str]:
    """The workers in which the engine waits."""
    return {clusters.worker_of(cluster, pid).name for pid in stranger.held}

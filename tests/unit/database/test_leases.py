"""Claims: one owner at a time, takeover when a lease expires, and no late write of the former owner."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event, current_thread

import pytest

from quire.core.errors import FencedError, StoreError
from quire.database.database import boot
from quire.database.leases import Claims
from quire.database.sqlite import SqliteDatabase
from quire.system import supervisor
from quire.system.supervisor import restarts


class Clock(SqliteDatabase):
    """A database whose clock the test sets."""

    time = 100.0
    start = "this start"

    def now(self):
        return self.time

    @property
    def epoch(self):
        return self.start


@pytest.fixture
def database(tmp_path):
    database = Clock(tmp_path / "facts.sqlite3")
    yield database
    database.close()


@pytest.fixture
def owners(database):
    made = [Claims(database, lease_s=30.0) for _ in range(2)]
    yield made
    for claims in made:
        claims.close()


def test_a_key_has_one_owner_at_a_time(owners):
    first, second = owners
    claim = first.claim("k")
    assert claim and not claim.takeover
    assert second.claim("k") is None
    assert first.claim("k") is None
    assert second.claim("other") is not None
    first.release(claim)
    assert second.claim("k") is not None


def test_the_lease_of_an_owner_that_stopped_runs_out_and_one_takes_over(owners, database):
    first, second = owners
    claim = first.claim("k")
    database.time += 31
    taken = second.claim("k")
    assert taken and taken.takeover and taken.token > claim.token
    assert second.takeovers() == 1
    assert first.claim("k") is None


def test_what_a_late_owner_writes_is_refused(owners, database):
    first, second = owners
    claim = first.claim("k")
    first.check(claim)
    database.time += 31
    taken = second.claim("k")
    with pytest.raises(FencedError, match="another process took"):
        first.check(claim)
    first.release(claim)
    second.check(taken)


def test_a_late_owner_whom_nobody_missed_goes_on(owners, database):
    first, _ = owners
    claim = first.claim("k")
    database.time += 31
    first.check(claim)


def test_owners_from_before_the_machine_started_are_gone(owners, database):
    first, second = owners
    first.claim("k")
    database.start = "another start"
    assert second.claim("k").takeover


def test_a_claim_given_back_after_a_takeover_counts_no_further_one(owners, database):
    first, second = owners
    first.claim("k")
    database.time += 31
    second.release(second.claim("k"))
    again = second.claim("k")
    assert again and not again.takeover
    assert second.takeovers() == 1


def test_closing_gives_everything_back(owners):
    first, second = owners
    first.claim("a")
    first.claim("b")
    first.close()
    assert second.claim("a") and second.claim("b")
    assert second.takeovers() == 0


@pytest.mark.restarts
def test_a_heartbeat_that_fails_once_goes_on(database, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    failed, renewed = Event(), Event()

    class Locked(Claims):
        def _renew(self):
            if current_thread().name == "quire-lease" and not failed.is_set():
                failed.set()
                raise StoreError("the database is locked")
            super()._renew()
            if failed.is_set():
                renewed.set()

    with closing(Locked(database, lease_s=0.003)) as claims:
        claims.start_heartbeat()
        assert renewed.wait(60)
    assert restarts()["quire-lease"] >= 1


def test_of_many_threads_one_wins(owners):
    with ThreadPoolExecutor(8) as threads:
        won = list(threads.map(lambda n: owners[n % 2].claim("k"), range(40)))
    assert sum(claim is not None for claim in won) == 1


KILLED = """
import sys, os
from quire.database.leases import Claims
from quire.database.sqlite import SqliteDatabase
claims = Claims(SqliteDatabase(sys.argv[1]))
assert claims.claim("k")
os.kill(os.getpid(), 9)
"""


@pytest.mark.processes
def test_what_a_killed_process_held_is_free_at_once(owners, database):
    first, _ = owners
    killed = subprocess.Popen([sys.executable, "-c", KILLED, database.place])
    try:
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)  # its parent has not asked: it is still listed
        database.change("UPDATE owners SET boot = ?, expires = ?", (database.epoch, database.now() + 1000))
        claim = first.claim("k")
    finally:
        assert killed.wait() == -9
    assert claim and claim.takeover


def test_nobody_can_tell_whether_a_process_of_another_machine_of_that_name_lives(owners, database):
    first, second = owners
    first.claim("k")
    database.change("UPDATE owners SET owner = replace(owner, ?, 'another start')", (boot(),))
    database.change("UPDATE owners SET owner = replace(owner, ?, '/1/')", (f"/{os.getpid()}/",))
    database.change("UPDATE claims SET owner = (SELECT owner FROM owners)")
    assert second.claim("k") is None
    database.time += 31
    assert second.claim("k").takeover

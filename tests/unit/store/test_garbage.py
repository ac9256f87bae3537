"""Garbage collection: removes nothing that is reachable or being written, and leaves nothing torn."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quire.core.errors import StoreError
from quire.core.keys import ArtifactKey
from quire.database.runs import Runs
from quire.store.artifacts import ArtifactStore
from quire.store.files import FileStore
from quire.store.garbage import Collected, Limits, collect
from quire.store.opening import open_store
from tests.marking import on_servers

DAY = 86_400.0
NOTHING = Collected()


@pytest.fixture(params=["sqlite", on_servers("postgresql")])
def opening(request, tmp_path):
    facts = request.getfixturevalue("postgres_url") if request.param == "postgresql" else None
    return lambda: open_store(tmp_path / "store", facts)


@pytest.fixture
def store(opening):
    with opening() as opened:
        yield opened


def save(store: ArtifactStore, number: int, data: bytes = b"", *, stage: str = "native-text") -> ArtifactKey:
    key = ArtifactKey(f"{number:064}")
    store.save(key, data or f"content {number}".encode() * 100, stage=stage, document="d", page=number)
    return key


def packs(folder: Path) -> list[Path]:
    return sorted((folder / "packs").glob("*"))


def forget(store: ArtifactStore, *keys: ArtifactKey) -> None:
    store.database.change_many("DELETE FROM facts WHERE key = ?", [(key,) for key in keys])


def later(days: float = 2) -> float:
    return time.time() + days * DAY


def test_a_store_without_garbage_stays_as_it_is(store, tmp_path):
    keys = [save(store, number) for number in range(20)]
    assert collect(store) == NOTHING
    assert len(store.find_many(keys)) == 20
    assert collect(store, Limits(unused_days=1), clock=later) != NOTHING


def test_contents_that_no_fact_leads_to_go_with_their_pack(store, tmp_path):
    gone = [save(store, number) for number in range(5)]
    store.flush()
    kept = save(store, 6)
    store.flush()
    forget(store, *gone)
    size = packs(tmp_path / "store")[0].stat().st_size + packs(tmp_path / "store")[1].stat().st_size
    found = collect(store)
    assert (found.contents, found.packs, found.rewritten) == (5, 1, 0)
    (pack,) = packs(tmp_path / "store")
    assert found.bytes == size - pack.stat().st_size
    assert store.load(store.find(kept)) == b"content 6" * 100


def test_a_dry_run_says_the_same_and_changes_nothing(store, tmp_path):
    keys = [save(store, number) for number in range(10)]
    store.flush()
    forget(store, *keys[1:])
    before = [pack.read_bytes() for pack in packs(tmp_path / "store")]
    expected = collect(store, dry_run=True)
    assert expected.contents == 9 and expected.rewritten == 1 and expected.bytes
    assert [pack.read_bytes() for pack in packs(tmp_path / "store")] == before
    assert collect(store) == expected
    assert collect(store) == NOTHING


def test_a_pack_that_is_mostly_holes_is_rewritten(store, opening, tmp_path):
    keys = [save(store, number) for number in range(10)]
    store.flush()
    (before,) = packs(tmp_path / "store")
    forget(store, *keys[:6])
    assert collect(store).rewritten == 1
    (after,) = packs(tmp_path / "store")
    assert after != before
    assert after.read_bytes() == b"".join(f"content {number}".encode() * 100 for number in range(6, 10))
    with opening() as fresh:
        assert [fresh.load(fresh.find(key)) for key in keys[6:]] == [
            f"content {number}".encode() * 100 for number in range(6, 10)
        ]


def test_a_reader_finds_what_was_moved_while_it_looked(opening):
    with opening() as store, opening() as reader:
        keys = [save(store, number) for number in range(10)]
        store.flush()
        digest = reader.find(keys[9])
        read = reader.objects.read

        def slow(name: str, start: int = 0, size: int | None = None) -> bytes | None:
            reader.objects.read = read
            forget(store, *keys[:9])
            collect(store)
            return read(name, start, size)

        reader.objects.read = slow
        assert reader.load(digest) == b"content 9" * 100


def test_damage_in_a_pack_that_is_rewritten_is_not_carried_on(store, tmp_path):
    keys = [save(store, number) for number in range(10)]
    store.flush()
    (pack,) = packs(tmp_path / "store")
    pack.write_bytes(pack.read_bytes().replace(b"content 8", b"content X"))
    forget(store, *keys[:8])
    collect(store)
    assert set(store.find_many(keys)) == {keys[9]}


def test_small_packs_are_joined_once_they_are_old(store, tmp_path):
    keys = []
    for number in range(12):
        keys.append(save(store, number))
        store.flush()
    assert collect(store) == NOTHING
    assert collect(store, clock=later).rewritten == 12
    assert len(packs(tmp_path / "store")) == 1
    assert len(store.find_many(keys)) == 12
    assert collect(store, clock=later) == NOTHING


def test_a_fact_whose_pack_was_deleted_goes(store, tmp_path):
    lost = save(store, 1)
    store.flush()
    packs(tmp_path / "store")[0].unlink()
    kept = save(store, 2)
    store.flush()
    assert collect(store).facts == 1
    assert set(store.find_many([lost, kept])) == {kept}
    assert store.database.rows("SELECT count(*) FROM facts") == [(1,)]


def test_what_was_not_used_for_long_is_forgotten_when_asked_but_answers_are_kept(store):
    text, answer = save(store, 1), save(store, 2, stage="answer")
    store.flush()
    assert collect(store, clock=lambda: later(40)).facts == 0
    assert collect(store, Limits(unused_days=30), clock=lambda: later(29)).facts == 0
    assert collect(store, Limits(unused_days=30), clock=lambda: later(40)).facts == 1
    assert set(store.find_many([text, answer])) == {answer}
    assert collect(store, Limits(unused_days=30, answers=True), clock=lambda: later(40)).facts == 1
    assert store.find_many([text, answer]) == {}


def test_artifacts_of_an_older_store_are_counted_as_used_from_the_first_time_on(store):
    key = save(store, 1)
    store.flush()
    store.database.change("UPDATE facts SET used = 0")
    assert collect(store, Limits(unused_days=30)).facts == 0
    assert store.find(key) is not None
    assert collect(store, Limits(unused_days=30), clock=lambda: later(40)).facts == 1


def test_what_another_process_is_writing_is_left_alone(opening, tmp_path):
    with opening() as writer, opening() as collector:
        found = []
        write = writer.objects.write

        def meanwhile(name: str, data: bytes) -> None:
            write(name, data)
            found.append(collect(collector))

        writer.objects.write = meanwhile
        key = save(writer, 1)
        writer.flush()
        assert found == [NOTHING]
        assert collector.load(collector.find(key)) == b"content 1" * 100


def test_content_that_is_collected_while_it_is_saved_again_is_not_lost(opening):
    with opening() as collector, opening() as writer:
        first, kept = save(collector, 1, b"the same"), save(collector, 2)
        collector.flush()
        forget(collector, first)
        exists = writer.objects.exists
        found = []

        def meanwhile(name: str) -> bool:
            writer.objects.exists = exists
            found.append(collect(collector))
            return exists(name)

        writer.objects.exists = meanwhile  # between looking whether the content is there and recording the fact
        again = save(writer, 3, b"the same")
        writer.flush()
        assert [one.contents for one in found] == [1]
        assert {collector.load(digest) for digest in collector.find_many([kept, again]).values()} == {
            b"content 2" * 100,
            b"the same",
        }


def test_two_collectors_do_not_meet(opening):
    with opening() as first, opening() as second:
        save(first, 1)
        claim = first.claim(ArtifactKey("store/removing"))
        with pytest.raises(StoreError, match="another process is removing"):
            collect(second)
        first.release(claim)
        assert collect(second) == NOTHING


KILLED = """
import os, signal, sys, time
from quire.store.files import FileStore
store = FileStore(sys.argv[1])
write = store.objects.write
store.objects.write = lambda name, data: (write(name, data), os.kill(os.getpid(), signal.SIGKILL))
store.save("a" * 64, b"never recorded", stage="s", document="d")
store.flush()
"""


@pytest.mark.processes
def test_what_a_killed_process_left_goes_once_it_is_old(tmp_path):
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    unfinished = tmp_path / "waiting" / "1-2-3"
    unfinished.write_bytes(b"half")
    with FileStore(tmp_path) as store:
        assert collect(store) == NOTHING, "it may be just being written"
        found = collect(store, clock=later)
        assert (found.packs, found.unfinished, found.bytes) == (1, 1, len(b"never recorded") + len(b"half"))
    assert packs(tmp_path) == [] and not unfinished.exists()


def test_a_collection_that_is_cut_off_loses_nothing(tmp_path):
    with FileStore(tmp_path) as store:
        keys = [save(store, number) for number in range(10)]
        store.flush()
        forget(store, *keys[:6])
        write, delete = store.objects.write, store.objects.delete

        def cut(*_: object) -> None:
            raise KeyboardInterrupt

        for name, original in (("write", write), ("delete", delete)):
            setattr(store.objects, name, cut)
            with pytest.raises(KeyboardInterrupt):
                collect(store)
            setattr(store.objects, name, original)
            assert len(store.find_many(keys)) == 4
        for path in packs(tmp_path):
            os.utime(path, (0, 0))
        collect(store)
        assert [store.load(store.find(key)) for key in keys[6:]]
    assert sum(path.stat().st_size for path in packs(tmp_path)) == 4 * len(b"content 1") * 100


def test_runs_that_ended_long_ago_are_forgotten_with_their_journal(store):
    runs = Runs(store.database)
    ended, running = (runs.begin("document", {"number": number})[0] for number in (1, 2))
    for run in (ended, running):
        store.database.change(
            "INSERT INTO invocations (key, run, workflow, version, pool, argument, state, number) "
            "VALUES (?, ?, 'document', '1', 'documents', '{}', 'finished', 1)",
            (f"key of {run}", run),
        )
        store.database.change(
            "INSERT INTO steps (invocation, number, name, attempts) VALUES (?, 1, 'plan', 1)", (f"key of {run}",)
        )
    runs.finish(ended, "finished")
    assert collect(store, clock=lambda: later(29)).runs == 0
    assert collect(store, clock=lambda: later(31)).runs == 1
    assert [status.run for status in runs.list()] == [running]
    for table in ("invocations", "steps"):
        assert store.database.rows(f"SELECT count(*) FROM {table}") == [(1,)]


def test_claims_of_processes_that_are_long_gone_are_forgotten(store):
    database = store.database
    for owner, expires in (("gone", database.now() - 2 * DAY), ("stopped", database.now() - 60)):
        database.change("INSERT INTO owners VALUES (?, ?, ?)", (owner, database.epoch, expires))
        database.change("INSERT INTO claims VALUES (?, ?, 1, 0)", (f"key of {owner}", owner))
    collect(store)
    assert database.rows("SELECT key FROM claims WHERE owner IN ('gone', 'stopped')") == [("key of stopped",)]


WRITER = """
import sys
from quire.store.opening import open_store
with open_store(sys.argv[1], sys.argv[2] or None) as store:
    for number in range(60):
        # Contents come back again and again: what is garbage at one moment is needed at the next.
        data = f"content {number % 20}".encode() * 100
        key = f"{sys.argv[3]}{number:063}"
        if number % 3 == 0:
            store.save(key, data, stage="garbage", document="d")
            store.flush()
        else:
            store.save(key, data, stage="kept", document="d")
            if number % 2:
                store.flush()
            if store.find(key) is None:
                raise SystemExit(f"{number} is lost")
"""


@pytest.mark.parametrize("database", ["sqlite", on_servers("postgresql")])
@pytest.mark.processes
def test_processes_go_on_writing_the_same_contents_while_garbage_is_collected(request, tmp_path, database):
    facts = request.getfixturevalue("postgres_url") if database == "postgresql" else ""
    command = [sys.executable, "-c", WRITER, str(tmp_path), facts]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE, text=True) for name in "ab"]
    with open_store(tmp_path, facts or None) as store:
        while any(writer.poll() is None for writer in writers):
            store.database.change("DELETE FROM facts WHERE stage = 'garbage'")
            collect(store)
        assert [writer.communicate(timeout=60)[1] for writer in writers] == ["", ""]
        left = [ArtifactKey(str(key)) for (key,) in store.database.rows("SELECT key FROM facts WHERE stage = 'kept'")]
        found = store.find_many(left)
        assert len(left) == 80 and sorted(found) == sorted(left)
        assert all(store.load(digest) for digest in found.values())

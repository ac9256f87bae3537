"""Facts and runs in PostgreSQL: the same statements, several machines, a server that comes and goes."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from quire.core.errors import ConfigurationError, StoreError
from quire.database import postgres_connections as connections
from quire.database import schema
from quire.database.leases import Claims
from quire.database.postgres import PostgresDatabase, translated
from quire.database.runs import Runs
from tests.servers.ports import free_port

ADDED = "INSERT INTO signals (invocation, name, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


@pytest.fixture
def database(postgres_url):
    with closing(PostgresDatabase(postgres_url)) as opened:
        yield opened


def names(database: PostgresDatabase) -> list[object]:
    return [name for (name,) in database.rows("SELECT name FROM signals ORDER BY name")]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT a FROM b WHERE c = ? AND d = ?", "SELECT a FROM b WHERE c = %s AND d = %s"),
        ("SELECT '?' WHERE a LIKE ? || '%'", "SELECT '?' WHERE a LIKE %s || '%%'"),
        ("SELECT 'it''s ? or %', ?", "SELECT 'it''s ? or %%', %s"),
        ("SELECT 7 % 4", "SELECT 7 %% 4"),
    ],
)
def test_question_marks_become_values_outside_of_texts_only(statement, expected):
    assert translated(statement).decode() == expected


def test_texts_and_percent_signs_come_through_as_written(database):
    ((text, rest, given),) = database.rows("SELECT 'what? 100%', 7 % 4, ?", ("50% of ?",))
    assert (text, rest, given) == ("what? 100%", 3, "50% of ?")


def test_an_empty_database_gets_all_tables_and_is_found_again(postgres_url):
    for _ in range(2):
        with closing(PostgresDatabase(postgres_url)) as database:
            assert database.rows("SELECT version FROM schema_version") == [(schema.VERSION,)]
            tables = {
                name for (name,) in database.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            }
            assert {"facts", "objects", "claims", "owners", "runs", "events", "invocations", "files"} <= tables


def test_processes_that_open_an_empty_database_at_once_make_its_tables_once(postgres_url):
    together = Barrier(4)

    def opened(_: int) -> list[tuple[object, ...]]:
        together.wait(timeout=30)
        with closing(PostgresDatabase(postgres_url)) as database:
            return database.rows("SELECT version FROM schema_version")

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(opened, range(4))) == [[(schema.VERSION,)]] * 4


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_an_older_database_is_brought_forward_with_its_facts(postgres_url, version):
    with closing(PostgresDatabase(postgres_url)) as database, database.transaction():
        for (table,) in database.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"):
            database.change(f"DROP TABLE {table}")
        for step in range(version):
            for statement in schema.migration(step, dialect="postgresql"):
                database.change(statement)
        database.change(
            "INSERT INTO facts (key, digest, stage, document, page, size) VALUES ('k', 'd', 's', 'o', 1, 9)"
        )
    with closing(PostgresDatabase(postgres_url)) as database:
        assert database.rows("SELECT key, size, used FROM facts") == [("k", 9, 0)]


def test_a_database_of_a_later_quire_is_refused(postgres_url):
    with closing(PostgresDatabase(postgres_url)) as database:
        database.change("UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match=r"schema version 99.*update Quire"):
        PostgresDatabase(postgres_url)


def test_a_transaction_is_all_or_nothing_and_may_be_nested(database):
    with pytest.raises(KeyError), database.transaction():
        database.change(ADDED, ("i", "first", "1"))
        with database.transaction(lasting=True):
            database.change(ADDED, ("i", "second", "2"))
        raise KeyError
    assert names(database) == []
    with database.transaction(lasting=True), database.transaction():
        assert database.change(ADDED, ("i", "first", "1")) == 1
        assert database.change(ADDED, ("i", "first", "1")) == 0
    assert names(database) == ["first"]


def test_a_transaction_belongs_to_its_thread(database):
    with ThreadPoolExecutor(1) as thread, database.transaction():
        database.change(ADDED, ("i", "mine", "1"))
        assert thread.submit(names, database).result(timeout=30) == [], "not committed: nobody else sees it"
    assert names(database) == ["mine"]


@pytest.mark.parametrize(("lasting", "expected"), [(False, "off"), (True, "on")])
def test_only_a_lasting_transaction_waits_for_the_disk(database, lasting, expected):
    with database.transaction(lasting=lasting):
        assert database.rows("SHOW synchronous_commit") == [(expected,)]
    assert database.rows("SHOW synchronous_commit") == [("off",)]


def test_a_part_that_must_last_makes_the_whole_transaction_last(database):
    with database.transaction():
        with database.transaction(lasting=True):
            pass
        assert database.rows("SHOW synchronous_commit") == [("on",)]


def test_many_rows_are_changed_together_or_not_at_all(database):
    database.change_many(ADDED, [("i", f"n{number}", "v") for number in range(3)])
    assert names(database) == ["n0", "n1", "n2"]
    with pytest.raises(StoreError, match="null value"):
        database.change_many(ADDED, [("i", "n4", "v"), ("i", None, "v")])
    database.change_many(ADDED, [])
    assert names(database) == ["n0", "n1", "n2"]


def test_numbers_and_truths_are_those_of_sqlite(database):
    database.change("INSERT INTO owners (owner, boot, expires) VALUES ('o', '', ?)", (2.5,))
    database.change("INSERT INTO claims (key, owner, token, takeovers) VALUES ('k', 'o', ?, ?)", (7, True))
    ((total, truth),) = database.rows("SELECT sum(token), max(takeovers) FROM claims")
    assert (total, truth) == (7, 1)
    assert isinstance(total, int)


def test_the_clock_is_the_servers_and_moves_within_a_transaction(database):
    with database.transaction():
        first = database.now()
        assert database.now() > first


def test_one_of_two_processes_gets_a_claim(database, postgres_url):
    with closing(PostgresDatabase(postgres_url)) as other:
        mine, theirs = Claims(database), Claims(other)
        assert mine.claim("key") is not None
        assert theirs.claim("key") is None
        mine.close()
        taken = theirs.claim("key")
        assert taken is not None
        assert not taken.takeover
        theirs.close()


def test_runs_and_events_are_remembered(database):
    runs = Runs(database)
    run, new = runs.begin("read", {"path": "a.pdf"}, key="k")
    assert (runs.begin("read", {}, key="k"), new) == ((run, False), True)
    runs.finish(run, "finished", result={"pages": 3})
    assert runs.status(run).result == {"pages": 3}


def test_more_threads_than_connections_share_them(database):
    with ThreadPoolExecutor(20) as threads:
        counts = threads.map(lambda n: database.change(ADDED, ("i", f"n{n:03}", "v")), range(200))
    assert sum(counts) == len(names(database)) == 200


def test_a_closed_database_says_so(postgres_url):
    database = PostgresDatabase(postgres_url)
    database.close()
    with pytest.raises(StoreError, match="is closed"):
        database.rows("SELECT 1")


def test_a_server_that_was_killed_and_started_again_is_found(postgres_server, database):
    with database.transaction(lasting=True):
        database.change(ADDED, ("i", "before", "1"))
    postgres_server.kill()
    postgres_server.start()
    assert names(database) == ["before"]
    postgres_server.kill()
    postgres_server.start()
    with database.transaction():
        database.change(ADDED, ("i", "later", "2"))
    postgres_server.kill()
    postgres_server.start()
    assert database.change(ADDED, ("i", "after", "2")) == 1


def test_a_server_killed_within_a_transaction_loses_all_of_it_and_says_so(postgres_server, database):
    with pytest.raises(StoreError, match=r"127\.0\.0\.1.*check that the server runs"), database.transaction():
        database.change(ADDED, ("i", "half", "1"))
        postgres_server.kill()
        postgres_server.start()
        database.change(ADDED, ("i", "other half", "1"))
    assert names(database) == []


def test_a_client_that_stopped_within_a_transaction_loses_it_and_holds_nobody_up(database, postgres_url, monkeypatch):
    monkeypatch.setattr(connections, "_SESSION", b"SET idle_in_transaction_session_timeout = '100ms'")
    database.change(ADDED, ("i", "row", "1"))
    changed = "UPDATE signals SET value = ? WHERE name = 'row'"
    with closing(PostgresDatabase(postgres_url)) as stopped:
        with pytest.raises(StoreError, match="idle-in-transaction timeout"), stopped.transaction():
            stopped.change(changed, ("late",))
            assert database.change(changed, ("of another",)) == 1, "it waits until the server has ended the other"
            stopped.rows("SELECT 1")
        assert stopped.rows("SELECT value FROM signals") == [("of another",)]


def test_a_server_that_is_not_there_is_named_without_the_password():
    address = f"postgresql://quire:s3cret@127.0.0.1:{free_port()}/quire"
    with pytest.raises(StoreError, match=r"postgresql://quire@127\.0\.0\.1:\d+/quire: .*check that the server") as told:
        PostgresDatabase(address)
    assert "s3cret" not in str(told.value)


def test_a_wrong_password_is_told_without_repeating_it(postgres_server):
    postgres_server.run_sql("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'")
    address = postgres_server.url(user="locked:wr0ng")
    with pytest.raises(StoreError, match="password authentication failed") as told:
        PostgresDatabase(address)
    assert "wr0ng" not in str(told.value)


def test_an_address_that_is_none_is_not_repeated():
    with pytest.raises(ConfigurationError, match="write one like postgresql://") as told:
        PostgresDatabase("postgresql://quire:s3cr%et@host/name")
    assert "s3cr" not in str(told.value)


def test_a_user_without_rights_is_told_what_is_missing(postgres_server):
    postgres_server.run_sql("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN")
    with pytest.raises(StoreError, match="right to create"):
        PostgresDatabase(postgres_server.url(user="reader"))


@pytest.mark.processes
def test_without_psycopg_the_extra_is_named():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from quire.core.errors import ConfigurationError\n"
        "from quire.database.postgres import PostgresDatabase\n"
        "try: PostgresDatabase('postgresql://host/name')\n"
        "except ConfigurationError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "quire-documents[postgres]" in done.stdout

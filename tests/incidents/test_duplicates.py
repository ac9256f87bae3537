"""Two who ask for the same pages: one engine call for each page, whoever dies or stands still meanwhile."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack, closing

import pytest

from quire.database.leases import Claims
from quire.database.sqlite import SqliteDatabase
from tests import scans
from tests.fakes.engines import said_of
from tests.incidents.asking import Asker
from tests.runtime.tracking import wait_until

pytestmark = pytest.mark.processes

ROUNDS = 20
PAGES = 2
LEASE_S = 1.0


@pytest.fixture
def askers(tmp_path):
    """Starts programs that share a store; all of them end with the test."""
    with ExitStack() as stack:

        def start(stranger, *, many: int = 1, lease_s: float = LEASE_S) -> list[Asker]:
            programs = [Asker(stranger, tmp_path / "store", lease_s) for _ in range(many)]
            for program in programs:
                stack.callback(program.close)
            return programs

        yield start


@pytest.fixture
def document(tmp_path):
    """Scans of the sheets with these numbers."""

    def make(*numbers: int):
        path = tmp_path / f"sheets-{numbers[0]}.pdf"
        path.write_bytes(scans.scanned(*(scans.numbered_sheet(number) for number in numbers)))
        return path

    return make


ANSWERS_TAKEN_OVER = """
    SELECT coalesce(sum(takeovers), 0) FROM claims JOIN facts ON facts.key = claims.key WHERE facts.stage = 'answer'
"""


def count(tmp_path, statement: str) -> int:
    """A number that the database of the store knows."""
    with closing(SqliteDatabase(tmp_path / "store" / "facts.sqlite3")) as database:
        return database.rows(statement)[0][0]


@pytest.mark.parametrize("verb", ["read", "run"])
def test_two_processes_that_ask_for_the_same_pages_at_once_make_one_call_for_each(
    stranger, askers, document, tmp_path, verb
):
    engine = stranger("raise")
    pair = askers(engine, many=2, lease_s=30.0)
    for round in range(ROUNDS):
        numbers = range(PAGES * round + 1, PAGES * (round + 1) + 1)
        path, go = document(*numbers), tmp_path / f"go-{round}"
        for asker, pages in zip(pair, (None, f"1-{PAGES}"), strict=True):  # two runs, though the pages are the same
            asker.tell(verb, path, go, *([pages] if verb == "run" else []))
        go.touch()
        texts = [asker.told()["answer"] for asker in pair]
        assert all(f'"{said_of(number)}"' in text for text in texts for number in numbers), f"in round {round}"
    assert Counter(engine.calls) == {f"stranger {number}": 1 for number in range(1, PAGES * ROUNDS + 1)}
    assert count(tmp_path, "SELECT coalesce(sum(takeovers), 0) FROM claims") == 0


@pytest.mark.parametrize("verb", ["read", "run"])
def test_the_winner_is_killed_and_exactly_one_of_those_who_wait_takes_over(stranger, askers, document, tmp_path, verb):
    engine = stranger("wait", 7)
    winner, *others = askers(engine, many=3)
    path, go = document(7), tmp_path / "go"
    go.touch()
    more = [None] if verb == "run" else []
    winner.tell(verb, path, go, *more)
    wait_until(lambda: engine.waiting == 1, "nobody asks the engine")
    for other in others:
        other.tell(verb, path, go, *more)
    if verb == "read":  # they have asked for the claim and wait; whoever waits for a run has none to ask for
        wait_until(lambda: count(tmp_path, "SELECT count(*) FROM owners") >= 3, "they do not wait")
    winner.kill()
    wait_until(lambda: engine.waiting == 2, "nobody takes over")
    engine.mend()
    assert all(f'"{said_of(7)}"' in other.told()["answer"] for other in others)
    assert engine.calls == ["stranger 7"] * 2
    assert (engine.waiting, count(tmp_path, ANSWERS_TAKEN_OVER)) == (2, 1)


def test_the_winner_stands_still_past_its_lease_and_its_late_answer_is_not_needed(stranger, askers, document, tmp_path):
    engine = stranger("wait", 9)
    winner, other = askers(engine, many=2, lease_s=0.5)
    path, go = document(9), tmp_path / "go"
    go.touch()
    winner.tell("run", path, go, None)
    wait_until(lambda: engine.waiting == 1, "nobody asks the engine")
    winner.stop()
    other.tell("run", path, go, None)
    wait_until(lambda: engine.waiting == 2, "nobody takes over")
    engine.mend()
    result = other.told()["answer"]
    winner.go_on()
    assert winner.told()["answer"] == result
    assert f'"{said_of(9)}"' in result
    assert (engine.calls, count(tmp_path, ANSWERS_TAKEN_OVER)) == (["stranger 9"] * 2, 1)


def test_what_a_winner_writes_late_is_refused(stranger, askers, tmp_path):
    winner, other = askers(stranger("raise"), many=2, lease_s=0.5)
    assert winner.ask("claim", "k1")["answer"] is not None
    assert other.ask("claim", "k1")["answer"] is None
    winner.stop()
    wait_until(lambda: other.ask("claim", "k1")["answer"] is not None, "the lease never runs out")
    winner.go_on()
    late = winner.ask("save", "k1", "late")
    assert (late.get("error"), "took over k1" in late["message"]) == ("FencedError", True)
    assert "answer" in other.ask("save", "k1", "in time")
    assert winner.ask("save", "k1", "late")["error"] == "FencedError"
    assert count(tmp_path, "SELECT sum(takeovers) FROM claims") == 1


def test_a_clock_that_is_set_makes_no_second_winner(tmp_path, monkeypatch):
    with closing(SqliteDatabase(tmp_path / "facts.sqlite3")) as database:
        first, second = Claims(database, lease_s=30), Claims(database, lease_s=30)
        claim = first.claim("k1")
        assert claim is not None
        now = time.time()
        for set_to in (now + 86_400, now - 86_400, 0.0):
            monkeypatch.setattr(time, "time", lambda at=set_to: at)
            assert second.claim("k1") is None
            first.check(claim)
        first.close()
        second.close()

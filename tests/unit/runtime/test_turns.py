"""Numbers of invocations: which tenant and which run is next."""

from __future__ import annotations

from quire.runtime.turns import Turns


class Queue:
    """What waits in one pool, in the order of the numbers."""

    def __init__(self):
        self.waiting: list[tuple[int, str]] = []
        self.turns = Turns(lambda pool: min(self.waiting)[0] if self.waiting else None)

    def add(self, tenant: str, run: str, parts: int = 1) -> None:
        for _ in range(parts):
            self.waiting.append((self.turns.of_part("pool", tenant, run), run))

    def begin(self, tenant: str) -> None:
        self.waiting.append((self.turns.of_run("pool", tenant), tenant))

    def served(self, count: int) -> list[str]:
        taken = [min(self.waiting, key=lambda one: one[0])]
        self.waiting.remove(taken[0])
        return [taken[0][1], *(self.served(count - 1) if count > 1 else [])]


def test_one_page_waits_for_at_most_one_turn_of_a_long_document():
    queue = Queue()
    queue.add("", "long", 500)
    assert queue.served(100) == ["long"] * 100
    queue.add("", "short")
    assert "short" in queue.served(2)
    assert queue.served(399) == ["long"] * 399


def test_documents_that_come_later_do_not_overtake_a_long_one_for_ever():
    queue = Queue()
    queue.add("", "long", 10)
    queue.served(5)
    queue.add("", "late", 10)
    assert queue.served(10).count("late") == 5


def test_a_tenant_with_many_runs_gets_no_more_than_one_with_a_single_run():
    queue = Queue()
    for _ in range(20):  # as their pages are called, one after the other
        for run in ("a1", "a2", "a3", "a4", "b1"):
            queue.add(run[0], run)
    queue.served(5)
    assert 8 <= queue.served(20).count("b1") <= 12


def test_runs_of_a_tenant_that_has_submitted_hundreds_leave_the_next_turn_to_another():
    queue = Queue()
    for _ in range(300):
        queue.begin("many")
    queue.served(100)
    queue.begin("single")
    queue.begin("single")
    assert queue.served(4).count("single") == 2


def test_a_stream_of_short_documents_does_not_hold_up_a_long_one():
    queue, served = Queue(), []
    queue.add("", "long", 10)
    for number in range(40):  # there is always another one waiting
        queue.add("", f"short {number}")
        queue.add("", f"brief {number}")
        served += queue.served(1)
    assert 7 <= served.count("long") <= 10

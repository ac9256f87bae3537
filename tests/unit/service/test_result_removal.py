"""Results that were fetched, and their removal."""

from __future__ import annotations

from contextlib import closing
from threading import Event

import pytest

from quire.core.errors import StoreError
from quire.service.result_removal import AT_ONCE, FetchedResults
from quire.system import supervisor


def test_results_that_are_fetched_together_are_removed_together_and_once():
    removed: list[list[str]] = []
    begin, over = Event(), Event()

    def remove(runs):
        assert begin.wait(60)
        removed.append(list(runs))
        if sum(map(len, removed)) == AT_ONCE + 2:
            over.set()

    with closing(FetchedResults(0.0, remove)) as results:
        for number in range(AT_ONCE + 2):
            results.add(f"run-{number}")
        results.add(f"run-{AT_ONCE + 1}")
        begin.set()
        assert over.wait(60)
    assert sorted(run for portion in removed for run in portion) == sorted(f"run-{n}" for n in range(AT_ONCE + 2))
    assert max(map(len, removed)) <= AT_ONCE and len(removed) <= 3


def test_a_result_that_was_fetched_just_now_stays():
    removed: list[str] = []
    with closing(FetchedResults(3600.0, removed.extend)) as results:
        results.add("run-1")
    assert removed == []


@pytest.mark.restarts
def test_a_result_that_cannot_be_removed_is_tried_again_and_the_others_do_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_S", 0.001)
    removed: list[str] = []
    failed, over = Event(), Event()

    def remove(runs):
        if "stuck" in runs and not failed.is_set():
            results.add("later")
            failed.set()
            raise StoreError("the server is away")
        removed.extend(runs)
        if {"stuck", "later"} <= {*removed}:
            over.set()

    with closing(FetchedResults(0.0, remove)) as results:
        results.add("stuck")
        assert over.wait(60)
    assert removed == ["later", "stuck"]

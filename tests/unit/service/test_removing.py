"""Results that were fetched, and their removal."""

from __future__ import annotations

import asyncio

import pytest

from quire.service.removing import AT_ONCE, FetchedResults

pytestmark = pytest.mark.no_documents


def test_results_that_are_fetched_together_are_removed_together_and_once():
    removed: list[list[str]] = []

    async def fetch() -> None:
        over = asyncio.Event()

        def remove(runs):
            removed.append(list(runs))
            if sum(map(len, removed)) == AT_ONCE + 1:
                over.set()

        results = FetchedResults(0.0, remove)
        for number in range(AT_ONCE + 1):
            results.add(f"run-{number}")
        results.add("run-0")
        await asyncio.wait_for(over.wait(), 60)

    asyncio.run(fetch())
    assert [len(portion) for portion in removed] == [AT_ONCE, 1]
    assert removed[0][:2] == ["run-0", "run-1"]


def test_a_result_that_was_fetched_just_now_stays():
    async def fetch() -> list[str]:
        removed: list[str] = []
        results = FetchedResults(3600.0, removed.extend)
        results.add("run-1")
        await asyncio.sleep(0)
        return removed

    assert asyncio.run(fetch()) == []

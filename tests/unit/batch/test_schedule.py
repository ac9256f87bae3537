"""What the order of items does to the time they take, and figures in little memory."""

from __future__ import annotations

import heapq
from statistics import median

import pytest

from quire.batch import StageHooks, StageOptions, StagePlan, WorkItem, run_stage
from quire.batch.durations import Durations

COSTS = [2, 1, 3, 1, 2, 9, 1, 4, 2, 1]


def finished(schedule, workers=2):
    """When items of these costs would be done by so many workers that take them in the order of the schedule."""
    begun = []
    items = [WorkItem(str(number), cost_hint=cost) for number, cost in enumerate(COSTS)]
    hooks = StageHooks(before_item=lambda item, context: begun.append(item.cost_hint))
    run_stage(StagePlan("read", items), lambda item: None, StageOptions(workers=1, schedule=schedule), hooks)
    free = [0.0] * workers
    ends = []
    for cost in begun:
        ends.append(heapq.heappop(free) + cost)
        heapq.heappush(free, ends[-1])
    return ends


def test_smallest_first_lowers_the_median_and_does_not_end_sooner():
    assert median(finished("sjf")) < median(finished("fifo"))
    assert max(finished("sjf")) >= max(finished("fifo"))


def test_largest_first_ends_sooner():
    assert max(finished("ljf")) < max(finished("sjf"))
    assert max(finished("ljf")) == sum(COSTS) / 2


@pytest.mark.parametrize("percent", [50, 95, 99])
def test_percentiles_are_exact_to_a_percent(percent):
    durations = Durations()
    for ms in range(1, 1001):
        durations.add(float(ms))
    assert durations.percentile(percent) == pytest.approx(percent * 10, rel=0.02)


def test_no_durations_have_no_percentile():
    assert Durations().percentile(50) == 0.0


def test_durations_of_nothing_are_counted():
    durations = Durations()
    durations.add(0.0)
    assert 0 < durations.percentile(50) < 0.01


def test_many_durations_need_little_memory():
    durations = Durations()
    for number in range(100_000):
        durations.add(number / 10)
    assert durations.count == 100_000
    assert len(durations._counts) < 1000

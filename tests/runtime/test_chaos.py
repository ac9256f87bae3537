"""Processes that come, are killed and stand still by chance, while a tree of workflows runs. The chance has a seed."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

from tests.runtime.conftest import Bench
from tests.runtime.tracking import PATIENCE_S, wait_until

CHILDREN = 40
AT_A_TIME = 8
"""Steps that one process may have under way."""
LEASE_S = 1.0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_run_gives_the_right_result_whoever_dies_or_stands_still_on_the_way(program, track, seed):
    chance = random.Random(seed)
    asker = Bench(program(works=False, lease_s=LEASE_S).ready(), track)
    calls = [asker.call("nested", f"child {number}", depth=number % 3) for number in range(CHILDREN)]
    run = asker.submit("parent", calls=calls)
    workers = [program(lease_s=LEASE_S).ready() for _ in range(2)]
    incidents = [chance.choice(("killed", "stands still")) for _ in range(4)]
    for number, incident in enumerate(incidents, start=1):
        wait_until(lambda many=number * CHILDREN // 5: len(track.lines) >= many, "nobody works")
        victim = workers.pop(chance.randrange(len(workers)))
        if incident == "killed":
            victim.kill()
            workers.append(program(lease_s=LEASE_S).ready())
        else:
            past = time.monotonic() + 2 * LEASE_S
            victim.stop()
            wait_until(lambda over=past: time.monotonic() > over, "time stands still, too")
            victim.go_on()
            workers.append(victim)
    told = asker.runtime.result(run, timeout_s=PATIENCE_S)
    assert told == [[run] * (number % 3 + 1) for number in range(CHILDREN)]
    done = Counter(track.lines)
    wanted = Counter(f"depth {depth}" for number in range(CHILDREN) for depth in range(number % 3 + 1))
    assert all(done[line] >= times for line, times in wanted.items())
    assert done.total() - wanted.total() <= AT_A_TIME * len(incidents), "only what was under way is done again"

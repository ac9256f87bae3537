"""Slots of a worker on Restate: runs take turns, and a step that is given up leaves its slot to the next."""

from __future__ import annotations

import asyncio

from quire.runtime.restate.pool_slots import PoolSlots


def test_a_step_of_a_short_run_does_not_wait_for_all_steps_of_a_long_one():
    order: list[str] = []

    async def step(slots: PoolSlots, run: str) -> None:
        async with slots.slot(run):
            order.append(run)
            await asyncio.sleep(0)

    async def main() -> None:
        slots = PoolSlots(1)
        long = [asyncio.ensure_future(step(slots, "long")) for _ in range(20)]
        await asyncio.sleep(0)
        await step(slots, "short")
        assert order.count("long") <= 3
        await asyncio.gather(*long)

    asyncio.run(asyncio.wait_for(main(), 60))
    assert order.count("long") == 20


def test_steps_that_are_cancelled_while_they_wait_or_begin_keep_no_slot():
    async def hold(slots: PoolSlots, begun: asyncio.Event) -> None:
        async with slots.slot("run"):
            begun.set()
            await asyncio.Event().wait()

    async def main() -> None:
        slots = PoolSlots(1)
        first, second, third = (asyncio.Event() for _ in range(3))
        holding = asyncio.ensure_future(hold(slots, first))
        await first.wait()
        waiting = [asyncio.ensure_future(hold(slots, event)) for event in (second, third)]
        await asyncio.sleep(0)
        holding.cancel()
        await asyncio.gather(holding, return_exceptions=True)  # the slot goes to the second
        waiting[0].cancel()
        await asyncio.wait_for(third.wait(), 60)
        waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        async with slots.slot("later"):
            pass

    asyncio.run(asyncio.wait_for(main(), 60))

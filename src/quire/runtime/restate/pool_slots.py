"""The slots of a pool on a worker: steps of all runs take turns for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quire.runtime.turns import Turns


class PoolSlots:
    """How many steps of a pool run concurrently. Belongs to one event loop."""

    def __init__(self, many: int) -> None:
        self._free = many
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._turns = Turns(lambda _: min((turn for turn, _ in self._waiting), default=None))

    @asynccontextmanager
    async def slot(self, run: str) -> AsyncIterator[None]:
        """Wait for the turn of a run, and hold a slot."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(run)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, run: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = self._turns.of_part("", "", run), turn
        self._waiting.append(entry)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it has got the slot
                self._release()
            else:
                self._waiting.remove(entry)
            raise

    def _release(self) -> None:
        if not self._waiting:
            self._free += 1
            return
        entry = min(self._waiting, key=lambda one: one[0])
        self._waiting.remove(entry)
        entry[1].set_result(None)

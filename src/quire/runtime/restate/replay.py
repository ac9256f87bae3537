"""Drives a workflow: resumes it whenever what it awaits is in the journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from quire.core.context import Json, Workflow
from quire.core.errors import RunCancelled, RunError
from quire.core.events import Event
from quire.runtime.restate.context import RestateContext
from quire.runtime.restate.durables import Durable, Waits
from quire.runtime.restate.messages import RunFailure
from quire.runtime.workflow_guards import ForeignAwait, begun, encode_result, go_on

if TYPE_CHECKING:
    from restate import RestateDurableFuture

StoreEvents = Callable[[Sequence[Event]], Awaitable[None]]


async def play(workflow: Workflow, context: RestateContext, argument: Json, store: StoreEvents) -> bytes | RunFailure:
    """The result of a workflow as JSON, or its failure. A cancelled one is cancelled, even if its code catches that.

    Raises only the exceptions of the SDK and of `store`, which no workflow sees. The events of a workflow are stored
    before it waits, so before the server records what comes after.
    """
    going = begun(workflow.function(context, argument))
    cancelled: RunCancelled | None = None
    try:
        while True:
            waits = _resume(workflow, context, going, cancelled)
            await _store_events(context, store)
            if not isinstance(waits, Waits):
                return waits
            cancelled = None
            if not await _wait(waits):
                context.cancelled = True
                cancelled = RunCancelled(f"run {context.run_id} was cancelled")
                await _wait_for_calls(context)
    finally:
        context.closed = True
        going.close()


def _resume(
    workflow: Workflow, context: RestateContext, going: Generator[Any, None, Json], cancelled: RunCancelled | None
) -> Waits | bytes | RunFailure:
    """Resume the workflow until it waits, or to its end."""
    try:
        return go_on(going, Waits, workflow.name, cancelled)
    except StopIteration as end:
        if context.cancelled:
            return RunFailure(f"run {context.run_id} was cancelled", run=context.run_id, cancelled=True)
        try:
            return encode_result(workflow.name, end.value)
        except RunError as error:
            return RunFailure.of(error, context.run_id)
    except ForeignAwait as error:
        return RunFailure(str(error), "usage", context.run_id)
    except RunCancelled as error:
        return RunFailure(str(error), run=context.run_id, cancelled=True)
    except Exception as error:
        return RunFailure.of(error, context.run_id)


async def _store_events(context: RestateContext, store: StoreEvents) -> None:
    if events := context.take_events():
        await store(events)


async def _wait(waits: Waits) -> bool:
    """Wait for what the workflow awaits; False when it was cancelled meanwhile."""
    import restate

    pending = [one for one in waits.durables if not one.done]
    futures = [one.future for one in pending]
    try:
        if waits.every:
            ready = await restate.gather(*futures)
        else:
            ready, _ = await restate.wait_completed(*futures)
    except restate.TerminalError:  # from the wait itself: errors of the futures are raised later
        return False
    there = {id(future) for future in ready}
    for one in pending:
        if id(one.future) in there:
            await _take(one, one.future)
    return True


async def _wait_for_calls(context: RestateContext) -> None:
    """Wait for the calls of a cancelled workflow: they are cancelled with it, and it ends after them."""
    import restate

    with suppress(restate.TerminalError):  # cancelled twice
        await restate.gather(*[call.future for call in context.calls if not call.done])


async def _take(durable: Durable, future: RestateDurableFuture[Any]) -> None:
    import restate

    try:
        value = await future
    except restate.TerminalError as error:
        durable.fail(RunFailure.decode(error.message, error.status_code))
    else:
        durable.advance(value)

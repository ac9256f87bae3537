"""Events of durable steps."""

from __future__ import annotations

from dataclasses import replace

from quire.core.context import Context
from quire.core.events import Event, Sink


def step_sink(ctx: Context, step: str, document: str = "") -> Sink:
    """Emits the events of a step to the run, with deterministic ids, so that a replay emits the same. They are about
    `document` if it is given. Runs in the thread of the step."""

    def sink(event: Event) -> None:
        id = f"{ctx.run_id}/{step}{event.id}"
        ctx.emit(replace(event, id=id, run=ctx.run_id, document=document or event.document))

    return sink

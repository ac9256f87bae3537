"""The workflows of a durable read: a document, groups of its pages, and pages that need an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quire.context import Context, Json, Retry, Workflow
from quire.events import Event, Sink
from quire.running.request import ReadRequest
from quire.running.steps import DocumentSteps, PageOutcome
from quire.selection import page_numbers, selection

GROUP = 16
"""Pages of one invocation where repeating one is harmless."""
PATIENT = Retry(attempts=3, backoff_s=0.5)
"""For steps that fail only when something around them does: a full disk, a killed worker."""


class Reads:
    """The workflows over one store. The argument of each is JSON, and so is what they give."""

    def __init__(self, steps: DocumentSteps) -> None:
        self._steps = steps

    def workflows(self) -> tuple[Workflow, ...]:
        return (
            Workflow("document", self.document),
            Workflow("pages", self.pages, pool="pages"),
            Workflow("page", self.page, pool="recognize"),
        )

    async def document(self, ctx: Context, argument: Json) -> Json:
        """Read one document: a `ReadRequest` gives the reference of what was read."""
        request = ReadRequest.from_json(argument)
        tell = _teller(ctx, request)
        plan = await ctx.run("plan", self._steps.plan, request, retry=PATIENT)
        missing = page_numbers(plan["missing"], plan["pages"]) if plan["missing"] else ()
        told = {"name": request.source.name, "pages": plan["pages"], "missing": len(missing)}
        tell(Event("read/started", "", 0, "started", "read", payload=told))
        groups = [missing[at : at + GROUP] for at in range(0, len(missing), GROUP)]
        parts = [
            (f"{plan['reader']}/{selection(group)}", {"reader": plan["reader"], "pages": list(group)})
            for group in groups
        ]
        outcomes = [PageOutcome(*one) for group in await _called(ctx, "pages", request, parts) for one in group]
        failed = {outcome.page: outcome for outcome in outcomes if outcome.failed}
        result = await ctx.run("assemble", self._steps.assemble, request, plan, failed, retry=PATIENT)
        told = {"status": result["status"], **result["ledger"]}
        tell(Event("read/finished", "", 0, "finished", "read", payload=told))
        return result

    async def pages(self, ctx: Context, argument: Json) -> Json:
        """Read a group of pages; those that need an engine go on by themselves."""
        request, reader = ReadRequest.from_json(argument["request"]), argument["reader"]
        tell = _teller(ctx, request)
        told = await ctx.run("read", self._steps.group, request, reader, argument["pages"], tell, retry=PATIENT)
        outcomes = [PageOutcome(*outcome) for outcome in told]
        parts = [
            (f"{reader}/{outcome.page}", {"reader": reader, "page": outcome.page})
            for outcome in outcomes
            if outcome.needs
        ]
        recognised = {outcome[0]: outcome for outcome in await _called(ctx, "page", request, parts)}
        return [recognised.get(outcome.page, list(outcome)) for outcome in outcomes]

    async def page(self, ctx: Context, argument: Json) -> Json:
        """Read a page with the help of engines; one that nobody could read is tried again if that was asked for."""
        request, reader, page = ReadRequest.from_json(argument["request"]), argument["reader"], argument["page"]
        pause = Retry(backoff_s=request.retry_backoff_s)
        attempt = 1
        while True:
            tell = _teller(ctx, request, attempt)
            asked = request, reader, page, ctx.run_id, tell
            outcome = await ctx.run(f"recognise {attempt}", self._steps.recognise, *asked, retry=PATIENT)
            if not PageOutcome(*outcome).failed or attempt > request.retries:
                return outcome
            await ctx.sleep(pause.pause_s(attempt, 0.0))
            attempt += 1


async def _called(
    ctx: Context, workflow: str, request: ReadRequest, parts: Sequence[tuple[str, Mapping[str, Json]]]
) -> list[Json]:
    """Call a workflow for each part, under the key of the work, so that two runs that need it share it."""
    told = request.to_json()
    base = f"{workflow}/{request.settings()[:16]}/{request.source.id[:32]}"
    return await ctx.gather(
        *(ctx.call(workflow, f"{base}/{part}", {"request": told, **argument}) for part, argument in parts)
    )


def _teller(ctx: Context, request: ReadRequest, attempt: int = 1) -> Sink:
    """Hands events to the run, with ids that say what happened and not when."""
    again = f"/attempt-{attempt}" if attempt > 1 else ""

    def tell(event: Event) -> None:
        name = event.id.removeprefix(f"{ctx.run_id}/")
        ctx.emit(replace(event, id=f"{ctx.run_id}/{name}{again}", run=ctx.run_id, document=request.source.id))

    return tell

"""The workflows of a durable read: a document, groups of its pages, and pages that need an engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import starmap

from quire.core.context import Context, Retry, Workflow
from quire.core.events import Event, Sink
from quire.core.page_ranges import page_numbers, selection
from quire.durable.reads.read_request import ReadRequest
from quire.durable.reads.read_steps import DocumentSteps, PageOutcome
from quire.reading.messages import DocumentPlan, DocumentReference, PagesArgument, PagesResult, ReadArgument
from quire.system.stage_versions import workflow_version

GROUP = 16
"""Pages of one invocation, where repeating a page is cheap."""
PATIENT = Retry(attempts=3, backoff_s=0.5)
"""For steps that fail only for external reasons: a full disk, a killed worker."""


class Reads:
    """The workflows over one store."""

    def __init__(self, steps: DocumentSteps) -> None:
        self._steps = steps

    def workflows(self) -> tuple[Workflow, ...]:
        code = workflow_version()

        def tenant_of(argument: PagesArgument) -> str:
            return _tenant(argument["request"])

        return (
            Workflow("document", self.document, version=code, tenant_of=_tenant),
            Workflow("pages", self.pages, version=code, pool="pages", tenant_of=tenant_of),
            Workflow("page", self.page, version=code, pool="recognize", tenant_of=tenant_of),
        )

    async def document(self, ctx: Context, argument: ReadArgument) -> DocumentReference:
        """Read one document, and return its reference."""
        request = ReadRequest.from_json(argument)
        steps = self._steps.scoped(request.scope)
        sink = ctx.run_id, sink_of(ctx, request)
        plan: DocumentPlan = await ctx.run("plan", steps.plan, request, *sink, retry=PATIENT)
        missing = _numbers(plan["missing"], plan["pages"])
        outcomes = await self._call(ctx, "pages", request, plan["reader"], missing, GROUP)
        failed = {outcome.page: outcome for outcome in outcomes if outcome.failed}
        read: DocumentReference = await ctx.run("assemble", steps.assemble, request, plan, failed, *sink, retry=PATIENT)
        return read

    async def pages(self, ctx: Context, argument: PagesArgument) -> PagesResult:
        """Read a group of pages; each page that needs OCR is a workflow of its own."""
        request, reader = ReadRequest.from_json(argument["request"]), argument["reader"]
        arguments = request, reader, argument["pages"], ctx.run_id, sink_of(ctx, request)
        rows = await ctx.run("read", self._steps.scoped(request.scope).group, *arguments, retry=PATIENT)
        outcomes = {outcome.page: outcome for outcome in starmap(PageOutcome, rows)}
        unread = [outcome.page for outcome in outcomes.values() if outcome.needs]
        recognised = await self._call(ctx, "page", request, reader, unread, 1)
        return _result(ctx, {**outcomes, **{outcome.page: outcome for outcome in recognised}}.values())

    async def page(self, ctx: Context, argument: PagesArgument) -> PagesResult:
        """Read a page with OCR; a page that no engine could read is retried as often as requested."""
        request, reader, (page,) = ReadRequest.from_json(argument["request"]), argument["reader"], argument["pages"]
        steps, pause = self._steps.scoped(request.scope), Retry(backoff_s=request.retry_backoff_s)
        attempt = 1
        while True:
            arguments = request, reader, page, ctx.run_id, sink_of(ctx, request, attempt)
            row = await ctx.run(f"recognise {attempt}", steps.recognise, *arguments, retry=PATIENT)
            outcome = PageOutcome(*row)
            if not outcome.failed or attempt > request.retries:
                return _result(ctx, [outcome])
            await ctx.sleep(pause.pause_s(attempt, 0.0))
            attempt += 1

    async def _call(
        self, ctx: Context, workflow: str, request: ReadRequest, reader: str, pages: Sequence[int], size: int
    ) -> list[PageOutcome]:
        """Call a workflow for groups of pages, under idempotency keys of the work, so that runs share it.

        Pages that another run failed to read, or that are gone from the store since, are called again under a key of
        this run.
        """
        base = f"{workflow}/{request.settings()[:16]}/{request.source.id[:32]}/{reader}"
        argument = request.to_json()

        async def call(wanted: Sequence[int], own: str = "") -> list[PagesResult]:
            parts = [wanted[at : at + size] for at in range(0, len(wanted), size)]
            arguments: list[PagesArgument] = [
                {"request": argument, "reader": reader, "pages": list(part)} for part in parts
            ]
            keys = (f"{base}/{selection(part)}{own}" for part in parts)
            return await ctx.gather(*(ctx.call(workflow, key, one) for key, one in zip(keys, arguments, strict=True)))

        parts = await call(pages)
        outcomes = {outcome.page: outcome for part in parts for outcome in starmap(PageOutcome, part["pages"])}
        others = [page for part in parts if part["run"] != ctx.run_id for page, *_ in part["pages"]]
        if others:
            missing = self._steps.scoped(request.scope).missing
            left = await ctx.run(f"left of {workflow}", missing, request, reader, others, retry=PATIENT)
            again = await call(_numbers(left, max(others)), own=f"/{ctx.run_id}")
            outcomes |= {outcome.page: outcome for part in again for outcome in starmap(PageOutcome, part["pages"])}
        return list(outcomes.values())


def _tenant(argument: ReadArgument) -> str:
    return argument.get("scope", "")


def _numbers(pages: str, last: int) -> Sequence[int]:
    return page_numbers(pages, last) if pages else ()


def _result(ctx: Context, outcomes: Iterable[PageOutcome]) -> PagesResult:
    """The result of a part of a document: the outcomes of its pages, and the run that read them."""
    return {"run": ctx.run_id, "pages": [(*outcome,) for outcome in outcomes]}


def sink_of(ctx: Context, request: ReadRequest, attempt: int = 1) -> Sink:
    """Emits events to the run, with deterministic ids, so that a replay emits the same."""
    again = f"/attempt-{attempt}" if attempt > 1 else ""

    def sink(event: Event) -> None:
        name = event.id.removeprefix(f"{ctx.run_id}/")
        ctx.emit(replace(event, id=f"{ctx.run_id}/{name}{again}", run=ctx.run_id, document=request.source.id))

    return sink

"""Requests to solve a task, as tasks of the type `solve`."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from quire.core.runner import Budget
from quire.durable.solves.solve_call import solve_request
from quire.durable.solves.solve_request import SolveRequest
from quire.evidence.extract.schema import asked_schema
from quire.reading.messages import TaskSource
from quire.service.api.errors import ApiError
from quire.service.api.schemas import RunOptions
from quire.service.api.solve_schemas import MOST_DOCUMENTS, SolveSubmission, TaskToSolve
from quire.service.api.task_requests import Submitting, about, is_form, url_sources, validated
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service


class SolveSubmitting:
    """Takes the requests of `POST /api/solve`."""

    def __init__(self, service: Service, finder: RunFinder) -> None:
        self._service, self._finder = service, finder
        self._submitting = Submitting(service, finder)

    async def submit(self, request: Request, idempotency_key: str | None) -> Response:
        """Answers with the run."""
        tenant, template = tenant_of(request, self._service.settings), None
        if is_form(request):
            known = ("solve", "options")
            sources, parts = await self._submitting.files(request, tenant, known, ("template",))
            if "solve" not in parts:
                raise ApiError(422, "say what to solve in the part `solve`: JSON with the task")
            if len(sources) > MOST_DOCUMENTS:
                raise ApiError(413, f"the request has {len(sources)} documents, more than {MOST_DOCUMENTS}")
            asked: TaskToSolve = validated(TaskToSolve, parts["solve"])
            options: RunOptions = validated(RunOptions, parts.get("options", b"{}"))
            template = parts.get("template")
        else:
            body: SolveSubmission = validated(SolveSubmission, await self._submitting.json(request))
            if bool(body.documents) == bool(body.sources):
                raise ApiError(422, "name what to solve the task with: ids in `documents`, or `sources`")
            sources, options = await self._service.call(self._named, body, tenant)
            asked = body
        made = await self._service.call(self._asked, asked, template, tenant)
        more = {"solve": made.to_json()}
        return await self._submitting.submit("solve", tenant, sources, options, idempotency_key, more)

    def _named(self, body: SolveSubmission, tenant: str) -> tuple[Sequence[TaskSource], RunOptions]:
        """The documents that a request names, read as they were so that they are not read again."""
        if body.sources:
            return url_sources(body.sources), body.options or RunOptions.model_validate({})
        found = [self._finder.document(id, tenant) for id in body.documents]
        sources: list[TaskSource] = [{"stored": one.reference["source"], "uri": one.name} for one in found]
        if body.options is not None:
            return sources, body.options
        ways = [RunOptions.model_validate(dict(one.status.inputs.get("read", {}))) for one in found]
        if any(way != ways[0] for way in ways):
            raise ApiError(422, "options: the documents were read with different options; say how to read them")
        return sources, ways[0]

    def _asked(self, options: TaskToSolve, template: bytes | None, tenant: str) -> SolveRequest:
        """Raises UsageError for what cannot be solved, and for a runner that callers may not use."""
        runners = options.runners or [self._service.runners.default]
        with about("runners"):
            self._service.runners.check(runners)
        with about("reviewer"):
            self._service.runners.check([options.reviewer] if options.reviewer else [])
        if options.schema_ is not None or options.fields:
            with about("fields" if options.schema_ is None else "schema"):
                asked_schema(options.schema_, options.fields)
        return solve_request(
            options.task,
            options.schema_,
            options.fields,
            template,
            self._service.store_of(tenant),
            runners=runners,
            requires=options.requires,
            reviewer=options.reviewer,
            rounds=options.rounds,
            attempts=options.attempts,
            budget=Budget(**options.budget.model_dump()),
            review=options.review,
        )

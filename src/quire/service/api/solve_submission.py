"""Requests to solve a task, as tasks of the type `solve`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from quire.core.runner import Budget
from quire.durable.solves.solve_request import SolveRequest, requested
from quire.evidence.extract.schema import asked_schema
from quire.reading.messages import TaskSource
from quire.service.api.errors import ApiError
from quire.service.api.schemas import RunOptions
from quire.service.api.solve_schemas import MOST_DOCUMENTS, SolveSubmission
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
        tenant = tenant_of(request, self._service.settings)
        files: list[TaskSource] = []
        parts: dict[str, bytes] = {}
        if is_form(request):
            files, parts = await self._submitting.files(request, tenant, ("solve", "options"), ("template",), least=0)
            if "solve" not in parts:
                raise ApiError(422, "say what to solve in the part `solve`: JSON with the task")
        asked: SolveSubmission = validated(SolveSubmission, parts.get("solve") or await self._submitting.json(request))
        if [bool(one) for one in (files, asked.documents, asked.sources)].count(True) != 1:
            raise ApiError(422, "name what to solve the task with: `files`, ids in `documents`, or `sources`")
        if len(files) > MOST_DOCUMENTS:
            raise ApiError(413, f"the request has {len(files)} documents, more than {MOST_DOCUMENTS}")
        given = validated(RunOptions, parts["options"]) if "options" in parts else asked.options
        if files:
            sources, options = files, given or RunOptions.model_validate({})
        else:
            sources, options = await self._service.call(self._named, asked, given, tenant)
        template = parts.get("template")
        made = await self._service.call(self._asked, asked, template, tenant)
        more = {"solve": made.to_json()}
        return await self._submitting.submit("solve", tenant, sources, options, idempotency_key, more)

    def _named(
        self, body: SolveSubmission, options: RunOptions | None, tenant: str
    ) -> tuple[list[TaskSource], RunOptions]:
        """The documents that a request names, read as they were so that they are not read again."""
        if body.sources:
            return url_sources(body.sources), options or RunOptions.model_validate({})
        found = [self._finder.document(id, tenant) for id in body.documents]
        sources: list[TaskSource] = [{"stored": one.reference["source"], "uri": one.name} for one in found]
        if options is not None:
            return sources, options
        ways = [RunOptions.model_validate(dict(one.status.inputs.get("read", {}))) for one in found]
        if any(way != ways[0] for way in ways):
            raise ApiError(422, "options: the documents were read with different options; say how to read them")
        return sources, ways[0]

    def _asked(self, options: SolveSubmission, template: bytes | None, tenant: str) -> SolveRequest:
        """Raises UsageError for what cannot be solved, and for a runner that callers may not use."""
        runners = options.runners or [self._service.runners.default]
        with about("runners"):
            self._service.runners.check(runners)
        with about("reviewer"):
            self._service.runners.check([options.reviewer] if options.reviewer else [])
        if options.schema_ is not None or options.fields:
            with about("fields" if options.schema_ is None else "schema"):
                asked_schema(options.schema_, options.fields)
        return requested(
            options.task,
            self._service.store_of(tenant),
            schema=options.schema_,
            fields=options.fields,
            template=template,
            runners=runners,
            requires=options.requires,
            reviewer=options.reviewer,
            rounds=options.rounds,
            attempts=options.attempts,
            budget=Budget(**options.budget.model_dump()),
            review=options.review,
        )

"""Requests as tasks: documents to read, and what to extract from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import digest_of
from quire.durable.extracts.extract_request import ExtractRequest
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.evidence.extract.extractor_registry import extractor_names
from quire.evidence.extract.schema import asked_schema
from quire.net.urls import check_url, shown_url
from quire.reading.messages import TaskArgument, TaskSource, TaskType
from quire.service.api.errors import ApiError
from quire.service.api.schemas import ExtractOptions, ExtractSubmission, RunOptions, RunRequest, UrlSource
from quire.service.api.tenant_views import RunFinder
from quire.service.security import tenant_of
from quire.service.service import Service
from quire.service.uploads import form_body, json_body


class Submitting:
    """Requests as tasks of the types `read` and `extract`. Each method answers with the run."""

    def __init__(self, service: Service, finder: RunFinder) -> None:
        self._service, self._finder = service, finder

    async def read(self, request: Request, idempotency_key: str | None) -> Response:
        tenant = tenant_of(request, self._service.settings)
        if _is_form(request):
            sources, parts = await self._files(request, tenant, ("options",))
            options: RunOptions = validated(RunOptions, parts.get("options", b"{}"))
            return await self._submit("read", tenant, sources, options, idempotency_key)
        body: RunRequest = validated(RunRequest, await self._json(request))
        if (body.document is None) == (not body.sources):
            raise ApiError(422, "name what to read: `sources`, or the id of a document in `document`", category="usage")
        if body.document is None:
            options = body.options or RunOptions.model_validate({})
            return await self._submit("read", tenant, _urls(body.sources), options, idempotency_key)
        document = await self._service.call(self._finder.document, body.document, tenant)
        before = document.status.inputs
        options = body.options or RunOptions.model_validate(dict(before.get("read", {})))
        extract, type_ = before.get("extract"), "read" if before.get("extract") is None else "extract"
        return await self._submit(
            cast("TaskType", type_),
            tenant,
            [document.again()],
            options,
            idempotency_key,
            extract,
            before.get("review", "none"),
        )

    async def extract(self, request: Request, idempotency_key: str | None) -> Response:
        tenant = tenant_of(request, self._service.settings)
        if _is_form(request):
            sources, parts = await self._files(request, tenant, ("extract", "options"))
            if "extract" not in parts:
                raise ApiError(422, "say what to extract in the part `extract`: JSON with schema or fields")
            extract_options: ExtractOptions = validated(ExtractOptions, parts["extract"])
            options: RunOptions = validated(RunOptions, parts.get("options", b"{}"))
        else:
            body: ExtractSubmission = validated(ExtractSubmission, await self._json(request))
            if (body.document is None) == (not body.sources):
                raise ApiError(422, "name the document to extract from: its id in `document`, or `sources`")
            extract_options, options = body, body.options or RunOptions.model_validate({})
            sources = _urls(body.sources)
            if body.document is not None:
                document = await self._service.call(self._finder.document, body.document, tenant)
                sources = [{"stored": document.reference["source"], "uri": document.name}]
                if body.options is None:  # as it was read, so that it is not read again
                    options = RunOptions.model_validate(dict(document.status.inputs["read"]))
        extract_request = await self._service.call(self._asked, extract_options, tenant, options.lang)
        return await self._submit(
            "extract", tenant, sources, options, idempotency_key, extract_request.to_json(), extract_options.review
        )

    def _asked(self, options: ExtractOptions, tenant: str, lang: Sequence[str]) -> ExtractRequest:
        """Raises UsageError for a schema that cannot be filled, and what is no extractor or engine of this server."""
        for name in options.extractors:
            if name not in extractor_names():  # what follows a colon would be a path of the server
                raise UsageError(f"there is no extractor {name[:50]!r}; choose from {', '.join(extractor_names())}")
        names = list(options.extractors)
        if options.learned is not None:
            with _about("learned"):
                names.append(self._service.learned.extractor(options.learned, tenant))
        with _about("fields" if options.schema_ is None else "schema"):
            asked_schema(options.schema_, options.fields)
        arguments = options.schema_, options.fields, names, options.min_confidence
        return ExtractRequest.of(*arguments, options.reread, lang)

    async def _submit(
        self,
        type: TaskType,
        tenant: str,
        sources: Sequence[TaskSource],
        options: RunOptions,
        idempotency_key: str | None,
        extract: Mapping[str, Json] | None = None,
        review: Literal["none", "queue", "wait"] = "none",
    ) -> Response:
        service = self._service
        await service.call(_check, options)
        kind = "api" if type == "read" else f"api/{type}"
        key = digest_of([kind, tenant, idempotency_key]) if idempotency_key else None
        argument: TaskArgument = {
            "type": type,
            "tenant": tenant,
            "sources": sources,
            "read": options.model_dump(),
            "outputs": {},
            "target": {"kind": "inbody"},
            "callbacks": [],
            "from_formats": [],
            "timeout_s": None,
            "abort_on_error": False,
            "limits": service.limits,
        }
        if extract is not None:
            argument["extract"] = extract
        if review != "none":
            argument["review"] = review
        submitted = await service.call(service.submit, argument, task=key)
        status = await service.call(self._finder.status, submitted.run, tenant)
        run = await service.call(self._finder.run_json, status)
        return JSONResponse(run, 201, {"Location": f"/api/runs/{status.run}"})

    async def _json(self, request: Request) -> bytes:
        return await json_body(request, self._service.settings.max_body_bytes)

    async def _files(
        self, request: Request, tenant: str, known: Sequence[str]
    ) -> tuple[list[TaskSource], dict[str, bytes]]:
        """The files of a form in the store, and its other parts."""
        service = self._service
        form = await form_body(request, service.settings.max_body_bytes)
        try:
            if not form.files or form.unnamed:
                raise ApiError(422, "send at least one file, each with a name, in the part `files`", category="usage")
            fields = dict(form.fields)
            if unknown := set(fields) - {*known}:
                raise ApiError(422, f"unknown fields: {', '.join(sorted(unknown))[:200]}")
            parts = {name: value.encode() for name, value in fields.items()}
            return [await service.keep(upload, tenant) for upload in form.files], parts
        finally:
            form.close()


@contextmanager
def _about(part: str) -> Iterator[None]:
    """Let an error name the part of the request that it is about, as those of `validated` do."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{part}: {error}") from error


def validated(model: type[Any], data: bytes) -> Any:
    """The body of a request. Raises ApiError with every mistake in it."""
    try:
        value: BaseModel = model.model_validate_json(data)
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}".lstrip(": ") for one in error.errors()]
        raise ApiError(422, "; ".join(lines), category="usage") from None
    return value


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith("multipart/")


def _urls(sources: Sequence[UrlSource]) -> list[TaskSource]:
    for one in sources:
        check_url(one.url)
    return [{"url": one.url, "headers": one.headers, "uri": shown_url(one.url)} for one in sources]


def _check(options: RunOptions) -> None:
    """Raises UsageError or ConfigurationError for options that cannot work: pages, engines, languages."""
    request = ReadRequest.with_options(SourceRef("", "", ""), options.model_dump())
    request.options()
    request.settings()

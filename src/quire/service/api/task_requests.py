"""Requests as tasks: documents to read, and what to extract from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

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
from quire.service.uploads import Upload, form_body, json_body

MOST_ATTACHED = 8 << 20
"""Bytes of a file beside the documents: it is held in memory."""


class Submitting:
    """Requests as tasks. `read` and `extract` answer with the run; the others are for further types."""

    def __init__(self, service: Service, finder: RunFinder) -> None:
        self._service, self._finder = service, finder

    async def read(self, request: Request, idempotency_key: str | None) -> Response:
        tenant = tenant_of(request, self._service.settings)
        if is_form(request):
            sources, parts = await self.files(request, tenant, ("options",))
            options: RunOptions = validated(RunOptions, parts.get("options", b"{}"))
            return await self.submit("read", tenant, sources, options, idempotency_key, {})
        body: RunRequest = validated(RunRequest, await self.json(request))
        if (body.document is None) == (not body.sources):
            raise ApiError(422, "name what to read: `sources`, or the id of a document in `document`", category="usage")
        if body.document is None:
            options = body.options or RunOptions.model_validate({})
            return await self.submit("read", tenant, url_sources(body.sources), options, idempotency_key, {})
        document = await self._service.call(self._finder.document, body.document, tenant)
        before = document.status.inputs
        options = body.options or RunOptions.model_validate(dict(before.get("read", {})))
        more = {name: before[name] for name in ("extract", "review") if name in before}
        return await self.submit(
            "extract" if "extract" in more else "read", tenant, [document.again()], options, idempotency_key, more
        )

    async def extract(self, request: Request, idempotency_key: str | None) -> Response:
        tenant = tenant_of(request, self._service.settings)
        if is_form(request):
            sources, parts = await self.files(request, tenant, ("extract", "options"))
            if "extract" not in parts:
                raise ApiError(422, "say what to extract in the part `extract`: JSON with schema or fields")
            extract_options: ExtractOptions = validated(ExtractOptions, parts["extract"])
            options: RunOptions = validated(RunOptions, parts.get("options", b"{}"))
        else:
            body: ExtractSubmission = validated(ExtractSubmission, await self.json(request))
            if (body.document is None) == (not body.sources):
                raise ApiError(422, "name the document to extract from: its id in `document`, or `sources`")
            extract_options, options = body, body.options or RunOptions.model_validate({})
            sources = url_sources(body.sources)
            if body.document is not None:
                document = await self._service.call(self._finder.document, body.document, tenant)
                sources = [{"stored": document.reference["source"], "uri": document.name}]
                if body.options is None:  # as it was read, so that it is not read again
                    options = RunOptions.model_validate(dict(document.status.inputs["read"]))
        extract_request = await self._service.call(self._asked, extract_options, tenant, options.lang)
        more: dict[str, Json] = {"extract": extract_request.to_json()}
        if extract_options.review != "none":
            more["review"] = extract_options.review
        return await self.submit("extract", tenant, sources, options, idempotency_key, more)

    def _asked(self, options: ExtractOptions, tenant: str, lang: Sequence[str]) -> ExtractRequest:
        """Raises UsageError for a schema that cannot be filled, and what is no extractor or engine of this server."""
        for name in options.extractors:
            if name not in extractor_names():  # what follows a colon would be a path of the server
                raise UsageError(f"there is no extractor {name[:50]!r}; choose from {', '.join(extractor_names())}")
        names = list(options.extractors)
        if options.learned is not None:
            with about("learned"):
                names.append(self._service.learned.extractor(options.learned, tenant))
        with about("fields" if options.schema_ is None else "schema"):
            asked_schema(options.schema_, options.fields)
        arguments = options.schema_, options.fields, names, options.min_confidence
        return ExtractRequest.of(*arguments, options.reread, lang)

    async def submit(
        self,
        type: TaskType,
        tenant: str,
        sources: Sequence[TaskSource],
        options: RunOptions,
        idempotency_key: str | None,
        more: Mapping[str, Json],
    ) -> Response:
        """Submit a task, of which `more` are the keys of its type, and answer with the run."""
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
            **more,  # type: ignore[typeddict-item]
        }
        submitted = await service.call(service.submit, argument, task=key)
        status = await service.call(self._finder.status, submitted.run, tenant)
        run = await service.call(self._finder.run_json, status)
        return JSONResponse(run, 201, {"Location": f"/api/runs/{status.run}"})

    async def json(self, request: Request) -> bytes:
        return await json_body(request, self._service.settings.max_body_bytes)

    async def files(
        self, request: Request, tenant: str, known: Sequence[str], attached: Sequence[str] = (), *, least: int = 1
    ) -> tuple[list[TaskSource], dict[str, bytes]]:
        """The files of a form in the store, and its other parts: texts, and the bytes of files that are `attached`."""
        service = self._service
        form = await form_body(request, service.settings.max_body_bytes, attached=attached)
        try:
            if len(form.files) < least or form.unnamed:
                raise ApiError(422, "send at least one file, each with a name, in the part `files`", category="usage")
            fields = dict(form.fields)
            if unknown := set(fields) - {*known}:
                raise ApiError(422, f"unknown fields: {', '.join(sorted(unknown))[:200]}")
            parts = {name: value.encode() for name, value in fields.items()}
            parts |= {name: await service.call(_bytes_of, upload) for name, upload in form.attached.items()}
            return [await service.keep(upload, tenant) for upload in form.files], parts
        finally:
            form.close()


def _bytes_of(upload: Upload) -> bytes:
    if upload.size > MOST_ATTACHED:
        raise ApiError(413, f"{upload.name} is larger than {MOST_ATTACHED:,} bytes, the limit for a template")
    upload.file.seek(0)
    return upload.file.read()


@contextmanager
def about(part: str) -> Iterator[None]:
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


def is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith("multipart/")


def url_sources(sources: Sequence[UrlSource]) -> list[TaskSource]:
    for one in sources:
        check_url(one.url)
    return [{"url": one.url, "headers": one.headers, "uri": shown_url(one.url)} for one in sources]


def _check(options: RunOptions) -> None:
    """Raises UsageError or ConfigurationError for options that cannot work: pages, engines, languages."""
    request = ReadRequest.with_options(SourceRef("", "", ""), options.model_dump())
    request.options()
    request.settings()

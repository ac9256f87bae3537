"""The routes of docling-serve's API. What they mean is in `contract`; here requests become tasks, and tasks answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from fastapi import APIRouter, Request, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, Response

from quire.context import RunStatus
from quire.database.runs import ENDED
from quire.durable.messages import TaskArgument, TaskSource
from quire.service.answering import answer_of, failure_of, task_status_of
from quire.service.contract import answers, forms, requests
from quire.service.contract.orders import Order
from quire.service.contract.refusing import RequestRefused, parsed
from quire.service.contract.translating import decoded, document_version, source_json, translate
from quire.service.security import check_key, tenant_of
from quire.service.service import Service
from quire.service.uploads import FormBody, Upload, form_body, json_body

ORPHANED_S = 1.0
"""How often a synchronous call looks whether its client is still there."""
LONGEST_POLL_S = 60.0
"""Proxies end requests that take longer."""
LOOK_S = 0.25
"""How often a WebSocket looks for progress."""

Chunker = Literal["hybrid", "hierarchical"]


def routes(service: Service) -> APIRouter:
    """The router of `/v1` and `/v1alpha`."""
    router = APIRouter()
    calls = _Calls(service)

    @router.post("/v1/convert/source", tags=["convert"])
    async def convert_source(request: Request) -> Response:
        return await calls.answered(request, await calls.convert(request))

    @router.post("/v1/convert/source/async", tags=["convert"])
    async def convert_source_async(request: Request) -> Response:
        return await calls.accepted(await calls.convert(request))

    @router.post("/v1/convert/source/batch", tags=["convert"])
    async def convert_batch(request: Request) -> Response:
        return await calls.accepted(await calls.batch(request))

    @router.post("/v1/convert/file", tags=["convert"])
    async def convert_file(request: Request) -> Response:
        return await calls.answered(request, await calls.convert_files(request))

    @router.post("/v1/convert/file/async", tags=["convert"])
    async def convert_file_async(request: Request) -> Response:
        return await calls.accepted(await calls.convert_files(request))

    @router.post("/v1/chunk/{chunker}/source", tags=["chunk"])
    async def chunk_source(request: Request, chunker: Chunker) -> Response:
        return await calls.answered(request, await calls.chunk(request, chunker))

    @router.post("/v1/chunk/{chunker}/source/async", tags=["chunk"])
    async def chunk_source_async(request: Request, chunker: Chunker) -> Response:
        return await calls.accepted(await calls.chunk(request, chunker))

    @router.post("/v1/chunk/{chunker}/file", tags=["chunk"])
    async def chunk_file(request: Request, chunker: Chunker) -> Response:
        return await calls.answered(request, await calls.chunk_files(request, chunker))

    @router.post("/v1/chunk/{chunker}/file/async", tags=["chunk"])
    async def chunk_file_async(request: Request, chunker: Chunker) -> Response:
        return await calls.accepted(await calls.chunk_files(request, chunker))

    @router.get("/v1/status/poll/{task_id}", tags=["tasks"])
    @router.get("/v1alpha/status/poll/{task_id}", tags=["v1alpha"])
    async def poll(request: Request, task_id: str, wait: float = 0.0) -> Response:
        return await calls.polled(request, task_id, wait)

    @router.get("/v1/result/{task_id}", tags=["tasks"])
    @router.get("/v1alpha/result/{task_id}", tags=["v1alpha"])
    async def result(request: Request, task_id: str) -> Response:
        return await calls.result(request, task_id)

    @router.get("/v1/clear/results", tags=["clear"])
    async def clear_results(request: Request, older_then: float = 3600.0) -> dict[str, str]:
        await calls.clear(request, older_then)
        return {"status": "ok"}

    @router.get("/v1/clear/converters", tags=["clear"])
    async def clear_converters(request: Request) -> dict[str, str]:
        return {"status": "ok"}  # workers load models on first use, and the pool ends idle ones

    @router.post("/v1/callback/task/progress", tags=["internal"])
    async def progress(request: Request) -> dict[str, str]:
        await json_body(request, service.settings.max_body_bytes)
        return {"status": "ack"}

    @router.post("/v1alpha/convert/source", tags=["v1alpha"])
    async def old_convert_source(request: Request) -> Response:
        return await calls.answered(request, await calls.old_convert(request))

    @router.post("/v1alpha/convert/source/async", tags=["v1alpha"])
    async def old_convert_source_async(request: Request) -> Response:
        return await calls.accepted(await calls.old_convert(request))

    @router.post("/v1alpha/convert/file", tags=["v1alpha"])
    async def old_convert_file(request: Request) -> Response:
        return await calls.answered(request, await calls.convert_files(request, forms.old_form))

    @router.post("/v1alpha/convert/file/async", tags=["v1alpha"])
    async def old_convert_file_async(request: Request) -> Response:
        return await calls.accepted(await calls.convert_files(request, forms.old_form))

    @router.websocket("/v1/status/ws/{task_id}")
    @router.websocket("/v1alpha/status/ws/{task_id}")
    async def follow(socket: WebSocket, task_id: str) -> None:
        await calls.follow(socket, task_id)

    return router


class _Calls:
    """The requests of clients."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._settings = service.settings

    async def convert(self, request: Request) -> RunStatus:
        body = await self._json(request, requests.ConvertRequest)
        return await self._submit(request, Order.of_convert(body, self._service.policy))

    async def old_convert(self, request: Request) -> RunStatus:
        body = (await self._json(request, requests.OldRequest)).request()
        return await self._submit(request, Order.of_convert(body, self._service.policy))

    async def batch(self, request: Request) -> RunStatus:
        body = await self._json(request, requests.BatchConvertRequest)
        return await self._submit(request, Order.of_batch(body))

    async def chunk(self, request: Request, chunker: Chunker) -> RunStatus:
        model = requests.HybridChunkRequest if chunker == "hybrid" else requests.HierarchicalChunkRequest
        body = await self._json(request, model)
        return await self._submit(request, Order.of_chunk(body, body.chunking_options))

    async def convert_files(
        self, request: Request, parse: Callable[[forms.Fields], forms.Form] = forms.convert_form
    ) -> RunStatus:
        return await self._form(request, parse)

    async def chunk_files(self, request: Request, chunker: Chunker) -> RunStatus:
        return await self._form(request, lambda fields: forms.chunk_form(fields, chunker))

    async def _form(self, request: Request, parse: Callable[[forms.Fields], forms.Form]) -> RunStatus:
        body = await form_body(request, self._settings.max_body_bytes)
        try:
            if not body.files and not body.unnamed:
                raise forms.no_files()
            if body.unnamed:
                raise forms.file_without_name(body.unnamed[0])
            order = Order.of_form(parse(body.fields), len(body.files), self._service.policy)
            return await self._submit(request, order, body)
        finally:
            body.close()

    async def _json(self, request: Request, model: type[Any]) -> Any:
        data = await json_body(request, self._settings.max_body_bytes)
        return await self._service.call(parsed, model, data) if len(data) > 1 << 18 else parsed(model, data)

    async def _submit(self, request: Request, order: Order, form: FormBody | None = None) -> RunStatus:
        """Check the request, save its files, submit it."""
        version = document_version(request.headers.get("accept-docling-document-version"))
        wanted = translate(order, self._service.policy, version=version)
        tenant = tenant_of(request, self._settings)
        sources = [await self._service.keep(upload, tenant) for upload in form.files] if form else []
        sources += [await self._source(source, tenant) for source in order.sources]
        argument: TaskArgument = {
            "type": wanted["type"],
            "tenant": tenant,
            "sources": sources,
            "read": wanted["read"],
            "outputs": dict(wanted["outputs"]),
            "target": wanted["targets"][0] if wanted["targets"] else {"kind": "inbody"},
            "callbacks": wanted["callbacks"],
            "from_formats": wanted["from_formats"] or [],
            "timeout_s": wanted["timeout_s"],
            "abort_on_error": wanted["abort_on_error"],
            "limits": self._service.limits,
        }
        if wanted["chunking"] is not None:
            argument["chunking"] = wanted["chunking"]
        task = await self._service.submit(argument)
        status = await self._service.status(task, tenant)
        assert status is not None
        return status

    async def _source(self, source: Any, tenant: str) -> TaskSource:
        if isinstance(source, requests.FileSource):
            upload = await self._service.call(_uploaded, source)
            with upload.file:
                return await self._service.keep(upload, tenant)
        given = source_json(source)
        if given["kind"] == "http":
            return {"url": given["url"], "headers": given["headers"], "uri": given["url"]}
        return {"bucket": given, "uri": f"{given['kind']}://{given.get('bucket') or given.get('container')}"}

    async def accepted(self, status: RunStatus) -> Response:
        return JSONResponse(await task_status_of(self._service, status))

    async def answered(self, request: Request, status: RunStatus) -> Response:
        """Wait for the end. A client that hangs up cancels its task, which nobody else knows of."""
        until = time.monotonic() + self._settings.sync_wait_s
        while status.state not in ENDED:
            left = until - time.monotonic()
            if left <= 0:
                raise RequestRefused(504, answers.too_long(self._settings.sync_wait_s))
            status = await self._service.wait(status, min(left, ORPHANED_S))
            if status.state not in ENDED and await request.is_disconnected():
                await self._service.call(self._service.runtime.cancel, status.run)
                return Response(status_code=499)
        return await answer_of(self._service, status)

    async def polled(self, request: Request, task: str, wait_s: float) -> Response:
        status = await self._known(request, task)
        status = await self._service.wait(status, min(max(wait_s, 0.0), LONGEST_POLL_S))
        return JSONResponse(await task_status_of(self._service, status))

    async def result(self, request: Request, task: str) -> Response:
        status = await self._known(request, task)
        if status.state not in ENDED:
            raise RequestRefused(404, answers.NO_RESULT)
        if status.state != "finished":
            return failure_of(status)
        answer = await answer_of(self._service, status)
        self._service.fetched(status)
        return answer

    async def clear(self, request: Request, older_s: float) -> None:
        await self._service.call(self._service.clear, tenant_of(request, self._settings), older_s)

    async def follow(self, socket: WebSocket, task: str) -> None:
        """Send the status of a task whenever it changes, and when the client asks, until it has ended."""
        try:
            check_key(socket, self._settings, parameter=True)
            tenant = tenant_of(socket, self._settings)
        except RequestRefused as refusal:
            await socket.send_denial_response(JSONResponse(refusal.body(), refusal.status))
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._follow(socket, await self._service.status(task, tenant))
            await socket.close()

    async def _follow(self, socket: WebSocket, status: RunStatus | None) -> None:
        if status is None:
            await socket.send_json(answers.websocket_message("error", error=answers.TASK_NOT_FOUND))
            return
        said = await task_status_of(self._service, status)
        await socket.send_json(answers.websocket_message("connection", said))
        await socket.send_json(answers.websocket_message("update", said))
        asked = asyncio.ensure_future(socket.receive_text())
        try:
            while status.state not in ENDED:
                ended = asyncio.ensure_future(self._service.waiter.ended(status.run, LOOK_S))
                await asyncio.wait({asked, ended}, return_when=asyncio.FIRST_COMPLETED)
                status = await self._service.call(self._service.runtime.status, status.run)
                now = await task_status_of(self._service, status)
                if now != said or asked.done():
                    await socket.send_json(answers.websocket_message("update", now))
                said = now
                if asked.done():
                    asked.result()  # raises when the client is gone
                    asked = asyncio.ensure_future(socket.receive_text())
                await ended
        finally:
            asked.cancel()

    async def _known(self, request: Request, task: str) -> RunStatus:
        status = await self._service.status(task, tenant_of(request, self._settings))
        if status is None:
            raise RequestRefused(404, answers.TASK_NOT_FOUND)
        return status


def _uploaded(source: requests.FileSource) -> Upload:
    upload = Upload.begun(source.filename)
    upload.write(decoded(source))
    return upload

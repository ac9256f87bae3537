"""The routes of docling-serve's API. What they mean is in `contract`; here requests become tasks, and tasks answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite, nan
from typing import Any, Literal, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from quire.core.context import RunStatus
from quire.database.runs import ENDED, run_of
from quire.docling_serve.contract import forms, requests
from quire.docling_serve.contract.orders import Order
from quire.docling_serve.contract.refusals import RequestRefused, parsed
from quire.docling_serve.contract.translation import decoded, document_version, source_json, translate
from quire.docling_serve.responses import task_states
from quire.net.urls import shown_url
from quire.reading.messages import TaskArgument, TaskSettings, TaskSource
from quire.retrieval.chunk.docling_chunks import docling_options, tokenizer_for
from quire.service.security import tenant_of
from quire.service.service import FLOW, Service
from quire.service.task_responses import failure_of, response_of, task_status_of
from quire.service.uploads import Upload, form_body, json_body

CLIENT_CLOSED = 499
LARGE_BODY = 1 << 18
"""A larger JSON body is parsed in a thread."""
ORPHANED_S = 1.0
"""The seconds between two looks of a synchronous call whether its client is still there."""
LONGEST_POLL_S = 60.0
"""Proxies end requests that take longer."""
LOOK_S = 0.25
"""The seconds between two looks of a WebSocket for progress."""

Chunker = Literal["hybrid", "hierarchical"]
Submit = Callable[[Request], Awaitable[RunStatus]]


def routes(service: Service) -> list[BaseRoute]:
    """The routes of `/v1` and `/v1alpha`. They read requests themselves, and need nothing of FastAPI."""
    calls = _Calls(service)
    return [
        *_submitting("/v1/convert/source", calls, calls.convert),
        *_submitting("/v1/convert/file", calls, calls.convert_files),
        Route("/v1/convert/source/batch", _accepting(calls, calls.batch), methods=["POST"]),
        *_submitting("/v1/chunk/hybrid/source", calls, partial(calls.chunk, "hybrid")),
        *_submitting("/v1/chunk/hybrid/file", calls, partial(calls.chunk_files, "hybrid")),
        *_submitting("/v1/chunk/hierarchical/source", calls, partial(calls.chunk, "hierarchical")),
        *_submitting("/v1/chunk/hierarchical/file", calls, partial(calls.chunk_files, "hierarchical")),
        *_submitting("/v1alpha/convert/source", calls, calls.old_convert),
        *_submitting("/v1alpha/convert/file", calls, calls.old_convert_files),
        *(
            Route(f"/{version}/{path}", endpoint, methods=["GET"])
            for version in ("v1", "v1alpha")
            for path, endpoint in (("status/poll/{task_id}", calls.poll), ("result/{task_id}", calls.result))
        ),
        WebSocketRoute("/v1/status/ws/{task_id}", calls.follow),
        WebSocketRoute("/v1alpha/status/ws/{task_id}", calls.follow),
        Route("/v1/clear/results", calls.clear_results, methods=["GET"]),
        Route("/v1/clear/converters", calls.clear_converters, methods=["GET"]),
        Route("/v1/callback/task/progress", calls.take_progress, methods=["POST"]),
    ]


def _submitting(path: str, calls: _Calls, submit: Submit) -> list[BaseRoute]:
    """The route that waits for the result, and the one that does not."""

    async def wait(request: Request) -> Response:
        request.state.urgent = True
        return await calls.responded(request, await submit(request))

    return [
        Route(path, wait, methods=["POST"]),
        Route(f"{path}/async", _accepting(calls, submit), methods=["POST"]),
    ]


def _accepting(calls: _Calls, submit: Submit) -> Callable[[Request], Awaitable[Response]]:
    async def accept(request: Request) -> Response:
        return await calls.accepted(await submit(request))

    return accept


class _Calls:
    """The requests of clients."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._settings = service.settings

    async def convert(self, request: Request) -> RunStatus:
        body = await self._json(request, requests.ConvertSourcesRequest)
        return await self._submit(request, Order.of_convert(body))

    async def old_convert(self, request: Request) -> RunStatus:
        body = (await self._json(request, requests.OldConvertRequest)).request()
        return await self._submit(request, Order.of_convert(body))

    async def batch(self, request: Request) -> RunStatus:
        return await self._submit(
            request, Order.of_batch(await self._json(request, requests.BatchConvertSourcesRequest))
        )

    async def chunk(self, chunker: Chunker, request: Request) -> RunStatus:
        model = (
            requests.HybridChunkerOptionsDocumentsRequest
            if chunker == "hybrid"
            else requests.HierarchicalChunkerOptionsDocumentsRequest
        )
        body = await self._json(request, model)
        return await self._submit(request, Order.of_chunk(body, body.chunking_options))

    async def convert_files(self, request: Request) -> RunStatus:
        return await self._form(request, forms.convert_form)

    async def old_convert_files(self, request: Request) -> RunStatus:
        return await self._form(request, forms.old_form)

    async def chunk_files(self, chunker: Chunker, request: Request) -> RunStatus:
        return await self._form(request, partial(forms.chunk_form, chunker=chunker))

    async def accepted(self, status: RunStatus) -> Response:
        return JSONResponse(await self._service.call(task_status_of, self._service, status))

    async def responded(self, request: Request, status: RunStatus) -> Response:
        """Wait for the end. When the client hangs up, or the wait is over, the task is cancelled: its id is known to no
        client. What it has read is in the store, and pages that another task waits for too are read by that one."""
        until = time.monotonic() + self._settings.sync_wait_s
        while not await self._service.waiter.ended(status.run, min(until - time.monotonic(), ORPHANED_S)):
            gone = await request.is_disconnected()
            if gone or time.monotonic() >= until:
                await self._service.call(self._service.runtime.cancel, status.run)
                if gone:
                    return Response(status_code=CLIENT_CLOSED)
                raise RequestRefused(504, task_states.too_long(self._settings.sync_wait_s))
        return await self._service.call(self._response, status.run)

    async def poll(self, request: Request) -> Response:
        task, tenant = request.path_params["task_id"], tenant_of(request, self._settings)
        wait_s = min(_number(request, "wait", 0.0), LONGEST_POLL_S)
        ended, answer = await self._service.call(self._polled, task, tenant)
        if ended:
            return answer
        until = time.monotonic() + wait_s
        while not ended and (left := until - time.monotonic()) > 0 and not self._service.draining:
            ended = await self._service.waiter.ended(run_of(FLOW, task), min(left, ORPHANED_S))
        if wait_s > 0:
            _, answer = await self._service.call(self._polled, task, tenant)
        return answer

    async def result(self, request: Request) -> Response:
        task, tenant = request.path_params["task_id"], tenant_of(request, self._settings)
        answer = await self._service.call(self._result, task, tenant)
        self._service.fetched(run_of(FLOW, task))
        return answer

    async def clear_results(self, request: Request) -> Response:
        older_s = _number(request, "older_then", 3600.0)
        await self._service.call(self._service.clear, tenant_of(request, self._settings), older_s)
        return JSONResponse({"status": "ok"})

    async def clear_converters(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})  # workers load models on first use, and the pool ends idle ones

    async def take_progress(self, request: Request) -> Response:
        """Progress of docling-serve's own workers. There are none here, so it is checked, acknowledged and dropped."""
        await self._json(request, requests.ProgressCallbackRequest)
        return JSONResponse({"status": "ack"})

    async def follow(self, socket: WebSocket) -> None:
        """Send the status of a task whenever it changes, and when the client asks, until it has ended."""
        try:
            tenant = tenant_of(socket, self._settings)
        except RequestRefused as refusal:
            await socket.send_denial_response(JSONResponse(refusal.body(), refusal.status))
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):
            status = await self._service.call(self._service.find, socket.path_params["task_id"], tenant)
            if status is None:
                await socket.send_json(task_states.websocket_message("error", error=task_states.TASK_NOT_FOUND))
            else:
                await self._follow(socket, status)
            await socket.close()

    async def _follow(self, socket: WebSocket, status: RunStatus) -> None:
        service, run = self._service, status.run
        task_json = await service.call(task_status_of, service, status)
        await socket.send_json(task_states.websocket_message("connection", task_json))
        await socket.send_json(task_states.websocket_message("update", task_json))
        next_message = asyncio.ensure_future(_received(socket))
        try:
            while task_json["task_status"] not in ("success", "failure"):
                ended = asyncio.ensure_future(service.waiter.ended(run, LOOK_S))
                await asyncio.wait({next_message, ended}, return_when=asyncio.FIRST_COMPLETED)
                now = await service.call(self._told, run)
                if now != task_json or next_message.done():
                    await socket.send_json(task_states.websocket_message("update", now))
                task_json = now
                if next_message.done():
                    next_message.result()  # raises when the client is gone
                    next_message = asyncio.ensure_future(_received(socket))
                await ended
        finally:
            next_message.cancel()

    async def _form(self, request: Request, parse: Callable[[forms.Fields, int], Order]) -> RunStatus:
        body = await form_body(request, self._settings.max_body_bytes)
        try:
            if not body.files and not body.unnamed:
                raise forms.no_files()
            if body.unnamed:
                raise forms.file_without_name(body.unnamed[0])
            return await self._submit(request, parse(body.fields, len(body.files)), body.files)
        finally:
            body.close()

    async def _json(self, request: Request, model: type[Any]) -> Any:
        data = await json_body(request, self._settings.max_body_bytes)
        return await self._service.call(parsed, model, data) if len(data) > LARGE_BODY else parsed(model, data)

    async def _submit(self, request: Request, order: Order, uploads: Sequence[Upload] = ()) -> RunStatus:
        """Check the request, save its files, submit it."""
        version = document_version(request.headers.get("accept-docling-document-version"))
        settings = translate(order, self._service.policy, version=version)
        tenant = tenant_of(request, self._settings)
        urgent = getattr(request.state, "urgent", False)
        return await self._service.call(self._submitted, order, settings, uploads, tenant, urgent=urgent)

    # In threads.

    def _submitted(
        self, order: Order, settings: TaskSettings, uploads: Sequence[Upload], tenant: str, *, urgent: bool
    ) -> RunStatus:
        sources = [self._service.keep_now(upload, tenant) for upload in uploads]
        sources += [self._source(source, tenant) for source in order.sources]
        if "chunking" in settings:
            tokenizer_for(docling_options(settings["chunking"]))  # refused now rather than in a worker
        where = {"tenant": tenant, "sources": sources, "limits": self._service.limits}
        argument = cast("TaskArgument", {**settings, **where})
        if urgent:
            argument["urgent"] = True
        return self._service.submit(argument)

    def _source(self, source: Any, tenant: str) -> TaskSource:
        if isinstance(source, requests.FileSourceRequest):
            upload = Upload.begun(source.filename)
            with upload.file:
                upload.write(decoded(source))
                return self._service.keep_now(upload, tenant)
        row = source_json(source)
        if row["kind"] == "http":
            return {"url": row["url"], "headers": row["headers"], "uri": shown_url(row["url"])}
        return {
            "bucket": row,
            "uri": f"{row['kind']}://{row.get('bucket') or row.get('container')}",
        }

    def _response(self, run: str) -> Response:
        status = self._service.runs.glance(run)
        if status is None:
            raise RequestRefused(404, task_states.NO_RESULT)
        return response_of(self._service, status)

    def _polled(self, task: str, tenant: str) -> tuple[bool, Response]:
        status = self._known(task, tenant)
        return status.state in ENDED, JSONResponse(task_status_of(self._service, status))

    def _told(self, run: str) -> dict[str, Any]:
        status = self._service.runs.glance(run)
        if status is None:
            raise RuntimeError("the task was cleared")
        return task_status_of(self._service, status)

    def _result(self, task: str, tenant: str) -> Response:
        status = self._known(task, tenant)
        if status.state not in ENDED:
            raise RequestRefused(404, task_states.NO_RESULT)
        return response_of(self._service, status) if status.state == "finished" else failure_of(status)

    def _known(self, task: str, tenant: str) -> RunStatus:
        status = self._service.find(task, tenant)
        if status is None:
            raise RequestRefused(404, task_states.TASK_NOT_FOUND)
        return status


async def _received(socket: WebSocket) -> None:
    """Wait for a message, whatever it says. Raises WebSocketDisconnect when the client is gone."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code") or 1000)


def _number(request: Request, name: str, default: float) -> float:
    """A parameter of the URL that is a number of seconds."""
    text = request.query_params.get(name)
    try:
        value = default if text is None else float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        message = "Input should be a valid number, unable to parse string as a number"
        raise RequestRefused(422, [{"type": "float_parsing", "loc": ["query", name], "msg": message}])
    return max(value, 0.0)

"""The server of the Model Context Protocol: tools and resources in the words of its SDK."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

from quire.core.errors import QuireError, UsageError
from quire.mcp.answers.document_list import UploadOffer
from quire.mcp.resources import TEMPLATES, DocumentResources, ResourcePlace
from quire.mcp.tasks import EXTENSION, DocumentTasks, TaskState
from quire.mcp.tool_table import DATA, INSTRUCTIONS, TOOLS, ToolRow
from quire.mcp.tools import CallContext, DocumentTools, ToolResult

log = logging.getLogger("quire.mcp")
BUG = "the server failed on this call, and has logged why; other calls may work"

Context = ServerRequestContext[Any, Any]
OfferFor = Callable[[Any], Callable[[str], UploadOffer]]
"""For the HTTP request of a call, what offers an upload for a name."""
_BY_NAME = {tool.name: tool for tool in TOOLS}


def protocol_server(tools: DocumentTools, *, version: str, offer_for: OfferFor | None = None) -> Server[dict[str, Any]]:
    """The server over some tools; `offer_for` makes upload URLs from a request, where there are requests."""
    serving = _Serving(tools, DocumentResources(tools.documents, tools.max_tokens), DocumentTasks(tools), offer_for)
    server: Server[dict[str, Any]] = Server(
        "quire",
        version=version,
        title="Quire",
        instructions=INSTRUCTIONS,
        on_list_tools=serving.list_tools,
        on_call_tool=serving.call_tool,
        on_list_resources=serving.list_resources,
        on_list_resource_templates=serving.list_templates,
        on_read_resource=serving.read_resource,
    )
    server.extensions[EXTENSION] = {}
    server.add_request_handler("tasks/get", TaskParams, serving.get_task)
    server.add_request_handler("tasks/cancel", TaskParams, serving.cancel_task)
    server.add_request_handler("tasks/update", TaskParams, serving.update_task)
    return server


class TaskParams(types.RequestParams):
    """The task that a request is about."""

    task_id: str


@dataclass(frozen=True, slots=True)
class _Serving:
    """The handlers of requests. They run in the event loop, what blocks in threads."""

    tools: DocumentTools
    resources: DocumentResources
    tasks: DocumentTasks
    offer_for: OfferFor | None

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._described(tool) for tool in TOOLS])

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> Any:
        """Its result, or its task for a client that takes one."""
        tool = _BY_NAME.get(asked.name)
        if tool is None:
            return _refused(f"there is no tool {asked.name[:50]!r}; there are: {', '.join(_BY_NAME)}")
        try:
            arguments = tool.arguments.model_validate(asked.arguments or {})
        except ValidationError as error:
            return _refused(_mistakes(tool, error))
        call = partial(tool.call, self.tools, arguments, self._context(context))
        try:
            if _takes_tasks(context):
                task = await anyio.to_thread.run_sync(self.tasks.begin, arguments, abandon_on_cancel=True)
                if task is not None:
                    return {"resultType": "task", **task.to_json()}
            return _result(await anyio.to_thread.run_sync(call, abandon_on_cancel=True))
        except QuireError as error:
            return _refused(str(error))
        except Exception:
            log.exception("the tool %s failed", tool.name)
            return _refused(BUG)

    async def list_resources(self, _: Context, asked: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        places, following = await self._asked(self.resources.listed, asked.cursor if asked else None)
        resources = [types.Resource(uri=one.uri, name=one.name, mime_type=one.media_type) for one in places]
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(name=name, uri_template=uri, description=f"{about} {DATA}", mime_type=media_type)
            for name, uri, about, media_type in TEMPLATES
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(self, _: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            text, media_type = await self._asked(self.resources.read, str(asked.uri))
        except MCPError as error:
            raise MCPError(error.code, error.message, {"uri": str(asked.uri)}) from error
        content = types.TextResourceContents(uri=str(asked.uri), mime_type=media_type, text=text)
        return types.ReadResourceResult(contents=[content])

    async def get_task(self, context: Context, asked: TaskParams) -> dict[str, Any]:
        _check_takes_tasks(context)
        task: TaskState = await self._asked(self.tasks.state, asked.task_id)
        answer = task.to_json()
        if task.status == "failed":
            answer["error"] = {"code": types.INTERNAL_ERROR, "message": task.error}
        elif task.result is not None:
            answer["result"] = _result(task.result).model_dump(by_alias=True, mode="json", exclude_none=True)
        return answer

    async def cancel_task(self, context: Context, asked: TaskParams) -> dict[str, Any]:
        _check_takes_tasks(context)
        await self._asked(self.tasks.cancel, asked.task_id)
        return {}

    async def update_task(self, context: Context, asked: TaskParams) -> dict[str, Any]:
        """No task here asks for input: what is sent is left aside."""
        _check_takes_tasks(context)
        await self._asked(self.tasks.state, asked.task_id)
        return {}

    async def _asked(self, work: Callable[..., Any], *arguments: object) -> Any:
        try:
            return await anyio.to_thread.run_sync(partial(work, *arguments), abandon_on_cancel=True)
        except UsageError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        except QuireError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error

    def _context(self, context: Context) -> CallContext:
        offer = self.offer_for(context.request) if self.offer_for is not None else None

        reported = -1

        def on_progress(done: int, total: int) -> None:
            nonlocal reported
            if done <= reported:  # each report has to be higher than the one before
                return
            reported, message = done, f"{done} of {total} pages" if total else "waiting"
            anyio.from_thread.run(context.session.report_progress, done, total or None, message)

        return CallContext(on_progress, offer)

    def _described(self, tool: ToolRow) -> types.Tool:
        writes = tool.name == "documents" and self.tools.write
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=_schema_of(tool.arguments),
            output_schema=_schema_of(tool.answer),
            annotations=types.ToolAnnotations(
                read_only_hint=not writes, destructive_hint=False, idempotent_hint=True, open_world_hint=False
            ),
        )


def _takes_tasks(context: Context) -> bool:
    """Whether the client has declared, with this request, that it follows tasks."""
    capabilities = context.session.client_capabilities
    declared = capabilities.extensions if capabilities is not None else None
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in (declared or {})


def _check_takes_tasks(context: Context) -> None:
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", context.method)
    if not _takes_tasks(context):
        needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, f"declare the extension {EXTENSION}", needed)


def _schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a model without titles and the words about classes: schemas stay in the context of models."""
    schema = model.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)
        for one in part.get("properties", {}).values():
            one.pop("title", None)
    return schema


def _result(result: ToolResult) -> types.CallToolResult:
    answer = result.answer.to_json()
    content: list[types.ContentBlock] = [types.TextContent(text=json.dumps(answer, ensure_ascii=False))]
    if result.picture is not None:
        data = base64.b64encode(result.picture.data).decode()
        content.append(types.ImageContent(data=data, mime_type=result.picture.media_type))
    content += map(_link, result.links)
    return types.CallToolResult(content=content, structured_content=answer)


def _link(place: ResourcePlace) -> types.ResourceLink:
    return types.ResourceLink(uri=place.uri, name=place.name, mime_type=place.media_type)


def _refused(reason: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=reason)], is_error=True)


def _mistakes(tool: ToolRow, error: ValidationError) -> str:
    lines = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()[:5]]
    known = ", ".join(one.alias or name for name, one in tool.arguments.model_fields.items())
    return f"wrong arguments for {tool.name}: {'; '.join(lines)}. Its arguments: {known}"

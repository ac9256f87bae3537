"""Long calls as tasks, for clients of the newest revision that declare the extension."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client, MCPError, types
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim, advertise
from mcp.client.streamable_http import streamable_http_client
from pydantic import ConfigDict

from quire.mcp.tasks import EXTENSION
from quire.service.server import ServiceBackend
from tests import bills, documents
from tests.unit.mcp.conftest import Shelf
from tests.unit.mcp.test_protocol import http_server

pytestmark = pytest.mark.processes


class TaskHandle(types.Result):
    """What a server returns instead of a result."""

    result_type: Literal["task"]
    task_id: str
    status: str
    ttl_ms: int | None
    poll_interval_ms: int


class AboutTask(types.RequestParams):
    task_id: str


class AskTask(types.Request[AboutTask, str]):
    name_param = "taskId"


class AnyResult(types.Result):
    model_config = ConfigDict(extra="allow")


async def ask(session, method: str, task: str) -> dict[str, Any]:
    request = AskTask(method=method, params=AboutTask(task_id=task))
    answer = await session.send_request(request, AnyResult)
    return answer.model_dump(by_alias=True)


class Tasks(ClientExtension):
    """Follows a task until it has ended."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def claims(self):
        return [ResultClaim(result_type="task", model=TaskHandle, resolve=self._resolve)]

    async def _resolve(self, task: TaskHandle, context: ClaimContext) -> types.CallToolResult:
        assert (task.status, task.ttl_ms) == ("working", None)
        while not self.seen or self.seen[-1]["status"] == "working":
            await asyncio.sleep(0.02)
            self.seen.append(await ask(context.session, "tasks/get", task.task_id))
        return types.CallToolResult.model_validate(self.seen[-1]["result"])


@pytest.fixture(scope="module")
def ports(shelf: Shelf):
    """Two replicas over the store of the shelf."""
    place = ServiceBackend(str(shelf.folder / "store"))
    with http_server(place, shelf.folder) as first, http_server(place, shelf.folder) as second:
        yield first, second


@asynccontextmanager
async def connected(port: int, *extensions: ClientExtension, mode: str = "2026-07-28"):
    async with (
        httpx2.AsyncClient(timeout=60) as sent,
        Client(
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=sent), mode=mode, extensions=extensions
        ) as client,
    ):
        yield client


def test_a_document_is_read_as_a_task_and_its_values_are_extracted_as_another(shelf: Shelf, ports):
    (shelf.folder / "files" / "task.pdf").write_bytes(documents.simple(40))
    (shelf.folder / "files" / "task-bill.pdf").write_bytes(bills.bill(3))

    async def work():
        follows = Tasks()
        async with connected(ports[0], follows) as client:
            added = await client.call_tool("documents", {"action": "add", "path": "task.pdf"})
            (line,) = added.structured_content["documents"]
            assert (line["state"], line["pages"]) == ("finished", 40)
            assert follows.seen[-1]["status"] == "completed"
            assert follows.seen[-1]["statusMessage"] == "40 of 40 pages"
            again = await client.call_tool("documents", {"action": "add", "path": "task.pdf"})
            assert again.structured_content["documents"] == [line]  # it is there: no task
        extracts = Tasks()
        async with connected(ports[0], extracts) as client:
            added = await client.call_tool("documents", {"action": "add", "path": "task-bill.pdf"})
            document = added.structured_content["documents"][0]["id"]
            extracts.seen.clear()
            found = await client.call_tool("extract", {"document": document, "schema": bills.SCHEMA})
            assert found.structured_content["document"] == document
            assert found.structured_content["supported"] > 0
            assert extracts.seen[-1]["taskId"].endswith(f":{document}")

    asyncio.run(work())


def test_another_replica_tells_about_a_task_and_cancels_it(shelf: Shelf, ports):
    (shelf.folder / "files" / "other.pdf").write_bytes(documents.simple(61))

    class Handed(Tasks):
        async def _resolve(self, task: TaskHandle, context: ClaimContext) -> types.CallToolResult:
            return types.CallToolResult(content=[], structured_content={"note": task.task_id})

    async def work():
        async with connected(ports[0], Handed()) as first, connected(ports[1], Handed()) as second:
            handed = await first.call_tool("documents", {"action": "add", "path": "other.pdf"})
            task = handed.structured_content["note"]
            assert (await ask(second.session, "tasks/update", task))["resultType"] == "complete"
            await ask(second.session, "tasks/cancel", task)
            state = await ask(second.session, "tasks/get", task)
            while state["status"] == "working":
                await asyncio.sleep(0.02)
                state = await ask(second.session, "tasks/get", task)
            assert state["status"] in ("cancelled", "completed")
            for wrong in ("nonsense", "add:none-1", "extract:none-1", f"extract:{task.removeprefix('add:')}:1.1"):
                with pytest.raises(MCPError, match="there is no"):
                    await ask(second.session, "tasks/get", wrong)

    asyncio.run(work())


def test_a_client_that_declares_nothing_gets_no_task(shelf: Shelf, ports):
    (shelf.folder / "files" / "plain.pdf").write_bytes(documents.simple(20))

    async def work():
        async with connected(ports[0]) as client:
            added = await client.call_tool("documents", {"action": "add", "path": "plain.pdf"})
            assert added.structured_content["documents"][0]["state"] == "finished"
            with pytest.raises(MCPError, match="declare the extension"):
                await ask(client.session, "tasks/get", "add:x-1")
        async with connected(ports[0], mode="legacy") as client:
            with pytest.raises(MCPError, match="Method not found"):
                await ask(client.session, "tasks/get", "add:x-1")
        async with connected(ports[0], advertise(EXTENSION)) as client:
            with pytest.raises(MCPError, match="there is no run"):
                await ask(client.session, "tasks/get", "add:x-1")

    asyncio.run(work())

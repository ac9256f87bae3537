"""The official client: by standard input and output and by HTTP, in every revision, over a store and over a server."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from http.client import HTTPConnection
from threading import Thread

import httpx2
import mcp.client.session
import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from quire.client import connection
from quire.core.context import Retry
from quire.mcp.file_roots import FileRoots
from quire.mcp.http_app import http_app
from quire.mcp.running import McpOptions, ServerPlace, opened_tools
from quire.service.server import ServiceBackend, options_of
from tests import documents
from tests.runtime.tracking import wait_until
from tests.unit.mcp.conftest import SCANNED, TENANT, Shelf, settings_for
from tests.unit.service.api.conftest import SEARCHED, serving

pytestmark = pytest.mark.processes
KEY = "k3y-of-the-tests"
REVISIONS = ("2026-07-28", "2025-11-25", "2025-06-18")
NAMES = ["documents", "map", "read_pages", "search", "table", "crop", "extract", "check_quote"]


@pytest.fixture(params=REVISIONS)
def revision(request, monkeypatch):
    """A revision that the client speaks."""
    if request.param != "2026-07-28":
        monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", request.param)
    return request.param


def mode_of(revision: str) -> str:
    return revision if revision == "2026-07-28" else "legacy"


@contextmanager
def http_server(place, folder, *, write=True, tenant=TENANT, **settings):
    """The port of a server of the protocol in this process."""
    chosen = settings_for(**settings)
    options = McpOptions(place, chosen, FileRoots([folder / "files"]), tenant, write)
    server = uvicorn.Server(
        uvicorn.Config(http_app(chosen, lambda: opened_tools(options)), **options_of(chosen, 0), lifespan="on")
    )
    server.config.load()
    listening = server.config.bind_socket()
    listening.listen(128)  # so that requests wait until it has started
    thread = Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    # FastAPI silences warnings while it makes routes, in all threads: servers that start at once disturb each other.
    wait_until(lambda: server.started or not thread.is_alive(), "the server does not start", 60)
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()


@pytest.fixture(scope="module")
def keyed(shelf: Shelf):
    """The port of a server with a key, over the store of the shelf."""
    with http_server(ServiceBackend(str(shelf.folder / "store")), shelf.folder, api_key=KEY) as port:
        yield port


@asynccontextmanager
async def http_client(port: int, *, key: str | None = KEY, mode: str = "auto"):
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as sent,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=sent), mode=mode) as client,
    ):
        yield client


def stdio_server(folder, *arguments: str) -> StdioServerParameters:
    command = ["-m", "quire", "mcp", "--store", str(folder / "store"), *arguments]
    return StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))


def post(port: int, path: str, body: bytes, **headers: str):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


async def look(client: Client, shelf: Shelf) -> None:
    """What every client does, whatever carries it."""
    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == NAMES
    assert all("data" in tool.description for tool in listed.tools if tool.name != "documents")
    document = shelf.ids["slip.pdf"]
    answer = await client.call_tool("documents", {"action": "list", "limit": 100})
    assert document in [one["id"] for one in answer.structured_content["documents"]]
    assert json.loads(answer.content[0].text) == answer.structured_content
    quoted = await client.call_tool("check_quote", {"document": document, "quote": SCANNED})
    assert quoted.structured_content["result"] == "verified"
    picture = await client.call_tool("crop", {"document": document, "block": quoted.structured_content["block"]})
    image = picture.content[1]
    assert (image.type, image.mime_type) == ("image", "image/png")
    assert base64.b64decode(image.data).startswith(b"\x89PNG")
    wrong = await client.call_tool("read_pages", {"document": document, "page": 1})
    assert wrong.is_error
    assert "Its arguments: document, pages, cursor" in wrong.content[0].text
    missing = await client.call_tool("read_pages", {"document": document, "pages": "7"})
    assert missing.is_error
    assert "the document has 1 page" in missing.content[0].text
    unknown = await client.call_tool("delete_everything", {})
    assert unknown.is_error
    assert "there are: documents, map" in unknown.content[0].text
    resources = (await client.list_resources()).resources
    assert f"quire://documents/{document}" in [one.uri for one in resources]
    assert len((await client.list_resource_templates()).resource_templates) == 3
    page = await client.read_resource(f"quire://documents/{document}/pages/1")
    assert "pilots" in page.contents[0].text
    table = await client.read_resource(f"quire://documents/{shelf.ids['ledger.pdf']}/tables/p1-b2")
    assert table.contents[0].text.startswith("Port,Vessels")
    outline = await client.read_resource(f"quire://documents/{document}")
    assert json.loads(outline.contents[0].text)["pages"] == 1
    for uri in ("quire://documents/1.1", "quire://elsewhere", f"quire://documents/{document}/pages/9"):
        with pytest.raises(MCPError):
            await client.read_resource(uri)


def test_a_client_on_standard_input_and_output(shelf: Shelf, revision):
    async def work():
        async with Client(stdio_server(shelf.folder, "--tenant", TENANT), mode=mode_of(revision)) as client:
            assert client.session.protocol_version == revision
            await look(client, shelf)
            refused = await client.call_tool("documents", {"action": "add", "path": "ledger.pdf"})
            assert refused.is_error
            assert "read-only" in refused.content[0].text

    asyncio.run(work())


def test_a_client_over_http(shelf: Shelf, keyed, revision):
    async def work():
        async with http_client(keyed, mode=mode_of(revision)) as client:
            assert client.session.protocol_version == revision
            await look(client, shelf)

    asyncio.run(work())


def test_two_clients_at_once(shelf: Shelf, keyed):
    async def work():
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(http_client(keyed)),
                await stack.enter_async_context(http_client(keyed, mode="legacy")),
                await stack.enter_async_context(Client(stdio_server(shelf.folder, "--tenant", TENANT))),
            ]
            await asyncio.gather(*(look(client, shelf) for client in clients for _ in range(2)))

    asyncio.run(work())


def test_a_replica_answers_what_another_one_began(shelf: Shelf, keyed):
    """A cursor of one server is good at another one with the same store."""
    document, place = shelf.ids["book.pdf"], ServiceBackend(str(shelf.folder / "store"))

    async def work(other):
        async with http_client(keyed) as first, http_client(other) as second:
            begun = await first.call_tool("read_pages", {"document": document})
            cursor = begun.structured_content["next"]
            rest = await second.call_tool("read_pages", {"document": document, "cursor": cursor})
            assert rest.structured_content["texts"][0]["page"] in (
                begun.structured_content["texts"][-1]["page"],
                begun.structured_content["texts"][-1]["page"] + 1,
            )

    with http_server(place, shelf.folder, api_key=KEY) as other:
        asyncio.run(work(other))


def test_reading_reports_its_progress(shelf: Shelf, keyed):
    (shelf.folder / "files" / "progress.pdf").write_bytes(documents.chapters(5))
    heard = []

    async def on_progress(done, total, message):
        heard.append((done, total, message))

    async def work():
        async with http_client(keyed) as client:
            added = await client.call_tool(
                "documents", {"action": "add", "path": "progress.pdf"}, progress_callback=on_progress
            )
            (line,) = added.structured_content["documents"]
            assert (line["state"], line["pages"]) == ("finished", 5)

    asyncio.run(work())
    assert heard[-1] == (5, 5, "5 of 5 pages")
    assert [done for done, _, _ in heard] == sorted({done for done, _, _ in heard})


def test_without_the_key_nothing_is_answered(keyed):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    sent = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    for key in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {KEY}"}, {"X_Api_Key": "wrong"}):
        status, headers, answer = post(keyed, "/mcp", body, **sent, **key)
        assert (status, headers["WWW-Authenticate"]) == (401, "Bearer")
        assert b"documents" not in answer
    assert post(keyed, "/upload/nonsense", b"%PDF")[0] == 403
    assert post(keyed, "/api/documents", b"", Authorization=f"Bearer {KEY}")[0] == 404


def test_behind_a_proxy_with_a_path_uploads_have_it_in_their_url(shelf: Shelf):
    async def offered(port):
        async with http_client(port) as client:
            answer = await client.call_tool("documents", {"action": "add", "name": "proxied.pdf"})
            return answer.structured_content["upload"]["url"]

    place = ServiceBackend(str(shelf.folder / "store"))
    with http_server(place, shelf.folder, api_key=KEY, root_path="/quire") as port:
        prefix = f"http://127.0.0.1:{port}/quire"
        url = asyncio.run(offered(port))
        assert url.startswith(f"{prefix}/upload/")
        assert post(port, url.removeprefix(prefix), documents.simple())[0] == 201
        assert post(port, "/mcp", b"{}")[0] == 401


def test_without_a_key_only_this_machine_is_answered(shelf: Shelf):
    """As with `quire serve`: no other host name, and no web site."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    with http_server(ServiceBackend(str(shelf.folder / "store")), shelf.folder) as port:
        assert post(port, "/mcp", body, Host="evil.example")[0] == 421
        assert post(port, "/upload/x", body, Host="evil.example")[0] == 421
        assert post(port, "/mcp", body, Origin="https://evil.example")[0] == 403


def test_a_file_is_uploaded_once_by_its_url(shelf: Shelf, keyed):
    async def work():
        async with http_client(keyed) as client:
            offered = await client.call_tool("documents", {"action": "add", "name": "sent.pdf"})
            upload = offered.structured_content["upload"]
            path = upload["url"].removeprefix(f"http://127.0.0.1:{keyed}")
            assert path.startswith("/upload/")
            status, _, answer = await asyncio.to_thread(post, keyed, path, documents.chapters(2))
            assert status == 201
            (line,) = json.loads(answer)["documents"]
            assert line["name"] == "sent.pdf"
            other = await asyncio.to_thread(post, keyed, path, documents.simple(9))
            assert json.loads(other[2])["documents"][0]["id"] == line["id"]
            form = await asyncio.to_thread(post, keyed, path, b"--x", Content_Type="multipart/form-data; boundary=x")
            assert form[0] == 415
            for _ in range(600):
                got = await client.call_tool("documents", {"action": "get", "document": line["id"]})
                (now,) = got.structured_content["documents"]
                if now["state"] == "finished":
                    break
            assert (now["state"], now["pages"]) == ("finished", 2)

    asyncio.run(work())


def test_an_upload_that_is_too_large_is_refused(shelf: Shelf):
    async def offered(port):
        async with http_client(port) as client:
            answer = await client.call_tool("documents", {"action": "add", "name": "large.pdf"})
            return answer.structured_content["upload"]["url"].removeprefix(f"http://127.0.0.1:{port}")

    place = ServiceBackend(str(shelf.folder / "store"))
    with http_server(place, shelf.folder, api_key=KEY, max_file_bytes=1000) as port:
        path = asyncio.run(offered(port))
        status, _, answer = post(port, path, bytes(2000))
        assert (status, b"1,000 bytes" in answer) == (413, True)


def test_the_tools_of_a_server_without_write_have_no_upload(shelf: Shelf):
    async def work(port):
        async with http_client(port) as client:
            refused = await client.call_tool("documents", {"action": "add", "name": "x.pdf"})
            assert refused.is_error
            assert "read-only" in refused.content[0].text
            tools = (await client.list_tools()).tools
            assert all(tool.annotations.read_only_hint for tool in tools)

    place = ServiceBackend(str(shelf.folder / "store"))
    with http_server(place, shelf.folder, write=False, api_key=KEY) as port:
        asyncio.run(work(port))
        assert post(port, "/upload/x", b"%PDF")[0] == 404


def test_the_documents_of_a_running_server(tmp_path, monkeypatch):
    """The same tools, over the network, with the key of the server."""
    monkeypatch.setattr(connection, "RETRY", Retry(attempts=2, backoff_s=0.0))
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "ledger.pdf").write_bytes(documents.ruled_table())

    async def work(port):
        async with http_client(port) as client:
            added = await client.call_tool("documents", {"action": "add", "path": "ledger.pdf"})
            (line,) = added.structured_content["documents"]
            assert line["state"] == "finished"
            table = await client.call_tool("table", {"document": line["id"], "table": "p1-b2"})
            assert table.structured_content["columns"][0] == "Port"
            values = await client.call_tool("extract", {"document": line["id"], "fields": ["vessels"]})
            assert values.structured_content["state"] == "finished"

    with (
        serving(tmp_path, api_key="upstream", **SEARCHED) as server,
        http_server(ServerPlace(server.url, "upstream"), tmp_path, api_key=KEY) as port,
    ):
        asyncio.run(work(port))
    with http_server(ServerPlace(server.url, "upstream"), tmp_path, api_key=KEY) as port:
        assert asyncio.run(_error(port)).startswith(server.url)


async def _error(port: int) -> str:
    async with http_client(port) as client:
        answer = await client.call_tool("documents", {})
        assert answer.is_error
        return answer.content[0].text

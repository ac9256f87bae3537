"""What the server fetches and sends for its callers: no address of its own network, and no secret stays anywhere."""

from __future__ import annotations

import gzip
import http.server
import json
import socket
import socketserver
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from websockets.sync.client import connect

from tests.service.safety.conftest import KEY, PDF, Guarded, guarded


class Recorder(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str) -> None:
        super().__init__((host, 0), Handler)
        self.seen: list[str] = []
        self.port = self.server_address[1]
        self.url = f"http://{host}:{self.port}"

    @property
    def text(self) -> str:
        return "\n".join(self.seen)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers what the path says, and records requests with their headers."""

    protocol_version = "HTTP/1.1"
    server: Recorder

    def do_GET(self) -> None:
        self.server.seen.append(f"{self.command} {self.path}\n{self.headers}")
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        if "to" in query:
            self._answer(302, b"", Location=query["to"][0])
        elif parts.path == "/bomb":
            self._answer(200, gzip.compress(bytes(64 << 20)), Content_Encoding="gzip")
        elif parts.path == "/named":
            self._answer(200, PDF, Content_Disposition=f'attachment; filename="{query["name"][0]}"')
        elif parts.path == "/missing":
            self._answer(404, b"")
        else:
            self._answer(200, PDF if self.command == "GET" else b"", ETag='"1"')

    do_POST = do_PUT = do_HEAD = do_GET

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(OSError):
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


def recording(host: str) -> Iterator[Recorder]:
    with Recorder(host) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def inside() -> Iterator[Recorder]:
    """A server of the network that must not be asked."""
    yield from recording("127.0.0.1")


@pytest.fixture(scope="module")
def outside() -> Iterator[Recorder]:
    """A server that may be asked: its address is allowed."""
    yield from recording("127.0.0.2")


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("outbound")
    with guarded(folder, private_networks=("127.0.0.2/32",), max_file_bytes=1 << 20) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_inside_is_asked(inside):
    yield
    assert inside.seen == []


HOSTILE = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "HTTP://127.0.0.1:{port}/",
    "hTtP://127.0.0.1:{port}/",
    "http://localhost.:{port}/",
    "http://127.1:{port}/",
    "http://127.000.000.001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0x7f000001:{port}/",
    "http://2130706433:{port}/",
    "http://017700000001:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://[::]:{port}/",
    "http://[::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:0:0:0:0:80ff:fffe]:{port}/",
    "http://[fe80::1%25lo]:{port}/",
    "http://[fec0::1]/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[ff02::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/machine",
    "http://192.0.0.192/opc/v2/",
    "http://100.100.100.200/",
    "http://10.0.0.1/",
    "http://172.31.255.1/",
    "http://192.168.1.1/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://user:password@127.0.0.1:{port}/",
    "http://example.org@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.org/",
    "http://127.0.0.1:{port}\\@example.org/",
    "http://127.0.0.1:{port}%2f@example.org/",
    "http:\\\\127.0.0.1:{port}\\",
    "http:///127.0.0.1:{port}/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://127.0.0.1:{port}\r\nHost: example.org/",
    "http://[::1/",
    "http://",
    "//127.0.0.1:{port}/",
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_GET",
    "dict://127.0.0.1:{port}/",
    "jar:http://127.0.0.1:{port}!/",
    "data:application/pdf;base64,AAAA",
    "unix:/run/docker.sock",
]


def failed(server: Guarded, body: dict) -> list[str]:
    """Why the documents of a run failed; or why it was refused."""
    answer = server.ask("POST", "/api/runs", body)
    if answer.status != 201:
        assert answer.status == 422, answer.body
        return [answer.detail]
    run = answer.json["id"]
    server.service.runtime.result(run, timeout_s=60)
    documents = server.get(f"/api/runs/{run}").json["documents"]
    assert {one["state"] for one in documents} == {"failed"}
    return [one["error"] for one in documents]


def test_no_hostile_url_is_fetched(server, inside):
    assert len(HOSTILE) >= 60
    urls = [url.format(port=inside.port) for url in HOSTILE]
    for url in urls:
        for reason in failed(server, {"sources": [{"url": url}]}):
            assert "answered" not in reason, url
    assert inside.seen == []


@pytest.mark.parametrize("begin", range(0, len(HOSTILE), 20))
def test_no_redirect_leads_to_a_hostile_url(server, outside, inside, begin):
    """One that is not a URL by itself is relative to the first one, and leads there again."""
    for url in HOSTILE[begin : begin + 20]:
        source = {"url": f"{outside.url}/?to={quote(url.format(port=inside.port))}"}
        server.service.runtime.result(server.ask("POST", "/api/runs", {"sources": [source]}).json["id"], timeout_s=60)
    assert inside.seen == []


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://0x7f.1:{port}/"]
)
@pytest.mark.parametrize("what", ["source", "callback", "put", "s3", "azure"])
def test_docling_requests_reach_nothing_inside(server, outside, inside, what, url):
    url = url.format(port=inside.port)
    source = {"kind": "http", "url": url if what == "source" else f"{outside.url}/a.pdf"}
    body: dict = {"sources": [source]}
    if what == "callback":
        body["callbacks"] = [{"url": url}]
    elif what == "put":
        body["target"] = {"kind": "put", "url": url}
    elif what == "s3":
        keys = {"access_key": "a", "secret_key": "b"}
        body["target"] = {"kind": "s3", "endpoint": url, "bucket": "b", "verify_ssl": False, **keys}
    elif what == "azure":
        connection = f"AccountName=a;AccountKey=YQ==;BlobEndpoint={url}"
        body["target"] = {
            "kind": "azure_blob",
            "account_name": "a",
            "container": "c",
            "connection_string": connection,
        }
    task = server.ask("POST", "/v1/convert/source/async", body).json["task_id"]
    answer = server.get(f"/v1/status/poll/{task}?wait=60").json
    assert answer["task_status"] in ("success", "failure")
    assert inside.seen == []


def test_a_put_target_that_redirects_is_not_followed(server, outside, inside):
    target = {"kind": "put", "url": f"{outside.url}/?to={inside.url}/"}
    body = {"sources": [{"kind": "http", "url": f"{outside.url}/a.pdf"}], "target": target}
    task = server.ask("POST", "/v1/convert/source/async", body).json["task_id"]
    assert server.get(f"/v1/status/poll/{task}?wait=60").json["task_status"] == "failure"
    assert inside.seen == []


def test_a_name_that_changes_its_address_is_asked_once(server, outside, inside, monkeypatch):
    real, asked = socket.getaddrinfo, []

    def rebinding(host, *arguments, **options):
        if host != "rebind.test":
            return real(host, *arguments, **options)
        asked.append(host)
        return real("127.0.0.2" if len(asked) == 1 else "127.0.0.1", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    answer = server.ask("POST", "/api/runs", {"sources": [{"url": f"http://rebind.test:{outside.port}/a.pdf"}]})
    server.service.runtime.result(answer.json["id"], timeout_s=60)
    assert server.get(f"/api/runs/{answer.json['id']}").json["documents"][0]["state"] == "finished"
    assert asked == ["rebind.test"]
    assert inside.seen == []


def test_a_name_with_a_private_and_an_allowed_address_is_asked_at_the_latter(server, outside, inside, monkeypatch):
    real = socket.getaddrinfo

    def both(host, *arguments, **options):
        if host != "both.test":
            return real(host, *arguments, **options)
        return [*real("127.0.0.1", *arguments, **options), *real("127.0.0.2", *arguments, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    answer = server.ask("POST", "/api/runs", {"sources": [{"url": f"http://both.test:{outside.port}/a.pdf"}]})
    server.service.runtime.result(answer.json["id"], timeout_s=60)
    assert server.get(f"/api/runs/{answer.json['id']}").json["documents"][0]["state"] == "finished"


def test_a_small_body_that_unpacks_to_a_large_one_is_cut_off(server, outside):
    (reason,) = failed(server, {"sources": [{"url": f"{outside.url}/bomb"}]})
    assert "is larger than" in reason


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "1\r\nX-Injected: 1"},
        {"X-A": "1\nX-Injected: 1"},
        {"X-A\r\nX-Injected": "1"},
        {"X-A: 1\r\nX-Injected": "1"},
        {"": "1"},
        {"X A": "1"},
        {"X-A": "\0"},
        {"X-A": "é"},
    ],
)
def test_a_header_cannot_become_two(server, outside, headers):
    (reason,) = failed(server, {"sources": [{"url": f"{outside.url}/a.pdf", "headers": headers}]})
    assert "is not one of HTTP" in reason
    assert "X-Injected" not in outside.text


def test_headers_of_the_connection_are_ours(server, outside):
    headers = {"Host": "inside.test", "Transfer-Encoding": "chunked", "Content-Length": "5", "X-Own": "1"}
    answer = server.ask("POST", "/api/runs", {"sources": [{"url": f"{outside.url}/own", "headers": headers}]})
    server.service.runtime.result(answer.json["id"], timeout_s=60)
    (seen,) = [one for one in outside.seen if one.startswith("GET /own")]
    assert "X-Own: 1" in seen
    assert "inside.test" not in seen
    assert "chunked" not in seen


SERVER_SECRETS = {
    "AWS_ACCESS_KEY_ID": "ENVKEYID",
    "AWS_SECRET_ACCESS_KEY": "envsecretkey",
    "AWS_SESSION_TOKEN": "envsessiontoken",
    "AZURE_STORAGE_ACCOUNT_KEY": "ZW52a2V5",
    "AZURE_STORAGE_SAS_KEY": "sig=envsas",
}


def test_credentials_of_the_server_are_not_used_for_callers(server, outside, monkeypatch):
    """The environment of the server often has those of its own bucket."""
    for name, value in SERVER_SECRETS.items():
        monkeypatch.setenv(name, value)
    azure = f"AccountName=a;BlobEndpoint={outside.url}"
    targets = [
        {"kind": "s3", "endpoint": outside.url, "bucket": "anonymous", "verify_ssl": False},
        {
            "kind": "s3",
            "endpoint": outside.url,
            "bucket": "b",
            "verify_ssl": False,
            "access_key": "x",
            "secret_key": "y",
        },
        {"kind": "azure_blob", "account_name": "a", "container": "open", "connection_string": azure},
    ]
    outside.seen.clear()
    for target in targets:
        body = {"sources": [{"kind": "http", "url": f"{outside.url}/a.pdf"}], "target": target}
        task = server.ask("POST", "/v1/convert/source/async", body).json["task_id"]
        assert server.get(f"/v1/status/poll/{task}?wait=60").json["task_status"] in ("success", "failure")
    sent = [one for one in outside.seen if one.startswith("PUT ")]
    assert len(sent) >= 3
    assert "Credential=x/" in "".join(sent)
    for value in ("ENVKEYID", "envsessiontoken", "envsas", "SharedKey"):
        assert value not in outside.text


def session_secrets(number: int) -> str:
    return f"s3cr3t-{number}-do-not-keep"


def test_no_secret_of_a_session_stays_anywhere(tmp_path, outside, logged):
    """The server's key, and what callers send so that the server can reach their files."""
    query = f"{outside.url}/a.pdf?X-Amz-Signature={session_secrets(1)}"
    source = {"kind": "http", "url": query, "headers": {"Authorization": f"Bearer {session_secrets(2)}"}}
    callback = {
        "url": f"{outside.url}/callback?token={session_secrets(3)}",
        "headers": {"X-Token": session_secrets(4)},
    }
    missing = {**source, "url": query.replace("a.pdf", "missing")}
    s3 = {"kind": "s3", "endpoint": outside.url, "bucket": "b", "verify_ssl": False, "access_key": session_secrets(5)}
    azure = f"AccountName=a;AccountKey=czNjcjN0LTctZG8tbm90LWtlZXA=;BlobEndpoint={outside.url}"
    bodies = [
        {"sources": [source], "callbacks": [callback]},
        {"sources": [missing, source]},
        {"sources": [missing]},
        {"sources": [source], "target": {"kind": "put", "url": f"{outside.url}/put?sig={session_secrets(8)}"}},
        {"sources": [source], "target": {**s3, "secret_key": session_secrets(6)}},
        {
            "sources": [source],
            "target": {"kind": "azure_blob", "account_name": "a", "container": "c", "connection_string": azure},
        },
    ]
    answers = []
    options = {
        "api_key": KEY,
        "private_networks": ("127.0.0.2/32",),
        "headers": {"X-Api-Key": KEY},
        "log_level": "DEBUG",
    }
    with guarded(tmp_path, **options) as server:
        tasks = [server.ask("POST", "/v1/convert/source/async", body) for body in bodies]
        own = server.ask("POST", "/api/runs", {"sources": [{"url": query, "headers": source["headers"]}]})
        answers += [*tasks, own]
        with connect(f"ws://127.0.0.1:{server.port}/v1/status/ws/1?api_key={KEY.replace('+', '%2B')}") as followed:
            followed.recv()
        for task in tasks:
            id = task.json["task_id"]
            answers += [server.get(f"/v1/status/poll/{id}?wait=60"), server.get(f"/v1/result/{id}")]
            assert answers[-2].json["task_status"] in ("success", "failure")
        server.service.runtime.result(own.json["id"], timeout_s=60)
        runs = [one["id"] for one in server.get("/api/runs").json["runs"]]
        assert len(runs) == len(bodies) + 1
        for run in runs:
            answers += [server.get(f"/api/runs/{run}"), server.get(f"/api/runs/{run}/events")]
            answers += [server.get(f"/api/documents/{run}.1"), server.get(f"/api/documents/{run}.1/exports/json")]
        answers += [server.get(path) for path in ("/api/runs", "/api/documents", "/openapi.json", "/v1/capabilities")]
        answers.append(server.ask("POST", "/v1/convert/source", {"sources": [{**source, "kind": session_secrets(9)}]}))
        rows = dump(server.folder)
    assert f"X-Token: {session_secrets(4)}" in outside.text  # they were used
    assert "missing" in rows
    files = b"".join(path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file())
    for secret in (KEY, "do-not-keep", "czNjcjN0LTctZG8"):
        assert secret not in rows
        assert secret not in "\n".join(logged)
        assert secret.encode() not in files
        for answer in answers:
            if answer.status != 422:
                assert secret.encode() not in answer.body, answer.body


def dump(folder: Path) -> str:
    """Every row of the database."""
    (path,) = [one for one in folder.rglob("*") if one.is_file() and one.read_bytes()[:15] == b"SQLite format 3"]
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return json.dumps([database.execute(f"SELECT * FROM {name}").fetchall() for name in tables], default=str)

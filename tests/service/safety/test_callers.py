"""Who may call: keys, hosts, web sites."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from quire.core.errors import UsageError
from quire.service.security import check_binding, same
from quire.service.settings import ServiceSettings
from tests.service.safety.conftest import KEY, guarded

EVIL = "https://evil.example"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost"])
def test_a_server_without_a_key_listens_on_loopback(host):
    check_binding(ServiceSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "8.8.8.8", "example.org", "localhost.evil.example"])
def test_a_server_without_a_key_listens_nowhere_else_unless_it_is_said(host):
    with pytest.raises(UsageError, match="--api-key or QUIRE_SERVE_API_KEY, or say --allow-no-key"):
        check_binding(ServiceSettings(host=host))
    check_binding(ServiceSettings(host=host, api_key="secret"))
    check_binding(ServiceSettings(host=host, allow_no_key=True))


def test_the_command_refuses_to_open_a_server_to_the_network(tmp_path):
    command = [sys.executable, "-m", "quire", "serve", "--host", "0.0.0.0", "--port", "0", "--store", str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if not name.endswith("API_KEY")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 2
    assert "without an API key" in done.stderr


@pytest.mark.parametrize(
    "given", ["", "wrong", KEY[:-1], KEY + "x", KEY.upper(), "\xff", "\ud800", "k" * 100_000, KEY + "\0"]
)
def test_only_the_key_is_the_key(given):
    assert not same(given, KEY)
    assert same(KEY, KEY)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Api-Key": ""},
        {"X-Api-Key": "wrong"},
        {"Authorization": f"Bearer {KEY}"},
        {"Cookie": f"api_key={KEY}"},
    ],
)
def test_a_request_without_the_key_is_refused(keyed, headers):
    for path in ("/api/runs", f"/api/runs?api_key={KEY}", "/v1/result/1", "/v1/clear/results"):
        answer = keyed.without_key().get(path, headers)
        assert (answer.status, answer.json) == (401, {"detail": "Unauthorized"})


@pytest.mark.parametrize("query", ["", "?api_key=", "?api_key=wrong", "?key=" + KEY])
def test_a_websocket_without_the_key_is_refused(keyed, query):
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://127.0.0.1:{keyed.port}/v1/status/ws/1{query}", additional_headers={"X-Api-Key": KEY}),
    ):
        pass
    assert refused.value.response.status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:5001", 200),
        ("localhost", 200),
        ("LOCALHOST:80", 200),
        ("[::1]:5001", 200),
        ("localhost.:5001", 200),
        ("evil.example", 421),
        ("evil.example:5001", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example", 421),
        ("10.0.0.1", 421),
        ("[fe80::1]", 421),
        ("127.0.0.1@evil.example", 421),
    ],
)
def test_a_name_that_was_made_to_lead_here_is_refused_without_a_key(open_server, host, status):
    assert open_server.get("/api/runs", {"Host": host}).status == status
    assert open_server.get("/health", {"Host": host}).status == 200  # probes name the address of a container


@pytest.mark.parametrize("head", [b"", b"Host:\r\n", b"Host: \r\n"])
def test_a_request_without_a_host_is_refused_where_names_count(open_server, keyed, head):
    """HTTP/1.0 needs none, so that it went around the check of the name; probes of load balancers may leave it out."""
    request = b"GET %s HTTP/1.0\r\n" + head + b"\r\n"
    assert open_server.raw(request % b"/api/runs").startswith(b"HTTP/1.1 400 ")
    assert open_server.raw(request % b"/health").startswith(b"HTTP/1.1 200 ")
    assert keyed.raw(request % b"/api/runs").startswith(b"HTTP/1.1 401 ")


def test_other_names_of_a_server_are_listed(tmp_path):
    with guarded(tmp_path, idle=True, allowed_hosts=("docs.example.org", "*.internal")) as server:
        found = {
            host: server.get("/api/runs", {"Host": host}).status
            for host in ("docs.example.org", "Docs.Example.ORG:443", "a.internal", "internal", "evil.example")
        }
    assert list(found.values()) == [200, 200, 200, 421, 421]


def test_a_server_with_a_key_has_any_name(keyed):
    assert keyed.get("/api/runs", {"Host": "docs.example.org"}).status == 200


READING = [("GET", "/api/runs"), ("GET", "/v1/clear/results"), ("GET", "/v1/result/1"), ("GET", "/api/documents")]
WRITING = [("POST", "/v1/convert/source"), ("POST", "/v1/convert/file/async"), ("POST", "/api/runs")]


@pytest.mark.parametrize(("method", "path"), [*READING, *WRITING, ("DELETE", "/api/runs/1")])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},  # an <img>, a link: no origin is sent
    ],
)
def test_another_web_site_cannot_use_a_server_without_a_key(open_server, method, path, headers):
    body, content_type = b"--x--\r\n", "multipart/form-data; boundary=x"  # what a form of any site may send
    sent = {"Content-Type": content_type, **headers} if method == "POST" else headers
    answer = open_server.ask(method, path, body if method == "POST" else None, sent)
    assert answer.status == 403
    assert "need a server with an API key" in answer.detail


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost:3000"},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_the_page_and_programs_of_this_machine_can(open_server, headers):
    assert open_server.get("/api/runs", headers).status == 200
    own = {"Origin": open_server.url}
    assert open_server.get("/api/runs", own).status == 200


def test_another_web_site_cannot_open_a_websocket_without_a_key(open_server):
    url = f"ws://127.0.0.1:{open_server.port}/v1/status/ws/1"
    with pytest.raises(InvalidStatus) as refused, connect(url, origin=EVIL):
        pass
    assert refused.value.response.status_code == 403
    with connect(url) as socket:
        assert "Task not found" in str(socket.recv())


def test_any_site_may_call_a_server_with_a_key_but_never_with_credentials(keyed):
    asked = {"Origin": EVIL, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}
    preflight = keyed.without_key().ask("OPTIONS", "/v1/convert/source", None, asked)
    assert preflight.status == 200
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert "x-api-key" in preflight.headers["Access-Control-Allow-Headers"]
    answer = keyed.get("/v1/result/1", {"Origin": EVIL, "Cookie": "session=1"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    for one in (preflight, answer):
        assert "Access-Control-Allow-Credentials" not in one.headers


def test_sites_that_are_listed_may_call_and_no_others(tmp_path):
    with guarded(tmp_path, idle=True, cors_origins=("https://app.example",)) as server:
        allowed = server.get("/api/runs", {"Origin": "https://app.example"})
        refused = server.get("/api/runs", {"Origin": EVIL})
    assert (allowed.status, refused.status) == (200, 403)
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://app.example"
    assert allowed.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Access-Control-Allow-Origin" not in refused.headers


def test_the_operator_may_open_a_server_without_a_key_to_every_site(tmp_path):
    with guarded(tmp_path, idle=True, cors_origins=("*",)) as server:
        answer = server.get("/api/runs", {"Origin": EVIL})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
    assert "Access-Control-Allow-Credentials" not in answer.headers

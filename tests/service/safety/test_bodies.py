"""Requests that are too large, broken or slow: each is refused, and the server goes on with bounded memory."""

from __future__ import annotations

import base64
import json
import re
import socket

import pytest

from quire.service import connections, uploads
from tests.service.safety.conftest import PDF, Guarded, form_of, guarded, received, resident_bytes

MIB = 1 << 20
BODY = 4 * MIB
FILE = 2 * MIB


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with small limits whose runs wait."""
    with guarded(tmp_path_factory.mktemp("bodies"), idle=True, max_body_bytes=BODY, max_file_bytes=FILE) as running:
        yield running


@pytest.fixture(autouse=True)
def the_server_goes_on(server):
    before = resident_bytes()
    yield
    assert server.is_alive()
    assert resident_bytes() - before < 100 * MIB


def status_of(answer: bytes) -> int:
    found = re.match(rb"HTTP/1.1 (\d+) ", answer)
    assert found, answer[:200]
    return int(found[1])


FORMS = ["/v1/convert/file/async", "/v1/chunk/hybrid/file/async", "/v1alpha/convert/file/async", "/api/runs"]


def post_form(server: Guarded, path: str, body: bytes, content_type: str = "multipart/form-data; boundary=x"):
    return server.ask("POST", path, body, {"Content-Type": content_type})


@pytest.mark.parametrize("path", FORMS)
def test_a_form_of_very_many_parts_is_refused(server, path):
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
    answer = post_form(server, path, part * 2000 + b"--x--\r\n")
    assert (answer.status, answer.detail) == (413, "the form has more than 1000 parts")


@pytest.mark.parametrize("path", FORMS)
def test_a_form_of_many_large_fields_is_refused(server, path):
    body, content_type = form_of([], {f"field{number}": "x" * (MIB - 1000) for number in range(5)})
    with guarded_limit(server, body):
        answer = post_form(server, path, body, content_type)
    assert answer.status == 413
    assert "is too long" in answer.detail


class guarded_limit:
    """Raises the limit of a server for one body, so that another limit is met first."""

    def __init__(self, server: Guarded, body: bytes) -> None:
        self._settings, self._size = server.service.settings, len(body)

    def __enter__(self) -> None:
        object.__setattr__(self._settings, "max_body_bytes", self._size + 1)

    def __exit__(self, *_: object) -> None:
        object.__setattr__(self._settings, "max_body_bytes", BODY)


@pytest.mark.parametrize(
    "part",
    [
        b"Content-Disposition: form-data; name=" + b"n" * 20_000 + b"\r\n\r\n1\r\n",
        b"X: " + b"1\r\nX: " * 20_000 + b"1\r\n\r\n1\r\n",
        b"n" * 20_000 + b": 1\r\n\r\n1\r\n",
    ],
    ids=["value", "many", "name"],
)
def test_huge_headers_of_a_part_are_refused(server, part):
    answer = post_form(server, FORMS[0], b"--x\r\n" + part + b"--x--\r\n")
    assert answer.status in (400, 413)
    assert "exceeded" in answer.detail or "too long" in answer.detail


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--x",
        b"--x\r\n",
        b"garbage",
        b"--y--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF',
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n%PDF\r\n--x',
        b"--x\r\nContent-Disposition\r\n\r\n1\r\n--x--\r\n",
        b"--x\r\n\x00: 1\r\n\r\n1\r\n--x--\r\n",
    ],
)
@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_an_end_is_refused(server, path, body):
    answer = post_form(server, path, body)
    assert 400 <= answer.status < 500, answer.body


def test_a_form_inside_a_form_is_only_a_file(server):
    inner, content_type = form_of([("files", "inner.pdf", PDF)] * 50)
    outer = (
        b'--outer\r\nContent-Disposition: form-data; name="files"; filename="o.pdf"\r\nContent-Type: '
        + content_type.encode()
        + b"\r\n\r\n"
        + inner
        + b"\r\n--outer--\r\n"
    )
    answer = post_form(server, "/api/runs", outer, "multipart/form-data; boundary=outer")
    assert [one["name"] for one in answer.json["documents"]] == ["o.pdf"]


def test_a_boundary_of_any_length_is_bounded(server):
    for boundary in ("b" * 30_000, "", '"', "\t", "é"):
        head = f"multipart/form-data; boundary={boundary}".encode()
        request = (
            b"POST /v1/convert/file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\n" % head
        )
        assert 400 <= status_of(server.raw(request + b"Content-Length: 4\r\n\r\n--x-")) < 500


def test_many_files_of_a_form_do_not_stay_in_memory(server):
    body, content_type = form_of([("files", f"{number}.bin", bytes(MIB)) for number in range(64)])
    before = resident_bytes()
    with guarded_limit(server, body):
        answer = post_form(server, "/v1/convert/file/async", body, content_type)
    assert (answer.status, answer.detail) == (422, "Too many files: 64 exceeds the maximum of 3.")
    assert resident_bytes() - before < 90 * MIB


def test_a_file_past_the_limit_is_refused(server):
    large = bytes(FILE + 1)
    for answer in (
        server.send_file("/v1/convert/file/async", "large.pdf", large),
        server.send_file("/api/runs", "large.pdf", large),
        server.convert("large.pdf", large),
    ):
        assert answer.status == 413
        assert "large.pdf is larger than" in answer.detail


def test_an_announced_body_past_the_limit_is_refused_before_it_is_sent(server):
    for path in (*FORMS, "/v1/convert/source"):
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BODY + 1}\r\nConnection: close\r\n"
        head += "Content-Type: application/json\r\n\r\n" if "file" not in path else f"Content-Type: {FORM}\r\n\r\n"
        assert status_of(server.raw(head.encode())) == 413


FORM = "multipart/form-data; boundary=x"


@pytest.mark.parametrize("path", [*FORMS, "/v1/convert/source", "/v1/callback/task/progress"])
def test_a_chunked_body_past_the_limit_is_cut_off(server, path, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_S", 0.2)  # for the rest of the body, after the answer
    kind = FORM if path in FORMS else "application/json"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Type: {kind}\r\n\r\n"
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    first = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n' if path in FORMS else b"["
    with server.connected() as connection:
        connection.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(first), first))
        for _ in range(BODY // 0x10000 + 1):
            connection.sendall(piece)
        assert status_of(connection.recv(1 << 16)) == 413
        with pytest.raises(ConnectionError):
            while True:
                connection.sendall(piece)


@pytest.mark.parametrize(
    "length", ["-1", "abc", "1e3", "99999999999999999999999", "0x10", "5, 5", "٥"], ids=lambda one: ascii(one)
)
def test_a_length_that_is_none_is_refused(server, length):
    head = (
        f"POST /v1/convert/source HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    )
    with server.connected() as connection:
        connection.sendall(head.encode() + b"{}")
        connection.shutdown(socket.SHUT_WR)
        answer = received(connection)
    assert not answer or 400 <= status_of(answer) < 500


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (b"", ["missing"]),
        (b"{}", ["missing", "missing"]),
        (b'{"task_id": "a", "progress": {"kind": "nonsense"}}', ["union_tag_invalid"]),
        (b'{"task_id": "a", "progress": {"kind": "set_num_docs", "num_docs": 2}}', []),
    ],
)
def test_progress_of_workers_is_checked_before_it_is_acknowledged(server, body, kinds):
    answer = server.ask("POST", "/v1/callback/task/progress", body, {"Content-Type": "application/json"})
    assert answer.status == (422 if kinds else 200)
    assert [one["type"] for one in answer.json.get("detail", ())] == kinds


@pytest.mark.parametrize("path", ["/v1/convert/source", "/health"])
def test_a_length_beside_chunks_ends_the_connection(server, path):
    """Where a proxy believes the length, what follows the chunks is a request that it has not seen."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        "0\r\n\r\nGET /v1/clear/results HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    answer = server.raw(head.encode())
    assert answer.count(b"HTTP/1.1 ") == 1 and b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "line", [b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1", b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000_000]
)
def test_a_huge_head_is_refused(server, line):
    with server.connected() as connection:
        try:
            connection.sendall(line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        except ConnectionError:
            return
        answer = received(connection)
    assert not answer or 400 <= status_of(answer) < 500


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/convert/source", "text/plain"),
        ("/v1/convert/source", "application/x-www-form-urlencoded"),
        ("/v1/convert/source", "multipart/form-data; boundary=x"),
        ("/v1/chunk/hybrid/source", "text/xml"),
        ("/v1/convert/file", "application/json"),
        ("/v1/convert/file", "multipart/mixed; boundary=x"),
        ("/v1/convert/file", "multipart/form-data"),
        ("/v1/convert/file", ""),
        ("/api/runs", "text/plain"),
        ("/api/runs", "multipart/form-data"),
    ],
)
def test_a_body_of_another_type_is_refused(server, path, kind):
    assert server.ask("POST", path, b'{"sources": []}', {"Content-Type": kind}).status in (415, 422)


JSON = ["/v1/convert/source/async", "/v1/convert/source/batch", "/api/runs"]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"sources":' + b"[" * 5000 + b"]" * 5000 + b"}",
        b"[" + b"[]," * 300_000 + b"[]]",
        b"{" + b",".join(b'"%d":0' % number for number in range(150_000)) + b"}",
        b"9" * 100_000,
        b'{"options": {"images_scale": ' + b"9" * 5000 + b'}, "sources": []}',
        b'{"options": {"images_scale": 1e999}, "sources": [{"kind": "http", "url": "https://example.org"}]}',
        b'{"options": {"images_scale": NaN}, "sources": [{"kind": "http", "url": "https://example.org"}]}',
        b'{"options": {"document_timeout": NaN}, "sources": [{"kind": "http", "url": "https://example.org"}]}',
        b'{"options": {"document_timeout": Infinity}, "sources": [{"kind": "http", "url": "https://example.org"}]}',
        b'{"options": {"page_range": [1e400, -1]}, "sources": [{"kind": "http", "url": "https://example.org"}]}',
        b'{"options": {"page_range": [1, 99999999999999999999999999]}, "sources": 1}',
        b"\xff\xfe",
        b'{"sources": [{"kind": "http", "url": "\xff"}]}',
        b'{"sources": [{"kind": "http", "url": "\\ud800"}]}',
        b'{"sources": [{"kind": "file", "filename": "\\udc00.pdf", "base64_string": "AA=="}]}',
        b"\x00",
        b"",
        b"null",
        b'"text"',
        b"{",
        b'{"sources": null}',
        b'{"sources": [null]}',
        b'{"sources": [{"kind": "file"}]}',
        b'{"sources": [{"kind": "nothing"}]}',
        b'{"sources": [{"url": "file:///etc/passwd"}]}',
    ],
    ids=lambda body: repr(body[:40])[2:-1],
)
@pytest.mark.parametrize("path", JSON)
def test_json_that_is_none_of_ours_is_refused(server, path, body):
    answer = server.ask("POST", path, body, {"Content-Type": "application/json"})
    assert 400 <= answer.status < 500, answer.body
    assert answer.json["detail"]


@pytest.mark.parametrize("text", ["", "!", "AAA", "====", "AA==AA==", "%%%", "\0", "é" * 100, "A" * 5])
def test_base64_that_is_none_is_never_an_error_of_the_server(server, text):
    sources = [{"kind": "file", "base64_string": text, "filename": "a.pdf"}]
    answer = server.ask("POST", "/v1/convert/source/async", {"sources": sources})
    assert answer.status in (200, 422), answer.body


def test_base64_past_the_limit_is_refused(server):
    sources = [{"kind": "file", "base64_string": base64.b64encode(bytes(BODY)).decode(), "filename": "a.pdf"}]
    body = json.dumps({"sources": sources}).encode()
    assert server.ask("POST", "/v1/convert/source", body, {"Content-Type": "application/json"}).status == 413


def test_a_client_that_never_ends_its_head_is_dropped(server, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    for begin in (b"", b"GET / HT", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: "):
        with server.connected() as connection:
            connection.sendall(begin)
            assert received(connection) == b""


def test_a_second_request_on_a_connection_has_the_same_deadline(server, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    with server.connected() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in connection.recv(1 << 16)
        connection.sendall(b"GET /health HT")
        received(connection)  # ends


def test_a_client_that_stops_in_the_middle_of_a_body_is_dropped(server, monkeypatch):
    monkeypatch.setattr(uploads, "IDLE_S", 0.2)
    for path, kind, begin in (
        ("/v1/convert/source", "application/json", b"{"),
        ("/v1/convert/file", FORM, b"--x\r\nContent-Dis"),
        ("/api/runs", FORM, b"--x\r\n"),
    ):
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nContent-Type: {kind}\r\n\r\n"
        with server.connected() as connection:
            connection.sendall(head.encode() + begin)
            answer = received(connection)
        assert status_of(answer) == 408


def test_a_client_that_drips_its_body_is_dropped(server, monkeypatch):
    monkeypatch.setattr(uploads, "GRACE_S", 0.3)
    head = b"POST /v1/convert/source HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    with server.connected() as connection:
        connection.sendall(head)
        connection.settimeout(0.01)
        answer = b""
        for _ in range(6000):
            try:
                connection.sendall(b" ")
                answer += connection.recv(1 << 16)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            if answer:
                break
    assert status_of(answer) == 408


def test_a_client_that_takes_nothing_of_its_answer_is_dropped(server, monkeypatch):
    """Many answers wait in the server's buffer for one client: it is dropped, and its memory is free."""
    monkeypatch.setattr(connections, "STALLED_S", 0.2)
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with server.connected() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with pytest.raises(ConnectionError):
            for _ in range(100_000):
                connection.sendall(request)

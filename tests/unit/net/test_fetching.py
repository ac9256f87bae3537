"""Documents from URLs, by a real server on this machine that misbehaves in every way that servers do."""

from __future__ import annotations

import gzip
import http.server
import json
import re
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import quire
from quire import Document
from quire.core.errors import FetchError, LimitError, QuireError, UsageError
from quire.core.fetch_policy import FetchPolicy, is_public
from quire.net.fetching import fetch
from quire.net.urls import url_name
from tests import documents

HERE = FetchPolicy(allow_private=True, max_bytes=1 << 20, timeout_s=20)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False
    seen: list[tuple[str, str]]
    ended: threading.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers["Host"]))
        path = self.path.partition("?")[0]
        getattr(self, f"_{path.split('/')[1].replace('-', '_').replace('.', '_')}", self._missing)()

    def _missing(self) -> None:
        self._answer(b"<html>not here</html>", 404, Content_Type="text/html")

    def _busy(self) -> None:
        self._answer(b"", 503)

    def _report_pdf(self) -> None:
        self._answer(documents.simple(2))

    def _named(self) -> None:
        self._answer(documents.simple(), Content_Disposition="attachment; filename*=UTF-8''../%C3%BCber%0A.pdf")

    def _page(self) -> None:
        self._answer(b"\n<!DOCTYPE html><html>sign in</html>", Content_Type="text/html; charset=utf-8")

    def _zipped(self) -> None:
        self._answer(gzip.compress(documents.simple()), Content_Encoding="gzip")

    def _cut_zip(self) -> None:
        self._answer(gzip.compress(documents.simple())[:-20], Content_Encoding="gzip")

    def _no_zip(self) -> None:
        self._answer(b"no gzip at all", Content_Encoding="gzip")

    def _strange(self) -> None:
        self._answer(b"x", Content_Encoding="br")

    def _bomb(self) -> None:
        self._answer(zlib.compress(b"\0" * (64 << 20), 9), Content_Encoding="deflate")

    def _announced(self) -> None:
        self._answer(b"", Content_Length=str(1 << 40))

    def _short(self) -> None:
        self._answer(b"%PDF-", Content_Length="1000")
        self.close_connection = True

    def _slow(self) -> None:
        self._answer(b"%PDF-", Content_Length="1000")
        self.server.ended.wait(30)

    def _slow_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not self.server.ended.wait(0.01):
            self.wfile.write(b"x")

    def _endless(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.server.ended.is_set():
            self.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")

    def _nonsense(self) -> None:
        self.wfile.write(b"220 smtp ready\r\n")
        self.close_connection = True

    def _round(self) -> None:
        self._answer(b"", 302, Location="/round")

    def _away(self) -> None:
        self._answer(b"", 302, Location=self.path.partition("?")[2])

    def _answer(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content_Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(OSError):  # the client has left, as it should
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as server:
        server.seen, server.ended = [], threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.ended.set()
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path, monkeypatch) -> Iterator[None]:
    """Temporary files go, whatever happens."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert [path for path in folder.iterdir() if path.is_file()] == []


@contextmanager
def fetched(url: str) -> Iterator[tuple[Path, str]]:
    path, name = fetch(url, HERE)
    try:
        yield path, name
    finally:
        path.unlink()


def failure(url: str, policy: FetchPolicy = HERE) -> QuireError:
    with pytest.raises(QuireError) as raised:
        fetch(url, policy)
    return raised.value


@pytest.mark.both_readers
def test_a_document_is_read_from_a_url(server):
    result = quire.read(f"{server.url}/report.pdf", fetch=HERE)
    assert "The harbour office keeps a ledger" in result.to_markdown()
    assert (result.name, result.url) == ("report.pdf", f"{server.url}/report.pdf")
    assert json.loads(result.to_json())["document"]["url"] == result.url
    assert next(result.pictures([1])).startswith(b"\x89PNG"), "the download is there as long as the result"
    assert len(server.seen) == 1


@pytest.mark.processes
def test_a_document_of_a_url_is_read_in_workers(server):
    result = quire.read(f"{server.url}/report.pdf", fetch=HERE, isolate=True)
    assert len(result.pages) == 2


def test_addresses_of_this_machine_are_refused_unless_allowed(server):
    error = failure(f"{server.url}/report.pdf", FetchPolicy())
    assert isinstance(error, FetchError) and not error.retryable
    assert "127.0.0.1 is a private address" in str(error) and "--allow-private-urls" in str(error)
    assert server.seen == []
    with pytest.raises(FetchError, match="private address"):
        Document(f"http://localhost:{server.server_address[1]}/report.pdf")


@pytest.mark.parametrize(
    "url", ["http://127.1/", "http://2130706433/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/"]
)
def test_other_spellings_of_this_machine_are_refused(url):
    assert "private address" in str(failure(url, FetchPolicy()))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("64:ff9b::808:808", True),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("192.168.1.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::", False),
        ("::", False),
    ],
)
def test_only_addresses_of_the_internet_are_public(address, public):
    assert is_public(address) is public


def test_a_host_is_resolved_once_and_connected_to_at_the_address_that_was_checked(server, monkeypatch):
    asked = []

    def rebinding(host, port, **_):
        asked.append(host)
        # The first address refuses: nothing listens there.
        addresses = ("127.0.0.2", "127.0.0.1") if len(asked) == 1 else ("192.0.2.1",)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: (rebinding if host == "files.test" else real)(host, *a, **k)
    )
    with fetched(f"http://files.test:{server.server_address[1]}/report.pdf") as (path, _):
        assert path.read_bytes() == documents.simple(2)
    assert asked == ["files.test"]
    assert server.seen == [("/report.pdf", f"files.test:{server.server_address[1]}")]


def test_a_redirect_to_a_private_address_is_refused(server, monkeypatch):
    real = socket.getaddrinfo
    public = FetchPolicy(timeout_s=20)
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *a, **k: real("127.0.0.1" if host == "public.test" else host, *a, **k),
    )
    monkeypatch.setattr("quire.core.fetch_policy.is_public", lambda address: len(server.seen) == 0)
    error = failure(f"http://public.test:{server.server_address[1]}/away?{server.url}/report.pdf", public)
    assert "127.0.0.1 is a private address" in str(error)
    assert [path for path, _ in server.seen] == [f"/away?{server.url}/report.pdf"], "the second one was not asked"


def test_redirects_are_followed_and_limited(server):
    with fetched(f"{server.url}/away?/report.pdf") as (path, name):
        assert (path.read_bytes(), name) == (documents.simple(2), "report.pdf")
    assert "redirects more than 5 times" in str(failure(f"{server.url}/round"))
    assert "neither http nor https" in str(failure(f"{server.url}/away?file:///etc/passwd"))


@pytest.mark.parametrize("path", ["/named", "/report.pdf?x=1", "/zipped"])
def test_names_come_from_the_answer_or_the_path(server, path):
    with fetched(server.url + path) as (_, name):
        assert name == {"/named": "über.pdf", "/report.pdf?x=1": "report.pdf", "/zipped": "zipped"}[path]


def test_a_body_that_is_packed_is_unpacked(server):
    with fetched(f"{server.url}/zipped") as (path, _):
        assert path.read_bytes() == documents.simple()


@pytest.mark.parametrize(
    ("path", "kind", "said", "retryable"),
    [
        ("/gone.pdf", FetchError, "the server answered 404 Not Found", False),
        ("/busy", FetchError, "the server answered 503 Service Unavailable", True),
        ("/announced", LimitError, "is larger than 1 MB", False),
        ("/endless", LimitError, "is larger than 1 MB", False),
        ("/bomb", LimitError, "is larger than 1 MB", False),
        ("/short", FetchError, "the connection was closed after 5 of 1000 bytes", True),
        ("/cut-zip", FetchError, "truncated data", True),
        ("/no-zip", FetchError, "corrupt data", True),
        ("/strange", FetchError, "the content encoding 'br'", False),
        ("/nonsense", FetchError, "an invalid HTTP response: BadStatusLine", True),
    ],
)
def test_what_goes_wrong_is_said_with_the_url(server, path, kind, said, retryable):
    error = failure(server.url + path)
    assert type(error) is kind and error.retryable is retryable
    assert str(error).startswith(f"{server.url}{path}: ") and said in str(error)


@pytest.mark.parametrize("path", ["/slow", "/slow-headers"])
def test_a_server_that_is_too_slow_is_left(server, path):
    error = failure(server.url + path, FetchPolicy(allow_private=True, timeout_s=0.2))
    assert isinstance(error, FetchError) and error.retryable
    assert "took longer than 0.2 s" in str(error)


def test_all_silent_addresses_of_a_host_share_one_deadline(monkeypatch):
    """A name with sixty silent addresses held a server for two hours: each had the whole timeout."""
    clock, waits = [1000.0], []

    def silent(_, timeout_s):
        waits.append(timeout_s)
        clock[0] += timeout_s
        raise TimeoutError

    addresses = [f"127.0.1.{number}" for number in range(1, 7)]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(socket, "create_connection", silent)
    monkeypatch.setattr("quire.net.transport.time.monotonic", lambda: clock[0])
    error = failure("http://silent.test/a.pdf", FetchPolicy(allow_private=True, timeout_s=60))
    assert error.retryable and "took longer than 60 s" in str(error)
    assert len(waits) == 6 and sum(waits) == pytest.approx(60)


def test_what_an_internal_name_resolves_to_is_not_said(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.20.30.40", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    error = failure("http://intranet.test/a.pdf", FetchPolicy(allowed_by="QUIRE_SERVE_ALLOWED_PRIVATE_IPS"))
    assert "intranet.test is a private address" in str(error) and "10.20.30.40" not in str(error)
    assert str(error).endswith("allow such addresses with QUIRE_SERVE_ALLOWED_PRIVATE_IPS")


def test_a_server_that_is_not_there_is_named():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        error = failure(f"http://127.0.0.1:{free.getsockname()[1]}/a.pdf")
    assert error.retryable and "Connection refused" in str(error)


@pytest.mark.parametrize("url", ["http://", "http://host:port/", "https://user:secret@host/a.pdf", "http://[x/"])
def test_what_is_no_url_of_a_document_is_a_mistake_and_shows_no_secret(url):
    error = failure(url)
    assert isinstance(error, UsageError)
    assert "secret" not in str(error)


def test_queries_are_not_shown_in_errors(server):
    assert str(failure(f"{server.url}/gone.pdf?token=secret")).startswith(f"{server.url}/gone.pdf?…: ")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://a.test/x/My%20report.pdf?v=2", "My report.pdf"),
        ("https://a.test/", "a.test"),
        ("http:///", "document"),
    ],
)
def test_a_url_has_a_name(url, name):
    assert url_name(url) == name


@pytest.fixture
def encrypted(server, tmp_path) -> Iterator[tuple[str, Path]]:
    """A server with a certificate of its own for localhost; its URL, and the certificate."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key))
    subprocess.run([*made, "-out", str(certificate), *names], check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Server(("127.0.0.1", 0), Handler) as secure:
        secure.seen, secure.ended = server.seen, server.ended
        secure.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that does not trust it
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        thread = threading.Thread(target=secure.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://localhost:{secure.server_address[1]}", certificate
        secure.shutdown()
        thread.join()


@pytest.mark.processes
@pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made with openssl")
def test_certificates_are_checked_and_redirects_stay_encrypted(encrypted, monkeypatch):
    url, certificate = encrypted
    untrusted = failure(f"{url}/report.pdf")
    assert "no secure connection: self" in str(untrusted) and not untrusted.retryable
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with fetched(f"{url}/report.pdf") as (path, name):
        assert (path.read_bytes(), name) == (documents.simple(2), "report.pdf")
    assert "no secure connection" in str(failure(url.replace("localhost", "127.0.0.1") + "/report.pdf"))
    assert "which is not encrypted" in str(failure(f"{url}/away?http://localhost/report.pdf"))
    slow = failure(f"{url}/slow", FetchPolicy(allow_private=True, timeout_s=0.5))
    assert "took longer than 0.5 s" in str(slow)


@pytest.mark.processes
def test_the_command_line_reads_urls_and_shows_no_query(server, tmp_path):
    urls = (f"{server.url}/report.pdf", f"{server.url}/report.pdf?token=secret", f"{server.url}/gone.pdf?token=secret")
    command = (sys.executable, "-m", "quire", "read", *urls, "-o", "out", "--show", "-v")
    refused = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert refused.returncode == 5 and server.seen == []
    allowed = (*command, "--allow-private-urls")
    run = subprocess.run(allowed, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 3
    assert f"{server.url}/gone.pdf?…: the server answered 404 Not Found\n" in run.stderr
    assert "secret" not in run.stderr
    written = sorted(re.sub("-[0-9a-f]{8}", "-HASH", path.name) for path in (tmp_path / "out").iterdir())
    assert written == [f"report{end}" for end in ("-HASH.md", "-HASH.page-1.png", "-HASH.page-2.png")] + [
        f"report{end}" for end in (".md", ".page-1.png", ".page-2.png")
    ]

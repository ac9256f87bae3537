"""Names that would be paths, and texts that would be scripts."""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from quire.core.names import file_stem, safe_name
from tests.service.safety.conftest import PDF, form_of

NAMES = [
    "../../etc/passwd.pdf",
    "/etc/passwd.pdf",
    "..\\..\\windows\\system32\\a.pdf",
    "C:\\boot.pdf",
    "C:evil.pdf",
    "\\\\server\\share\\a.pdf",
    "..",
    ".",
    "/",
    "....//....//a.pdf",
    "a\0b.pdf",
    "a\r\nSet-Cookie: x=1.pdf",
    "line\nbreak.pdf",
    "x" * 300 + ".pdf",
    "é" * 300 + ".pdf",
    "\u202egnp.exe.pdf",
    "zero\u200bwidth.pdf",
    "CON.pdf",
    "nul",
    "aux.tar.gz",
    "COM1.pdf",
    "stream:ads.pdf",
    ' "quoted".pdf',
    "trailing. . .",
    "~/.ssh/id_rsa",
    "%2e%2e%2fa.pdf",
    "..%c0%af..%c0%afa.pdf",
    "<script>alert(1)</script>.pdf",
    "a;filename=b.pdf",
    "*?|.pdf",
    "-rf.pdf",
    "",
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_has_no_folder_and_no_control_character(name):
    shown, stem = safe_name(name), file_stem(name)
    for one in (shown, stem):
        assert "/" not in one
        assert "\\" not in one
        assert one.isprintable()
        assert one not in (".", "..")
    assert len(shown) <= 200
    assert 0 < len(stem.encode()) <= 120
    assert PurePosixPath(stem).name == stem
    windows = PureWindowsPath(f"{stem}.md")
    assert (windows.name, windows.drive, windows.is_reserved()) == (f"{stem}.md", "", False)
    assert not set('<>:"|?*') & set(stem)


def test_no_file_of_an_archive_has_a_path(open_server):
    names = [name for name in NAMES if name and "\0" not in name and "\r" not in name and "\n" not in name]
    for begin in range(0, len(names), 3):
        given = [name.replace('"', "%22") for name in names[begin : begin + 3]]
        body, content_type = form_of(
            [("files", name, PDF) for name in given], {"target_type": "zip", "to_formats": "md"}
        )
        answer = open_server.ask("POST", "/v1/convert/file", body, {"Content-Type": content_type})
        assert answer.status == 200, answer.body
        assert answer.headers["Content-Disposition"] == 'attachment; filename="converted_docs.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            members = archive.namelist()
        assert len({member.casefold() for member in members}) == len(given)
        for member in members:
            assert PurePosixPath(member).name == member == PureWindowsPath(member).name
            assert not PureWindowsPath(member).is_reserved()


SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def hostile(open_server) -> str:
    """The id of a document whose name and text are scripts."""
    page = f"# {SCRIPT}\n\n[link](javascript:alert(3)) {SCRIPT}\n\n| a | b |\n|---|---|\n| {SCRIPT} | =1+1 |\n"
    return f"{open_server.read(f'{SCRIPT}.md', page.encode())}.1"


@pytest.mark.parametrize(
    "path", ["", "/ledger", "/pages/1", "/search?q=script", "/tables", "/exports/json", "/exports/html", "/exports/md"]
)
def test_a_text_of_a_document_is_never_a_page_of_the_server(open_server, hostile, path):
    answer = open_server.get(f"/api/documents/{hostile}{path}")
    assert answer.status == 200, answer.body
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")
    assert "allow-scripts" not in answer.headers["Content-Security-Policy"]
    kind = answer.headers["Content-Type"]
    if "exports" in path:
        assert answer.headers["Content-Disposition"].startswith("attachment; ")
        assert "\n" not in answer.headers["Content-Disposition"]
        assert "<script" not in answer.headers["Content-Disposition"]
    else:
        assert kind == "application/json"
    if "html" in kind:
        assert b"<script>alert" not in answer.body
        assert b"onerror=alert(2)>" not in answer.body.replace(b"&lt;img src=x onerror=alert(2)&gt;", b"")


def test_an_error_that_repeats_what_was_sent_is_json(open_server):
    for path in (f"/api/runs/{SCRIPT}", f"/api/documents/{SCRIPT}", f"/v1/result/{SCRIPT}", f"/{SCRIPT}"):
        answer = open_server.get(path.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E"))
        assert answer.status == 404
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/api/runs", "/v1/result/1", "/api/documents", "/v1/status/poll/1", "/nothing"])
def test_no_cache_keeps_answers_and_no_other_site_frames_them(open_server, path):
    headers = open_server.get(path).headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "server" not in {name.lower() for name in headers}

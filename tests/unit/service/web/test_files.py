"""The files of the page over HTTP: types, headers, nothing else, and nothing at all without the page."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from quire.service.webpage import INDEX, load_files
from tests.unit.service.api.conftest import serving


@pytest.mark.parametrize("path", ["/", "/ui", "/web/app.js", "/web/base.css", "/web/icon.svg", "/favicon.ico"])
def test_files_have_their_type_a_policy_and_a_tag(idle, path):
    answer = idle.get(path)
    expected = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "ico": "image/svg+xml"}
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith(expected.get(path.rpartition(".")[2], "text/html"))
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    again = idle.get(path, If_None_Match=answer.headers["ETag"])
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("name", ["..%2f..%2fapp.py", "%2e%2e/app.py", "__init__.py", "nothing.js", "..\\app.py", ""])
def test_only_the_files_of_the_page_are_served(idle, name):
    assert idle.get(f"/web/{name}").status == 404


def test_every_file_that_is_named_exists_and_none_is_elsewhere():
    found = load_files()
    named = set(re.findall(r'(?:src|href)="web/([^"]+)"', found[INDEX].data.decode()))
    assert {name for name in found if name.endswith(".js")} <= named, "modules are fetched at once, not one by one"
    for name, file in found.items():
        text = file.data.decode()
        if name.endswith(".js"):
            named |= set(re.findall(r'from "\./([^"]+)"', text))
        assert "//cdn" not in text and "innerHTML" not in text and "insertAdjacentHTML" not in text, name
    assert named <= found.keys() and found.keys() - named == {INDEX}
    assert {file.name for file in files("quire.service").joinpath("web").iterdir()} == found.keys()


def test_without_the_page_there_is_only_the_api(tmp_path):
    with serving(tmp_path, idle=True, ui=False) as plain:
        assert [plain.get(path).status for path in ("/", "/ui", "/web/app.js")] == [404, 404, 404]
        assert plain.get("/api/runs").status == 200

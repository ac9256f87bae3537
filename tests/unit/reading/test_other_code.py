"""Stores that other code has worked on: yesterday's, tomorrow's, and both at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import quire
from quire.system import ocr_models
from tests import documents, scans
from tests.changed_code import change_code, copy_of_package
from tests.fakes.engines import NumberEngine, calls

READ = """
import json, sys, quire
path, store = sys.argv[1:]
print(json.dumps([block.text for block in quire.read(path, store=store or None).blocks]))
"""


@pytest.fixture
def other(tmp_path):
    """The folder of an installation whose layout says of each block that it made it."""
    copy = copy_of_package(tmp_path / "other")
    lines = (
        "\n\n_made = page_blocks\n\n\n"
        "def page_blocks(text, quality=None, tables=None):\n"
        "    from dataclasses import replace\n\n"
        "    page = _made(text, quality, tables)\n"
        "    return replace(page, blocks=tuple(replace(one, text=f'{one.text} (other)') for one in page.blocks))\n"
    )
    with (copy / "pages" / "layout" / "__init__.py").open("a") as file:
        file.write(lines)
    return copy.parent


def begin(path, store, code=""):
    """A process that reads a file with the code in a folder, or with that of the tests."""
    surroundings = {**os.environ, "PYTHONPATH": str(code)}
    command = [sys.executable, "-c", READ, str(path), str(store)]
    return subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, text=True)


def blocks(process):
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return json.loads(said)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(documents.simple())
    return path


@pytest.mark.processes
def test_what_yesterdays_layout_stored_is_not_served(path, other, tmp_path):
    store = tmp_path / "store"
    old = blocks(begin(path, store, other))
    assert all(text.endswith("(other)") for text in old)
    assert [block.text for block in quire.read(path, store=store).blocks] == [
        block.text for block in quire.read(path).blocks
    ]
    assert blocks(begin(path, store, other)) == old


@pytest.mark.processes
def test_two_processes_with_different_code_share_a_store_and_no_blocks(path, other, tmp_path):
    store = tmp_path / "store"
    for _ in range(2):
        ours, theirs = begin(path, store), begin(path, store, other)
        assert not any("(other)" in text for text in blocks(ours))
        assert all("(other)" in text for text in blocks(theirs))


def made(told):
    return {event.stage for event in told if event.kind in ("started", "finished", "attempt")} - {"read"}


@pytest.mark.processes
def test_a_new_layout_asks_no_engine_and_draws_no_page(tmp_path, monkeypatch):
    log, store = tmp_path / "calls", tmp_path / "store"
    engine = NumberEngine(log=log)
    sources = [scans.numbered_scans(2), documents.simple()]
    before = [quire.read(data, engines=engine, store=store).to_json() for data in sources]
    asked = len(calls(log))
    change_code(monkeypatch, tmp_path, "pages/layout/page.py")
    told = []
    after = [quire.read(data, engines=engine, store=store, on_event=told.append).to_json() for data in sources]
    assert after == before
    assert len(calls(log)) == asked == 2
    assert "render" not in made(told)
    hits = {event.stage for event in told if event.kind == "hit"}
    assert {"native-text", "recognised-text"} <= hits
    assert {event.stage for event in told if event.kind == "finished"} <= {
        "recognize",
        "page-blocks",
        "document",
        "read",
    }
    assert "page-blocks" not in hits


@pytest.mark.processes
def test_another_orientation_model_draws_pages_again_and_asks_about_those_that_it_turns(tmp_path, monkeypatch):
    log, store = tmp_path / "calls", tmp_path / "store"
    engine = NumberEngine(log=log)
    scan = scans.numbered_scans(1)
    before = quire.read(scan, engines=engine, store=store).to_json()
    path, digest = ocr_models.find("orientation").path, "of other weights"
    monkeypatch.setattr(ocr_models, "find", lambda part, size=None: ocr_models.ModelFile(path, digest))
    told = []
    assert quire.read(scan, engines=engine, store=store, on_event=told.append).to_json() == before
    assert "render" in made(told)
    assert len(calls(log)) == 1, "the page lies as before, and the answer about it is stored"
    told.clear()
    quire.read(scan, engines=engine, store=store, on_event=told.append)
    assert "render" not in made(told)

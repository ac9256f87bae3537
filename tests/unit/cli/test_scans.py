"""`quire read` and `quire inspect` on scans: options, mistakes, progress."""

from __future__ import annotations

import json
import os
import re

import pytest

from tests import documents, scans
from tests.unit.cli.terminal import drawn_by
from tests.unit.cli.test_cli import quire

pytestmark = pytest.mark.processes


@pytest.fixture
def scan(saved):
    return saved(scans.numbered_scans(2), "scan.pdf")


def test_a_scan_is_read_with_the_engine_that_was_named(scan):
    run = quire("read", scan, "--engine", "echo", "--pages", "2", "--to", "txt")
    assert (run.returncode, run.stdout) == (0, "echo\n")
    assert "read 1 page in " in run.stderr and "(1 with OCR)" in run.stderr


def test_never_leaves_the_pages_out(scan):
    run = quire("read", scan, "--ocr", "never")
    assert run.returncode == 3
    assert "pages 1-2 left out, OCR is off: no text" in run.stderr


def test_always_recognises_a_digital_page(saved):
    run = quire("read", saved(documents.simple()), "--ocr", "always", "--engine", "echo", "--to", "txt")
    assert run.stdout.strip() == "echo"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--ocr", "sometimes"], 2, "--ocr is 'sometimes'; choose from auto, always, never"),
        (["--preset", "best"], 2, "no preset 'best'"),
        (["--effort", "best"], 2, "--effort is 'best'; choose from fast, balanced, accurate"),
        (["--engine", "nobody"], 2, "there is no engine 'nobody'; choose from "),
        (["--lang", "klingon"], 2, "unknown language 'klingon'; "),
        (["--lang", "germam"], 2, "did you mean de (German)?"),
        (["--workers", "0"], 2, "--workers is 0; it must be at least 1"),
        (["--workers", "two"], 2, "'two' is not a valid int"),
        (["--trace"], 2, "--trace only works with JSON; add --to json"),
    ],
)
def test_mistakes_are_explained_before_anything_is_read(scan, options, code, said):
    run = quire("read", scan, *options)
    assert (run.returncode, run.stdout) == (code, "")
    assert said in run.stderr


def test_a_program_that_is_not_installed_is_explained(scan, tmp_path):
    run = quire("read", scan, "--engine", "tesseract", env={**os.environ, "PATH": str(tmp_path)})
    assert (run.returncode, run.stdout) == (4, "")
    assert "apt install tesseract-ocr" in run.stderr


def test_more_workers_than_there_are_processors_are_fewer_and_said_so(scan):
    run = quire("read", scan, "--engine", "echo", "--workers", "500")
    assert run.returncode == 0
    assert re.search(r"using \d+", run.stderr)


def test_a_number_of_workers_in_the_environment_that_is_none_is_a_mistake(scan):
    run = quire("read", scan, "--engine", "echo", env={**os.environ, "QUIRE_WORKERS": "many"})
    assert run.returncode == 2
    assert "QUIRE_WORKERS" in run.stderr


def test_json_is_the_same_bytes_and_the_trace_comes_on_request(scan):
    first, second = (quire("read", scan, "--engine", "echo", "--to", "json", "--workers", n).stdout for n in "12")
    assert first == second
    traced = json.loads(quire("read", scan, "--engine", "echo", "--to", "json", "--trace").stdout)
    assert "trace" not in json.loads(first)
    assert [[one["outcome"] for one in entry["attempts"]] for entry in traced["trace"]] == [["ok"], ["ok"]]
    del traced["trace"]
    assert [block.pop("source")["engine"] for block in traced["blocks"]] == ["echo", "echo"]
    assert traced == json.loads(first)


def test_progress_is_drawn_while_pages_are_recognised(saved, tmp_path):
    source = saved(scans.numbered_scans(60))
    assert b"/60" in drawn_by("read", source, "--engine", "echo", "-o", tmp_path / "out")


def test_inspect_tells_how_pages_were_recognised(scan, tmp_path):
    quire("read", scan, "--engine", "echo", "--store", tmp_path / "store")
    plain = quire("inspect", scan)
    assert (plain.returncode, plain.stdout.count("absent (no text)")) == (0, 2)
    told = json.loads(quire("inspect", scan, "--store", tmp_path / "store", "--json").stdout)
    assert [[(one["engine"], one["outcome"]) for one in page["path"]] for page in told["pages"]] == [
        [("echo", "ok")]
    ] * 2
    assert "echo: ok, " in quire("inspect", scan, "--store", tmp_path / "store").stdout


def test_inspect_of_a_store_that_is_not_there_is_a_mistake(scan, tmp_path):
    run = quire("inspect", scan, "--store", tmp_path / "nowhere")
    assert run.returncode == 2
    assert "there is no store" in run.stderr

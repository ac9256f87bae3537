"""The command line as people meet it: a program with arguments, output and an exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quire.export import FORMATS
from tests import documents
from tests.unit.cli.terminal import drawn_by

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[3]


def quire(*arguments: str | Path, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "quire", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    assert "Traceback" not in run.stderr
    return run


@pytest.fixture
def report(saved) -> Path:
    return saved(documents.simple(3))


def test_markdown_goes_to_standard_output(report):
    run = quire("read", report)
    assert (run.returncode, run.stderr) == (0, "")
    assert "The harbour office keeps a ledger" in run.stdout


def test_pages_and_format_can_be_chosen(report):
    run = quire("read", report, "--pages", "2", "--to", "json", "--words", "--lang", "deu")
    document = json.loads(run.stdout)
    assert [page["number"] for page in document["document"]["pages"]] == [2]
    assert document["blocks"][0]["words"]


def test_files_are_named_after_the_source(report, tmp_path):
    run = quire("read", report, "--to", "md", "--to", "docling", "--show", "-o", tmp_path / "out")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "report.docling.json",
        "report.md",
        "report.page-1.png",
        "report.page-2.png",
        "report.page-3.png",
    ]


def test_a_folder_is_read_with_its_shape_and_one_bad_file_stops_nothing(tmp_path):
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "good.pdf").write_bytes(documents.simple())
    (source / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    (source / "sub" / "good.pdf").write_bytes(documents.simple(2))
    run = quire("read", source, "-o", tmp_path / "out")
    assert run.returncode == 3
    assert "bad.pdf" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    written = [str(path.relative_to(tmp_path / "out")) for path in sorted((tmp_path / "out").rglob("*.md"))]
    assert written == ["good.md", "sub/good.md"]


def test_left_out_pages_are_named_and_make_the_exit_code_3(saved, tmp_path):
    run = quire("read", saved(documents.scan_like(2)), "--ocr", "never", "-o", tmp_path / "out")
    assert run.returncode == 3
    assert re.search(r"pages 1-2 left out: needs-recognition", run.stderr)
    assert (tmp_path / "out" / "report.md").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["read", "missing.pdf"], 5, "missing.pdf: no such file"),
        (["read", "broken.pdf"], 5, "broken.pdf"),
        (["read", "notes.txt"], 7, "Quire reads PDF"),
        (["read", "secret.pdf"], 6, "password"),
        (["read", "secret.pdf", "--password", "wrong"], 6, "password is wrong"),
        (["read", "report.pdf", "--pages", "x"], 2, "1-3,7"),
        (["read", "report.pdf", "--pages", "9"], 2, "there is no page 9"),
        (["read", "report.pdf", "--to", "word"], 2, "choose from md, html"),
        (["read", "report.pdf", "--nonsense"], 2, "No such option"),
        (["read"], 2, "FILE"),
        (["read", "report.pdf", "secret.pdf"], 2, "-o"),
        (["read", "."], 2, "-o"),
        (["read", "report.pdf", "--to", "csv"], 2, "-o"),
        (["read", "report.pdf", "--show"], 2, "-o"),
        (["read", "report.pdf", "-o", "notes.txt"], 2, "not a folder"),
        (["read", "report.pdf", "-o", "notes.txt/out"], 2, "notes.txt"),
        (["read", "report.pdf", "--store", "notes.txt"], 9, "store"),
        (["inspect", "missing.pdf"], 5, "no such file"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_mistakes_are_explained_in_a_line_with_a_code_of_their_class(tmp_path, arguments, code, said):
    (tmp_path / "report.pdf").write_bytes(documents.simple())
    (tmp_path / "secret.pdf").write_bytes(documents.encrypted())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "notes.txt").write_text("just text")
    run = quire(*arguments, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (code, "")
    assert said in run.stderr


def test_a_store_is_used(report, tmp_path):
    first = quire("read", report, "--store", tmp_path / "store")
    second = quire("read", report, "--store", tmp_path / "store")
    assert first.stdout == second.stdout
    assert (tmp_path / "store" / "facts.sqlite3").exists()


def test_two_runs_write_the_same_bytes(report, tmp_path):
    for name in ("one", "two"):
        quire("read", report, *(f"--to={name}" for name in FORMATS if name != "xlsx"), "-o", tmp_path / name)
    contents = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert contents[0] == contents[1]
    assert contents[0]


def test_an_interrupt_leaves_no_half_file_and_says_one_line(saved, tmp_path):
    source, store, out = saved(documents.many_pages()), tmp_path / "store", tmp_path / "out"
    command = [sys.executable, "-m", "quire", "read", str(source), "--store", str(store), "-o", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "QUIRE_NATIVE": "0"})
    deadline = time.monotonic() + 60
    while not (store / "waiting").exists() or not any((store / "waiting").iterdir()):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "quire: interrupted; files that were not finished are not there\n"
    assert not out.exists() or list(out.iterdir()) == []
    assert list((store / "waiting").iterdir()) == [], "what was read so far is kept, whole"


def test_a_reader_that_goes_away_is_no_error(saved):
    command = f"{sys.executable} -m quire read {saved(documents.many_pages(60))} | head -n 1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert len(run.stdout.splitlines()) == 1
    assert run.stderr == ""


def test_progress_is_drawn_on_a_terminal_and_removed(saved, tmp_path):
    source = saved(documents.many_pages(250))
    drawn = drawn_by("read", source, "-o", tmp_path / "out", QUIRE_NATIVE="0")
    assert b"/250" in drawn
    assert b"pages" in drawn


def test_inspect_tells_what_is_inside(saved):
    path = saved(documents.encrypted())
    run = quire("inspect", path, env={**os.environ, "QUIRE_PASSWORD": "secret"})
    assert run.returncode == 0
    assert re.search(r"^encrypted +yes$", run.stdout, re.MULTILINE)
    assert "usable" in run.stdout


def test_inspect_writes_json(saved):
    report = json.loads(quire("inspect", saved(documents.scan_like(2)), "--json").stdout)
    assert report["media_type"] == "application/pdf"
    assert [page["text"] for page in report["pages"]] == ["absent", "absent"]
    assert report["pages"][0]["images"] >= 1


def test_the_version_is_told():
    assert re.fullmatch(r"quire \d+\.\d+\.\d+\n", quire("--version").stdout)


@pytest.mark.parametrize("command", ["read", "inspect"])
def test_help_shows_examples_and_the_documentation_names_every_option(command):
    text = quire(command, "--help").stdout
    assert f"quire {command} " in text[text.index("Examples:") :]
    documented = (ROOT / "docs" / "reference" / "cli.md").read_text()
    missing = [
        option
        for option in re.findall(r"(?<![\w-])--[a-z]+|^ +-[a-z]", text, re.MULTILINE)
        if option.strip() not in documented
    ]
    assert not missing
    assert all(f"`{name}`" in documented for name in FORMATS)

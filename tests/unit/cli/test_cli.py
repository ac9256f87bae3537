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
from typer.testing import CliRunner

from quire.cli.app import command_line
from quire.output.export import FORMATS
from quire.pages.render.pdf import native_available
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
    assert run.returncode == 0
    assert re.fullmatch(r"quire: read 3 pages in [\d.]+ s; wrote to standard output\n", run.stderr)
    assert "The harbour office keeps a ledger" in run.stdout


def test_pages_and_format_can_be_chosen(report):
    run = quire("read", report, "--pages", "2", "--to", "json", "--words", "--lang", "deu")
    document = json.loads(run.stdout)
    assert [page["number"] for page in document["document"]["pages"]] == [2]
    assert document["blocks"][0]["words"]


def test_files_are_named_after_the_source(report, tmp_path):
    run = quire("read", report, "--to", "md", "--to", "docling", "--show", "-o", tmp_path / "out")
    assert (run.returncode, run.stdout) == (0, "")
    assert re.fullmatch(rf"quire: read 3 pages in [\d.]+ s; wrote 5 files to {tmp_path}/out\n", run.stderr)
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
    (source / "old.zip").touch()
    run = quire("read", source, "-o", tmp_path / "out")
    assert run.returncode == 3
    failure, summary = run.stderr.splitlines()
    assert "bad.pdf" in failure
    assert re.fullmatch(
        r"quire: read 2 documents, 3 pages in [\d.]+ s; wrote 2 files to .*/out; left out 1 document; "
        r"left out 1 file \(1 \.zip\): old\.zip",
        summary,
    )
    written = [str(path.relative_to(tmp_path / "out")) for path in sorted((tmp_path / "out").rglob("*.md"))]
    assert written == ["good.md", "sub/good.md"]


def test_left_out_pages_are_named_and_make_the_exit_code_3(saved, tmp_path):
    run = quire("read", saved(documents.scan_like(2)), "--ocr", "never", "-o", tmp_path / "out")
    assert run.returncode == 3
    left_out, summary = run.stderr.splitlines()
    assert left_out.endswith("report.pdf: pages 1-2 left out, OCR is off: no text")
    assert re.fullmatch(r"quire: read 0 of 2 pages in [\d.]+ s; wrote .*/report\.md", summary)
    assert (tmp_path / "out" / "report.md").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["read", "missing.pdf"], 5, "missing.pdf: no such file"),
        (["read", "broken.pdf"], 5, "broken.pdf"),
        (["read", "notes"], 7, "Quire reads PDF"),
        (["read", "secret.pdf"], 6, "password"),
        (["read", "secret.pdf", "--password", "wrong"], 6, "password is wrong"),
        (["read", "report.pdf", "--pages", "x"], 2, "1-3,7"),
        (["read", "report.pdf", "--pages", "9"], 2, "there is no page 9"),
        (["read", "report.pdf", "--to", "word"], 2, "choose from md, html"),
        (["read", "report.pdf", "--engine", "tesseract5"], 2, "there is no engine 'tesseract5'; choose from"),
        (["read", "http://127.0.0.1/a.pdf"], 5, "127.0.0.1 is a private address"),
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
def test_mistakes_are_explained_in_a_line_with_a_code_of_their_class(tmp_path, monkeypatch, arguments, code, message):
    """In this process: what a program does with a code, the tests around this one show."""
    (tmp_path / "report.pdf").write_bytes(documents.simple())
    (tmp_path / "secret.pdf").write_bytes(documents.encrypted())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "notes.txt").write_text("just text")
    (tmp_path / "notes").write_text("just text")
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(command_line(arguments[0]), arguments)
    assert (run.exit_code, run.stdout) == (code, "")
    assert message in run.stderr and "Traceback" not in run.stderr


def test_show_adds_to_the_markdown(report, tmp_path):
    quire("read", report, "--pages", "1", "--show", "-o", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.md", "report.page-1.png"]


def test_quiet_says_nothing_but_what_went_wrong(report, tmp_path):
    assert quire("read", "-q", report, "-o", tmp_path / "out").stderr == ""
    assert quire("read", "-q", report, "missing.pdf", "-o", tmp_path / "out").stderr.count("\n") == 1


def test_verbose_names_each_document_and_what_is_none(report, tmp_path):
    (report.parent / "notes.bin").touch()
    said = quire("read", "-v", report.parent, "-o", tmp_path / "out").stderr.splitlines()
    assert said[0] == f"quire: {report.parent}/notes.bin: left out: not a document"
    assert said[1].startswith(f"quire: {report}: read 3 pages in ")
    assert len(said) == 3


def test_bad_paths_are_named_and_the_others_are_read(report, tmp_path):
    (tmp_path / "empty").mkdir()
    run = quire("read", "typo.pdf", report, tmp_path / "empty", "-o", tmp_path / "out")
    assert run.returncode == 3
    assert "quire: typo.pdf: no such file or folder\n" in run.stderr
    assert f"quire: {tmp_path}/empty: holds no documents" in run.stderr
    assert "left out 2 documents" in run.stderr
    assert (tmp_path / "out" / "report.md").exists()


def test_pictures_and_pdfs_of_one_stem_are_both_kept_across_calls(report, tmp_path):
    picture = report.with_name("report.png")
    picture.write_bytes((ROOT / "examples" / "scan.png").read_bytes())
    for source in (report, picture):
        quire("read", source, "--ocr", "never", "-o", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.md", "report.png.md"]


def test_passwords_go_to_the_documents_that_their_patterns_fit(tmp_path):
    for folder, secret in (("a", "one"), ("b", "two"), ("c", "three")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.pdf").write_bytes(documents.encrypted(secret))
    passwords = ("--password", "three", "--password-for", "a/*.pdf=one", "--password-for", "b/x.pdf=two")
    run = quire("read", "a", "b", "c", "-o", "out", *passwords, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    wrong = quire("read", "a/x.pdf", "--password-for", "secret", cwd=tmp_path)
    assert wrong.returncode == 2 and "secret'" in wrong.stderr and wrong.stderr.count("secret") == 1


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
    assert said == "quire: interrupted; unfinished files were not written\n"
    assert not out.exists() or list(out.iterdir()) == []
    assert list((store / "waiting").iterdir()) == [], "what was read so far is kept, whole"


def test_a_reader_that_goes_away_is_no_error(saved):
    command = f"{sys.executable} -m quire read -q {saved(documents.many_pages(60))} | head -n 1"
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


def test_text_that_was_left_out_is_told(saved, tmp_path):
    def draw(canvas):
        pen = documents.Pen(canvas)
        pen.text(documents.prose(2))
        canvas.setFillColorRGB(1, 1, 1)
        pen.text("Nothing to see here")

    path = saved(documents.drawn(draw))
    run = quire("inspect", path)
    assert "left out: 16 hidden" in run.stdout
    run = quire("read", path, "-o", tmp_path / "out")
    assert run.returncode == 0
    assert "page 1 text left out: 16 of" in run.stderr and run.stderr.count("left out") == 1


def test_figures_are_written_with_their_pictures_and_words(saved, tmp_path):
    path = saved(documents.figure_with_caption())
    run = quire("read", path, "-o", tmp_path / "out", "--images", "files", "--figures")
    assert run.returncode == 0
    (picture,) = (tmp_path / "out").glob("*.images/*.png")
    written = next((tmp_path / "out").glob("*.md")).read_text()
    assert f"![figure]({picture.parent.name}/{picture.name})" in written and "May June July Aug Sept" in written
    assert "--images is 'none'; choose from embed, files" in quire("read", path, "--images", "none").stderr
    assert "need an output folder" in quire("read", path, "--images", "files").stderr
    assert "only works with Markdown and HTML" in quire("read", path, "--images", "embed", "--to", "json").stderr
    assert "![figure](data:image/png;base64," in quire("read", path, "--images", "embed").stdout


def test_areas_of_tables_are_given_in_the_settings_or_beside_the_document(saved, tmp_path):
    path = saved(documents.unruled_table())
    settings = tmp_path / "quire.toml"
    settings.write_text(f'[quire]\ntables = "lines"\n\n[[area]]\nfiles = "{path.name}"\ncolumns = [0.5]\n')
    environment = {**os.environ, "QUIRE_CONFIG": str(settings)}
    assert "tables: 1 area by hand, lines" in quire("inspect", path, env=environment).stdout
    (page,) = json.loads(quire("read", path, "--to", "json", env=environment).stdout)["document"]["pages"]
    assert page["tables"] == "1 area by hand, lines"
    assert "|" not in quire("read", path, "--tables", "none").stdout
    settings.write_text("[[area]]\ncolumns = [0.5]\n")
    assert f"{settings}: [[area]] 1: name its documents with files" in quire("read", path, env=environment).stderr
    path.with_name(f"{path.name}.quire.toml").write_text("[[area]]\ncolumns = [5]\n")
    run = quire("read", path)
    assert (run.returncode, "[[area]] 1: columns is [5]" in run.stderr) == (2, True)


def test_inspect_writes_json(saved):
    report = json.loads(quire("inspect", saved(documents.scan_like(2)), "--json").stdout)
    assert report["media_type"] == "application/pdf"
    assert [page["text"] for page in report["pages"]] == ["absent", "absent"]
    assert report["pages"][0]["images"] >= 1


def test_the_version_names_everything_that_reads_here():
    first, *parts = quire("--version").stdout.splitlines()
    assert re.fullmatch(r"quire \d+\.\d+\.\d+", first)
    shown = {line[2:13].strip(): line[15:] for line in parts}
    assert list(shown) == ["python", "reader", "pdfium", "ocr models", "tesseract", "libraries", "optional"]
    assert shown["reader"].startswith("quire-native" if native_available() else "pure Python")
    assert re.match(r"\d+ \(pypdfium2 \d+\.", shown["pdfium"])
    assert shown["ocr models"].startswith("PP-OCRv6")
    assert re.search(r"onnxruntime \d+\.", shown["libraries"])


def test_the_version_is_shown_where_parts_are_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))  # no Tesseract
    monkeypatch.setenv("QUIRE_NATIVE", "0")
    shown = quire("--version")
    assert shown.returncode == 0
    assert "pure Python" in shown.stdout and "Tesseract is not installed" in shown.stdout


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

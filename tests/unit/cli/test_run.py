"""`quire run` as people meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quire.store.files import FileStore
from tests import documents
from tests.fakes import flow_components
from tests.unit.cli.batches import BROKEN, Desk
from tests.unit.cli.terminal import drawn_by

pytestmark = pytest.mark.processes


def test_files_are_written_where_their_documents_are_and_the_summary_has_five_lines(desk: Desk):
    result = desk.run()
    assert desk.written == ["a.md", "sub/b.md"]
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["documents", "pages", "engines", "time", "next"]
    assert lines[0] == "documents  2 complete"
    assert lines[1] == "pages      3: 3 ok"
    assert lines[4] == "next       nothing: all is done"
    assert result.stderr == ""


def test_what_is_done_is_not_done_twice(desk: Desk):
    desk.run()
    before = {path: path.stat().st_mtime_ns for path in desk.out.rglob("*.md")}
    assert desk.run().stdout.splitlines()[0] == "documents  2 done before"
    assert {path: path.stat().st_mtime_ns for path in desk.out.rglob("*.md")} == before


def test_changing_the_format_writes_other_files_and_reads_no_page_again(desk: Desk):
    desk.run()
    told = desk.json("run", "in", "-o", "out", "--to", "txt")
    assert desk.written == ["a.md", "a.txt", "sub/b.md", "sub/b.txt"]
    assert told["documents"] == {"ok": 2}


def test_one_bad_document_stops_nothing_and_is_told_once(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    result = desk.run(code=3)
    assert desk.written == ["a.md", "sub/b.md"]
    assert result.stderr.startswith("quire: bad.pdf: ") and len(result.stderr.splitlines()) == 1
    assert "1 document cannot be read and is not retried: `quire quarantine list -o out` says why" in result.stdout
    again = desk.run(code=3)
    assert again.stdout.splitlines()[0] == "documents  2 done before, 1 in quarantine"
    assert again.stderr == ""


def test_a_folder_of_mixed_files_is_read_and_what_is_left_out_is_named(desk: Desk):
    desk.add("notes.txt", b"the notes")
    desk.add("page.html", b"<h1>Heading</h1><p>text</p>")
    desk.add("old.zip", b"PK\x03\x04")
    desk.add("sub/film.mp4", b"film")
    planned = desk.quire("plan", "in", "-o", "in").stdout
    assert "4 documents" in planned and "2  left out" in planned
    assert "1  .zip: it is an archive and no document; unpack it and read what is in it: old.zip" in planned
    ran = desk.quire("run", "in", "-o", "in", "--to", "md", "--to", "html")
    left_out = "left out   2 files (1 .mp4, 1 .zip): old.zip, sub/film.mp4"
    assert "documents  4 complete" in ran.stdout and left_out in ran.stdout
    assert left_out in desk.quire("status", "-o", "in").stdout
    assert "left_out" in desk.quire("manifest", "-o", "in", "--filter", "kind=.zip").stdout
    again = desk.json("run", "in", "-o", "in", "--to", "md", "--to", "html")
    assert again["documents"] == {"skipped": 4}
    assert sorted(set(again["left_out"].values())) == [".mp4", ".zip", "output"]
    elsewhere = desk.json(
        "plan", "in", "-o", "other", "--store", "kept"
    )  # the store in the folder says what was written
    assert sorted(one["name"] for one in elsewhere["documents"]) == ["a.pdf", "notes.txt", "page.html", "sub/b.pdf"]


def test_when_nothing_worked_the_code_is_that_of_the_error(desk: Desk):
    (desk.folder / "bad.pdf").write_bytes(BROKEN)
    desk.quire("run", "bad.pdf", "-o", "out", code=5)


def test_pages_that_are_left_out_make_a_document_partial(desk: Desk):
    (desk.folder / "scan.pdf").write_bytes(documents.scan_like(2))
    result = desk.quire("run", "scan.pdf", "-o", "out", "--ocr", "never", code=3)
    assert result.stdout.splitlines()[0] == "documents  1 partial"


def test_the_error_budget_stops_new_documents(desk: Desk):
    for number in range(12):
        desk.add(f"bad-{number:02}.pdf", BROKEN + str(number).encode())
    desk.add("a.pdf", BROKEN)
    result = desk.run("--error-budget", "1", "--exclude", "sub", code=5)
    assert "not done" in result.stdout and "`quire run -o out` continues with" in result.stdout
    assert "error budget" in desk.json("status", "-o", "out")["error"]


def test_a_dry_run_shows_the_plan_and_writes_nothing(desk: Desk):
    result = desk.run("--dry-run")
    assert desk.written == []
    assert result.stdout.splitlines()[:2] == ["2 documents, flow read", "      2  to do"]


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below a folder with its time and size."""
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in [folder, *folder.rglob("*")]}


def test_a_plan_writes_nothing_before_and_after_a_run(desk: Desk):
    before = tree(desk.folder)
    desk.quire("plan", "in", "-o", "out")
    desk.run("--dry-run")
    assert tree(desk.folder) == before, "there is no output folder and no store"
    desk.run()
    desk.add("new.pdf", documents.simple(1))
    before = tree(desk.folder)
    told = desk.json("plan", "in", "-o", "out")
    assert told["counts"] == {"done": 2, "missing": 1}
    assert desk.run("--dry-run").stdout.splitlines()[0] == "3 documents, flow read"
    assert desk.quire("run", "-o", "out", "--dry-run").stdout.splitlines()[0] == "3 documents, flow read"
    assert tree(desk.folder) == before


def test_a_plan_works_on_a_read_only_mount(desk: Desk):
    """In a mount namespace of its own, where the output folder is mounted read-only."""
    desk.run()
    script = 'mount --bind out out && mount -o remount,bind,ro out && ! touch out/x 2>/dev/null && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*command, "true"], cwd=desk.folder, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount")
    for arguments in (["plan", "in", "-o", "out", "--json"], ["run", "in", "-o", "out", "--dry-run", "--json"]):
        planned = subprocess.run(
            [*command, sys.executable, "-m", "quire", *arguments], cwd=desk.folder, capture_output=True, check=False
        )
        assert planned.returncode == 0, planned.stderr
        assert json.loads(planned.stdout)["counts"] == {"done": 2}


def test_a_plan_beside_a_run_under_way_sees_what_it_has_recorded(desk: Desk):
    desk.run()
    with FileStore(desk.out / ".quire") as store:
        store.database.change("DELETE FROM outputs WHERE place LIKE '%/a'")  # in the log, not in the file yet
        assert desk.json("plan", "in", "-o", "out")["counts"] == {"done": 1, "missing": 1}


def test_a_file_that_was_changed_by_hand_is_kept_and_told(desk: Desk):
    desk.run()
    (desk.out / "a.md").write_text("corrected")
    told = desk.run().stdout.splitlines()
    assert told[0] == "documents  1 done before, 1 changed by hand"
    assert told[4] == "next       1 file was changed by hand and is kept: `quire run -o out --overwrite` replaces it"
    assert (desk.out / "a.md").read_text() == "corrected"
    assert "a.md was changed by hand and is kept: a.pdf" in desk.quire("plan", "in", "-o", "out").stdout
    assert (
        desk.quire("run", "-o", "out", "--overwrite").stdout.splitlines()[0] == "documents  1 complete, 1 done before"
    )
    assert (desk.out / "a.md").read_text() != "corrected"


def test_what_an_edited_file_lacks_is_told_when_its_document_changes(desk: Desk):
    desk.run()
    (desk.out / "a.md").write_text("corrected")
    desk.add("a.pdf", documents.simple(3))
    ran = desk.run("--quiet")
    assert ran.stderr == "quire: a.pdf: a.md was changed by hand and is kept\n"
    assert (desk.out / "a.md").read_text() == "corrected"


def test_shards_share_the_documents_among_machines(desk: Desk):
    for number in range(10):
        desk.add(f"{number}.pdf", documents.simple(1))
    parts = [desk.json("plan", "in", "-o", "out", "--shard", f"{part}/3")["documents"] for part in (1, 2, 3)]
    names = [document["name"] for part in parts for document in part]
    assert len(names) == 12 and len(set(names)) == 12
    assert all(parts)


def test_settings_come_from_a_file_and_a_preset(desk: Desk):
    (desk.folder / "quire.toml").write_text(
        '[quire]\noutput = "papers"\nto = ["txt"]\n[preset.web]\nto = ["html"]\nexclude = ["sub"]\n'
    )
    desk.quire("run", "in")
    desk.quire("run", "in", "--preset", "web")
    written = sorted(path.name for path in (desk.folder / "papers").rglob("*.*") if ".quire" not in path.parts)
    assert [name for name in written if not name.startswith(".")] == ["a.html", "a.txt", "b.txt"]


def test_a_manifest_gets_a_row_for_each_document(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run("--manifest", "manifest.jsonl", code=3)
    rows = {row["doc_id"]: row for row in map(json.loads, (desk.folder / "manifest.jsonl").read_text().splitlines())}
    assert {name: row["status"] for name, row in rows.items()} == {
        "a.pdf": "ok",
        "bad.pdf": "failed",
        "sub/b.pdf": "ok",
    }
    assert rows["a.pdf"]["output_path"] == str(desk.out / "a.md")
    assert rows["bad.pdf"]["category"] == "input"


def test_the_outcome_can_be_json(desk: Desk):
    told = desk.json("run", "in", "-o", "out")
    assert (told["exit_code"], told["documents"], told["pages"]["pages"], told["errors"]) == (0, {"ok": 2}, 3, [])


def test_quiet_says_nothing_when_all_is_well(desk: Desk):
    result = desk.run("--quiet")
    assert (result.stdout, result.stderr) == ("", "")


def test_a_store_can_lie_elsewhere_and_be_shared_by_outputs(desk: Desk):
    desk.run("--store", "kept")
    told = desk.json("run", "in", "-o", "other", "--store", "kept")
    assert not (desk.out / ".quire").exists()
    assert told["documents"] == {"ok": 2}
    assert (desk.folder / "other" / "a.md").read_bytes() == (desk.out / "a.md").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["in"], 2, "name a folder for the files with -o DIR"),
        (["in", "-o", "in/a.pdf"], 2, "is not a folder"),
        (["in", "-o", "out", "--to", "word"], 2, "there is no format 'word'; choose from md, html"),
        (["in", "-o", "out", "--words"], 2, "--words only works with JSON; add --to json"),
        (["in", "-o", "out", "--flow", "raed"], 2, "there is no flow 'raed'"),
        (["in", "-o", "out", "--flow", "read-fast", "--effort", "accurate"], 2, "effort"),
        (["in", "-o", "out", "--preset", "nigth"], 2, "there is no preset 'nigth'"),
        (["in", "-o", "out", "--engine", "nobody"], 2, "there is no engine 'nobody'"),
        (["in", "-o", "out", "--lang", "klingon"], 2, "unknown language 'klingon'"),
        (["in", "-o", "out", "--pages", "x"], 2, "1-3,7"),
        (["in", "-o", "out", "--shard", "9/8"], 2, "there is no shard 9 of 8"),
        (["in", "-o", "out", "--shard", "half"], 2, "like 2/8"),
        (["in", "-o", "out", "--retries", "-1"], 2, "--retries is -1; it must be at least 0"),
        (["in", "-o", "out", "--schedule", "lifo"], 2, "choose from fifo, sjf, ljf"),
        (["in", "-o", "out", "--policy", "tpu"], 2, "choose from io, cpu, gpu"),
        (["in", "-o", "out", "--runtime", "cloud"], 2, "choose from local, restate"),
        (["in", "-o", "out", "--include", "*.nothing"], 5, "--include and --exclude leave none"),
    ],
)
def test_mistakes_are_explained_in_a_line_before_anything_is_read(desk: Desk, arguments, code, said):
    result = desk.quire("run", *arguments, code=code)
    assert said in result.stderr and len(result.stderr.splitlines()) == 1
    assert desk.written == []


def test_a_bar_is_drawn_on_a_terminal(desk: Desk):
    drawn = drawn_by("run", desk.folder / "in", "-o", desk.folder / "out")
    assert b"2/2" in drawn and b"documents" in drawn


def test_a_pipe_that_is_named_is_an_error_of_its_own_and_stops_nothing(desk):
    os.mkfifo(desk.folder / "pipe.pdf")
    ran = desk.quire("run", "in", "pipe.pdf", "-o", "out", code=3)
    assert "quire: pipe.pdf: cannot be read: a pipe, not a file" in ran.stderr
    assert desk.written == ["a.md", "sub/b.md"]
    assert "a pipe" in desk.quire("run", "pipe.pdf", "-o", "other", code=5).stderr


def test_bad_paths_are_named_and_the_others_are_worked_on(desk):
    (desk.folder / "empty").mkdir()
    (desk.folder / "in" / "link.pdf").symlink_to("nowhere")
    paths = ("typo.pdf", "in", "empty", "gone/a.pdf")
    ran = desk.quire("run", *paths, "-o", "out", code=3)
    assert sorted(line.removeprefix("quire: ") for line in ran.stderr.splitlines()) == [
        f"{desk.folder}/gone/a.pdf: no such file or folder",
        "empty: holds no documents; see the guide on formats for what Quire reads; name other files, or --include them",
        "link.pdf: cannot be read: a link that leads nowhere, not a file",
        "typo.pdf: no such file or folder",
    ]
    assert desk.written == ["a.md", "sub/b.md"]
    assert "only `quire read` takes URLs" in desk.quire("run", "in", "http://host/a.pdf", "-o", "out", code=2).stderr
    assert desk.json("plan", *paths, "-o", "out", code=3)["counts"] == {"error": 4, "done": 2}


@pytest.mark.parametrize("command", ["run", "plan"])
def test_nothing_is_begun_when_no_path_can_be_read(desk, command):
    ran = desk.quire(command, "typo.pdf", "other.pdf", "-o", "out", code=5)
    assert ran.stderr == "quire: typo.pdf: no such file or folder\n"
    assert not (desk.folder / "out").exists()


def test_passwords_by_pattern_open_documents_and_are_written_nowhere(desk):
    desk.add("x/one.pdf", documents.encrypted("swordfish"))
    desk.add("y/two.pdf", documents.encrypted("marlin"))
    (desk.folder / "quire.toml").write_text('[quire]\npassword_for = ["x/*.pdf=swordfish", "two.pdf=marlin"]\n')
    desk.run("--to", "md")
    assert {"x/one.md", "y/two.md"} <= set(desk.written)
    kept = [path for path in desk.out.rglob("*") if path.is_file()]
    assert not [path for path in kept if b"swordfish" in path.read_bytes() or b"marlin" in path.read_bytes()]


def test_a_device_that_never_ends_is_not_read(desk):
    assert "a device, not a file" in desk.quire("run", "/dev/zero", "-o", "out", code=5).stderr


def test_names_as_long_as_a_file_system_allows(desk):
    name = "n" * 251
    desk.add(f"{name}.pdf", documents.ruled_table())
    desk.run("--to", "docling", "--to", "csv")
    long = [path for path in desk.written if path.startswith("nnn")]
    assert [path.partition(".")[2] for path in long] == ["docling.json", "table-1.csv"]
    assert desk.run().stdout.startswith("documents  3 complete")  # another format
    assert "3 done before" in desk.run().stdout


def test_a_password_that_is_no_text_is_a_mistake_of_the_call(desk, monkeypatch):
    monkeypatch.setenv("QUIRE_PASSWORD", "\udcff")
    for command in (("run", "in", "-o", "out"), ("read", "in/a.pdf"), ("inspect", "in/a.pdf")):
        assert "not valid text: encode it as UTF-8" in desk.quire(*command, code=2).stderr


def test_names_with_line_ends_stay_on_their_line(desk):
    for path in (desk.folder / "in").rglob("*.pdf"):
        path.unlink()
    desk.add("two\nlines\x1b[31m.pdf", documents.simple(1))
    desk.add("bad\nname.pdf", b"%PDF-1.7 broken")
    ran = desk.run("--manifest", "rows.jsonl", code=3)
    assert next(line for line in ran.stderr.splitlines() if "bad" in line).startswith("quire: bad\\nname.pdf: ")
    assert len((desk.folder / "rows.jsonl").read_text().splitlines()) == 2
    for command in (("manifest", "-o", "out"), ("manifest", "rows.jsonl")):
        shown = desk.quire(*command).stdout.splitlines()
        assert len(shown) == 2
        assert any("two\\nlines\\x1b[31m.pdf" in line for line in shown)
    assert {
        json.loads(line)["doc_id"] for line in desk.quire("manifest", "-o", "out", "--json").stdout.splitlines()
    } == {
        "two\nlines\x1b[31m.pdf",
        "bad\nname.pdf",
    }
    for command in ("status", "plan in"):
        shown = desk.quire(*command.split(), "-o", "out").stdout
        assert "bad\n" not in shown and "\x1b" not in shown
    assert "bad\\nname.pdf: " in desk.quire("quarantine", "list", "-o", "out").stdout


CAPTIONS = """
name: captions
inputs:
  source: {type: document}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - id: captions
    component: "tests.fakes.flow_components:caption"
    input: {page: {$step: document}}
    on_error: skip
output: {captions: {$step: captions}}
"""


def test_a_page_that_a_step_of_the_flow_lost_makes_the_document_partial_and_is_tried_again(desk: Desk):
    flow_components.reset()
    (desk.folder / "captions.yaml").write_text(CAPTIONS)
    flow_components.FAILING["caption/2"] = flow_components.refusing(1)
    arguments = ("run", "in/a.pdf", "-o", "out", "--flow", "captions.yaml")
    first = desk.quire(*arguments, code=3).stdout.splitlines()
    assert first[0] == "documents  1 partial"
    assert first[4] == "next       `quire run -o out` retries failed parts of documents"
    assert desk.json("plan", *arguments[1:])["documents"][0]["reason"] == "parts of it failed before"
    before = flow_components.CALLS["caption"]
    assert desk.quire(*arguments).stdout.splitlines()[0] == "documents  1 complete"
    assert flow_components.CALLS["caption"] == before + 1, "only the page that was lost"
    assert desk.quire(*arguments).stdout.splitlines()[0] == "documents  1 done before"
    written = json.loads((desk.out / "a.json").read_text())
    assert [caption["number"] for caption in written["captions"]] == [1, 2]


def test_a_page_that_a_document_does_not_have_is_a_mistake_of_the_call_and_never_retried(desk: Desk):
    said = desk.quire("run", "in/a.pdf", "-o", "out", "--pages", "9", code=2)
    assert "there is no page 9: the document has 2 pages" in said.stderr
    assert "--retry" not in said.stdout
    assert "change the options: they do not fit 1 document" in said.stdout
    assert desk.json("quarantine", "list", "-o", "out") == []
    desk.quire("run", "in/a.pdf", "-o", "out", "--pages", "9", code=2)


def test_one_document_that_is_too_short_for_the_pages_fails_alone(desk: Desk):
    assert desk.run("--pages", "2", code=3).stdout.splitlines()[0] == "documents  1 complete, 1 failed"
    assert desk.json("status", "-o", "out")["failures"][0]["category"] == "usage"


def test_an_open_range_ends_with_the_document(desk: Desk):
    assert desk.run("--pages", "-8").stdout.splitlines()[1] == "pages      3: 3 ok"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("secret.pdf",), 6),
        (("song.mp3",), 7),
        (("in/a.pdf", "--timeout-s", "0.001", "--retries", "0"), 8),
        (("in/a.pdf", "in/sub/b.pdf", "--timeout-s", "0.001", "--retries", "0"), 8),
    ],
)
def test_a_batch_of_which_nothing_worked_has_the_exit_code_of_the_error(desk: Desk, options, code):
    (desk.folder / "secret.pdf").write_bytes(documents.encrypted("swordfish"))
    (desk.folder / "song.mp3").write_bytes(b"ID3\x04\x00\x00 no document that is read here")
    desk.quire("run", *options, "-o", "out", code=code)

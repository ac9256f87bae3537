"""What a runner hands over: expected files alone, whatever else it wrote or linked."""

from __future__ import annotations

import os

import pytest

from quire.core.errors import UsageError
from quire.solving.workspace.collection import collect_output


@pytest.fixture
def output(tmp_path):
    folder = tmp_path / "output"
    folder.mkdir()
    (tmp_path / "secret").write_text("the key of the server")
    return folder


def test_expected_files_are_taken_and_others_are_named(output):
    (output / "answer.json").write_bytes(b"{}")
    (output / "notes.md").write_bytes(b"done")
    (output / "run.sh").write_bytes(b"rm -rf /")
    (output / "notes").mkdir()
    collected = collect_output(output)
    assert collected.files == {"answer.json": b"{}", "notes.md": b"done"}
    assert collected.refused == dict.fromkeys(("notes", "run.sh"), "it is not an expected file")


def test_links_devices_and_folders_are_never_read(output):
    (output / "answer.json").symlink_to(output.parent / "secret")
    os.link(output.parent / "secret", output / "notes.md")
    os.mkfifo(output / "evidence.jsonl")
    (output / "answer.xlsx").mkdir()
    collected = collect_output(output)
    assert collected.files == {}
    assert set(collected.refused) == {"answer.json", "answer.xlsx", "evidence.jsonl", "notes.md"}
    assert "hard link" in collected.refused["notes.md"]


def test_an_output_folder_that_is_a_link_is_refused(output):
    output.rmdir()
    output.symlink_to(output.parent)
    with pytest.raises(UsageError, match="removed or replaced"):
        collect_output(output)


def test_all_files_together_have_a_limit(output):
    (output / "answer.json").write_bytes(b"x" * 60)
    (output / "notes.md").write_bytes(b"x" * 50)
    collected = collect_output(output, max_bytes=100)
    assert list(collected.files) == ["answer.json"]
    assert collected.refused == {"notes.md": "it is larger than the 40 bytes that are left"}


def test_a_flood_of_files_does_not_hide_the_answer(output):
    for number in range(50):
        (output / f"{number}").touch()
    (output / "answer.json").write_bytes(b"{}")
    collected = collect_output(output, max_entries=10)
    assert collected.files == {"answer.json": b"{}"}
    assert len(collected.refused) <= 10

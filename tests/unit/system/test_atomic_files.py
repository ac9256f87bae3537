"""Atomic writes: files appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.core.errors import StoreError, UsageError
from quire.system.atomic_files import LONGEST_STEM, fitting_stem, write_files
from tests.fakes.disks import full_disk


def test_files_and_their_folders_are_made(tmp_path):
    write_files({tmp_path / "a" / "one.md": b"1", tmp_path / "two.md": b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*.md")} == {"one.md": b"1", "two.md": b"2"}


def test_an_interrupt_leaves_nothing_behind(tmp_path):
    class Interrupting(dict[Path, bytes]):
        def items(self):
            yield tmp_path / "one.md", b"1"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_files(Interrupting())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_keeps_what_was_there(tmp_path):
    path = tmp_path / "one.md"
    path.write_bytes(b"old")
    with full_disk(after=1000), pytest.raises(StoreError, match="nothing was written"):
        write_files({path: b"x" * 2000})
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("one.md", b"old")]


def test_a_file_where_a_folder_should_be_is_a_mistake_of_the_caller(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match="file"):
        write_files({tmp_path / "file" / "one.md": b"1"})


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path):
    path = tmp_path / f"{'n' * 252}.md"
    write_files({path: b"1"})
    assert path.read_bytes() == b"1"


def test_a_name_that_is_too_long_is_told_and_leaves_nothing(tmp_path):
    with pytest.raises(StoreError, match="File name too long; nothing was written"):
        write_files({tmp_path / "one.md": b"1", tmp_path / ("n" * 256): b"2"})
    assert list(tmp_path.iterdir()) == []


def test_a_long_stem_is_cut_between_characters_and_stays_apart_from_others():
    long = "ü" * 125
    fitted = [fitting_stem(stem) for stem in (long, long + "x", long + "x")]
    assert fitted[0] != fitted[1] == fitted[2]
    assert all(len(stem.encode()) <= LONGEST_STEM and stem.startswith("ü" * 100) for stem in fitted)
    assert fitting_stem("report") == "report"


def test_an_error_names_the_file_and_not_what_it_is_called_meanwhile(tmp_path):
    with full_disk(after=1000), pytest.raises(StoreError) as raised:
        write_files({tmp_path / "one.md": b"x" * 2000})
    assert ".part" not in str(raised.value)
    with pytest.raises(StoreError, match=r"cannot write /sys/one\.md"):
        write_files({Path("/sys/one.md"): b"1"})

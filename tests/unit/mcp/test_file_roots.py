"""Files that may be added: those of the allowed folders, whatever a path says."""

from __future__ import annotations

import os

import pytest

from quire.core.errors import UsageError
from quire.mcp.file_roots import FileRoots


@pytest.fixture
def folder(tmp_path):
    """An allowed folder beside a secret."""
    inside = tmp_path / "allowed"
    (inside / "below").mkdir(parents=True)
    (inside / "below" / "report.pdf").write_bytes(b"%PDF report")
    (tmp_path / "secret.txt").write_text("secret")
    return inside


def read(part) -> bytes:
    with part.open() as file:
        return file.read()


def test_a_file_is_found_by_its_path_and_by_its_whole_path(folder):
    roots = FileRoots([folder])
    part, key = roots.file("below/report.pdf")
    assert (part.name, part.size, read(part)) == ("report.pdf", 11, b"%PDF report")
    assert roots.file(str(folder / "below" / "report.pdf"))[1] == key
    (folder / "below" / "report.pdf").write_bytes(b"%PDF changed")
    assert roots.file("below/report.pdf")[1] != key


def test_a_path_in_the_second_folder_is_found(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "scan.png").write_bytes(b"png")
    assert FileRoots([folder, other]).file("scan.png")[0].name == "scan.png"


@pytest.mark.parametrize("path", ["../secret.txt", "below/../../secret.txt", "/etc/passwd", "~/.ssh/id_rsa/../../x"])
def test_a_path_that_leaves_the_folder_is_refused_whether_or_not_it_exists(folder, path):
    with pytest.raises(UsageError) as raised:
        FileRoots([folder]).file(path)
    assert "secret" not in str(raised.value).replace(path, "")
    if not path.startswith("~"):
        assert "not inside of the allowed folders; they have: below/" in str(raised.value)


def test_links_that_lead_out_are_refused(folder, tmp_path):
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "out").symlink_to(tmp_path)
    (folder / "same.pdf").symlink_to(folder / "below" / "report.pdf")
    roots = FileRoots([folder])
    for path in ("link.txt", "out/secret.txt"):
        with pytest.raises(UsageError, match="not inside of the allowed folders"):
            roots.file(path)
    assert roots.file("same.pdf")[0].name == "report.pdf"


def test_a_file_that_becomes_a_link_before_it_is_sent_is_not_sent(folder, tmp_path):
    part, _ = FileRoots([folder]).file("below/report.pdf")
    (folder / "below" / "report.pdf").unlink()
    (folder / "below" / "report.pdf").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(OSError, match="symbolic links"):
        part.open()


def test_a_wrong_name_is_answered_with_those_that_exist(folder):
    roots = FileRoots([folder])
    with pytest.raises(UsageError, match=r"there is no file 'below/repotr.pdf'; the nearest folder has: report.pdf"):
        roots.file("below/repotr.pdf")
    with pytest.raises(UsageError, match=r"'below' is a folder; it has: report.pdf"):
        roots.file("below")
    for path in ("", "a\0b"):
        with pytest.raises(UsageError, match="there are: below/"):
            roots.file(path)


def test_a_pipe_is_refused_at_once(folder):
    os.mkfifo(folder / "pipe")
    with pytest.raises(UsageError, match="a pipe, not a file"):
        FileRoots([folder]).file("pipe")


def test_without_folders_nothing_is_open(tmp_path):
    with pytest.raises(UsageError, match="--root FOLDER"):
        FileRoots([]).file("x.pdf")
    with pytest.raises(UsageError, match="is not a folder"):
        FileRoots([tmp_path / "missing"])

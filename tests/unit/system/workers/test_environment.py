"""What a worker gets from its parent, while another thread of the parent imports OpenCV and after it did."""

from __future__ import annotations

import os
import sys

import pytest

from quire.system.child_environment import child_environment
from quire.system.workers import Job, WorkerPool
from quire.system.workers.environment import worker_environment


@pytest.mark.processes
@pytest.mark.parametrize("inside", ["", "python-3.11"])
def test_a_worker_starts_while_opencv_is_being_imported(tmp_path, monkeypatch, inside):
    package = tmp_path / "cv2"
    added = package / inside
    (added / "typing").mkdir(parents=True)
    for file in (package / "__init__.py", added / "typing" / "__init__.py"):
        file.write_text("raise ImportError('of OpenCV')")
    monkeypatch.setattr(sys, "path", [str(added), *sys.path])  # its loader does so
    with WorkerPool(1) as pool:
        answer = pool.submit(Job("tests.fakes.jobs:double", 21), timeout_s=60).result(60)
    assert answer.header["number"] == 42


def test_a_folder_of_the_same_name_that_is_no_package_is_searched(tmp_path, monkeypatch):
    (tmp_path / "cv2").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "cv2"), *sys.path])
    assert str(tmp_path / "cv2") in worker_environment({}, folder="")["PYTHONPATH"].split(os.pathsep)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("/a::/b:", {"LD_LIBRARY_PATH": "/a:/b"}), (":", {}), ("", {}), ("/a", {"LD_LIBRARY_PATH": "/a"})],
)
def test_libraries_are_not_searched_in_the_current_folder(given, kept):
    assert child_environment({"LD_LIBRARY_PATH": given}) == kept
    assert worker_environment({"LD_LIBRARY_PATH": given}, folder="").items() >= kept.items()

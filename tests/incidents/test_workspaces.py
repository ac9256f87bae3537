"""Workspaces on every kind of store, and after a kill: one digest."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import quire
from quire.solving.workspace.folder import Workspace
from quire.store.images import image_name
from quire.store.opening import open_store
from tests import documents, scans

pytestmark = pytest.mark.processes

TASK = "List the numbers of the sheets."
SCHEMA = {"type": "object", "properties": {"sheets": {"type": "array", "items": {"type": "string"}}}}


@pytest.fixture
def sources(tmp_path) -> list[Path]:
    """A scan and a document with text."""
    contents = {"scan.pdf": scans.numbered_scans(2), "report.pdf": documents.ruled_table()}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in contents]


@pytest.mark.servers
def test_no_store_a_folder_and_a_bucket_with_postgresql_give_the_same_workspace(
    tmp_path, sources, postgres_url, s3_url
):
    plain = quire.build_workspace(tmp_path / "plain", TASK, sources, schema=SCHEMA)
    digests = [plain.digest]
    for name, place, facts in (("sqlite", str(tmp_path / "store"), None), ("postgresql", s3_url, postgres_url)):
        with open_store(place, facts) as store:
            for again in ("first", "second"):
                made = quire.build_workspace(tmp_path / f"{name}-{again}", TASK, sources, schema=SCHEMA, store=store)
                assert made.faults() == []
                digests.append(made.digest)
            scan = quire.read(sources[0], store=store)
            assert {record.source_image for record in scan.catalog().records} == {
                image_name(scan.id, n) for n in (1, 2)
            }
            assert (
                store.objects.read(image_name(scan.id, 2))
                == (plain.folder / "input/pages/document-1/page-002.png").read_bytes()
            )
    assert len(set(digests)) == 1


BUILD = """
import sys
import quire
from quire.solving.workspace.folder import Workspace
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument

source, target, stuck = sys.argv[1:]
result = quire.read(source)

def draw(pages):
    for page in pages:
        if str(page) == stuck:
            print("stuck", flush=True)
            sys.stdin.read()
        yield b"picture of page %d" % page

document = WorkspaceDocument(result.catalog(), open(source, "rb").read(), draw)
print(Workspace.build(target, SolveTask("Count the pages."), [document]).digest)
"""


def test_a_build_that_is_killed_leaves_no_half_workspace_and_is_made_again(tmp_path):
    source, target = tmp_path / "report.pdf", tmp_path / "work"
    source.write_bytes(documents.simple(pages=3))
    command = [sys.executable, "-c", BUILD, str(source)]
    calm = subprocess.run([*command, str(tmp_path / "calm"), ""], capture_output=True, text=True, check=True)
    for page in ("1", "2", "3"):
        with subprocess.Popen(
            [*command, str(target), page], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as build:
            assert build.stdout is not None
            assert build.stdout.readline() == "stuck\n"
            build.send_signal(signal.SIGKILL)
        assert not target.exists()
    again = subprocess.run([*command, str(target), ""], capture_output=True, text=True, check=True)
    assert again.stdout == calm.stdout
    assert Workspace.open(target).faults() == []

"""`quire read --server`: the same files, lines and exit codes as a local read."""

from __future__ import annotations

import os
import re

import pytest

from quire.cli.read_server import check_server_options
from quire.core.config import Settings
from quire.core.errors import UsageError
from tests import documents
from tests.unit.cli.test_cli import quire
from tests.unit.service.api.conftest import half_damaged, server  # noqa: F401 - fixtures

pytestmark = pytest.mark.processes


def without_times(text):
    return re.sub(r"in [\d.]+ s", "in N s", text)


def test_a_server_writes_the_files_of_a_local_read(server, tmp_path, half_damaged):  # noqa: F811
    given = tmp_path / "in"
    given.mkdir()
    (given / "prices.pdf").write_bytes(documents.ruled_table())
    (given / "scan.tiff").write_bytes(half_damaged)
    (given / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    asked = ("--to", "md", "--to", "csv", "--to", "json", "--words", "--to", "hocr", "--ocr", "never", "--show", "-v")
    here = quire("read", given, "-o", tmp_path / "out", *asked)
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    for path in (tmp_path / "out").iterdir():
        path.unlink()
    environment = {**os.environ, "QUIRE_SERVER": server.url, "QUIRE_API_KEY": "not asked for"}
    there = quire("read", given, "-o", tmp_path / "out", *asked, env=environment)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == written
    assert without_times(there.stderr) == without_times(here.stderr)
    assert there.returncode == here.returncode == 3


@pytest.mark.parametrize("option", ["store", "facts", "workers", "similar", "allow_private_urls"])
def test_options_of_this_machine_are_refused(option):
    with pytest.raises(UsageError, match=f"--{option.replace('_', '-')} is for documents that are read here"):
        check_server_options(Settings(), {option: True})


def test_passwords_are_not_sent_to_a_server():
    with pytest.raises(UsageError, match="passwords are not sent"):
        check_server_options(Settings(password="secret"), {})

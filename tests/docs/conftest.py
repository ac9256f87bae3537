"""A folder with the documents that the pages speak of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import documents
from tests.docs.pages import ROOT
from tests.unit.service.api.conftest import serving


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server, in place of the one that the pages name."""
    with serving(tmp_path_factory.mktemp("served"), tenants=False) as running:
        yield running.url


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of a reader: the sample under the names used on the pages, and some that are odd."""
    sample = ROOT / "examples" / "sample.pdf"
    for name in ("report.pdf", "letters/first.pdf", "examples/sample.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(sample, tmp_path / name)
    for name in ("scan.png", "examples/scan.png"):
        shutil.copy(ROOT / "examples" / "scan.png", tmp_path / name)
    for name in ("invoice.pdf", "form.pdf", "drawing.pdf"):
        shutil.copy(ROOT / "src" / "quire" / "flow" / "samples" / name, tmp_path / name)
    shutil.copytree(ROOT / "examples" / "receipts", tmp_path / "receipts")
    (tmp_path / "secret.pdf").write_bytes(documents.encrypted("swordfish"))
    (tmp_path / "scan.pdf").write_bytes(documents.scan_like())
    (tmp_path / "cut.pdf").write_bytes(sample.read_bytes()[:3000])
    (tmp_path / "inbox").mkdir()
    shutil.copy(sample, tmp_path / "inbox" / "report.pdf")
    shutil.copy(ROOT / "examples" / "scan.png", tmp_path / "inbox" / "note.png")
    (tmp_path / "inbox" / "cut.pdf").write_bytes(sample.read_bytes()[:3000])
    (tmp_path / "notes.docx").write_bytes(b"PK\x03\x04 a document of another kind")
    documents.scan().save(tmp_path / "scan.tiff")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path

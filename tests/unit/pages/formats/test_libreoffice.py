"""LibreOffice as a program that is missing, hangs, fails or is used twice at the same time; a script stands for it."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path

import pytest

from quire import ConfigurationError, CorruptError, Document, LimitError
from quire.core.media_types import DOCX
from quire.pages.formats import libreoffice
from quire.pages.formats.conversion import convert, reader_of
from quire.pages.formats.printed import printer
from tests import office_files

pytestmark = pytest.mark.processes


@pytest.fixture(autouse=True)
def printing(monkeypatch):
    monkeypatch.setenv("QUIRE_PRINT", "office")


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Puts a script in the place of `soffice`; the last of its arguments is the document."""

    def put(script: str) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        program = folder / "soffice"
        program.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo LibreOffice 9.9.1; exit; fi\n{script}\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        libreoffice._version.cache_clear()
        return tmp_path

    yield put
    libreoffice._version.cache_clear()


def working_in(folder: Path) -> list[str]:
    """The processes whose working directory is in this folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            place = str((process / "cwd").readlink())
        except OSError:
            continue
        if place.startswith(str(folder)):
            found.append((process / "cmdline").read_text())
    return found


def test_without_libreoffice_an_old_file_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert printer("docx") is None
    document = Document.from_bytes(office_files.RTF, name="letter.rtf")
    with pytest.raises(
        ConfigurationError, match=r"letter.rtf: LibreOffice is needed .* apt install libreoffice-writer"
    ):
        convert(document)


def test_without_libreoffice_a_new_file_is_read_without_boxes(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    bundle, _ = convert(Document.from_bytes(office_files.docx(), name="report.docx"))
    assert bundle.pdf is None and not bundle.unprinted
    assert "libreoffice" not in bundle.reader


def test_the_version_of_libreoffice_is_part_of_the_key(stand_in, monkeypatch):
    stand_in("exit 1")
    assert reader_of(DOCX).endswith("-libreoffice-9.9.1")
    monkeypatch.setenv("QUIRE_PRINT", "no")
    assert "libreoffice" not in reader_of(DOCX)
    monkeypatch.setenv("QUIRE_PRINT", "sometimes")
    with pytest.raises(ConfigurationError, match="QUIRE_PRINT is 'sometimes'"):
        reader_of(DOCX)


def test_a_hung_program_is_ended_with_its_children(stand_in, monkeypatch):
    folder = stand_in("sleep 600 & setsid sleep 600 & wait") / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    with pytest.raises(LimitError, match=r"report.docx: LibreOffice did not finish within 1 s"):
        libreoffice.convert(b"x", suffix="docx", to="pdf", name="report.docx", until=time.monotonic() + 1)
    until = time.monotonic() + 60
    while (left := working_in(folder)) and time.monotonic() < until:
        threading.Event().wait(0.01)
    if libreoffice.isolation() == "namespaces":  # elsewhere the guard of the worker ends what left the group
        assert not left
    assert not list(folder.iterdir())


def test_a_document_that_cannot_be_printed_is_still_read(stand_in):
    stand_in("echo 'Error: source file could not be loaded' >&2; exit 1")
    bundle, structure = convert(Document.from_bytes(office_files.docx(), name="report.docx"))
    assert bundle.pdf is None
    assert "could not be loaded" in bundle.unprinted or "exit code 1" in bundle.unprinted
    assert b"Annual report" in structure


def test_two_conversions_at_the_same_time_have_a_profile_each(stand_in):
    # Each writes its profile into its output; neither ends before both have begun.
    folder = stand_in(
        'for last; do :; done; mkdir -p out; echo "$1" >out/document.pdf; touch "$MEETING/$$-$(basename $PWD)"; '
        'n=0; while [ $(ls "$MEETING" | wc -l) -lt 2 ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n+1)); done'
    )
    meeting = folder / "meeting"
    meeting.mkdir()
    program = folder / "bin" / "soffice"
    program.write_text(program.read_text().replace("$MEETING", str(meeting)))
    found: list[bytes] = []

    def one() -> None:
        found.append(libreoffice.convert(b"x", suffix="docx", to="pdf", name="report.docx"))

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == len(set(found)) == 2
    assert len(list(meeting.iterdir())) == 2


def test_nothing_of_our_environment_reaches_the_program(stand_in, monkeypatch):
    monkeypatch.setenv("QUIRE_API_KEY", "secret")
    stand_in("mkdir -p out; env >out/document.pdf")
    seen = libreoffice.convert(b"x", suffix="docx", to="pdf", name="report.docx").decode()
    assert "secret" not in seen and "QUIRE" not in seen


def test_output_of_a_program_that_fails_is_a_corrupt_document(stand_in):
    stand_in("exit 3")
    with pytest.raises(CorruptError, match=r"old.xls: LibreOffice cannot open it as xls \(exit code 3\)"):
        libreoffice.convert(b"x", suffix="xls", to="xlsx", name="old.xls")

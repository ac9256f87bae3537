"""Documents from paths, bytes and file objects, and everything that is not one."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from quire.core.document import Document
from quire.core.errors import CorruptError, InputError, UnsupportedError, UsageError
from tests import documents

pytestmark = pytest.mark.both_readers


def test_the_bytes_of_a_path_are_held_until_it_is_closed(saved):
    path = saved(documents.simple())
    document = Document(path)
    assert document.name == "report.pdf"
    assert document.size == path.stat().st_size
    content = document.content
    assert content == path.read_bytes()
    references = sys.getrefcount(content)
    document.close()
    assert sys.getrefcount(content) < references
    assert document.size == path.stat().st_size


def test_path_bytes_and_file_object_are_the_same_document(saved):
    data = documents.simple()
    path = saved(data)
    with path.open("rb") as file:
        made = [Document(path), Document(str(path)), Document(data), Document(bytearray(data)), Document(file)]
    assert {document.id for document in made} == {hashlib.sha256(data).hexdigest()}
    assert {document.media_type for document in made} == {"application/pdf"}


def test_a_file_object_brings_its_name(saved):
    with saved(documents.simple(), "minutes.pdf").open("rb") as file:
        assert Document(file).name == "minutes.pdf"


def test_a_given_name_wins(saved):
    assert Document(saved(documents.simple()), name="minutes").name == "minutes"
    assert Document(documents.simple()).name == "document"


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.pdf: no such file"):
        Document(tmp_path / "nowhere.pdf")


def test_a_folder_is_not_a_document(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        Document(tmp_path)


def test_an_impossible_name_is_an_input_error():
    with pytest.raises(InputError):
        Document("report\0.pdf")
    with pytest.raises(InputError):
        Document("x" * 5000)


@contextmanager
def nobody():
    """Without the rights of root, who may read everything."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


def test_a_file_without_permission_is_an_input_error():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.pdf"
        path.write_bytes(documents.simple())
        Path(folder).chmod(0o755)
        path.chmod(0)
        with nobody(), pytest.raises(InputError, match="cannot be read"):
            Document(path)


@pytest.mark.parametrize("source", [b"", io.BytesIO()])
def test_nothing_is_not_a_document(source):
    with pytest.raises(CorruptError, match="empty"):
        Document(source)


def test_an_empty_file_is_named(saved):
    with pytest.raises(CorruptError, match=r"report\.pdf: the file is empty"):
        Document(saved(b""))


def test_a_text_file_object_is_a_mistake_of_the_caller():
    with pytest.raises(UsageError, match="rb"):
        Document(io.StringIO("%PDF-1.7"))


def test_a_number_is_a_mistake_of_the_caller():
    with pytest.raises(UsageError, match="int"):
        Document(7)


@pytest.mark.parametrize(("name", "data"), [("notes", b"Just text."), ("tool.exe", b"MZ\0"), ("x", b"\0\1")])
def test_other_kinds_of_file_are_unsupported(saved, name, data):
    document = Document(saved(data, name))
    with pytest.raises(UnsupportedError, match="Quire reads PDF"):
        _ = document.reader


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"%PDF-1.4", "application/pdf"),
        (b"\r\njunk before\n%PDF-1.4", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\x89PNG\r\n\x1a\n with %PDF- inside", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"II*\0", "image/tiff"),
        (b"MM\0+", "image/tiff"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"BM\x46\0\0\0\0\0\0\0", "image/bmp"),
        (b"BMW sells cars", "text/plain"),
    ],
)
def test_the_bytes_decide_what_a_file_is(head, media_type):
    assert Document(head, name="whatever.txt").media_type == media_type


def test_pages_are_counted_from_1():
    document = Document(_png())
    assert [page.number for page in document.pages()] == [1]
    assert document.page(1).id == f"{document.id}/1"
    for number in (0, 2, -1):
        with pytest.raises(UsageError, match="there is no page"):
            document.page(number)


def test_a_page_gives_its_text_and_picture():
    page = Document(_png()).page(1)
    assert page.text().images[0] == 0
    assert page.image().png.startswith(b"\x89PNG")


def test_a_closed_document_opens_again():
    with Document(_png()) as document:
        first = document.reader
    assert document.reader is not first
    assert document.page_count == 1


def test_it_shows_what_it_is():
    assert repr(Document(_png(), name="scan.png")) == "Document('scan.png', image/png)"


def test_memory_holds_no_file_that_is_only_named(tmp_path):
    path = tmp_path / "big.pdf"
    with path.open("wb") as file:
        file.write(b"%PDF-1.7")
        file.truncate(64 << 20)
    document = Document(path)
    assert len(document.id) == 64
    assert document.data is None


def _png() -> bytes:
    buffer = io.BytesIO()
    documents.scan(30).save(buffer, "PNG")
    return buffer.getvalue()


def test_pipes_and_devices_are_no_documents_and_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.pdf")
    with pytest.raises(InputError, match=r"pipe\.pdf: is a pipe, not a file; write the document to a file first"):
        Document(tmp_path / "pipe.pdf")
    with pytest.raises(InputError, match="/dev/zero: is a device, not a file"):
        Document("/dev/zero")


def test_a_file_that_becomes_a_pipe_is_not_waited_for(saved):
    document = Document(path := saved(documents.simple()))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(InputError, match="a pipe, not a file"):
        assert document.id


def test_a_password_that_is_no_text_is_a_mistake_of_the_caller():
    with pytest.raises(UsageError, match="not valid text"):
        Document(documents.simple(), password="\udcff")


def test_a_name_with_control_characters_stays_on_one_line():
    with pytest.raises(CorruptError) as raised:
        Document(b"", name="two\nlines\x1b[2J\udcff \u202efdp.exe.pdf")
    assert str(raised.value) == r"two\nlines\x1b[2J\xff \u202efdp.exe.pdf: the file is empty"
    assert raised.value.document == "two\nlines\x1b[2J\udcff \u202efdp.exe.pdf"


def test_load_and_from_bytes_refuse_what_the_other_takes():
    with pytest.raises(UsageError, match="load takes a path, not bytes; from_bytes takes bytes"):
        Document.load(_png())
    with pytest.raises(UsageError, match="from_bytes takes bytes, not str; load takes a path"):
        Document.from_bytes("scan.png", name="scan.png")

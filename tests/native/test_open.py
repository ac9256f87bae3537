"""Documents that cannot be read end in a typed error that names them; nothing else happens."""

from __future__ import annotations

import os
import random
import re
import sys
from pathlib import Path

import pytest

from quire.core.document import Document, RenderOptions
from quire.core.errors import CorruptError, InputError, PasswordError, UnsupportedError
from quire.pages.render.pdf import open_pdf
from tests import documents
from tests.rawpdf import assemble, stream

MUTANTS = 40  # per kind of document


def test_a_password_opens_an_encrypted_document(native):
    reader = native(documents.encrypted("secret"), password="secret")

    assert reader.metadata()["encrypted"] == "yes"
    (page,) = reader.text([1])
    assert b"Behind" in page


@pytest.mark.parametrize(("password", "words"), [(None, "pass its password"), ("guess", "is wrong"), ("a\0b", "wrong")])
def test_a_missing_or_wrong_password_is_told(native, password: str | None, words: str):
    with pytest.raises(PasswordError, match=f"report.pdf: .*{words}"):
        native(documents.encrypted("secret"), password=password)


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n", b"%PDF-1.4\nnothing here", b"\0" * 5000, b"%PDF-" + os.urandom(3000)], ids=range(4)
)
def test_garbage_is_corrupt(native, data: bytes):
    with pytest.raises(CorruptError, match=r"report\.pdf"):
        native(data)


def test_a_document_without_pages_is_corrupt(native):
    with pytest.raises(CorruptError, match="has no pages"):
        native(documents.zero_pages())


def test_a_document_cut_off_ends_in_pages_or_an_error(native):
    try:
        reader = native(documents.truncated())
    except InputError as error:
        assert error.document == "report.pdf"
    else:
        assert list(reader.text(range(1, reader.page_count + 1)))


def test_a_file_is_read_from_its_path(native, saved):
    path: Path = saved(documents.simple(3), "a näme with späces.pdf")

    assert native(path).page_count == 3


def test_a_file_cut_off_after_opening_does_no_harm(native, saved):
    path: Path = saved(documents.simple(30))
    reader = native(path)
    path.write_bytes(b"")

    assert len(list(reader.text(range(1, 31), threads=2))) == 30


@pytest.mark.slow
def test_a_very_large_file_is_left_on_disk(native, tmp_path: Path):
    path = tmp_path / "large.pdf"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>>",
        stream(bytes(65 << 20)),
    ]
    path.write_bytes(assemble(objects))
    reader = native(path)

    assert isinstance(next(reader.text([1])), bytes)
    assert next(reader.render([1], RenderOptions())).mode == "L"


def test_a_document_is_written_out_plainly(native):
    reader = native(documents.encrypted("secret"), password="secret")
    plain = reader.plain(1 << 20)

    assert native(plain).metadata()["encrypted"] == "no"
    assert list(native(plain).text([1])) == list(reader.text([1]))
    assert reader.plain(100) is None


def test_a_page_that_does_not_exist_is_refused(native):
    reader = native(documents.simple(2))

    for call in (lambda: reader.info(3), lambda: reader.text([0]), lambda: reader.render([1, 3], RenderOptions())):
        with pytest.raises(ValueError, match="there is no page"):
            call()


def test_a_closed_document_says_so(native):
    reader = native(documents.simple())
    reader.close()

    with pytest.raises(ValueError, match="closed"):
        reader.info(1)


def test_results_under_way_survive_closing(native):
    reader = native(documents.simple(6))
    pages = reader.text(range(1, 7), threads=2)
    reader.close()

    assert all(isinstance(page, bytes) for page in pages)


@pytest.mark.parametrize(
    "kind",
    [documents.links_and_outline, documents.form_fields, documents.tagged, documents.scan_like],
    ids=lambda kind: kind.__name__,
)
def test_hostile_bytes_end_in_a_result_or_a_typed_error(native, kind):
    data, chance = kind(), random.Random(kind.__name__)
    outcomes = {"pages": 0, "errors": 0}
    for _ in range(MUTANTS):
        mutant = bytearray(data)
        for _ in range(chance.choice((1, 5, 50, 500))):
            mutant[chance.randrange(len(mutant))] = chance.choice(b"0123456789<>[]()/% RrfnO\0\xff")
        if chance.random() < 0.2:
            del mutant[chance.randrange(len(mutant)) :]
        try:
            reader = native(bytes(mutant))
        except InputError:
            outcomes["errors"] += 1
            continue
        pages = range(1, min(reader.page_count, 3) + 1)
        options = RenderOptions(dpi=36, max_pixels=10_000_000)
        results = [*reader.text(pages, threads=2), *reader.render(pages, options, threads=2)]
        assert len(results) == 2 * len(pages)
        reader.outline(), reader.metadata()
        reader.close()
        outcomes["pages"] += 1

    assert outcomes["pages"]


def test_the_reader_is_chosen_by_the_environment(native, monkeypatch):
    monkeypatch.delenv("QUIRE_NATIVE", raising=False)
    assert re.fullmatch(r"pdfium-native [0-9a-f]{16} on \d{4,}", open_pdf(Document(documents.simple())).name)

    monkeypatch.setenv("QUIRE_NATIVE", "0")
    assert re.fullmatch(r"pdfium-python on \d{4,}", open_pdf(Document(documents.simple())).name)


@pytest.mark.parametrize(
    ("data", "password", "kind"),
    [
        (documents.encrypted("secret"), None, PasswordError),
        (documents.encrypted("secret"), "guess", PasswordError),
        (documents.encrypted("secret").replace(b"/Standard", b"/Standart"), None, UnsupportedError),
        (b"%PDF-1.4\nnothing here", None, CorruptError),
        (documents.zero_pages(), None, CorruptError),
    ],
    ids=["no password", "wrong password", "unknown encryption", "damaged", "no pages"],
)
def test_both_readers_refuse_alike(native, monkeypatch, data: bytes, password: str | None, kind: type[InputError]):
    said = []
    for native_off in ("", "0"):
        monkeypatch.setenv("QUIRE_NATIVE", native_off)
        with pytest.raises(kind, match=r"report\.pdf") as caught:
            open_pdf(Document(data, name="report.pdf", password=password))
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]


def without_trailer() -> bytes:
    """Two pages that PDFium does not find: the word `trailer` is misspelt."""
    return documents.simple(2).replace(b"trailer", b"xrailer")


def test_a_file_that_pdfium_refuses_is_rewritten_and_read(native, monkeypatch):
    pytest.importorskip("pikepdf", reason="the extra `repair` is not installed")
    monkeypatch.delenv("QUIRE_NATIVE", raising=False)
    reader = open_pdf(Document(without_trailer(), name="report.pdf"))

    assert reader.page_count == 2
    assert all(isinstance(page, bytes) for page in reader.text([1, 2]))


def test_the_extra_that_might_help_is_named_where_it_is_missing(native, monkeypatch):
    monkeypatch.setitem(sys.modules, "pikepdf", None)

    with pytest.raises(CorruptError, match=r"report\.pdf: .*quire-documents\[repair\]"):
        open_pdf(Document(without_trailer(), name="report.pdf"))


def test_a_wrong_password_stays_a_wrong_password(native, monkeypatch):
    monkeypatch.delenv("QUIRE_NATIVE", raising=False)

    with pytest.raises(PasswordError, match="is wrong"):
        open_pdf(Document(documents.encrypted("secret"), name="report.pdf", password="guess"))

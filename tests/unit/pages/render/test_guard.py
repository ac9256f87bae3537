"""The guard before PDFium: what it must detect wherever it is hidden, and what it must accept."""

from __future__ import annotations

import base64
import random
import zlib
from io import BytesIO

import pytest

from quire.core.document import Document, RenderOptions
from quire.core.errors import InputError, LimitError
from quire.pages.render import _guard
from quire.pages.render._guard import GuardedReader
from quire.pages.render._objects import PdfObjects, Ref
from quire.pages.render._streams import unpack
from quire.pages.render.pdf import open_pdf
from tests import bombs, documents
from tests.rawpdf import assemble, stream

pytestmark = pytest.mark.both_readers


@pytest.fixture(params=["1", "0"], ids=["default", "pure"], autouse=True)
def _reader(request, monkeypatch):
    monkeypatch.setenv("QUIRE_NATIVE", request.param)


def statuses(data: bytes, **options: str) -> list[str]:
    with Document(data, name="report.pdf", **options) as document:
        read = document.reader.text(range(1, document.page_count + 1))
        return [str(page) if isinstance(page, InputError) else "ok" for page in read]


def hidden(data: bytes, **options: object) -> bytes:
    """The same document with its objects in object streams."""
    pikepdf = pytest.importorskip("pikepdf", reason="the extra `repair` is not installed")
    written = BytesIO()
    with pikepdf.open(BytesIO(data)) as pdf:
        pdf.save(written, object_stream_mode=pikepdf.ObjectStreamMode.generate, **options)
    return written.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        documents.simple(3),
        documents.tagged(),
        documents.form_fields(),
        documents.links_and_outline(),
        documents.scan_like(),
        documents.encrypted(""),
    ],
    ids=["simple", "tagged", "form", "links", "scan", "encrypted"],
)
def test_ordinary_documents_get_the_plain_reader(data):
    with Document(data) as document:
        assert not isinstance(document.reader, GuardedReader)


def test_forms_that_draw_forms_ten_deep_are_read():
    assert statuses(bombs.doubling_forms(10)) == ["ok", "ok"]


def test_a_form_of_two_thousand_fields_is_opened():
    with Document(bombs.form_fields(2_000)) as document:
        assert document.page_count == 1


def test_a_page_used_three_thousand_times_is_read_each_time():
    with Document(bombs.repeated_page(3_000)) as document:
        last = document.page(3_000).text()

    assert " ".join(last.texts) == bombs.HARMLESS


def test_marks_nested_a_thousand_deep_are_read():
    assert statuses(bombs.marked_content(1_000)) == ["ok", "ok"]


@pytest.mark.parametrize("bomb", [bombs.marked_content, bombs.doubling_forms], ids=lambda bomb: bomb.__name__)
def test_bombs_in_object_streams_are_found(bomb):
    first, second = statuses(hidden(bomb()))

    assert first == "ok"
    assert second.startswith("report.pdf, page 2: its ")


def test_fields_in_object_streams_are_counted():
    with pytest.raises(LimitError, match="form fields side by side"):
        statuses(hidden(bombs.form_fields(5_000)))


def test_fields_of_one_name_are_counted():
    with pytest.raises(LimitError, match="of one name"):
        statuses(bombs.form_fields(2_000, name="same"))


def test_a_bomb_behind_a_password_is_found():
    pikepdf = pytest.importorskip("pikepdf", reason="the extra `repair` is not installed")
    data = hidden(bombs.doubling_forms(), encryption=pikepdf.Encryption(owner="secret", user="secret"))
    first, second = statuses(data, password="secret")

    assert first == "ok"
    assert "too many for a file of this size" in second


def test_a_bomb_in_a_large_file_is_found_piece_by_piece(monkeypatch, tmp_path):
    path = tmp_path / "large.pdf"
    padding = stream(random.Random(5).randbytes(300_000), "/Subtype/Image")
    path.write_bytes(bombs.marked_content().replace(b"\nxref", b"\n9 0 obj\n" + padding + b"\nendobj\nxref"))
    monkeypatch.setattr(_guard, "_WINDOW", 100_000)
    monkeypatch.setattr(_guard, "_OVERLAP", 20_000)
    with Document(path) as document:
        assert isinstance(list(document.reader.text([1, 2]))[1], LimitError)


def test_results_stay_in_the_order_that_was_asked_for():
    with Document(bombs.marked_content()) as document:
        texts = list(document.reader.text([2, 1, 2] * 20))
        drawn = list(document.reader.render([1, 2], RenderOptions(dpi=36)))
        with pytest.raises(LimitError, match="page 2"):
            document.page(2).info  # noqa: B018
        assert document.page(1).info.number == 1

    assert [isinstance(text, LimitError) for text in texts] == [True, False, True] * 20
    assert [isinstance(page, LimitError) for page in drawn] == [False, True]


def test_a_page_tree_that_lies_hides_no_bomb():
    """PDFium trusts the counts of a tree, so which page it reads for a number is unknown."""
    data = bombs.marked_content().replace(b"/Kids[3 0 R 6 0 R]/Count 2", b"/Kids[3 0 R 6 0 R]/Count 9")
    pages = statuses(data)

    assert len(pages) == 9
    assert "ok" not in pages


def test_an_appearance_behind_a_text_that_looks_like_the_end_of_an_object_is_seen():
    listed = ["<</Contents(endobj)/AP<<>>>>", "<</Contents(no look)>>", "1 0 R", "<</AP 2 0 R>>"]
    objects = PdfObjects(assemble(listed))
    assert [objects.may_have(Ref(number), b"AP") for number in (1, 2, 3, 4, 9)] == [True, False, True, True, True]


def test_page_trees_and_forms_with_loops_end():
    loop = "<</Type/Pages/Kids[2 0 R 2 0 R 2 0 R]/Count 3>>"
    assert len(list(PdfObjects(assemble(["<</Type/Catalog/Pages 2 0 R>>", loop])).pages(100))) == 0


@pytest.mark.parametrize(
    ("filters", "body"),
    [
        ([b"FlateDecode"], zlib.compress(b"q 1 0 0 1 0 0 cm Q" * 9)),
        ([b"Fl"], zlib.compress(b"q 1 0 0 1 0 0 cm Q" * 9)[:-4] + b"\0\0\0\0"),
        ([b"ASCII85Decode", b"FlateDecode"], base64.a85encode(zlib.compress(b"q 1 0 0 1 0 0 cm Q" * 9)) + b"~>"),
        ([b"AHx"], (b"q 1 0 0 1 0 0 cm Q" * 9).hex().encode() + b">"),
        ([b"RunLengthDecode"], b"\x11q 1 0 0 1 0 0 cm Q" * 9 + b"\x80"),
        ([b"Crypt"], b"q 1 0 0 1 0 0 cm Q" * 9),
    ],
    ids=["flate", "damaged", "ascii85", "hex", "runs", "crypt"],
)
def test_streams_are_unpacked(filters, body):
    assert unpack(body, filters, 10_000) == b"q 1 0 0 1 0 0 cm Q" * 9


def test_lzw_is_unpacked():
    """The example of ISO 32000-1, 7.4.4.2."""
    assert unpack(bytes.fromhex("800B6050220C0C8501"), [b"LZWDecode"], 100) == b"-----A---B"


def test_unpacking_stops_at_the_limit():
    assert len(unpack(zlib.compress(bytes(10_000_000)), [b"FlateDecode"], 1_000)) == 1_000


@pytest.mark.parametrize("bomb", [bombs.marked_content_in_pieces, bombs.doubling_patterns, bombs.doubling_appearances])
def test_damaged_bombs_end_in_pages_or_a_typed_error(bomb):
    data, chance = bomb(), random.Random(bomb.__name__)
    for _ in range(40):
        mutant = bytearray(data)
        for _ in range(chance.choice((1, 5, 50))):
            mutant[chance.randrange(len(mutant))] = chance.choice(b"0123456789<>[]()/% RrfnO\0\xff")
        judge = _guard._Judge(PdfObjects(bytes(mutant)), 1_000_000)
        assert all(isinstance(judge.page(number, 2), str) for number in (1, 2))
        _guard._has_signs(bytes(mutant))


def test_the_reader_is_closed_when_its_document_is_refused():
    with pytest.raises(LimitError, match=r"^report\.pdf: claims"):
        open_pdf(Document(bombs.claimed_pages(), name="report.pdf"))

"""Documents made to harm: each ends in a typed error or in its text, within limits, and nothing is fetched."""

from __future__ import annotations

import io
import socket
import zipfile

import pytest

import quire
from quire import CorruptError, Document, LimitError, PasswordError, UnsupportedError
from quire.pages.formats.conversion import convert
from quire.pages.formats.safety import CELLS, MEMBERS
from tests import office_files

pytestmark = pytest.mark.processes  # docling asks `uname` when it is imported

SHEET = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{}</worksheet>'
)
WORD = (
    '<?xml version="1.0"?>{}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>"
)
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def with_members(data: bytes, **members: str | bytes) -> bytes:
    """An archive with these members instead of, or besides, its own; `__` stands for a slash, `_x` for a suffix."""
    named = {
        name.replace("__", "/").replace("_xml", ".xml").replace("_bin", ".bin"): new for name, new in members.items()
    }
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for member in given.infolist():
            if member.filename not in named:
                made.writestr(member, given.read(member))
        for name, content in named.items():
            made.writestr(name, content)
    return out.getvalue()


def converted(data: bytes, name: str) -> str:
    _, structure = convert(Document.from_bytes(data, name=name))
    return structure.decode()


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked():
    data = with_members(office_files.docx(), word__media__x_bin=bytes(100 << 20))
    with pytest.raises(
        LimitError, match=r"bomb.docx: unpacks to 100 MB, \d+ times its size: it looks like a decompres"
    ):
        converted(data, "bomb.docx")


def test_a_member_that_is_too_large_is_not_unpacked():
    """Its size is as the directory of the archive gives it: nothing is unpacked to find out."""
    data = bytearray(with_members(office_files.docx(), word__media__x_bin=b"x"))
    entry = data.index(b"PK\x01\x02", data.index(b"PK\x05\x06") - 200)
    data[entry + 24 : entry + 28] = (1 << 31).to_bytes(4, "little")
    with pytest.raises(LimitError, match="the limits are 512 and 128 MB"):
        converted(bytes(data), "large.docx")


def test_an_archive_with_too_many_members_is_refused():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for number in range(MEMBERS + 1):
            made.writestr(f"word/{number}", b"")
    with pytest.raises(LimitError, match="has 10,001 members, more than 10,000"):
        converted(out.getvalue(), "many.docx")


def test_an_archive_inside_a_document_is_not_opened():
    bomb = office_files.archive({"a": b"", "b": bytes(64 << 20)})
    assert "Annual report" in converted(with_members(office_files.docx(), word__embeddings__a_bin=bomb), "nested.docx")


@pytest.mark.parametrize("entity", [f'<!ENTITY l0 "ha">{LAUGHS}', '<!ENTITY l9 SYSTEM "file:///etc/passwd">'])
def test_entities_are_never_expanded(entity):
    doctype = f"<!DOCTYPE x [{entity}]>"
    document = with_members(office_files.docx(), word__document_xml=WORD.format(doctype, "&l9;"))
    with pytest.raises(CorruptError, match="declares XML entities, which are never expanded"):
        converted(document, "laughs.docx")
    article = office_files.JATS.replace(b'.dtd">', f'.dtd" [{entity}]>'.encode()).replace(b"wood", b"&l9;")
    with pytest.raises(CorruptError, match="declares XML entities"):
        converted(article, "article.nxml")
    page = f"<!DOCTYPE html [{entity}]><html><body><p>A &l9; B</p></body></html>"
    text = converted(page.encode(), "page.html")
    assert "root:" not in text and "haha" not in text


def test_a_sheet_with_one_cell_in_its_last_corner_is_refused():
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    data = with_members(office_files.xlsx(), xl__worksheets__sheet1_xml=SHEET.format(f"<sheetData>{rows}</sheetData>"))
    with pytest.raises(LimitError, match=f"sheet1.xml has 17,179,869,184 cells, more than {CELLS:,}"):
        converted(data, "far.xlsx")


def test_a_sheet_of_all_rows_is_refused_before_it_is_parsed():
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>1</v></c></row>' for n in range(1, 1_048_577))
    data = with_members(office_files.xlsx(), xl__worksheets__sheet1_xml=SHEET.format(f"<sheetData>{rows}</sheetData>"))
    with pytest.raises(LimitError, match="has 1,048,576 cells"):
        converted(data, "long.xlsx")


def test_a_long_csv_is_refused_before_it_is_parsed():
    with pytest.raises(LimitError, match=r"long.csv: has 1,200,000 cells, more than 1,000,000; split it"):
        converted(b"a,b\n" * 600_000, "long.csv")


def test_merged_cells_over_the_whole_sheet_take_no_time():
    content = '<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>'
    merged = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    data = with_members(office_files.xlsx(), xl__worksheets__sheet1_xml=SHEET.format(content + merged))
    assert "Ada" in converted(data, "merged.xlsx")


@pytest.mark.parametrize(
    ("name", "data"),
    [("deep.html", b"<div>" * 200_000 + b"<p>deep</p>"), ("table.html", b"<table><tr><td>" * 1_000)],
)
def test_what_is_nested_too_deeply_is_refused(name, data):
    with pytest.raises(LimitError, match=r"nest"):
        converted(data, name)


def test_an_ordinary_page_with_elements_that_are_never_closed_is_read():
    page = b"<html><body>" + b"<p>One<br><li>two<td>three" * 50
    assert "three" in converted(page, "old.html")


@pytest.mark.parametrize("cut", [3_000, -100])
def test_a_damaged_office_file_is_corrupt(cut):
    with pytest.raises(CorruptError, match=r"report.docx: is a damaged archive"):
        converted(office_files.docx()[:cut], "report.docx")


def test_an_archive_that_only_says_that_it_is_a_document_is_corrupt():
    with pytest.raises(CorruptError, match=r"x.docx: cannot be read as docx"):
        converted(office_files.archive({"a.txt": b"hello"}), "x.docx")


def test_encrypted_files_that_cannot_be_opened_say_so():
    manifest = '<manifest:manifest xmlns:manifest="m"><manifest:encryption-data/></manifest:manifest>'
    with pytest.raises(PasswordError, match=r"notes.odt: is encrypted; save it without a password"):
        converted(with_members(office_files.odt(), **{"META-INF__manifest_xml": manifest}), "notes.odt")
    locked = bytearray(office_files.archive({"word/document.xml": b"x"}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(PasswordError, match="is encrypted"):
        converted(bytes(locked), "locked.docx")


def test_an_encrypted_office_file_is_opened_with_its_password():
    data = office_files.encrypted(office_files.docx(), "secret")
    with pytest.raises(PasswordError, match=r"report.docx: is encrypted; pass its password"):
        converted(data, "report.docx")
    with pytest.raises(PasswordError, match="the password is wrong"):
        convert(Document.from_bytes(data, name="report.docx", password="guess"))
    assert b"Annual report" in convert(Document.from_bytes(data, name="report.docx", password="secret"))[1]


def test_a_container_with_nothing_in_it_is_corrupt():
    with pytest.raises(CorruptError, match=r"letter.doc: is damaged"):
        converted(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1024), "letter.doc")


def test_macros_are_kept_out_of_the_text():
    data = with_members(office_files.docx(), word__vbaProject_bin=b'Sub AutoOpen()\nShell "calc"\nEnd Sub')
    text = converted(data, "macros.docm")
    assert "Annual report" in text and "AutoOpen" not in text


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("songs.mp3", b"ID3\x03", "there is no speech recognition here"),
        ("film.mp4", b"\0\0\0 ftypisom", "there is no speech recognition here"),
        ("report.xbrl", b"<xbrl/>", "its taxonomies are on the network"),
        ("all.zip", office_files.archive({"a.txt": b"hello"}), "unpack it and read what is in it"),
        ("scans.tar.gz", b"\x1f\x8b\x08" + bytes(30), "unpack it and read what is in it"),
        ("list.afp", b"Z\0\0", "convert it to PDF"),
        ("data.xml", b"<?xml version='1.0'?><a/>", "neither JATS, USPTO nor DocLang"),
        ("unknown", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "its name must end in .doc"),
        ("tool.exe", b"MZ\0\0", "see the guide on formats"),
    ],
)
def test_what_is_not_read_says_why(name, data, reason):
    with pytest.raises(UnsupportedError, match=reason):
        quire.read(Document.from_bytes(data, name=name))


def test_no_backend_opens_a_picture_elsewhere(tmp_path):
    """A listening socket that is never called, and a file of this machine that is never shown."""
    secret = tmp_path / "private.png"
    secret.write_bytes(office_files.picture((61, 41)))
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        page = (
            f'<html><head><link rel="stylesheet" href="{url}"><script src="{url}"></script><base href="{url}"></head>'
            f'<body><p>Some text</p><img src="{url}.png"><img src="{secret.as_uri()}"><img src="{secret}">'
            f'<iframe src="{url}"></iframe><object data="{url}"></object></body></html>'
        )
        markdown = f"Some text ![a]({url}.png) ![b]({secret.as_uri()}) ![c]({secret})\n\n<img src='{url}'>"
        latex = r"\documentclass{article}\begin{document}Some text \includegraphics{%s}\input{%s}\end{document}"
        asciidoc = f"= Notes\n\nSome text\n\nimage::{url}.png[]\n\nimage::{secret}[]\n\ninclude::{secret}[]\n"
        mail = f"From: a@example.com\nSubject: x\nContent-Type: text/html\n\n{page}"
        for name, data in {
            "page.html": page.encode(),
            "notes.md": markdown.encode(),
            "linked.docx": office_files.with_linked_pictures(url, secret.as_uri(), str(secret)),
            "notes.tex": (latex % (secret, secret)).encode(),
            "notes.adoc": asciidoc.encode(),
            "book.epub": with_members(office_files.epub(), **{"a.xhtml": page}),
            "mail.eml": mail.encode(),
        }.items():
            structure = converted(data, name)
            assert '"width":61' not in structure, name
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_hostile_document_does_not_stop_the_others(tmp_path):
    (tmp_path / "deep.html").write_bytes(b"<div>" * 200_000)
    (tmp_path / "notes.md").write_bytes(office_files.MD)
    with pytest.raises(LimitError):
        quire.read(tmp_path / "deep.html")
    assert quire.read(tmp_path / "notes.md").status == "complete"

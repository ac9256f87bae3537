"""Office files on the pages that LibreOffice prints: every block is where its text is."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from quire import Document, PasswordError
from quire.core.bundle import Bundle
from quire.core.encoding import decode_page
from quire.core.pagetext import PageText
from quire.core.types import Block
from quire.pages.formats import libreoffice
from quire.pages.formats.conversion import convert
from tests import office_files
from tests.office_files import all_of_them

pytestmark = [pytest.mark.usefixtures("libreoffice"), pytest.mark.xdist_group("libreoffice")]


@cache
def converted(name: str) -> tuple[Bundle, dict]:
    bundle, structure = convert(Document.from_bytes(all_of_them()[name], name=name))
    return bundle, json.loads(structure)


def blocks_of(bundle: Bundle) -> list[Block]:
    texts = [PageText.from_bytes(text) for text in bundle.texts]
    return [block for text in texts for block in decode_page(text.ready.encode(), lambda number: texts[number - 1])]


def bare(text: str) -> str:
    return re.sub(r"\W", "", text)


def printed_in(block: Block, bundle: Bundle) -> str:
    """What is printed inside the boxes of a block."""
    found = []
    for part in block.places:
        page = PageText.from_bytes(bundle.texts[part.page - 1])
        left, top, right, bottom = part.bbox.points((page.width, page.height))
        for run, text in enumerate(page.texts):
            box = page.box(run)
            if (
                left - 1 <= (box.left + box.right) / 2 <= right + 1
                and top - 1 <= (box.top + box.bottom) / 2 <= bottom + 1
            ):
                found.append(text)
    return bare("".join(found))


@pytest.mark.parametrize("name", ["report.docx", "plan.pptx", "sales.xlsx", "notes.odt", "sales.ods", "plan.odp"])
def test_every_block_has_a_box_around_its_text(name):
    bundle, _ = converted(name)
    assert bundle.pdf is not None and bundle.pdf.startswith(b"%PDF")
    blocks = [block for block in blocks_of(bundle) if block.kind != "footnote"]  # notes are not printed
    assert blocks and all(block.placed for block in blocks)
    for block in blocks:
        if block.table is not None:
            assert printed_in(block, bundle) == bare("".join(cell.text for cell in block.table.cells))
            assert all(cell.bbox.width > 0 for cell in block.table.cells if cell.text)
        elif block.kind != "figure":
            assert printed_in(block, bundle) == bare(block.text.removeprefix(block.marker))


def test_a_slide_and_a_sheet_are_a_page_each():
    assert len(converted("plan.pptx")[0].pages) == len(converted("sales.xlsx")[0].pages) == 2
    assert [info.size for info in converted("plan.pptx")[0].pages] == [(720.0, 540.0)] * 2


def test_notes_of_a_speaker_have_a_page_and_no_box():
    (notes,) = [block for block in blocks_of(converted("plan.pptx")[0]) if block.kind == "footnote"]
    assert (notes.page, notes.text, notes.placed) == (1, "Say it slowly", False)


def test_the_structure_says_on_which_page_things_are():
    _, structure = converted("report.docx")
    assert structure["pages"]["1"]["size"]["width"] == pytest.approx(612, abs=1)
    (title,) = [item for item in structure["texts"] if item["label"] == "title"]
    assert title["prov"][0]["page_no"] == 1 and title["prov"][0]["bbox"]["coord_origin"] == "BOTTOMLEFT"
    (picture,) = structure["pictures"]
    box = picture["prov"][0]["bbox"]
    assert (box["r"] - box["l"]) / (box["t"] - box["b"]) == pytest.approx(1.5, rel=0.05)


def test_a_web_page_is_printed_when_all_is(monkeypatch):
    assert convert(Document.from_bytes(office_files.HTML, name="page.html"))[0].pdf is None
    monkeypatch.setenv("QUIRE_PRINT", "all")
    bundle, _ = convert(Document.from_bytes(office_files.HTML, name="page.html"))
    placed = {block.text: block.placed for block in blocks_of(bundle) if block.kind not in ("header", "figure")}
    assert placed and all(placed.values())


@pytest.mark.parametrize(
    ("new", "old", "filter_options"),
    [
        ("report.docx", "letter.doc", "MS Word 97"),
        ("sales.xlsx", "old.xls", "MS Excel 97"),
        ("plan.pptx", "old.ppt", "MS PowerPoint 97"),
    ],
)
def test_an_old_office_file_is_read_like_the_new_one(new, old, filter_options, monkeypatch):
    monkeypatch.setenv("QUIRE_PRINT", "no")
    suffix = old.rpartition(".")[2]
    data = libreoffice.convert(
        all_of_them()[new], suffix=new.rpartition(".")[2], to=suffix, filter_options=filter_options, name=new
    )
    expected = [block.text for block in blocks_of(convert(Document.from_bytes(all_of_them()[new], name=new))[0])]
    found = [block.text for block in blocks_of(convert(Document.from_bytes(data, name=old))[0])]
    assert [text for text in found if text.strip()] == [text for text in expected if text.strip()]


def test_rich_text_is_converted_and_printed():
    bundle, _ = convert(Document.from_bytes(office_files.RTF, name="old.rtf"))
    assert [(block.text, block.placed) for block in blocks_of(bundle)] == [
        ("Notes", True),
        ("Some text that was written long ago.", True),
    ]


def test_an_encrypted_file_is_printed_with_its_password():
    data = office_files.encrypted(office_files.docx(), "secret")
    with pytest.raises(PasswordError, match=r"report.docx: is encrypted; pass its password"):
        convert(Document.from_bytes(data, name="report.docx"))
    with pytest.raises(PasswordError, match="the password is wrong"):
        convert(Document.from_bytes(data, name="report.docx", password="guess"))
    bundle, _ = convert(Document.from_bytes(data, name="report.docx", password="secret"))
    assert all(block.placed for block in blocks_of(bundle))


@contextmanager
def listening() -> Iterator[tuple[str, list[object]]]:
    """The URL of a server that nothing should call, and who called it."""
    callers: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)

        def accept() -> None:
            try:
                while True:
                    caller, address = server.accept()
                    callers.append(address)
                    caller.close()
            except OSError:
                return

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/picture.png", callers
        server.shutdown(socket.SHUT_RDWR)
        thread.join(60)


@pytest.mark.parametrize("isolation", ["namespaces", "settings"])
def test_printing_calls_no_server_and_shows_no_file_of_this_machine(isolation, monkeypatch, tmp_path):
    if isolation == "settings":
        monkeypatch.setattr(libreoffice, "isolation", lambda: "settings")
    monkeypatch.setenv("QUIRE_PRINT", "all")
    (tmp_path / "private.png").write_bytes(office_files.picture())
    local = (tmp_path / "private.png").as_uri()
    with listening() as (url, callers):
        page = f'<html><body><p>Some text</p><img src="{url}"><img src="{local}"></body></html>'
        made = [
            convert(Document.from_bytes(data, name=name))[0]
            for name, data in (
                ("linked.docx", office_files.with_linked_pictures(url, local)),
                ("page.html", page.encode()),
            )
        ]
    assert callers == []
    for bundle in made:
        assert bundle.pdf is not None, bundle.unprinted
        assert all(not PageText.from_bytes(text).images for text in bundle.texts)


def test_a_read_is_printed_once(tmp_path):
    (tmp_path / "report.docx").write_bytes(office_files.docx())
    program = """
import json, quire, sys
seen = [[], []]
for events in seen:
    read = quire.read("report.docx", store="store", on_event=events.append)
picture = read.show(1)
print(json.dumps([[f"{e.stage} {e.kind}" for e in events] for events in seen]))
print(json.dumps([all(block.placed for block in read.blocks), picture.size[0] > 500, "Annual" in read.to_hocr()]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, timeout=300
    )
    assert not ran.returncode, ran.stderr
    (first, second), seen = map(json.loads, ran.stdout.splitlines())
    assert "bundle finished" in first
    assert "bundle hit" in second and not any(line.endswith("started") for line in second if "read" not in line)
    assert seen == [True, True, True]

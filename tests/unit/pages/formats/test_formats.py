"""Every format that is converted, read as users read it; the Markdown is docling's own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib import import_module

import pytest

import quire
from quire import Document
from quire.core.media_types import INPUT_FORMATS, media_type_of
from tests import office_files
from tests.office_files import all_of_them

pytestmark = pytest.mark.processes

NAMES = sorted(all_of_them())


def theirs(name: str, data: bytes):
    """What docling makes of it by itself: its rules of detection, its backend, its options."""
    from docling.datamodel.backend_options import EmailBackendOptions
    from docling.datamodel.base_models import DocumentStream
    from docling.datamodel.document import InputDocument, _DocumentConversionInput

    from quire.pages.formats.backends import BACKENDS

    stream = DocumentStream(name=name, stream=io.BytesIO(data))
    found = _DocumentConversionInput(path_or_stream_iterator=[])._guess_format(stream)
    module, kind = BACKENDS[found.value].place.split(":")
    backend = getattr(import_module(f"docling.backend.{module}"), kind)
    options = EmailBackendOptions(list_attachments=True) if found.value == "email" else None
    given = InputDocument(io.BytesIO(data), found, backend, backend_options=options, filename=name)
    return found.value, given._backend.convert()


@pytest.mark.parametrize("name", NAMES)
def test_the_outputs_are_those_of_docling(name):
    data = all_of_them()[name]
    input_format, document = theirs(name, data)
    assert INPUT_FORMATS[media_type_of(data[:8192], name, lambda: data)] == input_format
    read = quire.read(Document.from_bytes(data, name=name))
    assert read.status == "complete" and read.blocks
    assert read.to_markdown() == document.export_to_markdown()
    assert read.to_text() == document.export_to_text()
    assert read.to_html() == document.export_to_html()
    assert read.to_doctags() == document.export_to_doctags()


def kinds(read):
    return [(block.kind, block.level, block.text) for block in read.blocks]


def test_a_word_file_becomes_blocks():
    read = quire.read(Document.from_bytes(office_files.docx(), name="report.docx"))
    assert kinds(read) == [
        ("title", None, "Annual report"),
        ("heading", 1, "Results"),
        ("paragraph", None, "Revenue grew by twelve percent, see the figures"),
        ("heading", 2, "By region"),
        ("list_item", 1, "• North"),
        ("list_item", 2, "• Bergen"),
        ("list_item", 2, "• Oslo"),
        ("list_item", 1, "• South"),
        ("list_item", 1, "1. First count"),
        ("list_item", 1, "2. Then compare"),
        ("table", None, "Region 2025\nNorth Oslo 12\nSouth Rome 9"),
        ("figure", None, ""),
        ("heading", 1, "Outlook"),
        ("paragraph", None, "Growth continues."),
    ]
    text = read.blocks[2]
    marked = {text.text[span.start : span.end]: (span.bold, span.italic, span.link) for span in text.spans}
    assert marked == {
        "grew": (True, False, None),
        "twelve": (False, True, None),
        "the figures": (False, False, "https://example.com/figures"),
    }
    (table,) = read.tables
    assert table.table.grid(fill_spans=True)[0] == ["Region", "Region", "2025"]
    assert [cell.header for cell in table.table.cells] == [True, True, *[False] * 6]


def test_the_pages_of_a_presentation_are_its_slides_with_boxes():
    read = quire.read(Document.from_bytes(office_files.pptx(), name="plan.pptx"))
    assert [page.info.size for page in read.pages] == [(720.0, 540.0)] * 2
    assert [[block.text for block in page] for page in read.pages] == [
        ["Plan", "• Measure", "• Cut", "Say it slowly"],
        ["Costs", "Item Price\nSaw 12"],
    ]
    notes = read.pages[0].blocks[-1]
    assert (notes.kind, notes.placed) == ("footnote", False)
    assert read.tables[0].bbox == quire.BBox(0.1, 0.26667, 0.4, 0.13333)
    assert "Say it slowly" not in read.to_markdown()


def test_the_pages_of_a_workbook_are_its_sheets():
    read = quire.read(Document.from_bytes(office_files.xlsx(), name="sales.xlsx"))
    assert [table.page for table in read.tables] == [1, 2]
    assert read.tables[1].table.to_csv() == "Name,Age\nAda,36\n"
    second = quire.read(Document.from_bytes(office_files.xlsx(), name="sales.xlsx"), pages="2")
    assert [table.id for table in second.tables] == ["p2-b1"]
    assert "Ada" in second.to_markdown() and "Oslo" not in second.to_markdown()


def test_blocks_without_a_place_say_so():
    read = quire.read(Document.from_bytes(office_files.MD, name="notes.md"))
    assert not any(block.placed for block in read.blocks)
    tree = json.loads(read.to_json())
    assert {block["bbox"] for block in tree["blocks"]} == {None}
    pages, blocks = quire.output.export.from_json(read.to_json())
    assert tuple(blocks) == read.blocks and len(pages) == 1
    with pytest.raises(quire.UsageError, match=r"notes.md has no boxes"):
        read.to_hocr()
    with pytest.raises(quire.UsageError, match=r"notes.md has no boxes"):
        read.to_pdf()
    with pytest.raises(quire.UnsupportedError, match="no printed pages"):
        read.show(1)


def test_every_way_to_read_gives_the_same(tmp_path):
    path = tmp_path / "report.docx"
    path.write_bytes(office_files.docx())
    plain = quire.read(path)
    assert quire.read(path, isolate=True).blocks == plain.blocks
    assert [block for page in quire.stream(path) for block in page] == list(plain.blocks)
    events = []
    first = quire.read(path, store=tmp_path / "store")
    again = quire.read(path, store=tmp_path / "store", on_event=events.append)
    assert first.to_json() == again.to_json() == plain.to_json()
    assert again.to_markdown() == plain.to_markdown()
    stages = {event.stage: event.kind for event in events if event.stage != "read"}
    assert stages == {"bundle": "hit", "native-text": "hit", "page-blocks": "hit", "document": "hit"}


def test_a_document_opened_by_hand_is_converted_in_a_worker():
    with Document.from_bytes(office_files.CSV, name="people.csv") as document:
        assert (document.media_type, document.page_count) == ("text/csv", 1)
        assert document.page(1).text().ready


def test_the_bytes_are_never_parsed_in_the_process_of_the_caller(tmp_path):
    (tmp_path / "people.csv").write_bytes(office_files.CSV)
    program = "import quire, sys; quire.read('people.csv'); sys.exit('docling' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=60)


def test_the_same_contents_under_another_name_have_that_name(tmp_path):
    for name in ("stream.md", "harbour.md"):
        (tmp_path / name).write_text("# Salt\n\nThe harbour smells of salt.\n")
        tree = quire.read(tmp_path / name, store=tmp_path / "store").to_docling()
        assert (tree["name"], tree["origin"]["filename"]) == (name.removesuffix(".md"), name)

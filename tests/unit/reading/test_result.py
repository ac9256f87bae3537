"""What a result offers beyond its blocks."""

from __future__ import annotations

import json
import sys

import pytest

import quire
from tests import documents
from tests.fakes.disks import full_disk

pytestmark = pytest.mark.both_readers


def test_every_format_is_a_method(sample_path):
    result = quire.read(sample_path)
    assert "<h1" in result.to_html()
    assert result.to_text()
    assert json.loads(result.to_json())["schema"] == "quire/1"
    assert result.to_docling()["schema_name"] == "DoclingDocument"
    assert "<doctag>" in result.to_doctags()
    assert result.to_bytes("md") == result.to_markdown().encode()


def test_tables_are_the_blocks_with_a_grid():
    result = quire.read(documents.ruled_table())
    assert [block.kind for block in result.tables] == ["table"]
    assert result.tables[0].table.cells


def test_files_are_named_after_the_source(tmp_path, saved):
    result = quire.read(saved(documents.ruled_table(), "minutes.pdf"))
    written = result.save(tmp_path / "out", ["md", "docling", "csv"])
    assert sorted(path.name for path in written) == ["minutes.docling.json", "minutes.md", "minutes.table-1.csv"]
    assert sorted((tmp_path / "out").iterdir()) == sorted(written)


def test_saving_on_a_full_disk_leaves_no_half_file(tmp_path):
    result = quire.read(documents.simple())
    with full_disk(after=10), pytest.raises(quire.StoreError, match="nothing was written"):
        result.save(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_excel_is_written_where_it_is_asked_for(tmp_path):
    pytest.importorskip("xlsxwriter")
    workbook = quire.read(documents.ruled_table()).to_excel(tmp_path / "tables.xlsx")
    assert (tmp_path / "tables.xlsx").read_bytes() == workbook


def test_show_draws_a_page_from_the_source(saved):
    result = quire.read(saved(documents.simple(2)))
    picture = result.show(2, dpi=72)
    assert (picture.width, picture.height) == (595, 842) or abs(picture.width - 595) <= 1
    assert len(picture.getcolors(1 << 24)) > 2
    with pytest.raises(quire.UsageError, match=r"page 3 of .* was not read"):
        result.show(3)


def test_show_opens_a_viewer_or_writes_a_file_and_in_a_notebook_neither(saved, monkeypatch, capsys, tmp_path):
    result = quire.read(saved(documents.simple(2)))
    opened = []
    monkeypatch.setattr("PIL.ImageShow.show", lambda picture, name: opened.append(name) or True)
    monkeypatch.setenv("DISPLAY", ":0")
    result.show(2, dpi=30)
    assert opened == ["report.page-2.png"]
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert capsys.readouterr().err == ""
    result.show(dpi=30)
    (written,) = tmp_path.glob("quire-show-*/report.page-1.png")
    assert capsys.readouterr().err == f"quire: there is no screen to show it on: {written}\n"
    result.show(1, dpi=30, path=tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    result.show(1, dpi=30)
    assert len(opened) == 1 and len([*tmp_path.glob("quire-show-*")]) == 1


def test_show_refuses_a_source_that_changed(saved):
    path = saved(documents.simple(2))
    result = quire.read(path)
    path.write_bytes(documents.simple(1))
    with pytest.raises(quire.InputError, match="changed since it was read"):
        result.show(1)


def test_a_result_says_what_it_is():
    assert repr(quire.read(documents.simple())).startswith("<DocumentResult document: 1 pages, ")

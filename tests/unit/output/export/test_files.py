from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from quire.core.errors import ConfigurationError, QuireError, UsageError
from quire.core.types import Part
from quire.output import export
from quire.output.export import FORMATS, Format, files, find_format, format_names, show
from tests.fakes.formats import OtherPackage

from .results import BOX, block, report, result, table


def test_files_are_named_after_the_source():
    names = [name for format in FORMATS for name in files(report(), format, stem="report")]
    assert names == [
        "report.md",
        "report.html",
        "report.txt",
        "report.json",
        "report.docling.json",
        "report.doctags",
        "report.table-1.csv",
        "report.xlsx",
        "report.hocr",
        "report.page-1.alto.xml",
        "report.page-2.alto.xml",
        "report.searchable.pdf",
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_input_gives_the_same_bytes(format):
    first, second = (files(report(), format, stem="a", words=True) for _ in range(2))
    assert first == second and all(first.values())


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_can_write_an_empty_document(format):
    written = files(result(), format, stem="a")
    assert len(written) == {"csv": 0, "alto": 2}.get(format, 1)


@pytest.mark.parametrize("format", FORMATS)
def test_damaged_characters_stop_no_format(format):
    bad = "half \ud800 null \x00 bell \x07"
    source = result(block("paragraph", bad, id="a"), block("figure", id="b"), table([[bad]]))
    assert files(source, format, stem="a")


def test_words_reach_the_json():
    assert b'"words"' in files(report(), "json", stem="a", words=True)["a.json"]
    assert b'"words"' not in files(report(), "json", stem="a")["a.json"]


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(UsageError, match="md, html, txt, json, docling, doctags, csv, xlsx, hocr, alto, pdf"):
        files(report(), "epub", stem="a")


@pytest.mark.processes
def test_importing_the_exports_imports_no_format():
    code = (
        "import sys, quire.output.export; print([m for m in ('PIL', 'xlsxwriter', 'csv', 'html') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def page(width=300, height=400) -> bytes:
    target = io.BytesIO()
    Image.new("L", (width, height), 255).save(target, "PNG")
    return target.getvalue()


def colours(png: bytes) -> set[tuple[int, int, int]]:
    with Image.open(io.BytesIO(png)) as picture:
        assert picture.size == (300, 400)
        return {colour for _, colour in picture.getcolors(100_000)}


def test_boxes_are_drawn_in_the_colour_of_their_kind():
    drawn = colours(show(page(), [block("paragraph", "x"), table([["a"]])], page=1))
    assert {(0x31, 0x82, 0xBD), (0x31, 0xA3, 0x54)} <= drawn


def test_only_what_stands_on_the_page_is_drawn():
    split = block("paragraph", "x", parts=(Part(1, BOX), Part(2, BOX)))
    assert colours(show(page(), [block("title", "x", page=3), table([["a"]], pages=[1])], page=2)) == {(255, 255, 255)}
    assert (0x31, 0x82, 0xBD) in colours(show(page(), [split], page=2))


def test_the_same_page_gives_the_same_picture():
    assert show(page(), report().blocks, page=1) == show(page(), report().blocks, page=1)


def test_every_format_and_public_name_is_documented():
    page = (Path(__file__).parents[4] / "docs/reference/formats.md").read_text(encoding="utf-8")
    assert [name for name in [*FORMATS, *export.__all__] if f"`{name}" not in page] == []


OUTLINE = Format("outline", ".outline.txt", "text/plain", lambda result, _: [result.blocks[0].text])


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Another package, which offers formats."""
    information = tmp_path / "outlines-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: outlines\nVersion: 1.0\n")
    points = (
        "outline = tests.unit.output.export.test_files:OUTLINE",
        "wrong = tests.unit.output.export.test_files:BOX",
    )
    (information / "entry_points.txt").write_text("\n".join(("[quire.formats]", *points)))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("package")
def test_a_format_of_another_package_is_written_like_a_built_in_one(tmp_path):
    source = report()
    assert format_names()[-2:] == ("outline", "wrong")
    assert files(source, "outline", stem="report") == {"report.outline.txt": source.blocks[0].text.encode()}


@pytest.mark.usefixtures("package")
def test_an_entry_point_that_is_no_format_says_so():
    with pytest.raises(ConfigurationError, match=r"the format wrong is BBox, not a quire\.export\.Format"):
        find_format("wrong")


def fails(result, words):
    raise ValueError("no outline")


def fails_halfway(result, words):
    yield "first"
    raise KeyError("second")


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (fails, "ValueError: no outline"),
        (fails_halfway, "KeyError: 'second'"),
        (lambda *_: [7], "AttributeError: 'int' object has no attribute 'encode'"),
        (lambda *_: None, "TypeError: 'NoneType' object is not iterable"),
    ],
)
def test_a_format_of_another_package_that_fails_is_named(tmp_path, monkeypatch, write, said):
    """`quire read --to md,outline` said `ValueError: no outline`, without a word about who said so."""
    OtherPackage(tmp_path, monkeypatch)
    monkeypatch.setattr("tests.fakes.formats.OUTLINE", replace(OUTLINE, write=write))
    with pytest.raises(QuireError) as failed:
        files(report(), "outline", stem="report")
    begin = f"the format outline of the package outlines failed for {report().name}: {said}; "
    assert str(failed.value).startswith(begin) and not failed.value.retryable

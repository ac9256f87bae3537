"""Reports: the same values in each, and nothing of a document's text that acts."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from quire.core.errors import InputError, UsageError
from quire.evidence.extract.reports import REPORT_FORMATS, check_report_format, report
from quire.evidence.extract.reports.html_page import MOST_PAGES
from quire.evidence.extract.values import LeafEvidence
from tests.unit.evidence.extract.reports.conftest import FORMULA, PAYLOAD

pytestmark = pytest.mark.both_readers


class _Elements(HTMLParser):
    """The elements of a page, and the texts that are shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


def test_a_line_of_csv_for_each_value_and_no_formula(reported):
    rows = list(csv.DictReader(io.StringIO(report(reported.extraction, "csv").decode())))
    assert [(row["path"], row["status"]) for row in rows[:6]] == [
        ("total", "conflict"),
        ("number", "found"),
        ("note", "found"),
        ("code", "found"),
        ("wrong", "unverified"),
        ("iban", "not_found"),
    ]
    assert (rows[0]["value"], rows[0]["page"], rows[0]["quote"]) == ("1250.0", "1", "1,250.00")
    assert rows[3]["value"] == f"'{FORMULA}"
    assert float(rows[0]["left"]) > 0


def test_a_workbook_has_the_picture_of_each_place(reported):
    with zipfile.ZipFile(io.BytesIO(report(reported.extraction, "xlsx", reported.crop))) as book:
        names = book.namelist()
        texts = book.read("xl/sharedStrings.xml").decode()
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert sum(name.startswith("xl/media/") for name in names) >= 5
    assert "=HYPERLINK(" in texts and "<f>" not in sheet
    assert "<script>" not in texts
    assert "location=\"'Places'!A2\"" in sheet


def test_a_page_shows_each_value_at_its_place_and_back(reported):
    page = _Elements(report(reported.extraction, "html", reported.crop).decode())
    links = {str(one["href"])[1:] for tag, one in page.tags if tag == "a"}
    assert links <= set(page.ids())
    assert {"v1", "v2", "b1-1", "b2-1", "c1-1", "c1-2"} <= links
    pictures = [str(one["src"]) for tag, one in page.tags if tag == "img"]
    assert len(pictures) == 2
    assert all(one.startswith("data:image/webp;base64,") for one in pictures)
    boxes = [str(one["style"]) for tag, one in page.tags if "box" in str(one.get("class", "")).split()]
    assert all(re.fullmatch(r"(?:(?:left|top|width|height):\d+\.\d{3}%;?){4}", box) for box in boxes)


def test_no_text_of_a_document_becomes_an_element_of_the_page(reported):
    text = report(reported.extraction, "html", reported.crop).decode()
    page = _Elements(text)
    strange = {"script", "iframe", "object", "embed", "form", "svg", "link", "base", "video", "audio"}
    assert not strange & {tag for tag, _ in page.tags}
    assert sum(tag == "img" for tag, _ in page.tags) == sum(tag == "figure" for tag, _ in page.tags) == 2
    assert not [name for _, one in page.tags for name in one if name.startswith("on")]
    assert sum(PAYLOAD in shown for shown in page.shown) >= 3
    policy = next(one["content"] for tag, one in page.tags if one.get("http-equiv") == "Content-Security-Policy")
    assert str(policy).startswith("default-src 'none'; img-src data:;")
    assert "script" not in str(policy)


def test_reports_show_what_another_engine_read_in_the_pictures(reported):
    evidence, other = dict(reported.extraction.evidence), "the picture reads '<b>' (tesseract)"
    evidence["number"] = replace(evidence["number"], crop_verified=True)
    differing = {**evidence["note"].confidence, "reread": 0.1}
    evidence["note"] = replace(evidence["note"], confidence=differing, reason=other)
    found = replace(reported.extraction, evidence=evidence, reread="tesseract 5")
    rows = {row["path"]: row for row in csv.DictReader(io.StringIO(report(found, "csv").decode()))}
    assert [rows[name]["crop_verified"] for name in ("number", "note")] == ["yes", ""]
    page = _Elements(report(found, "html").decode())
    assert "3 at their place, 3 at least 90 % sure, 1 with a picture that reads the same" in " ".join(page.shown)
    assert other in page.shown
    kinds = {one.get("id"): str(one.get("class")).split() for tag, one in page.tags if tag == "li"}
    assert ("sure" in kinds["v2"], "sure" in kinds["v3"]) == (True, False), "a person looks at what differs"
    with zipfile.ZipFile(io.BytesIO(report(found, "xlsx"))) as book:
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "Picture reads the same" in texts and "read again by" in texts


@pytest.mark.parametrize("format", REPORT_FORMATS)
def test_the_same_extraction_gives_the_same_bytes(reported, format):
    first, second = (report(reported.extraction, format, reported.crop) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("format", ["xlsx", "html"])
def test_a_page_that_cannot_be_drawn_leaves_its_picture_out(reported, format):
    def broken(*_: object) -> bytes:
        raise InputError("cannot be drawn")

    assert report(reported.extraction, format, broken) == report(reported.extraction, format)


def test_a_long_document_has_a_bounded_number_of_pictures(reported):
    places = reported.extraction["number"]
    evidence: dict[str, LeafEvidence] = {f"n{page}": replace(places, page=page) for page in range(1, 301)}
    drawn: list[int] = []

    def crop(page: int, part: object, scale: float) -> bytes:
        drawn.append(page)
        return reported.crop(1, (0, 0, 0.1, 0.1), 0.1)

    text = report(replace(reported.extraction, evidence=evidence, conflicts=()), "html", crop).decode()
    assert drawn == list(range(1, MOST_PAGES + 1))
    assert f"Not shown: pages {MOST_PAGES + 1}-300." in text


def test_an_unknown_report_is_refused():
    with pytest.raises(UsageError, match="there is no report 'pdf'; choose from json, csv, xlsx, html"):
        check_report_format("pdf")

"""Search over all documents in the page: hits as one types, words marked, the place in view after a click."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests import documents
from tests.conftest import ROOT
from tests.unit.service.api.conftest import SEARCHED, serving, wait_indexed
from tests.unit.service.web.conftest import drawn
from tests.unit.service.web.test_accessible import RUN
from tests.unit.service.web.test_safety import evil_document

MARKUP = "<img src=x onerror=window.harmed=1>.pdf"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A server with documents that are indexed."""
    with serving(tmp_path_factory.mktemp("library"), **SEARCHED) as running:
        running.read((ROOT / "examples/sample.pdf").read_bytes(), "sample.pdf")
        running.read(documents.simple(2), "chapters.pdf")
        running.read(evil_document(), MARKUP)
        wait_indexed(running.service)
        yield running


def test_a_hit_opens_its_page_with_the_box_in_view(page, library):
    page.goto(library.url)
    page.get_by_label("Search in all documents").press_sequentially("inner harbour page:2")
    hit = page.locator(".find-hit").first
    expect(hit).to_contain_text("sample.pdf page 2")
    expect(hit.locator("mark").first).to_have_text("Inner")
    expect(hit.locator("table th").first).to_have_text("Route")
    expect(hit.locator("tr", has_text="Inner harbour").locator("td").nth(2)).to_have_text("163")
    expect(hit.locator(".find-text")).not_to_contain_text("|")
    expect(hit.locator(".find-crop img")).to_be_visible()
    assert hit.locator("img").evaluate("picture => picture.decode().then(() => picture.naturalWidth)") > 100
    hit.click()
    drawn(page, 2)
    expect(page.locator(".sheet[data-page='2'] .box[aria-pressed=true]")).to_be_in_viewport()
    page.go_back()
    expect(page.get_by_label("Search in all documents")).to_have_value("inner harbour page:2")
    expect(page.locator(".find-hit").first).to_contain_text("sample.pdf")


def test_it_works_with_the_keyboard_alone(page, library):
    page.goto(library.url)
    expect(page.locator(".document").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("chapter page:2")
    expect(page.locator(".find-hit")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.locator(".find-hit").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Search in all documents")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    drawn(page, 2)
    page.go_back()
    page.get_by_label("Search in all documents").press("Escape")
    expect(page.locator(".find-hit")).to_have_count(0)
    assert page.url.endswith("#/")


def test_markup_of_documents_stays_text(page, library):
    page.goto(f"{library.url}/#/?q=onerror")
    hit = page.locator(".find-hit", has_text="<script>").first
    expect(hit).to_contain_text(MARKUP)
    expect(hit.locator(".find-crop img")).to_be_visible()
    assert page.evaluate("window.harmed") is None
    assert page.locator("#main script, #main img[onerror], #main svg[onload]").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_fault_of_accessibility_is_found(page, library, axe, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{library.url}/#/?q=harbour")
    expect(page.locator(".find-crop img").first).to_be_visible()
    page.evaluate(axe)
    assert page.evaluate(RUN) == []


def test_it_says_when_nothing_is_found_and_what_is_wrong(page, library, complaints):
    page.goto(library.url)
    field = page.get_by_label("Search in all documents")
    field.fill("zeppelin")
    expect(page.locator(".find-status")).to_have_text("Nothing about “zeppelin” was found.")
    field.fill("kind:sonnet harbour")
    expect(page.locator(".find-status")).to_contain_text("there is no kind of block 'sonnet'")
    complaints.clear()  # the browser names the answer 422

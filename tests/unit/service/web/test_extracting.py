"""Extracting in the browser: documents and fields in, progress, values with their places, reports, and the way to a
review."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests import bills
from tests.unit.evidence.extract.bills import LINES, bill
from tests.unit.service.api.conftest import TENANT, serving
from tests.unit.service.web.conftest import drawn
from tests.unit.service.web.test_accessible import RUN
from tests.unit.service.web.test_runs import events

EVIL = "<img src=x onerror=window.harmed=1>"
ROWS = (("Rope", "10.00"), (EVIL, "20.50"), ("Anchor", "113.50"))
SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "title": "Invoice number"},
        "total": {"type": "number"},
        EVIL: {"type": "string"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"article": {"type": "string"}, "price": {"type": "number"}}},
        },
    },
}
TO_BE_REFUSED = {"type": "object", "properties": {"total": {"type": "colour"}}}


def file(name: str, data: bytes) -> dict:
    return {"name": name, "mimeType": "application/pdf", "buffer": data}


@pytest.fixture
def form(page, server, folder) -> Callable[..., Page]:
    """Opens the form on a server with a model, and waits until it knows what there is."""
    models = folder / "models" / TENANT
    models.mkdir(parents=True, exist_ok=True)
    (models / "damaged.model").write_text("{}")

    def open_(query: str = "", page: Page = page) -> Page:
        page.goto(f"{server.url}/#/extract{query}")
        expect(page.get_by_label("Model")).to_be_visible()
        expect(page.locator("#document option").first).to_be_attached()
        return page

    return open_


def start(page: Page) -> None:
    page.get_by_role("button", name="Extract", exact=True).click()


def run_of(page: Page) -> str:
    page.wait_for_url("**/#/extract/*-*")
    return page.url.rpartition("/")[2].partition("?")[0]


def row(page: Page, path: str):
    return page.locator(f'.value-row[data-path="{path}"]')


def test_values_are_extracted_reviewed_and_downloaded_with_keys_alone(form, page):
    page.on("filechooser", lambda chooser: chooser.set_files([file("keys.pdf", bill())]))
    form()
    page.get_by_role("button", name="Choose files").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".chosen li")).to_contain_text("keys.pdf")
    for _ in range(4):  # the file's button, the options, the ways, the field
        page.keyboard.press("Tab")
    page.keyboard.type("invoice number, total, IBAN")
    for key in ("Tab", "Tab", "Enter"):  # the model, the button
        page.keyboard.press(key)
    run = run_of(page)
    expect(row(page, "invoice_number")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "invoice_number")).to_contain_text("INV-2041")
    expect(row(page, "iban")).to_contain_text("Not found")
    drawn(page, 1)
    page.keyboard.press("j")
    expect(row(page, "total")).to_be_focused()
    expect(page.locator(".sheet[data-page='2'] .hit.current")).to_be_in_viewport()
    expect(page.locator(".value-detail .crop[src]")).to_be_visible()
    page.reload()
    expect(row(page, "total")).to_have_attribute("aria-expanded", "true")
    assert run in page.url
    for label, name in (("JSON", "json"), ("CSV", "csv"), ("HTML report", "html")):
        page.get_by_role("button", name="Download").press("Enter")
        with page.expect_download() as saving:
            page.get_by_role("button", name=label, exact=True).press("Enter")
        assert saving.value.suggested_filename == f"keys.extracted.{name}"
    page.keyboard.press("r")
    expect(page.locator(".value-card")).to_be_visible()
    assert "#/review/work?review=" in page.url


def test_what_is_wrong_is_said_at_its_field(form, page, complaints):
    form()
    start(page)
    expect(page.locator(".wrong").nth(0)).to_contain_text("Choose at least one file")
    expect(page.locator("#fields")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#fields-wrong")).to_contain_text("for example: invoice number")
    expect(page.get_by_role("button", name="Choose files")).to_be_focused()
    page.set_input_files("#picker", [file("empty.pdf", b"")])
    start(page)
    expect(page.locator(".wrong").nth(0)).to_contain_text("empty.pdf is empty")
    page.get_by_role("button", name="Remove empty.pdf").click()
    page.set_input_files("#picker", [file("damaged.pdf", b"%PDF-1.7 and no more")])
    page.get_by_role("radio", name="JSON Schema").check()
    page.set_input_files("#schema-file", [{"name": "s.json", "mimeType": "application/json", "buffer": b'{"a": }'}])
    expect(page.locator("#schema-wrong")).to_contain_text("This is no JSON")
    page.locator("#schema").fill(json.dumps(TO_BE_REFUSED))
    start(page)
    expect(page.locator("#schema-wrong")).to_contain_text("total has the type 'colour'; choose from")
    expect(page.locator("#schema")).to_be_focused()
    page.locator("#schema").fill(json.dumps(SCHEMA))
    page.get_by_label("Model").select_option("damaged")
    start(page)
    expect(page.locator("#learned-wrong")).to_contain_text("learn again. Choose another one, or none.")
    page.get_by_label("Model").select_option("None")
    start(page)
    run_of(page)
    expect(page.locator(".reason")).to_contain_text("not a PDF that can be opened")
    expect(page.locator(".advice")).to_contain_text("Get the file again")
    page.get_by_role("link", name="Extract again").click()
    expect(page.locator("#schema")).to_have_value(json.dumps(SCHEMA))
    assert len(complaints) == 2 and all("422" in said for said in complaints)
    complaints.clear()


def test_a_file_that_is_too_large_is_not_sent(page, idle, complaints):
    page.route("**/api/extract", lambda route: route.fulfill(json={"learned": [], "max_bytes": 1000}))
    page.goto(f"{idle.url}/#/extract")
    page.set_input_files("#picker", [file("large.pdf", bytes(3000))])
    page.locator("#fields").fill("total")
    expect(page.get_by_label("Model")).to_be_hidden()
    expect(page.locator("#document option").first).to_be_attached()
    start(page)
    expect(page.locator(".wrong").nth(0)).to_contain_text("large.pdf is 3 KB, and this server takes 1000 bytes at once")


def test_two_people_extract_at_once_and_markup_stays_text(form, page, browser, server):
    document = server.read(bills.bill(rows=ROWS), f"{EVIL}.pdf")
    form(f"?document={document}")
    other = browser.new_context().new_page()
    try:
        form(page=other)
        other.set_input_files("#picker", [file("first.pdf", bill()), file("second.pdf", bill((*LINES[:1], EVIL)))])
        other.locator("#fields").fill(f"invoice number\n{EVIL}")
        page.get_by_role("radio", name="JSON Schema").check()
        page.locator("#schema").fill(json.dumps(SCHEMA))
        start(page)
        start(other)
        runs = [run_of(page), run_of(other)]
        assert runs[0] != runs[1]
        expect(row(other, "invoice_number")).to_contain_text("INV-2041")
        other.get_by_label("Document", exact=True).select_option("2")
        expect(other.locator("h1")).to_have_text("second.pdf")
        other.reload()
        expect(other.locator("h1")).to_have_text("second.pdf")
        expect(other.get_by_role("button", name="Review all")).to_be_visible()
        assert other.evaluate("window.harmed") is None
    finally:
        other.context.close()
    expect(page.locator("h1")).to_have_text(f"{EVIL}.pdf")
    expect(page.locator(".value-name", has_text="onerror")).to_have_text(EVIL)
    cell = page.locator(".grid-cell", has_text="onerror")
    cell.click()
    expect(page.locator(".value-detail figcaption")).to_contain_text(EVIL)
    drawn(page, 1)
    expect(page.locator(".hit.current")).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".grid-cell:focus")).to_have_text("Anchor")
    assert "value=items%5B2%5D.article" in page.url
    assert page.evaluate("window.harmed") is None
    assert page.locator("img[src='x']").count() == 0
    page.goto(f"{server.url}/#/")
    expect(page.get_by_role("link", name=f"Values of {EVIL}.pdf")).to_be_visible()


def test_progress_is_shown_and_a_run_is_cancelled(page, idle):
    page.goto(f"{idle.url}/#/extract")
    page.set_input_files("#picker", [file("slow-bill.pdf", bill())])
    page.locator("#fields").fill("total")
    start(page)
    run = run_of(page)
    sha256 = idle.get(f"/api/runs/{run}").json["documents"][0]["sha256"]
    idle.runs.append(run, list(events(run, sha256, [1], total=2)))
    expect(page.locator(".facts")).to_contain_text("1 of 2 pages")
    expect(page.locator(".document .state")).to_have_text("Reading")
    idle.runs.append(run, list(events(run, sha256, [2], total=2)))
    expect(page.locator(".facts")).to_contain_text("Extracting the values")
    page.reload()
    page.get_by_role("button", name="Cancel slow-bill.pdf").click()
    expect(page.locator(".document .state")).to_have_text("Cancelled")
    expect(page.get_by_role("link", name="Extract again")).to_be_visible()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_no_fault_of_accessibility_is_found_in_an_extraction(form, page, folder, axe, theme, width, complaints):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    form()
    start(page)
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    page.set_input_files("#picker", [file("bill.pdf", bills.bill(rows=ROWS))])
    page.get_by_role("radio", name="JSON Schema").check()
    page.locator("#schema").fill(json.dumps(SCHEMA))
    assert page.evaluate(RUN) == []
    start(page)
    run = run_of(page)
    drawn(page, 1)
    assert page.evaluate(RUN) == []
    page.locator(".grid-cell").first.click()
    expect(page.locator(".value-detail .crop[src]")).to_be_visible()
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width == 390:
        return
    with serving(folder, idle=True, api_key="open sesame") as locked:  # a tab of its own has no key
        page.goto(f"{locked.url}/#/extract/{run}")
        page.get_by_label("Key", exact=True).fill("open sesame")
        page.keyboard.press("Enter")
        expect(row(page, "number")).to_contain_text("INV-2041")
    assert all("401" in said for said in complaints)
    complaints.clear()

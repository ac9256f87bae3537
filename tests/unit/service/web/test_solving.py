"""Solving in the browser: a task over documents in, phases and attempts as they happen, values with their places, what
speaks against them, and the files to take away."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from quire.core.events import Event
from tests.unit.evidence.extract.bills import LINES, bill
from tests.unit.service.api.test_solves import part, template
from tests.unit.service.web.conftest import drawn
from tests.unit.service.web.test_accessible import RUN
from tests.unit.service.web.test_extracting import EVIL, file, row

ABOUT = {"role": "solver", "round": 0, "runner": "tools", "attempt": 1}


def run_of(page: Page) -> str:
    page.wait_for_url("**/#/solve/*-*")
    return page.url.rpartition("/")[2].partition("?")[0]


def start(page: Page) -> None:
    page.get_by_role("button", name="Solve", exact=True).click()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_task_over_two_documents_is_solved_and_every_value_shown_on_its_page(page, server, axe, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{server.url}/#/")
    page.get_by_role("link", name="Solve", exact=True).click()
    second = bill((f"IBAN: DE89 3704 0044 0532 0130 00 {EVIL}",), ())
    page.set_input_files("#picker", [file("first.pdf", bill(LINES, ())), file("second.pdf", second)])
    expect(page.locator("#runners option")).to_have_text(["offline"])
    page.locator("#task").fill(f"What do both say? {EVIL}")
    page.locator("#fields").fill("invoice number, total, IBAN, colour")
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    start(page)
    run = run_of(page)
    expect(row(page, "invoice_number")).to_contain_text("INV-2041")
    expect(row(page, "colour")).to_contain_text("Not found")
    expect(page.locator(".solve-task")).to_contain_text(EVIL)
    drawn(page, 1)
    row(page, "iban").click()
    expect(page.locator(".tool-about")).to_have_text("second.pdf")
    expect(page.locator(".sheet[data-page='1'] .hit.current")).to_be_in_viewport()
    expect(page.locator(".value-detail .crop[src]")).to_be_visible()
    expect(page.locator(".value-detail figcaption")).to_contain_text("second.pdf, page 1")
    expect(page.locator(".solve-attempt")).to_contain_text("answered")
    page.get_by_role("button", name="Show what the runners did").click()
    page.locator(".solve-timeline summary").click()
    expect(page.locator(".solve-entries li")).to_contain_text("values were found by rules")
    assert page.evaluate(RUN) == []
    page.reload()
    expect(row(page, "iban")).to_have_attribute("aria-expanded", "true")
    assert run in page.url
    assert page.evaluate("window.harmed") is None


def test_a_template_is_filled_with_keys_alone_and_downloaded(page, server):
    page.goto(f"{server.url}/#/solve")
    page.set_input_files("#picker", [file("bill.pdf", bill(LINES, ()))])
    page.locator("#task").fill("Fill in the form.")
    page.get_by_role("radio", name="Excel template").check()
    start(page)
    expect(page.locator("#template-wrong")).to_contain_text("Choose an Excel workbook")
    page.set_input_files("#template", [{"name": "form.xlsx", "mimeType": "", "buffer": template()}])
    page.locator("#task").focus()
    page.get_by_role("button", name="Solve", exact=True).press("Enter")
    run = run_of(page)
    expect(row(page, "total")).to_contain_text("1250")
    page.keyboard.press("j")
    expect(row(page, "total")).to_be_focused()
    for label, name in (("Workbook", "answer.xlsx"), ("Trace", f"{run}.trace.json")):
        page.get_by_role("button", name="Download").press("Enter")
        with page.expect_download() as saving:
            page.get_by_role("button", name=label, exact=True).press("Enter")
        assert saving.value.suggested_filename == name
    page.goto(f"{server.url}/#/")
    expect(page.get_by_role("link", name="Answer about bill.pdf").first).to_be_visible()


def test_what_is_wrong_is_said_at_its_field(page, server, complaints):
    page.goto(f"{server.url}/#/solve")
    start(page)
    expect(page.locator("#task-wrong")).to_contain_text("Say what is to be done")
    expect(page.locator(".wrong").nth(0)).to_contain_text("Choose at least one file")
    page.set_input_files("#picker", [file("bill.pdf", bill(LINES, ()))])
    page.locator("#task").fill("?")
    page.get_by_role("radio", name="Excel template").check()
    page.set_input_files("#template", [{"name": "form.xlsx", "mimeType": "", "buffer": b"no workbook"}])
    start(page)
    expect(page.locator("#template-wrong")).to_contain_text("workbook")
    assert len(complaints) == 1 and "422" in complaints[0]
    complaints.clear()


def test_phases_and_attempts_are_shown_as_they_happen(page, idle):
    body = {"task": "?", "fields": ["total"], "sources": [{"url": "https://a.example/b.pdf"}]}
    sent = idle.ask("POST", "/api/solve", json.dumps(body).encode(), {"Content-Type": "application/json"})
    run = sent.json["id"]
    page.goto(f"{idle.url}/#/solve/{run}")
    expect(page.locator(".solve-title")).to_contain_text("At work")

    def tell(kind: str, mark: str, **payload: object) -> None:
        idle.runs.append(run, [Event(f"{run}/{mark}", run, 0, kind, "solve", payload=payload)])  # type: ignore[arg-type]

    tell("started", "1", phase="round 0", round=0)
    tell("started", "2", phase="solver 0 tools 1", **ABOUT)
    tell("progress", "3", **ABOUT, entry=0, entry_kind="tool", name="search", arguments={"query": EVIL})
    expect(page.locator(".solve-phases")).to_contain_text("First answer")
    expect(page.locator(".solve-attempt")).to_contain_text("at work")
    page.locator(".solve-timeline summary").click()
    expect(page.locator(".solve-entries li")).to_contain_text(EVIL.replace('"', '\\"'))
    usage = {"turns": 3, "input_tokens": 1200, "output_tokens": 34, "tool_calls": 5, "cost": 0.0123}
    ended = {"phase": "solver 0 tools 1", **ABOUT, "outcome": "over_budget", "reason": "no turns left", "usage": usage}
    tell("attempt", "4", **ended)
    expect(page.locator(".solve-attempt")).to_contain_text("1,234 tokens · 0.0123 US dollars")
    expect(page.locator(".solve-attempt")).to_contain_text("no turns left")
    expect(page.locator(".solve-timeline")).to_have_attribute("open", "")
    tell("started", "5", phase="review", reviews=["review-1"])
    expect(page.get_by_role("link", name="Decide about the open values")).to_have_attribute(
        "href", "#/review/work?review=review-1"
    )
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".solve-title")).to_contain_text("Cancelled")
    assert page.evaluate("window.harmed") is None


def test_what_speaks_against_a_value_comes_first_and_leads_to_both_places(page, server):
    """Findings and conflicts are those of other runners: the answer of this one is told otherwise."""
    parts = part("files", bill(LINES, ()), "a.pdf") + part("files", bill(("Total: EUR 9.00",), ()), "b.pdf")
    parts += part("solve", json.dumps({"task": "?", "fields": ["total"]}).encode()) + b"--x--\r\n"
    sent = server.ask("POST", "/api/solve", parts, {"Content-Type": "multipart/form-data; boundary=x"})
    run = sent.json["id"]
    server.service.runtime.result(run, timeout_s=60)

    def told_otherwise(route) -> None:
        view = server.get(f"/api/runs/{run}/solve").json
        one = view["evidence"]["total"]
        box = {"left": 0.12, "top": 0.11, "width": 0.2, "height": 0.02}
        other = {**one, "number": 2, "document": f"{run}.2", "bboxes": [box], "value": 9, "confidence": 0.5}
        view["conflicts"] = [
            {
                "path": "total",
                "reason": "two documents differ",
                "values": [{**one, "value": EVIL, "confidence": 0.9}, other],
            }
        ]
        about = {"path": "total", "by": "checks", "value": 1250, "other": 9}
        note = {**other, **about, "kind": "footnote", "open": False, "reason": "in thousands"}
        view["findings"] = [note, {**other, **about, "kind": "contradiction", "open": True, "reason": f"says 9 {EVIL}"}]
        view["status"], view["reviews"] = "open", ["review-1"]
        route.fulfill(json=view)

    page.route("**/api/runs/*/solve", told_otherwise)
    page.goto(f"{server.url}/#/solve/{run}")
    expect(page.locator(".solve-title")).to_contain_text("1 conflict · 1 open finding")
    expect(page.locator(".finding .mark")).to_have_text(["Contradiction", "Note: Footnote"])
    expect(page.locator(".value-detail .side")).to_have_count(2)
    expect(page.locator(".value-detail .side").nth(1)).to_contain_text("b.pdf, page 1")
    expect(page.locator(".value-detail .side .crop[src]")).to_have_count(2)
    page.locator(".finding").first.click()
    expect(page.locator(".tool-about")).to_have_text("b.pdf")
    expect(page.locator(".sheet[data-page='1'] .hit.current")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Review", exact=True).first).to_be_visible()
    assert page.evaluate("window.harmed") is None


def test_a_review_that_has_ended_is_downloaded_as_a_fixture(page, server):
    given = {"task": "?", "fields": ["colour"], "review": "wait"}
    parts = part("files", bill(LINES, ()), "fixed.pdf") + part("solve", json.dumps(given).encode()) + b"--x--\r\n"
    sent = server.ask("POST", "/api/solve", parts, {"Content-Type": "multipart/form-data; boundary=x"})
    page.goto(f"{server.url}/#/solve/{sent.json['id']}")
    page.get_by_role("link", name="Decide about the open values").click()
    expect(page.locator(".value-card")).to_be_visible()
    page.keyboard.press("x")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Download as fixture").click()
    assert saving.value.suggested_filename.startswith("fixed-")
    assert saving.value.suggested_filename.endswith(".fixture.zip")
    page.goto(f"{server.url}/#/solve/{sent.json['id']}")
    expect(page.locator(".solve-title")).to_contain_text("Complete")

"""The report in a real browser: from a value to its place and back, by mouse and keyboard, and no script runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from quire.evidence.extract.reports import report
from tests.servers import chromium

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("browser")]

NEAR = 3.0
"""Pixels."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium.browsing() as running:
        yield running


@pytest.fixture(scope="module")
def page(reported, browser, tmp_path_factory) -> Iterator[Page]:
    file = tmp_path_factory.mktemp("report") / "bill.html"
    file.write_bytes(report(reported.extraction, "html", reported.crop))
    page = browser.new_page(viewport={"width": 1300, "height": 700})
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert said == []


def outlined(page: Page, selector: str) -> bool:
    return page.eval_on_selector(selector, "one => getComputedStyle(one).outlineStyle") == "solid"


def test_a_click_on_a_value_shows_its_box_on_the_page(reported, page):
    page.click("#v2 a.go")
    page.wait_for_url("**#b2-1")
    assert outlined(page, "#b2-1") and outlined(page, "#v2") and not outlined(page, "#v3")
    box, picture = page.locator("#b2-1").bounding_box(), page.locator("#p1 img").bounding_box()
    wanted = reported.extraction["number"].bboxes[0]
    assert box and picture
    middle = picture["x"] + picture["width"] * (wanted.left + wanted.width / 2)
    assert abs(box["x"] + box["width"] / 2 - middle) < NEAR
    assert 0 < box["y"] < 700, "it was scrolled to"


def test_a_click_on_a_box_shows_its_value(page):
    page.click("#b3-1")
    page.wait_for_url("**#v3")
    assert outlined(page, "#v3") and outlined(page, "#b3-1")


def test_the_keyboard_is_enough(page):
    page.focus("#v2 a.go")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('li').id") == "v3"
    page.keyboard.press("Enter")
    page.wait_for_url("**#b3-1")
    page.focus("#all")
    page.keyboard.press("ArrowRight")
    assert page.is_hidden("#v2") and page.is_visible("#v1")
    page.keyboard.press("ArrowLeft")


def test_no_fault_of_accessibility_is_found(page):
    page.evaluate(chromium.axe_script())
    assert [fault["id"] for fault in page.evaluate("axe.run()")["violations"]] == []

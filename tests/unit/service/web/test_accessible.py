"""axe-core finds no fault, in both themes; the theme follows the system unless the reader chooses."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

RUN = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  const said = (node) => `${node.html} ${node.failureSummary}`;
  return found.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 3).map(said).join(" | ")}`);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_fault_of_accessibility_is_found(show, server, samples, page, axe, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(server.url)
    expect(page.locator(".document").first).to_be_visible()
    page.get_by_text("Options").click()
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    page.keyboard.press("?")
    assert page.evaluate(RUN) == []
    page.keyboard.press("Escape")
    show(samples.scan)
    page.locator(".box[data-kind=table]").click()
    for tab in ("Text", "Blocks", "Tables", "Markdown", "JSON", "Reading"):
        page.get_by_role("tab", name=tab).click()
        expect(page.locator("#panel-body .skeleton")).to_have_count(0)
        assert page.evaluate(RUN) == [], tab
    page.get_by_label("Search in the document").fill("rope")
    expect(page.locator(".found-hit")).to_have_count(1)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("checkbox", name="Table")).to_be_visible()
    assert page.evaluate(RUN) == []


def test_no_fault_of_accessibility_is_found_on_a_phone(show, samples, page, axe):
    page.set_viewport_size({"width": 390, "height": 800})
    show(samples.sample, number=2)
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("checkbox", name="Table")).to_be_in_viewport()
    box = page.locator(".filters .menu-panel").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.evaluate(axe)
    assert page.evaluate(RUN) == []


def test_the_theme_follows_the_system_unless_one_is_chosen(page, server):
    page.goto(server.url)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(ground)
    assert dark != light
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate(ground) == dark
    page.reload()
    assert page.evaluate(ground) == dark

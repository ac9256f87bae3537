"""Reviewing in the browser: with keys and with the pointer, two at once, and when things change meanwhile."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import pytest
from playwright.sync_api import Error, Page, expect

from quire.evidence.extract.extraction_json import extraction_json
from tests import bills
from tests.runtime.tracking import wait_until
from tests.unit.service.api.conftest import Serving
from tests.unit.service.web.conftest import drawn
from tests.unit.service.web.test_accessible import RUN

LONG = 170
JSON = {"Content-Type": "application/json"}
NEAR = 3.0
"""Pixels of the screen."""
_numbers = count()

# The marked box, and the ink in and around it, in pixels of the screen.
MEASURE = """async (sheet) => {
  const image = sheet.querySelector(".picture");
  const paper = sheet.getBoundingClientRect();
  const box = sheet.querySelector(".hit.current").getBoundingClientRect();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const paint = canvas.getContext("2d");
  paint.drawImage(image, 0, 0);
  const scale = canvas.width / paper.width;
  const [x, y] = [(box.left - paper.left - 12) * scale, (box.top - paper.top - 12) * scale].map(Math.round);
  const [width, height] = [(box.width + 24) * scale, (box.height + 24) * scale].map(Math.round);
  const { data } = paint.getImageData(x, y, width, height);
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      if (data[4 * (row * width + column)] < 120) {
        [left, right] = [Math.min(left, column), Math.max(right, column + 1)];
        [top, bottom] = [Math.min(top, row), Math.max(bottom, row + 1)];
      }
  const ink = [left, top, right, bottom].map((value) => value / scale - 12);
  return { ink, size: [box.width, box.height] };
}"""


# Which documents the pictures of pages in memory are of.
PICTURES = """
  window.open_pages = new Map();
  const documents = new WeakMap();
  const [fetched, made, revoked] = [window.fetch, URL.createObjectURL, URL.revokeObjectURL];
  window.fetch = async (path, ...given) => {
    const answer = await fetched(path, ...given);
    const [, document] = /documents\\/([^/]+)\\/pages\\/\\d+\\/image/.exec(path) ?? [];
    if (document) {
      const blob = answer.blob.bind(answer);
      answer.blob = async () => { const data = await blob(); documents.set(data, document); return data; };
    }
    return answer;
  };
  URL.createObjectURL = (data) => {
    const url = made(data);
    if (documents.has(data)) window.open_pages.set(url, documents.get(data));
    return url;
  };
  URL.revokeObjectURL = (url) => { window.open_pages.delete(url); revoked(url); };
"""
CLAIMS = """() => {
  const key = Object.keys(localStorage).find((each) => each.startsWith("quire-review-claims-"));
  return JSON.parse(localStorage.getItem(key));
}"""


@dataclass
class Review:
    """A review of a bill of its own."""

    server: Serving
    id: str
    pages: str

    def items(self) -> dict[str, dict]:
        return {item["path"]: item for item in self.server.get(f"/api/review/{self.id}").json["items"]}

    def states(self) -> dict[str, str]:
        return {path: item["state"] for path, item in self.items().items() if item["state"] != "open"}

    def extraction(self) -> dict:
        return self.server.get(f"/api/review/{self.id}").json["extraction"]


@pytest.fixture(scope="module")
def review(server) -> Callable[..., Review]:
    """Puts a bill up for review; another name makes another review of it."""

    def put(pages: int = 2, name: str = "bill") -> Review:
        document = server.read(bills.bill(pages), f"{name}-{next(_numbers)}.pdf")
        views = ((at, server.get(f"/api/documents/{document}/pages/{at}?words=1").json) for at in (1, pages))
        sha256 = server.get(f"/api/documents/{document}").json["sha256"]
        extraction = bills.bill_extraction(sha256, bills.words_of(views), last=pages)
        body = {"document": document, "schema": bills.SCHEMA, "extraction": extraction_json(extraction)}
        made = server.ask("POST", "/api/review", json.dumps(body), JSON).json
        return Review(server, made["id"], made["pages"])

    return put


@pytest.fixture
def desk(page, server) -> Callable[..., Page]:
    """Opens the desk for the doubts of a review, and waits for a value."""

    def open_(review: Review, query: str = "&doubt=conflict&doubt=not_found&doubt=unverified&doubt=low") -> Page:
        page.goto(f"{server.url}/#/review/work?review={review.id}{query}")
        expect(page.locator(".value-title")).to_be_visible()
        return page

    return open_


def at(page: Page, path: str) -> None:
    """Wait until the value of a path is shown, and can be decided about."""
    expect(page.locator(".desk-panel")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".value-card")).to_have_attribute("data-path", path)
    expect(page.locator(".desk-panel")).to_have_attribute("aria-busy", "false")


def test_a_document_is_reviewed_with_keys_alone(desk, review, page):
    mine = review()
    desk(mine)
    at(page, "number")
    page.keyboard.press("e")
    page.keyboard.type("INV-2041")
    page.keyboard.press("Enter")
    at(page, "date")
    page.keyboard.press("x")
    at(page, "total")
    expect(page.locator(".side .crop")).to_have_count(2)
    page.keyboard.press("2")
    at(page, "currency")
    page.keyboard.press("n")
    at(page, "items[1].name")
    page.keyboard.press("a")
    at(page, "items[2].price")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", name="1 value is still open")).to_be_visible()
    page.keyboard.press("z")
    at(page, "items[2].price")
    expect(page.locator(".mark").first).to_have_text("Not sure")
    page.keyboard.press("A")
    expect(page.get_by_role("heading", name="1 value is still open")).to_be_visible()
    page.keyboard.press("Enter")
    at(page, "currency")
    page.keyboard.press("x")
    expect(page.get_by_role("heading", name="Everything is reviewed")).to_be_visible()
    values = mine.extraction()["values"]
    assert (values["number"], values["date"], values["total"]) == ("INV-2041", None, 145)
    assert mine.states() == {
        "number": "corrected",
        "date": "absent",
        "total": "corrected",
        "currency": "absent",
        "items[1].name": "confirmed",
        "items[2].price": "confirmed",
    }
    history = mine.server.get(f"/api/review/{mine.id}/history").json["history"]
    assert [entry["action"] for entry in history if entry["path"] == "items[2].price"] == ["reject", "undo", "approve"]


def test_the_marked_box_lies_on_the_words_at_every_size(desk, review, page):
    desk(review(), "&field=seller.name")
    drawn(page, 1)
    sheet = page.locator(".sheet[data-page='1']")
    before = 0.0
    for zoom in ("0", "="):
        page.keyboard.press(zoom)
        found = sheet.evaluate(MEASURE)
        left, top, right, bottom = found["ink"]
        width, height = found["size"]
        assert [left, right] == pytest.approx([0, width], abs=NEAR), zoom
        assert -NEAR < top < bottom < height + NEAR, zoom
        assert width > before
        before = width
    mark = page.locator(".crop-mark").bounding_box()
    crop = page.locator(".crop-picture").bounding_box()
    assert mark is not None and crop is not None
    assert crop["x"] < mark["x"] and mark["x"] + mark["width"] < crop["x"] + crop["width"]


def test_a_value_is_picked_on_the_page(desk, review, page):
    mine = review()
    desk(mine)
    drawn(page, 1)
    paper = page.locator(".sheet[data-page='1']").bounding_box()
    assert paper is not None
    views = [(1, mine.server.get(f"/api/documents/{mine.pages}/pages/1?words=1").json)]
    words = bills.words_of(views)

    def place(text: str, across: float) -> tuple[float, float]:
        (box,), _ = bills.found(words, 1, text)
        x = paper["x"] + paper["width"] * (box.left + across * box.width)
        return x, paper["y"] + paper["height"] * (box.top + box.height / 2)

    field = page.get_by_label("Correct it")
    page.mouse.click(*place("HARBOUR SUPPLY", 0.5))
    expect(field).to_have_value("HARBOUR SUPPLY")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    page.mouse.move(*place("number: INV-2041", 0.05))
    page.mouse.down()
    page.mouse.move(*place("INV-2041", 0.5), steps=4)
    page.mouse.up()
    expect(field).to_have_value("number: INV-2041")
    page.keyboard.press("Escape")
    x, y = place("INV-2041", 0)
    page.mouse.move(x - 2, y - 14)
    page.mouse.down()
    page.mouse.move(x + 80, y + 12, steps=4)
    page.mouse.up()
    expect(field).to_have_value("INV-2041")
    page.keyboard.press("Enter")
    at(page, "date")
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    expect(field).to_have_value("HARBOUR SUPPLY")
    decision = mine.items()["number"]["decision"]
    ((box,), blocks) = bills.found(words, 1, "INV-2041")
    assert (decision["page"], decision["blocks"]) == (1, list(blocks))
    assert list(decision["bboxes"][0].values()) == pytest.approx([box.left, box.top, box.width, box.height])


def test_keys_pick_a_word_of_a_table_however_fast_they_are_pressed(desk, review, page):
    mine = review()
    blocks = mine.server.get(f"/api/documents/{mine.pages}/pages/1?words=1").json["blocks"]
    table = [block["kind"] for block in blocks if block["words"]].index("table")
    desk(mine)
    at(page, "number")
    page.get_by_role("button", name="Use as a sample").press("Enter")
    expect(page.get_by_role("button", name="A sample")).to_be_focused()
    expect(page.get_by_role("button", name="A sample")).to_have_attribute("title", re.compile("lacks [1-9] decisions"))
    for key in ("j",) * (table + 1) + ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#correct")).to_be_focused()
    expect(page.locator("#correct")).to_have_value("10.00")
    assert mine.states() == {}, "nothing is saved before a second Enter"
    expect(page.get_by_role("button", name="A sample")).to_have_attribute("aria-pressed", "true")


def test_what_was_decided_becomes_samples_at_the_end_of_a_session(desk, review, page, axe):
    mine = review()
    desk(mine, "&doubt=conflict")
    at(page, "total")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Everything is reviewed")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("s")
    expect(page.get_by_text("1 document is a sample.")).to_be_visible()
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    assert mine.server.get(f"/api/review/{mine.id}").json["sample"]
    assert mine.states() == {"total": "corrected"}


def test_a_list_is_a_grid_whose_cells_show_their_places(desk, review, page):
    mine = review()
    desk(mine, "&field=items[].name")
    at(page, "items[1].name")
    expect(page.locator(".grid-cell")).to_have_count(6)
    drawn(page, 1)
    expect(page.locator(".hit")).to_have_count(6)
    page.keyboard.press("ArrowUp")
    at(page, "items[0].name")
    page.keyboard.press("ArrowDown")
    at(page, "items[1].name")
    expect(page.locator(".grid-cell:focus")).to_have_text(bills.HOSTILE)
    first = page.locator(".hit.current").bounding_box()
    page.keyboard.press("ArrowRight")
    at(page, "items[1].price")
    second = page.locator(".hit.current").bounding_box()
    assert first is not None and second is not None
    assert second["x"] > first["x"] + first["width"]
    page.keyboard.press("X")
    expect(page.locator(".grid-cell[data-state=absent]")).to_have_count(2)
    page.keyboard.press("+")
    for path, value in (("items[3].name", "Sail"), ("items[3].price", "7,50")):
        at(page, path)
        page.keyboard.press("e")
        page.keyboard.type(value)
        page.keyboard.press("Enter")
    expect(page.locator(".grid-cell", has_text="7.5")).to_be_visible()
    assert [(row["name"], row["price"]) for row in mine.extraction()["values"]["items"]] == [
        ("Rope", 10),
        ("Anchor", 113.5),
        ("Sail", 7.5),
    ]


def test_two_reviewers_never_have_the_same_value(desk, review, page, browser, server):
    mine = review()
    desk(mine)
    at(page, "number")  # and it has claimed `date` ahead
    other = browser.new_context()
    try:
        second = other.new_page()
        second.goto(f"{server.url}/#/review/work?review={mine.id}")
        at(second, "total")
        second.keyboard.press("a")
        at(second, "currency")
        page.keyboard.press("a")
        at(page, "date")
        page.keyboard.press("a")
        decided = dict.fromkeys(("number", "date", "total"), "confirmed")
        wait_until(lambda: mine.states() == decided, "not all three are saved")
    finally:
        other.close()


def test_a_reload_goes_on_where_it_was(desk, review, page):
    mine = review()
    desk(mine)
    page.keyboard.press("a")
    at(page, "date")
    page.keyboard.press("n")
    at(page, "total")
    page.reload()
    at(page, "total")
    page.keyboard.press("a")
    at(page, "currency")
    assert mine.states() == {"number": "confirmed", "total": "confirmed"}
    desk(review())
    at(page, "number")  # of the other document


def test_next_never_goes_in_a_circle(desk, review, page):
    desk(review())
    for path in ("number", "date", "total", "currency", "items[1].name"):
        at(page, path)
        page.keyboard.press("n")
    expect(page.get_by_role("heading", name="6 values are still open")).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="6 values are still open")).to_be_visible()
    page.get_by_role("button", name="Look at them again").click()
    at(page, "number")


def test_the_last_value_can_be_passed_over_and_looked_at_again(desk, review, page):
    desk(review(), "&doubt=conflict")
    at(page, "total")
    drawn(page, 1)
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="1 value is still open")).to_be_visible()
    page.keyboard.press("Enter")
    at(page, "total")
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Everything is reviewed")).to_be_visible()
    page.get_by_role("button", name="Undo the last decision").click()
    at(page, "total")


def test_what_was_not_found_cannot_be_approved_and_its_likely_place_is_shown(desk, review, page):
    mine = review()
    desk(mine, "&field=currency")
    at(page, "currency")
    expect(page.get_by_role("button", name="Approve")).to_be_hidden()
    expect(page.get_by_role("button", name="Not in the document")).to_have_class("primary")
    expect(page.locator(".value-where")).to_contain_text("whole page")
    drawn(page, 1)
    paper, stage = page.locator(".sheet[data-page='1']").bounding_box(), page.locator(".sheets").bounding_box()
    assert paper is not None and stage is not None
    assert paper["height"] < stage["height"], "the whole sheet is in sight"
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Correct it")).to_be_focused()
    assert mine.states() == {}
    desk(mine, "&field=total")
    at(page, "total")
    expect(page.locator(".desk-card").get_by_text("Total", exact=True)).to_have_count(1)


def test_a_missing_value_is_looked_for_where_its_name_is_printed(review, server, page):
    document = server.read(bills.bill(), "likely.pdf")
    asked = json.dumps({"document": document, "fields": ["amount due", "date of birth"], "review": "queue"})
    run = server.ask("POST", "/api/extract", asked, JSON).json["id"]
    server.service.runtime.result(run, timeout_s=120)
    extraction = server.get(f"/api/documents/{run}.1/extraction").json
    evidence = {
        path: {**one, "status": "not_found", "page": None, "bboxes": [], "alternatives": []}
        for path, one in extraction["evidence"].items()
    }
    changed = {**extraction, "values": dict.fromkeys(extraction["values"]), "evidence": evidence, "conflicts": []}
    body = {"document": document, "schema": ["amount due", "date of birth"], "extraction": changed}
    made = server.ask("POST", "/api/review", json.dumps(body), JSON).json
    page.goto(f"{server.url}/#/review/work?review={made['id']}&field=amount_due")
    at(page, "amount_due")
    expect(page.locator(".value-where")).to_have_text("“amount due” stands on page 2")
    expect(page.locator(".sheet[data-page='2'] .hit.current")).to_be_in_viewport()


def test_a_decision_without_a_connection_is_not_lost_silently(desk, review, page, context, complaints):
    mine = review()
    desk(mine)
    context.set_offline(True)
    page.keyboard.press("a")
    expect(page.locator(".notice.error")).to_contain_text("Nothing was saved")
    at(page, "number")
    context.set_offline(False)
    page.keyboard.press("a")
    at(page, "date")
    assert mine.states() == {"number": "confirmed"}
    complaints.clear()  # the browser reports the connection


def test_a_value_that_changed_meanwhile_is_shown_as_it_is(desk, review, page, complaints):
    mine = review()
    desk(mine)
    (claim, *_) = page.evaluate(CLAIMS)
    body = {"path": "number", "version": 0, "action": "correct", "value": "A-1", "claim": claim, "reviewer": "Bob"}
    assert mine.server.ask("POST", f"/api/review/{mine.id}/decisions", json.dumps(body), JSON).status == 200
    page.keyboard.press("x")
    expect(page.locator(".notice.error")).to_contain_text("Nothing was saved")
    expect(page.locator("output.value-text")).to_have_text("A-1")
    assert mine.states() == {"number": "corrected"}
    assert [said for said in complaints if "409" not in said] == []
    complaints.clear()


def test_a_document_of_many_pages_is_shown_where_the_value_is(desk, review, page):
    desk(review(LONG))
    page.keyboard.press("n")
    at(page, "date")
    page.keyboard.press("n")
    at(page, "total")
    drawn(page, 1)
    page.locator(".side-choose").nth(1).focus()
    drawn(page, LONG)
    expect(page.locator(f".sheet[data-page='{LONG}'] .hit.current")).to_be_in_viewport()
    expect(page.locator(".tools")).to_contain_text(f"Page {LONG} of {LONG}")
    assert page.locator(".sheet").count() < 8


def test_markup_in_values_stays_text(desk, review, page, server):
    mine = review(name=bills.HOSTILE)
    page.goto(f"{server.url}/#/review")
    expect(page.locator(f".run[data-review='{mine.id}'] .name")).to_contain_text(bills.HOSTILE)
    desk(mine)
    expect(page.locator(".value-about")).to_contain_text(bills.HOSTILE)
    desk(mine, "&field=items[].name")
    expect(page.locator(".grid-cell", has_text="onerror")).to_have_text(bills.HOSTILE)
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.locator("img[src='x']").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_fault_of_accessibility_is_found_in_a_review(desk, review, server, page, axe, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    mine = review()
    page.goto(f"{server.url}/#/review")
    expect(page.locator(".review-row").first).to_be_visible()
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    page.locator(f".run[data-review='{mine.id}']").get_by_label("Sample").check()
    page.goto(f"{server.url}/#/review/work?review={mine.id}")
    at(page, "number")
    for path in ("date", "total", "currency"):
        page.keyboard.press("n")
        at(page, path)
        drawn(page, 1)
        assert page.evaluate(RUN) == [], path
    desk(mine, "&field=items[].name")
    at(page, "items[1].name")
    expect(page.get_by_role("button", name="A sample")).to_be_visible()
    assert page.evaluate(RUN) == []


def test_another_value_of_the_document_is_chosen_out_of_turn(desk, review, page):
    mine = review()
    desk(mine)
    at(page, "number")
    values = page.get_by_role("navigation", name="Values of this document")
    expect(values.locator(".values-row")).to_have_count(6)
    expect(values.locator("[aria-current]")).to_contain_text("Invoice number")
    values.get_by_role("button", name="currency").click()
    at(page, "currency")
    page.keyboard.press("x")
    at(page, "number")
    expect(values.locator(".values-row", has_text="currency")).to_contain_text("Not in the document")
    assert mine.states() == {"currency": "absent"}


def test_what_another_reviewer_gives_back_is_not_left_behind(desk, review, page, server):
    mine = review()
    claimed = {"reviewer": "Bob", "review": mine.id, "path": "number"}
    claim = server.ask("POST", "/api/review/claims", json.dumps(claimed), JSON).json["claim"]
    desk(mine, "&doubt=unverified&doubt=conflict")
    at(page, "total")
    assert server.ask("DELETE", f"/api/review/claims/{claim}").status == 204
    page.keyboard.press("n")
    at(page, "items[1].name")
    page.keyboard.press("n")
    at(page, "number")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="3 values are still open")).to_be_visible()


def test_documents_that_were_reviewed_are_not_kept(server, page):
    sent = [(f"kept-{number}.pdf", bills.bill()) for number in range(3)]
    run = server.post(*sent).json["id"]
    server.service.runtime.result(run, timeout_s=120)
    for document in (f"{run}.{number}" for number in (1, 2, 3)):
        views = ((at, server.get(f"/api/documents/{document}/pages/{at}?words=1").json) for at in (1, 2))
        sha256 = server.get(f"/api/documents/{document}").json["sha256"]
        extraction = extraction_json(bills.bill_extraction(sha256, bills.words_of(views), name=document))
        body = {"document": document, "schema": bills.SCHEMA, "extraction": extraction}
        assert server.ask("POST", "/api/review", json.dumps(body), JSON).status == 201
    page.add_init_script(PICTURES)
    page.goto(f"{server.url}/#/review/work?run={run}&field=total&doubt=conflict")
    for number in range(3):
        expect(page.locator(".document-name")).to_have_text(f"kept-{number}.pdf")
        at(page, "total")
        drawn(page, 1)
        page.wait_for_function("() => window.open_pages.size > 0")
        page.keyboard.press("n")
    expect(page.get_by_role("heading", name="3 values are still open")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".document-name")).to_have_text("kept-0.pdf")
    drawn(page, 1)
    page.wait_for_function("() => new Set(window.open_pages.values()).size === 1")


def held(mine: Review) -> list[str]:
    """The parts of a review that someone has."""
    items = mine.server.service.reviews.tables.items(mine.id)
    return list(dict.fromkeys(item.part for item in items if item.held))


def test_a_closed_tab_gives_its_values_back_at_once(review, context, server):
    mine = review()
    page = context.new_page()
    page.goto(f"{server.url}/#/review/work?review={mine.id}")
    at(page, "number")
    wait_until(lambda: held(mine) == ["number", "date"], "the next value is not claimed")
    page.close()
    wait_until(lambda: held(mine) == [], "the closed tab keeps its values")


def test_the_next_tab_gives_back_what_a_crashed_one_had(review, context, server, complaints):
    mine = review()
    crashed = context.new_page()
    crashed.goto(f"{server.url}/#/review/work?review={mine.id}")
    at(crashed, "number")
    wait_until(lambda: held(mine) == ["number", "date"], "the next value is not claimed")
    with contextlib.suppress(Error):
        crashed.goto("chrome://crash")
    assert held(mine) == ["number", "date"]
    page = context.new_page()
    page.goto(f"{server.url}/#/review/work?review={mine.id}")
    at(page, "number")


def test_the_only_reviewer_is_not_told_of_others(review, page, context, server):
    mine = review()
    page.goto(f"{server.url}/#/review/work?review={mine.id}&doubt=conflict")
    at(page, "total")
    second = context.new_page()
    second.goto(f"{server.url}/#/review/work?review={mine.id}&doubt=conflict")
    expect(second.get_by_role("heading", name="Another tab has the rest")).to_be_visible()
    page.close()
    at(second, "total")


def test_a_second_reviewer_is_told_who_has_the_rest(review, page, server):
    mine = review()
    claimed = {"reviewer": "Ada", "review": mine.id, "path": "total"}
    assert server.ask("POST", "/api/review/claims", json.dumps(claimed), JSON).json["claim"]
    page.goto(f"{server.url}/#/review/work?review={mine.id}&doubt=conflict")
    expect(page.get_by_role("heading", name="Ada has the rest")).to_be_visible()

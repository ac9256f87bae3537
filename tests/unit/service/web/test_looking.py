"""Looking at a document: blocks and their places, filters, tables, search, keys, many pages."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.unit.service.web.conftest import MANY, drawn


def test_a_box_shows_its_text_and_a_text_its_place(show, samples):
    page = show(samples.sample, number=2)
    page.locator(".sheet[data-page='2'] .box[data-kind=table]").click()
    text = page.locator(".panel .piece.selected")
    expect(text).to_contain_text("Inner harbour")
    expect(page.locator(".sheet[data-page='2'] .cell")).not_to_have_count(0)
    page.locator(".panel .piece", has_text="Table 1 shows the four groups").click()
    expect(page.locator(".box[aria-pressed=true]")).to_have_attribute("data-kind", "paragraph")
    page.get_by_role("tab", name="Blocks").click()
    page.locator(".block").last.click()
    chosen = page.locator(".box[aria-pressed=true]")
    expect(chosen).to_be_in_viewport()
    expect(chosen).to_have_attribute("data-block", page.locator(".block").last.get_attribute("data-block"))
    page.reload()
    expect(page.locator(".box[aria-pressed=true]")).to_be_in_viewport()


def test_boxes_have_the_colour_of_their_kind_and_the_number_of_their_order(show, samples):
    page = show(samples.sample, number=2)
    boxes = page.locator(".sheet[data-page='2'] .box")
    orders = boxes.evaluate_all("boxes => boxes.map((box) => Number(box.dataset.order))")
    assert orders == list(range(1, len(orders) + 1))
    colours = boxes.evaluate_all(
        "boxes => boxes.map((box) => [box.dataset.kind, getComputedStyle(box, '::before').backgroundColor])"
    )
    assert len({colour for _, colour in colours}) == len({kind for kind, _ in colours}) > 4


def test_filters_hide_kinds_engines_and_what_is_certain(show, samples):
    page = show(samples.scan)
    boxes = page.locator(".sheet .box:visible")
    expect(boxes).to_have_count(6)
    page.keyboard.press("f")
    page.get_by_role("checkbox", name="Table").uncheck()
    expect(boxes).to_have_count(5)
    expect(page.locator(".sheet .box[data-kind=table]")).to_be_hidden()
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_label("Confidence at most").fill("0.5")
    expect(boxes).to_have_count(0)
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_role("checkbox", name="rapidocr").uncheck()
    expect(boxes).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Blocks").click()
    expect(page.locator(".panel")).to_contain_text("6 blocks hidden by the filters")


def test_words_come_on_demand(show, samples):
    asked = []
    page = show(samples.scan)
    page.on("request", lambda request: asked.append(request.url))
    expect(page.locator(".word")).to_have_count(0)
    page.get_by_role("button", name="Words").click()
    expect(page.locator(".word[data-text=Aurora]")).to_have_count(1)
    assert sum("words=1" in url for url in asked) == 1
    page.get_by_role("button", name="Words").click()
    expect(page.locator(".word")).to_have_count(0)


def test_tables_are_copied_and_saved(context, show, samples):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = show(samples.sample)
    page.get_by_role("tab", name="Tables").click()
    card = page.locator(".table-card").first
    expect(card.locator("td, th").filter(has_text="Inner harbour")).to_be_visible()
    card.get_by_role("button", name="Copy").click()
    expect(page.locator(".notice")).to_contain_text("Table copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Inner harbour\t148\t163\t95\t97" in copied.splitlines()
    for button, begins in (("CSV", b"Route"), ("Excel", b"PK")):
        with page.expect_download() as saving:
            card.get_by_role("button", name=button).click()
        saved = saving.value
        assert saved.path().read_bytes().lstrip(b"\xef\xbb\xbf").startswith(begins)
        assert saved.suggested_filename.startswith("sample.")
    card.get_by_role("button", name="Show").click()
    expect(page.locator(".box[aria-pressed=true]")).to_be_in_viewport()


def test_the_markdown_and_the_json_stand_beside_the_page(show, samples):
    page = show(samples.sample, number=2)
    page.get_by_role("tab", name="Markdown").click()
    expect(page.locator(".source")).to_contain_text("# Quarterly Report")
    page.get_by_role("tab", name="JSON").click()
    expect(page.locator(".source")).to_contain_text('"number": 2')
    with page.expect_download() as saving:
        page.get_by_role("button", name="Download").click()
        page.get_by_role("button", name="DoclingDocument").click()
    assert saving.value.suggested_filename == "sample.docling.json"


def test_how_a_page_was_read_is_told(show, samples):
    page = show(samples.scan)
    page.get_by_role("tab", name="Reading").click()
    panel = page.locator(".panel")
    expect(panel).to_contain_text("The text was recognised by rapidocr.")
    expect(panel.locator(".attempts li")).to_have_count(1)
    expect(panel.locator(".stages")).to_contain_text("Layout: blocks, tables, order")


def test_hits_of_a_search_are_listed_and_marked_on_the_pages(show, samples):
    page = show(samples.sample)
    page.keyboard.press("/")
    page.keyboard.type("hybrid boats")
    expect(page.locator(".found-hit")).not_to_have_count(0)
    expect(page.locator(".found-hit mark").first).to_have_text("hybrid boats")
    page.keyboard.press("Enter")
    current = page.locator(".hit.current")
    expect(current).to_be_in_viewport()
    expect(page.locator(".search-count")).to_contain_text("1 of ")
    word = current.evaluate("hit => [hit.offsetWidth, hit.offsetHeight]")
    assert 20 < word[0] < 300 and 5 < word[1] < 60, "the words are marked, not their block"
    page.keyboard.press("Escape")
    expect(page.locator(".hit")).to_have_count(0)
    page.get_by_label("Search in the document").fill("no such words")
    expect(page.locator(".found")).to_contain_text("is not in this document")


def test_the_keyboard_does_what_the_help_says(show, samples):
    page = show(samples.sample)
    field = page.get_by_role("spinbutton", name="Page")
    for key, number in (("ArrowRight", "2"), ("End", "4"), ("ArrowLeft", "3"), ("Home", "1")):
        page.keyboard.press(key)
        expect(field).to_have_value(number)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".box[aria-pressed=true]")).to_have_attribute("data-order", "2")
    page.keyboard.press("k")
    expect(page.locator(".box[aria-pressed=true]")).to_have_attribute("data-order", "1")
    page.get_by_role("tab", name="Blocks").click()
    page.keyboard.press("j")
    expect(page.locator(".block[aria-pressed=true] .order")).to_have_text("2")
    page.keyboard.press("b")
    expect(page.locator(".boxes").first).to_be_hidden()
    page.keyboard.press("3")
    expect(page.get_by_role("tab", name="Tables")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.get_by_role("tab", name="Tables")).to_have_attribute("aria-selected", "true")


def test_the_tree_stays_small_for_many_pages(show, many):
    page = show(many)
    count = "document.querySelectorAll('*').length"
    few = page.evaluate(count)
    assert page.locator(".sheet").count() <= 5 and page.locator(".frame").count() <= 15
    for number in (50, MANY, 7):
        page.get_by_role("spinbutton", name="Page").fill(str(number))
        page.keyboard.press("Enter")
        drawn(page, number)
        expect(page.locator(f".frame[aria-label^='Page {number},']")).to_have_attribute("aria-current", "page")
        expect(page.locator(".panel .piece").first).to_contain_text(f"Chapter {number}")
        assert page.locator(".sheet").count() <= 5 and page.locator(".frame").count() <= 20
        assert page.evaluate(count) < few + 200
    for _ in range(30):
        page.mouse.move(600, 400)
        page.mouse.wheel(0, 3000)
    expect(page.get_by_role("spinbutton", name="Page")).not_to_have_value("7")
    assert page.locator(".sheet").count() <= 5


def test_it_is_readable_on_a_phone(show, samples, page):
    page.set_viewport_size({"width": 390, "height": 800})
    show(samples.sample, number=2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sheet = page.locator(".sheet[data-page='2']").bounding_box()
    assert sheet["x"] >= 0 and sheet["x"] + sheet["width"] <= 390
    page.locator(".sheet[data-page='2'] .box[data-kind=table]").click()
    expect(page.locator(".piece.selected")).to_be_in_viewport()
    page.get_by_role("link", name="Documents", exact=True).click()
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_marker_of_a_list_item_is_shown_once(show, samples):
    page = show(samples.sample)
    page.get_by_role("tab", name="Text").click()
    item = page.locator(".prose .item", has_text="Punctual sailings").first
    expect(item.locator(".marker")).not_to_be_empty()
    expect(item.locator("span").nth(1)).to_have_text("Punctual sailings: 94 of 100")


def test_a_figure_shows_its_picture_in_the_text(show, samples):
    page = show(samples.sample, number=2)
    picture = page.locator(".panel figure img")
    expect(picture).to_be_visible()
    width, height = picture.evaluate(
        "async (image) => (await image.decode(), [image.naturalWidth, image.naturalHeight])"
    )
    box = page.locator(".sheet[data-page='2'] .box[data-kind=figure]").bounding_box()
    assert box is not None
    assert width / height == pytest.approx(box["width"] / box["height"], rel=0.03), "it is the figure, not the page"


def test_numbers_of_a_table_are_aligned_to_the_right_and_words_are_not(show, samples):
    page = show(samples.sample, number=2)
    row = page.locator(".panel .grid tr", has_text="Inner harbour").first
    sides = row.locator("td, th").evaluate_all("cells => cells.map((cell) => getComputedStyle(cell).textAlign)")
    assert sides == ["left", "right", "right", "right", "right"]


def test_what_was_searched_for_is_marked_in_the_text(show, samples):
    page = show(samples.sample, number=2)
    page.keyboard.press("/")
    page.keyboard.type("BUSIEST  month")
    expect(page.locator(".found-hit")).not_to_have_count(0)
    page.get_by_role("tab", name="Text").click()
    page.wait_for_function("() => CSS.highlights.get('found')?.size === 1")
    marked = page.evaluate("() => [...CSS.highlights.get('found')].map((range) => range.toString())")
    assert marked == ["busiest month"]
    page.locator(".search input").fill("")
    page.wait_for_function("() => !CSS.highlights.get('found')")


def test_numbers_of_blocks_are_quiet_until_they_are_pointed_at(show, samples):
    page = show(samples.sample, number=2)
    opacity = "box => getComputedStyle(box, '::before').opacity"
    first = page.locator(".sheet[data-page='2'] .box").first
    page.mouse.move(5, 5)
    page.emulate_media(reduced_motion="reduce")
    assert float(first.evaluate(opacity)) == 0
    first.hover()
    assert float(first.evaluate(opacity)) == 1


def test_there_is_a_way_back_to_the_documents(show, samples):
    page = show(samples.sample)
    page.get_by_role("link", name="Documents", exact=True).click()
    expect(page.locator("tr.document").first).to_be_visible()


def test_an_address_that_is_written_wrongly_names_no_document(page, server, complaints):
    page.goto(f"{server.url}/#/documents/%")
    expect(page.locator(".empty.failed")).to_contain_text("there is no document")
    assert all("404" in said for said in complaints)
    complaints.clear()


def test_the_text_of_pages_without_pictures_is_shown_once(page, server):
    document = server.read(b"# Harbour\n\nShips enter the bay.\n\n| a | b |\n| - | - |\n| x | 12 |\n", "notes.md")
    page.goto(f"{server.url}/#/documents/{document}")
    expect(page.locator(".sheet.written")).to_contain_text("Ships enter the bay")
    expect(page.get_by_role("tab", name="Blocks")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name="Text")).to_be_hidden()
    expect(page.locator(".panel .prose")).to_have_count(0)


def test_a_phone_shows_the_name_and_the_page_first_and_can_zoom(show, samples, page):
    page.set_viewport_size({"width": 390, "height": 800})
    show(samples.sample)
    name = page.locator(".document-name")
    assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), "the whole name is in sight"
    expect(page.get_by_role("button", name="Larger")).to_be_visible()
    places = [page.locator(each).bounding_box() for each in (".sheets", ".film", ".panel")]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops) and len(tops) == 3

"""Whether the native text of a page is usable, as recorded in the ledger."""

from __future__ import annotations

import pytest
from PIL import Image

import quire
from quire.core.types import PageStatus
from quire.pages.layout.quality import judge
from tests import documents
from tests.documents import prose
from tests.unit.pages.recognize.seen import native


def entry(data: bytes) -> tuple[PageStatus, str | None]:
    info = quire.read(data, ocr="never").pages[0].info
    return info.status, info.reason


def test_a_page_of_text_is_ok():
    assert entry(documents.simple()) == ("ok", None)


def test_a_blank_page_is_empty():
    result = quire.read(documents.blank(2))
    assert [page.status for page in result.pages] == ["empty", "empty"]
    assert result.status == "complete"


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (documents.scan_like, "no text"),
        (documents.garbage_mapping, "characters without a Unicode value"),
        (documents.outside_the_page, "text outside the page"),
        (documents.nonsense_layer, "an invisible text layer that does not fit the page"),
    ],
)
def test_a_page_without_usable_text_is_left_out_with_the_reason(build, reason):
    assert entry(build()) == ("skipped", f"needs-recognition: {reason}")


def test_a_page_that_is_left_out_has_no_blocks():
    assert quire.read(documents.nonsense_layer(), ocr="never").blocks == ()


def test_an_invisible_layer_that_fits_its_scan_is_used():
    result = quire.read(documents.invisible_text_layer())
    assert result.pages[0].status == "ok"
    assert " ".join(result.to_text().split()) == prose(16)


def test_a_picture_with_a_stamp_on_it_needs_recognition():
    def draw(canvas):
        canvas.drawInlineImage(documents.scan(), 0, 0, documents.WIDTH, documents.HEIGHT)
        canvas.drawString(500, 20, "0042")

    assert entry(documents.drawn(draw)) == ("skipped", "needs-recognition: a picture with a few characters")


def test_one_page_without_text_does_not_lose_the_others():
    def draw(canvas):
        canvas.drawInlineImage(documents.scan(), 0, 0, documents.WIDTH, documents.HEIGHT)
        canvas.showPage()
        documents.Pen(canvas).text(prose(5))

    result = quire.read(documents.drawn(draw), ocr="never")
    assert [page.status for page in result.pages] == ["skipped", "ok"]
    assert result.status == "partial"
    assert " ".join(result.blocks[0].text.split()) == prose(5)


def test_red_text_is_read():
    assert "Danger in red." in quire.read(documents.colored_text()).to_text()


def test_white_text_on_paper_is_left_out():
    assert "Hidden" not in quire.read(documents.colored_text()).to_text()


def test_white_text_on_a_dark_bar_is_read():
    assert "White on dark." in quire.read(documents.colored_text()).to_text()


def test_text_in_a_script_without_latin_letters_is_usable():
    assert entry(documents.right_to_left(documents.ARABIC)) == ("ok", None)


def test_a_page_of_numbers_is_usable():
    lines = [" ".join(f"{(i * 37 + j * 11) % 997},{j:02}" for j in range(9)) for i in range(30)]
    assert entry(documents.placed(documents.listed(lines, 72, 90)))[0] == "ok"


@pytest.mark.parametrize("shift", [3, 47])
def test_a_font_that_maps_letters_to_other_letters_is_found_out(shift):
    status, reason = entry(documents.garbage_mapping(shift=shift))
    assert status == "skipped"
    assert reason is not None and reason.startswith("needs-recognition: ")


def test_a_scanned_form_with_a_value_keeps_the_value_and_is_still_left_out():
    def draw(canvas):
        picture = Image.effect_noise((300, 400), 60)
        canvas.drawInlineImage(picture, 0, 0, width=595, height=842)
        canvas.acroForm.textfield(name="name", value="Ada Marlow", x=200, y=734, width=200, height=20)
        canvas.showPage()

    result = quire.read(documents.drawn(draw), ocr="never")
    assert [(block.kind, block.text) for block in result.blocks] == [("field", "name: Ada Marlow")]
    assert result.pages[0].info.reason == "needs-recognition: no text"
    assert (result.pages[0].status, result.status) == ("skipped", "partial")


@pytest.mark.parametrize(("rows", "across"), [(60, 1), (1, 60), (30, 8)])
def test_a_scan_that_is_stored_in_strips_needs_recognition(rows, across):
    [page] = quire.read(documents.strips(rows, across=across), ocr="never").pages
    assert (page.status, page.info.reason) == ("skipped", "needs-recognition: no text")


def test_a_few_small_pictures_on_an_empty_page_are_no_scan():
    assert judge(native(images=[(10, 10, 30, 30), (400, 10, 420, 30)])).reason == "blank"


def test_the_pieces_of_a_picture_are_one_picture():
    strips = [(0, 100 * row, 500, 100 * row + 100.4) for row in range(7)]
    photo = (520.0, 0.0, 600.0, 90.0)
    assert native(images=[*strips, photo]).pictures() == [(0, 0, 500, 700.4), photo]


@pytest.mark.parametrize("white", [False, True])
@pytest.mark.parametrize("stamp", ["", "Received 2024-05-01 at the office"])
def test_a_hidden_layer_is_read_in_any_colour_and_beside_a_visible_stamp(white, stamp):
    [page] = quire.read(documents.invisible_text_layer(white=white, stamp=stamp), ocr="never").pages
    assert (page.status, page.info.reason) == ("ok", None)
    assert page.text.startswith("The harbour office") and stamp in page.text


def test_hidden_text_beside_a_little_visible_text_on_no_picture_stays_hidden():
    def draw(canvas):
        canvas.drawString(72, 700, "What people see.")
        text = canvas.beginText(72, 600)
        text.setTextRenderMode(3)
        text.textLine("What only a machine would read, and much more of it than of the visible text.")
        canvas.drawText(text)

    [page] = quire.read(documents.drawn(draw)).pages
    assert page.text == "What people see."

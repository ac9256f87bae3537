"""Pages rendered for OCR: as they are displayed, at the resolution that OCR needs."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from quire.core.document import Document
from quire.core.errors import LimitError
from quire.pages.prepare import PrepareProfile, page_picture, prepare
from quire.pages.prepare.pixels import grey_of, pixels_of
from tests import documents
from tests.unit.pages.prepare.sheets import text_page

pytestmark = pytest.mark.both_readers

PROFILE = PrepareProfile()
_EXIF_ORIENTATION = 274


def saved(page: np.ndarray, kind: str = "PNG", **settings: object) -> Document:
    buffer = io.BytesIO()
    Image.fromarray(page).save(buffer, kind, **settings)
    return Document(buffer.getvalue())


def drawn(document: Document) -> np.ndarray:
    return pixels_of(page_picture(document.reader, 1, PROFILE))


@pytest.mark.parametrize("orientation, quarters", [(1, 0), (3, 2), (6, 1), (8, 3)])
def test_a_jpeg_that_a_camera_marked_as_turned_is_drawn_upright_and_not_turned_again(orientation, quarters):
    upright = text_page((827, 1170))
    exif = Image.Exif()
    exif[_EXIF_ORIENTATION] = orientation
    stored = np.ascontiguousarray(np.rot90(upright, quarters))
    picture = page_picture(saved(stored, "JPEG", exif=exif, quality=95, dpi=(100, 100)).reader, 1, PROFILE)
    assert picture.size == (827, 1170)
    assert np.abs(grey_of(pixels_of(picture)).astype(int) - upright).mean() < 3
    assert prepare(picture, PROFILE)[1].turn == 0


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_pdf_page_with_rotate_is_drawn_as_displayed_and_not_turned_again(degrees):
    document = Document(documents.rotated_page(degrees))
    info = document.reader.info(1)
    picture = page_picture(document.reader, 1, PROFILE)
    assert picture.width / picture.height == pytest.approx(info.width / info.height, rel=0.01)
    assert prepare(picture, PROFILE)[1].turn == 0


def test_a_pdf_is_drawn_at_the_dpi_of_the_profile():
    picture = page_picture(Document(documents.simple()).reader, 1, PrepareProfile(dpi=120))
    assert picture.dpi == 120
    assert abs(picture.width - 595.3 * 120 / 72) < 2


def test_a_huge_pdf_page_is_drawn_coarser_instead_of_passing_the_limit():
    picture = page_picture(Document(documents.huge_page()).reader, 1, PROFILE)
    assert picture.width * picture.height <= 16_100_000


def test_a_tiny_pdf_page_is_drawn_finer():
    stamp = documents.drawn(lambda canvas: canvas.drawString(5, 40, "small"), size=(144, 72))
    assert max(page_picture(Document(stamp).reader, 1, PROFILE).size) == pytest.approx(1000, abs=5)


def test_an_image_comes_at_its_own_resolution():
    page = text_page((900, 700))
    assert np.array_equal(drawn(saved(page, dpi=(240, 240))), page)


def test_an_image_finer_than_needed_is_lowered_while_it_is_read():
    picture = page_picture(saved(text_page((2481, 3509)), "JPEG", dpi=(300, 300)).reader, 1, PROFILE)
    assert picture.size == (1654, 2339)
    assert picture.dpi == 200


def test_a_small_print_is_not_lowered_before_its_type_has_been_seen():
    page = text_page((1000, 700))
    assert drawn(saved(page, dpi=(300, 300))).shape == page.shape


def test_a_palette_and_a_bilevel_image_are_drawn():
    page = text_page((900, 700))
    assert np.array_equal(drawn(saved(page > 128, dpi=(200, 200))), np.where(page > 128, 255, 0))
    coloured = np.dstack([page, page, np.full_like(page, 255)])
    buffer = io.BytesIO()
    Image.fromarray(coloured).quantize(16).save(buffer, "PNG")
    assert drawn(Document(buffer.getvalue())).ndim == 3


def test_colours_come_as_red_green_blue():
    red = np.zeros((300, 400, 3), np.uint8)
    red[..., 0] = 255
    assert tuple(drawn(saved(red))[0, 0]) == (255, 0, 0)


@pytest.mark.slow
def test_a_picture_past_the_limit_of_pixels_raises():
    bomb = io.BytesIO()
    Image.new("1", (20_000, 20_000)).save(bomb, "PNG")
    with pytest.raises(LimitError):
        page_picture(Document(bomb.getvalue()).reader, 1, PROFILE)

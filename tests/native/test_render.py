"""Pictures of pages: the pixels of PDFium, within limits of pixels and bytes."""

from __future__ import annotations

import asyncio
import io
import random
import time
from collections.abc import Callable

import pypdfium2
import pytest
from PIL import Image

from quire.core.document import PageImage, RenderOptions
from quire.core.errors import LimitError
from tests import documents
from tests.rawpdf import assemble, stream

FEWEST_BEATS = 10

KINDS = [
    documents.simple,
    documents.ruled_table,
    documents.rotated_page,
    documents.cropped_page,
    documents.form_fields,
    documents.scan_like,
    documents.figure_with_caption,
]


def pixels(image: PageImage, mode: str = "RGB") -> Image.Image:
    picture = Image.open(io.BytesIO(image.png))
    assert picture.size == (image.width, image.height)
    assert picture.mode == image.mode
    return picture.convert(mode)


def painted(content: str, size: str = "0 0 200 100") -> bytes:
    """One page with these drawing operators."""
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[{size}]/Contents 4 0 R/Resources<<>>>>"
    catalog, pages = "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>"
    return assemble([catalog, pages, page, stream(content)])


def noise() -> bytes:
    """A page whose picture hardly compresses."""
    chance = random.Random(7)
    marks = [
        f"{chance.random():.2f} {chance.random():.2f} {chance.random():.2f} rg {x} {y} 1 1 re f"
        for x in range(0, 200, 2)
        for y in range(0, 200, 2)
    ]
    return painted("\n".join(marks), "0 0 200 200")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_pixels_are_those_of_pypdfium2(native, kind: Callable[[], bytes]):
    data = kind()
    (image,) = native(data).render([1], RenderOptions(dpi=100))
    pdf = pypdfium2.PdfDocument(data)
    if pdf.get_formtype():
        pdf.init_forms()
    expected = pdf[0].render(scale=100 / 72).to_pil().convert("RGB")

    assert image.dpi == 100
    assert pixels(image).tobytes() == expected.tobytes()


def test_the_same_pixels_at_any_number_of_threads(native):
    reader = native(documents.simple(8))
    pages = range(1, 9)
    expected = [image.png for image in reader.render(pages, RenderOptions(dpi=72), threads=1)]

    for threads in (2, 4, 8):
        assert [image.png for image in reader.render(pages, RenderOptions(dpi=72), threads=threads)] == expected


def test_a_page_without_colour_is_grey(native):
    (image,) = native(painted("0 g 20 20 60 60 re f 0.5 g 100 20 60 60 re f")).render([1], RenderOptions())

    assert image.mode == "L"
    assert {0, 255} <= {value for _, value in pixels(image, "L").getcolors(256)}


def test_a_page_of_few_colours_has_a_palette(native):
    (image,) = native(painted("1 0 0 rg 20 20 60 60 re f 0 0 1 rg 100 20 60 60 re f")).render([1], RenderOptions())

    assert image.mode == "P"
    colours = {colour for _, colour in pixels(image).getcolors(256)}
    assert {(255, 0, 0), (0, 0, 255), (255, 255, 255)} <= colours


def test_grey_on_demand(native):
    (image,) = native(painted("1 0 0 rg 20 20 60 60 re f")).render([1], RenderOptions(grey=True))

    assert image.mode == "L"
    shades = sorted((count, value) for count, value in pixels(image, "L").getcolors(256))
    assert shades[-1][1] == 255
    assert 0 < shades[-2][1] < 255


def test_values_of_a_form_are_drawn(native):
    data = documents.form_fields()
    (image,) = native(data).render([1], RenderOptions(dpi=72))
    name = pixels(image, "L").crop((202, 842 - 752, 300, 842 - 736))

    assert min(value for _, value in name.getcolors(256)) < 128


def test_the_dpi_is_lowered_for_a_picture_over_the_byte_limit(native):
    reader = native(noise())
    (full,) = reader.render([1], RenderOptions())
    (small,) = reader.render([1], RenderOptions(max_bytes=len(full.png) // 3))

    assert full.dpi == 150
    assert small.dpi < 150
    assert len(small.png) <= len(full.png) // 3
    assert small.width < full.width
    assert pixels(small).size == (small.width, small.height)


def test_a_byte_limit_that_nothing_meets_is_an_error_of_the_page(native):
    (error,) = native(noise()).render([1], RenderOptions(max_bytes=60))

    assert isinstance(error, LimitError)
    assert (error.document, error.page) == ("report.pdf", 1)


def test_the_pixel_limit_refuses_before_anything_is_allocated(native):
    reader = native(documents.huge_page())
    started = time.process_time()
    (error,) = reader.render([1], RenderOptions())

    assert isinstance(error, LimitError)
    assert error.page == 1
    assert "pixels at 150 dpi pass the limit of 120000000" in str(error)
    assert time.process_time() - started < 1


def test_a_huge_page_is_drawn_at_a_lower_dpi(native):
    (image,) = native(documents.huge_page()).render([1], RenderOptions(dpi=9))

    assert (image.width, image.height) == (1800, 1800)


def test_the_time_of_each_page_is_told(native):
    (image,) = native(documents.simple()).render([1], RenderOptions())

    assert 0 < image.render_ms < 60_000


@pytest.mark.slow
def test_an_event_loop_keeps_beating_while_pages_are_rendered(native):
    reader = native(documents.simple(80))

    def render() -> int:
        return sum(1 for _ in reader.render(range(1, 81), RenderOptions(), threads=2))

    async def beat() -> tuple[int, int]:
        work, beats = asyncio.create_task(asyncio.to_thread(render)), 0
        while not work.done():
            await asyncio.sleep(0.01)
            beats += 1
        return await work, beats

    count, beats = asyncio.run(beat())

    assert count == 80
    assert beats >= FEWEST_BEATS

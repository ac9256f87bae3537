"""Images as documents: formats, sizes, orientation, limits and damage."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib

import pytest
from PIL import Image, ImageDraw, TiffImagePlugin

from quire.document import Document, RenderOptions
from quire.errors import CorruptError, InputError, LimitError
from quire.pagetext import PageText
from tests import documents

A4 = (pytest.approx(595.3, abs=1), pytest.approx(841.9, abs=1))
FORMATS = ["PNG", "JPEG", "TIFF", "WEBP", "BMP"]


def encoded(image: Image.Image, kind: str = "PNG", **settings: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **settings)
    return buffer.getvalue()


def marked(width: int = 300, height: int = 200) -> Image.Image:
    """White, with a red mark at the top left."""
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).rectangle((0, 0, width // 4, height // 4), fill="red")
    return image


def rendered(data: bytes, number: int = 1, **options: object) -> Image.Image:
    return Image.open(io.BytesIO(Document(data).page(number).image(RenderOptions(**options)).png))


def is_red(image: Image.Image, x: float, y: float) -> bool:
    """Whether the pixel at these fractions of the picture is red."""
    red, green, _ = image.convert("RGB").getpixel((int(x * image.width), int(y * image.height)))
    return red > 200 and green < 80


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_a_document_of_one_page(kind):
    document = Document(encoded(marked(), kind))
    assert document.page_count == 1
    assert document.reader.name == "image"
    assert document.metadata["pixels"] == "300 x 200"
    picture = rendered(encoded(marked(), kind))
    assert picture.size == (300, 200)
    assert is_red(picture, 0.1, 0.1)
    assert not is_red(picture, 0.9, 0.9)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_text_of_an_image_is_one_picture_over_the_page(kind):
    page = Document(encoded(marked(), kind)).page(1)
    text = page.text()
    assert (text.chars, list(text.texts)) == (0, [])
    assert list(text.images) == pytest.approx([0, 0, *page.info.size])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "BMP"])
def test_the_stated_resolution_gives_the_size(kind):
    info = Document(encoded(marked(), kind, dpi=(200, 200))).page(1).info
    assert info.size == (pytest.approx(108, abs=0.1), pytest.approx(72, abs=0.1))


def test_a_webp_states_its_resolution_in_exif():
    exif = Image.Exif()
    exif[282] = exif[283] = 300
    exif[296] = 2
    assert Document(encoded(marked(), "WEBP", exif=exif)).page(1).info.size == (72, 48)


def test_a_tiff_may_count_in_centimetres():
    data = encoded(marked(), "TIFF", resolution=100, resolution_unit="cm")
    assert Document(data).page(1).info.width == pytest.approx(300 / 254 * 72, abs=0.1)


@pytest.mark.parametrize("dpi", [None, (1, 1), (72, 72), (96, 96), (30_000, 30_000), (300, 20)])
def test_a_silly_resolution_is_replaced_by_that_of_paper(dpi):
    settings = {} if dpi is None else {"dpi": dpi}
    scan = Image.new("L", (1240, 1754), "white")
    assert Document(encoded(scan, **settings)).page(1).info.size == A4
    assert Document(encoded(scan.rotate(90, expand=True), **settings)).page(1).info.size == A4[::-1]


def test_an_image_of_no_paper_has_150_pixels_to_the_inch():
    assert Document(encoded(marked())).page(1).info.size == (144, 96)
    assert Document(encoded(marked(4000, 3000), "JPEG", dpi=(72, 72))).page(1).info.size == (1920, 1440)


def test_a_drawing_with_very_many_pixels_is_a_larger_sheet():
    drawing = Document(encoded(Image.new("1", (6000, 4243)))).page(1).info
    assert drawing.size == (pytest.approx(1190.6, abs=1), pytest.approx(841.9, abs=1))  # A3


def test_letter_paper_is_known():
    assert Document(encoded(Image.new("L", (1700, 2200)))).page(1).info.size == (612, 792)


def test_a_tiff_has_a_page_for_each_frame():
    frames = [Image.new("L", (100 + 10 * n, 50), 40 * n) for n in range(5)]
    document = Document(encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], dpi=(100, 100)))
    assert document.page_count == 5
    assert [page.info.width for page in document.pages()] == pytest.approx([(100 + 10 * n) * 0.72 for n in range(5)])
    shown = list(document.reader.render([4, 1, 4], RenderOptions()))
    assert [(image.number, image.width) for image in shown] == [(4, 130), (1, 100), (4, 130)]
    assert shown[0].png == shown[2].png


def test_each_frame_has_its_own_resolution():
    first, second = encoded(marked(), "TIFF", dpi=(300, 300)), encoded(marked(), "TIFF")
    buffer = io.BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(buffer, new=True) as writer:
        for data in (first, second):
            writer.write(data)
            writer.newFrame()
    sizes = [page.info.size for page in Document(buffer.getvalue()).pages()]
    assert sizes == [(72, 48), (144, 96)]


def test_a_preview_inside_a_tiff_is_no_page():
    preview = Image.new("L", (20, 20))
    preview.encoderinfo = {"tiffinfo": {254: 1}}
    document = Document(encoded(marked(), "TIFF", save_all=True, append_images=[preview, marked(50, 50)]))
    assert [page.image().width for page in document.pages()] == [300, 50]


def test_only_the_first_frame_of_an_animation_is_a_page():
    data = encoded(marked(), "WEBP", save_all=True, append_images=[Image.new("RGB", (300, 200), "blue")], duration=9)
    assert Document(data).page_count == 1
    assert is_red(rendered(data), 0.1, 0.1)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize(
    ("orientation", "corner", "rotation"),
    [
        (1, (0.1, 0.1), 0),
        (2, (0.9, 0.1), 0),
        (3, (0.9, 0.9), 180),
        (4, (0.1, 0.9), 0),
        (5, (0.1, 0.1), 0),
        (6, (0.9, 0.1), 90),
        (7, (0.9, 0.9), 0),
        (8, (0.1, 0.9), 270),
    ],
)
def test_the_page_is_shown_upright(kind, orientation, corner, rotation):
    exif = Image.Exif()
    exif[274] = orientation
    data = encoded(marked(), kind, exif=exif)
    document = Document(data)
    info = document.page(1).info
    assert info.rotation == rotation
    assert info.size == ((96, 144) if orientation >= 5 else (144, 96))
    for _ in range(2):  # also when the frame has been decoded before
        picture = Image.open(io.BytesIO(document.page(1).image().png))
        assert picture.size == ((200, 300) if orientation >= 5 else (300, 200))
        assert is_red(picture, *corner)
    assert document.page(1).info == info


def test_an_orientation_that_does_not_exist_is_ignored():
    exif = Image.Exif()
    exif[274] = 99
    assert Document(encoded(marked(), "JPEG", exif=exif)).page(1).info.size == (144, 96)


def test_a_large_image_is_made_smaller():
    page = Document(encoded(Image.new("L", (2480, 3508)), dpi=(300, 300))).page(1).image(RenderOptions(dpi=150))
    assert (page.width, page.height, page.dpi, page.mode) == (1240, 1754, 150, "L")


def test_a_small_image_is_not_made_larger():
    page = Document(encoded(Image.new("L", (827, 1169)), dpi=(100, 100))).page(1).image(RenderOptions(dpi=300))
    assert (page.width, page.height, page.dpi) == (827, 1169, 100)


def test_a_fax_with_flat_pixels_is_shown_with_square_ones():
    fax = encoded(Image.new("1", (1728, 1145), 1), "TIFF", compression="group4", dpi=(204, 98))
    assert Document(fax).page(1).info.size == (pytest.approx(610, abs=1), pytest.approx(841, abs=1))
    page = Document(fax).page(1).image()
    assert page.height / page.width == pytest.approx(841 / 610, abs=0.01)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "I;16", "I", "F", "YCbCr"])
def test_every_mode_becomes_grey_or_colour_of_8_bits(mode):
    light = Image.new("L", (40, 40), 250)
    image = light.convert("I").point(lambda v: v * 257).convert("I;16") if mode == "I;16" else light.convert(mode)
    if mode == "I":
        image = image.point(lambda v: v * 257)
    if mode == "F":
        image = image.point(lambda v: v / 255)
    picture = rendered(encoded(image, "TIFF"))
    assert picture.mode in ("L", "RGB")
    assert picture.convert("L").getpixel((20, 20)) >= 245


def test_what_is_transparent_is_paper():
    picture = rendered(encoded(Image.new("RGBA", (40, 40), (0, 0, 0, 0))))
    assert (picture.mode, picture.getpixel((5, 5))) == ("L", 255)


def test_grey_can_be_asked_for():
    assert rendered(encoded(marked()), grey=True).mode == "L"


def test_the_picture_carries_nothing_but_pixels():
    data = encoded(marked(), "PNG", icc_profile=b"profile", dpi=(300, 300))
    assert Document(data).page(1).image().png == Document(encoded(marked(), dpi=(300, 300))).page(1).image().png


def test_the_dpi_is_lowered_until_the_picture_fits():
    noise = Image.effect_noise((800, 800), 90)
    page = Document(encoded(noise)).page(1).image(RenderOptions(max_bytes=100_000))
    assert len(page.png) <= 100_000
    assert page.dpi < 150
    assert page.width == round(800 * page.dpi / 150) or abs(page.width - 800 * page.dpi / 150) < 6


def test_the_pixel_limit_comes_before_decoding():
    document = Document(bomb(9_000, 9_000), name="bomb.png")
    with pytest.raises(LimitError, match=r"bomb\.png, page 1: 9000 x 9000 pixels pass the limit of 1000000"):
        document.page(1).image(RenderOptions(max_pixels=1_000_000))


def test_a_bomb_takes_no_memory_and_gives_no_warning():
    tracemalloc.start()
    try:
        [outcome] = Document(bomb(60_000, 60_000)).reader.text([1])
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert isinstance(outcome, LimitError)


def test_an_image_over_pillows_own_warning_is_read():
    wide = Image.new("1", (10_000, 9_500), 1)  # 95 million pixels
    for kind, settings in (("TIFF", {"compression": "group4"}), ("PNG", {})):
        [outcome] = Document(encoded(wide, kind, **settings)).reader.text([1])
        assert isinstance(outcome, bytes)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_truncated_image_names_file_and_page(kind):
    data = encoded(documents.scan(60), kind)
    document = Document(data[: len(data) * 2 // 3], name="half.img")
    try:
        outcomes = [*document.reader.text([1]), *document.reader.render([1], RenderOptions())]
    except CorruptError as error:  # WebP and a TIFF with its directory at the end do not even open
        assert str(error).startswith("half.img: the image is damaged")
        return
    assert len(outcomes) == 2
    for outcome in outcomes:
        assert isinstance(outcome, CorruptError)
        assert str(outcome).startswith("half.img, page 1: the image is damaged")


@pytest.mark.parametrize("name", ["x.png", "x.jpg", "x.tif", "x.webp", "x.bmp"])
def test_garbage_with_the_name_of_an_image_is_corrupt(name):
    with pytest.raises(CorruptError, match="the image is damaged"):
        _ = Document(b"\1\2\3 this is no image" * 10, name=name).reader


def test_one_damaged_frame_does_not_lose_the_others():
    noise = [Image.effect_noise((200, 200), 80) for _ in range(3)]
    data = bytearray(encoded(noise[0], "TIFF", save_all=True, append_images=noise[1:], compression="tiff_deflate"))
    with Image.open(io.BytesIO(data)) as image:
        image.seek(1)
        [offset] = image.tag_v2[273][:1]
    data[offset : offset + 2000] = bytes(2000)
    reader = Document(bytes(data)).reader
    for _ in range(2):  # the error is the same when asked again
        outcomes = list(reader.text([1, 2, 3]))
        assert [type(outcome) for outcome in outcomes] == [bytes, CorruptError, bytes]
        assert outcomes[1].page == 2


def test_a_chain_of_frames_that_bites_its_tail_ends():
    data = bytearray(encoded(Image.new("L", (10, 10)), "TIFF"))
    [directory] = struct.unpack_from("<I", data, 4)
    [count] = struct.unpack_from("<H", data, directory)
    struct.pack_into("<I", data, directory + 2 + 12 * count, directory)
    assert Document(bytes(data)).page_count == 1


def test_a_page_that_is_not_there_is_an_error_in_its_place():
    reader = Document(encoded(marked())).reader
    assert [type(outcome) for outcome in reader.text([2, 1])] == [InputError, bytes]


def test_one_frame_at_a_time_is_in_memory(saved):
    frames = [Image.new("L", (1000, 1000), n) for n in range(12)]
    path = saved(
        encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], compression="tiff_deflate"), "a.tif"
    )
    with Document(path) as document:
        numbers = [PageText.from_bytes(outcome).number for outcome in document.reader.text(range(1, 13))]
    assert numbers == list(range(1, 13))


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is enormous."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )

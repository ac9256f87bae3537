"""Images as documents: formats, sizes, orientation, limits and damage."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageStat, TiffImagePlugin
from PIL.Image import Transpose

import quire
from quire.core.document import Document, RenderOptions
from quire.core.errors import CorruptError, InputError, LimitError
from quire.core.pagetext import PageText
from quire.pages.prepare.pixels import decoded, picture_of
from tests import documents, scans
from tests.fakes.engines import NumberEngine, said_of

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_an_engine_sees_the_pixels_of_the_rendered_page_without_a_png(kind, mode):
    with Document(encoded(marked(900, 600).convert(mode), kind)) as document:
        options = RenderOptions(dpi=100)
        picture = document.reader.picture(1, options)
        assert picture == picture_of(decoded(document.page(1).image(options).png), 100.0)


def test_a_large_image_for_an_engine_goes_through_its_png_which_is_limited():
    with Document(encoded(marked(900, 600))) as document:
        assert document.reader.picture(1, RenderOptions(max_bytes=100_000)) is None


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


STORED = {
    2: Transpose.FLIP_LEFT_RIGHT,
    3: Transpose.ROTATE_180,
    4: Transpose.FLIP_TOP_BOTTOM,
    5: Transpose.TRANSPOSE,
    6: Transpose.ROTATE_90,
    7: Transpose.TRANSVERSE,
    8: Transpose.ROTATE_270,
}
"""How the pixels of an upright page are stored in a file of that orientation."""


def stored(image: Image.Image, orientation: int) -> Image.Image:
    return image.transpose(STORED[orientation]) if orientation in STORED else image


def black_and_white() -> Image.Image:
    return documents.scan(40).convert("L").point(lambda grey: 255 * (grey > 128))


def is_like(picture: bytes, image: Image.Image) -> bool:
    found = Image.open(io.BytesIO(picture)).convert("L")
    return found.size == image.size and max(ImageStat.Stat(ImageChops.difference(found, image.convert("L"))).mean) < 4


@pytest.mark.parametrize("by", ["path", "bytes"])
@pytest.mark.parametrize("mode", ["L", "RGB", "1", "I;16"])
@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "tiff_deflate", "packbits", "jpeg", "group4"])
def test_a_tiff_of_any_orientation_is_upright_however_it_is_packed(saved, compression, mode, by):
    if (compression == "jpeg" and mode in ("1", "I;16")) or (compression == "group4" and mode != "1"):
        return  # there is no such TIFF
    upright = documents.scan(40)
    shown = [upright, upright.resize((upright.width, upright.height // 2))]
    frames = [
        (stored(image.convert("L").convert(mode), orientation), orientation)
        for orientation in range(1, 9)
        for image in shown
    ]
    file = io.BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(file) as writer:
        for frame, orientation in frames:
            settings = {} if compression == "raw" else {"compression": compression}
            frame.save(writer, "TIFF", tiffinfo={274: orientation}, dpi=(150, 150), **settings)
            writer.newFrame()
    source = file.getvalue() if by == "bytes" else saved(file.getvalue(), "scan.tif")
    with Document(source) as document:
        assert document.page_count == 16
        for number in (*range(1, 17), 5, 12, 3):  # back and forth
            page = document.page(number)
            assert page.text().images == pytest.approx([0, 0, *page.info.size])
            assert is_like(page.image().png, shown[(number - 1) % 2].convert("L").convert("1" if mode == "1" else "L"))


@pytest.mark.parametrize("highest", [1, 15, 255, 4095, 65535, 2**31 - 1])
@pytest.mark.parametrize("kind", ["uint16", "int32", "uint32", "float32"])
def test_grey_of_any_range_keeps_its_ink(kind, highest):
    if kind == "uint16" and highest > 65535:
        return
    page = black_and_white()
    values = (np.asarray(page) / 255.0 * highest).astype(kind)
    assert is_like(page_of(values), page)
    if kind in ("uint16", "float32"):  # the others do not exist with white as zero
        assert is_like(page_of(values, {262: 0}), ImageChops.invert(page))


def test_the_highest_values_of_32_bits_are_white():
    page = black_and_white()
    assert is_like(page_of(np.asarray(page).astype("uint32") * 0x01010101), page)


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (-500.0, -100.0), (-32768, 32767)])
def test_negative_values_are_part_of_the_range(low, high):
    page = black_and_white()
    kind = "float32" if isinstance(low, float) else "int32"
    assert is_like(page_of((low + np.asarray(page) / 255.0 * (high - low)).astype(kind)), page)


@pytest.mark.parametrize("missing", [np.nan, np.inf])
@pytest.mark.parametrize("highest", [1.0, 255.0, 65535.0])
def test_what_is_not_a_number_is_paper(missing, highest):
    page = black_and_white()
    values = np.asarray(page).astype("float32")
    values = np.where(values > 0, np.float32(missing), 0).astype("float32")
    values[0, :2] = missing, highest
    assert is_like(page_of(values), page)
    assert is_like(page_of(np.full_like(values, missing)), Image.new("L", page.size, 255))


def test_an_even_page_is_what_it_is():
    shape = (50, 40)
    for value, grey in ((0.0, 0), (1.0, 255), (200.0, 200), (-5.0, 255)):
        assert is_like(page_of(np.full(shape, value, "float32")), Image.new("L", (40, 50), grey))


@pytest.mark.processes
def test_a_page_of_float_pixels_is_read():
    """End to end: no page with ink is reported as empty."""
    sheet = Image.open(io.BytesIO(scans.numbered_sheet(5).png(100))).convert("L")
    for values in (np.asarray(sheet).astype("float32"), np.asarray(sheet).astype("int32")):
        result = quire.read(tiff_of(values), engines=NumberEngine(), workers=1)
        assert [page.text for page in result.pages] == [said_of(5)]


def tiff_of(values: np.ndarray, tags: dict[int, int] | None = None) -> bytes:
    """An uncompressed TIFF of one frame, little-endian, with exactly these values (TIFF 6.0, section 2)."""
    height, width = values.shape
    data = values.astype(values.dtype.newbyteorder("<")).tobytes()
    form = {"u": 1, "i": 2, "f": 3}[values.dtype.kind]
    entries = {
        256: width,
        257: height,
        258: 8 * values.itemsize,
        259: 1,
        262: 1,
        273: 8,
        277: 1,
        278: height,
        279: len(data),
        339: form,
    } | (tags or {})
    folder = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(entries.items()))
    return b"II*\0" + struct.pack("<I", 8 + len(data)) + data + struct.pack("<H", len(entries)) + folder + bytes(4)


def page_of(values: np.ndarray, tags: dict[int, int] | None = None) -> bytes:
    """The picture of the page that a TIFF of these values is."""
    return Document(tiff_of(values, tags)).page(1).image().png


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


@pytest.mark.slow
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
    for _ in range(2):  # the error is the same on a second call
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
    """A PNG of a few bytes that claims to be enormous."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )

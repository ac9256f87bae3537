from __future__ import annotations

import io
import sys
from dataclasses import replace

import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFont

import quire
from quire.core.document import Document
from quire.core.errors import ConfigurationError, PasswordError, UsageError
from quire.core.lazy_words import words_of
from quire.core.types import BBox, Block, Word
from quire.output.export import pdf
from quire.reading.result import DocumentResult
from tests import documents

from .results import Result

pytestmark = pytest.mark.both_readers


def scanned(data: bytes, *, rotate: int = 0) -> bytes:
    """The pages of a PDF as pictures that /Rotate turns upright, on sheets larger than what is displayed."""
    with pdfium.PdfDocument(data) as source, pikepdf.new() as out:
        for page in source:
            upright = page.render(scale=2).to_pil().convert("L")
            lying = upright.rotate(rotate, expand=True)
            width, height = lying.width / 2, lying.height / 2
            stored = out.add_blank_page(page_size=(width, height))
            stored.mediabox, stored.cropbox = [-10, -10, width + 10, height + 20], [0, 0, width, height]
            stored.obj.Rotate = rotate
            image = pikepdf.Stream(
                out,
                encoded(lying, "JPEG"),
                Type=pikepdf.Name.XObject,
                Subtype=pikepdf.Name.Image,
                Width=lying.width,
                Height=lying.height,
                ColorSpace=pikepdf.Name.DeviceGray,
                BitsPerComponent=8,
                Filter=pikepdf.Name.DCTDecode,
            )
            stored.add_resource(image, pikepdf.Name.XObject, pikepdf.Name.Im0)
            # The matrix is not restored, as in files of careless programs.
            stored.contents_add(f"{width} 0 0 {height} 0 0 cm /Im0 Do".encode())
        return saved(out)


def saved(file: pikepdf.Pdf) -> bytes:
    target = io.BytesIO()
    file.save(target)
    return target.getvalue()


def encoded(image: Image.Image, format: str, **more) -> bytes:
    target = io.BytesIO()
    image.save(target, format, **more)
    return target.getvalue()


def recognised(original: bytes, source: bytes, **more) -> DocumentResult:
    """What an engine would have read in `source`, which looks like `original`: the same words, with confidence."""
    blocks = [
        replace(block, engine="rapidocr", words=tuple(replace(word, confidence=0.9) for word in block.words))
        for block in quire.read(original).blocks
    ]
    return result_of(source, blocks, **more)


def result_of(source: bytes, blocks, *, name: str = "scan.pdf", password: str | None = None) -> DocumentResult:
    document = Document(source, name=name, password=password)
    with document:
        infos = [document.reader.info(number + 1) for number in range(document.page_count)]
    return DocumentResult(document, infos, blocks)


def block(words, *, engine: str = "rapidocr", page: int = 1) -> Block:
    text = " ".join(word.text for word in words)
    return Block("p1-b1", page, "paragraph", text, BBox.union(w.bbox for w in words), engine=engine, words=tuple(words))


def line(text: str, *, top: float = 0.1, left: float = 0.1, wide: float = 0.1) -> list[Word]:
    """Words of equal width from left to right."""
    return [
        Word(word, BBox(round(left + number * wide * 1.2, 5), top, wide, 0.02), 0.9)
        for number, word in enumerate(text.split())
    ]


def words(data: bytes) -> list[tuple[str, int, BBox]]:
    """What our own reader finds in the text of a file."""
    with Document(data, name="a.pdf") as document:
        found = []
        for page in document.pages():
            text = page.text()
            found += [(word.text, page.number, word.bbox) for word in words_of(text, [(0, len(text.texts))])]
        return found


def text_of(data: bytes, page: int = 1) -> str:
    with pdfium.PdfDocument(data) as document:
        return document[page - 1].get_textpage().get_text_range().replace("\r\n", "\n")


def drawn(data: bytes, page: int = 1) -> Image.Image:
    with pdfium.PdfDocument(data) as document:
        return document[page - 1].render(scale=1).to_pil().convert("RGB")


def looks_like(first: Image.Image, second: Image.Image) -> bool:
    """Whether two pictures have their ink in the same places, at any scale."""
    small = [image.convert("L").resize((60, 85), Image.Resampling.BOX) for image in (first, second)]
    return max(ImageChops.difference(*small).getextrema()) < 16


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("made", [documents.two_columns, documents.turned_text, documents.spanning_table])
def test_every_word_lies_over_its_picture(made, rotate):
    original = made()
    result = recognised(original, scanned(original, rotate=rotate))
    found = sorted(words(result.to_pdf()), key=lambda word: (word[0], word[1], word[2].top, word[2].left))
    wanted = [(word.text, block.page, word.bbox) for block in result.blocks for word in block.words]
    wanted.sort(key=lambda word: (word[0], word[1], word[2].top, word[2].left))
    assert [text for text, _, _ in found] == [text for text, _, _ in wanted]
    for (_, _, box), (_, _, expected) in zip(found, wanted, strict=True):
        assert abs(box.left - expected.left) < 0.002 and abs(box.right - expected.right) < 0.002
        assert abs(box.top - expected.top) < 0.01 and abs(box.bottom - expected.bottom) < 0.01


def test_the_pages_look_as_before():
    source = scanned(documents.two_columns(), rotate=90)
    written = recognised(documents.two_columns(), source).to_pdf()
    assert ImageChops.difference(drawn(source), drawn(written)).getbbox() is None


def test_the_same_input_gives_the_same_bytes():
    source = scanned(documents.simple())
    assert recognised(documents.simple(), source).to_pdf() == recognised(documents.simple(), source).to_pdf()


@pytest.mark.parametrize(
    "text",
    [
        "a — b",
        "漢字 仮名",
        "𠀋 😀 é e\u0301",
        "مرحبا بكم",
        "שלום (2024) עולם",
        "Größe ½ <tag> & \\( \\)",
        "한국어 문장",
    ],
)
def test_any_script_is_copied_as_it_was_read(text):
    placed = line(text)
    if "ש" in text or "م" in text:  # the first word is on the right
        boxes = [word.bbox for word in placed]
        placed = [replace(word, bbox=box) for word, box in zip(placed, reversed(boxes), strict=True)]
    written = result_of(documents.scan_like(1), [block(placed)]).to_pdf()
    assert text_of(written).split() == text.split()
    assert sorted("".join(found for found, _, _ in words(written))) == sorted("".join(text.split()))


def test_characters_of_scripts_without_spaces_stay_together():
    placed = [Word(text, BBox(0.1 + 0.03 * n, 0.1, 0.03, 0.02)) for n, text in enumerate("东海港口")]
    assert text_of(result_of(documents.scan_like(1), [block(placed)]).to_pdf()) == "东海港口"


@pytest.mark.parametrize("gap", [0.002, 0.0, -0.003, -0.05])
def test_words_that_touch_or_overlap_stay_apart(gap):
    placed = [Word("TAX", BBox(0.1, 0.1, 0.06, 0.01)), Word("INVOICE", BBox(0.16 + gap, 0.1, 0.12, 0.01))]
    assert text_of(result_of(documents.scan_like(1), [block(placed)]).to_pdf()) == "TAX INVOICE"


def test_sloping_lines_keep_their_order():
    rows = []
    for row in range(3):
        top = 0.1 + 0.02 * row
        rows += [Word(f"w{row}{n}", BBox(0.1 + 0.09 * n, top + 0.001 * n, 0.07, 0.012)) for n in range(9)]
    written = result_of(documents.scan_like(1), [block(rows)]).to_pdf()
    assert text_of(written).split() == [word.text for word in rows]


def test_text_of_the_file_is_never_there_twice():
    source = documents.simple()
    native = quire.read(source).blocks[0]
    again = replace(native, id="again", engine="rapidocr", words=tuple(native.words))
    stamp = block(line("STAMPED", top=0.9))
    written = result_of(source, [native, again, stamp]).to_pdf()
    assert text_of(written).replace("STAMPED", "").split() == text_of(source).split()
    assert "STAMPED" in text_of(written)


def test_a_file_with_text_of_its_own_is_given_back_as_it_is():
    source = documents.simple(2)
    assert quire.read(source).to_pdf() == source


def test_only_pages_that_were_recognised_change():
    source = documents.scan_like(2)
    written = result_of(source, [block(line("second page"), page=2)]).to_pdf()
    assert (text_of(written, 1), text_of(written, 2)) == ("", "second page")


def test_an_old_invisible_layer_makes_way():
    source = documents.invisible_text_layer()
    assert text_of(source).strip()
    written = result_of(source, [block(line("read anew"))]).to_pdf()
    assert text_of(written) == "read anew"
    assert ImageChops.difference(drawn(source), drawn(written)).getbbox() is None


def test_an_old_layer_in_a_form_makes_way_too():
    with pikepdf.open(io.BytesIO(documents.scan_like(1))) as file:
        page = file.pages[0]
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        form = pikepdf.Stream(
            file,
            b"BT /F1 12 Tf 3 Tr 72 700 Td (old) Tj (older) ' 0 Tr 0 -20 Td (seen) Tj ET",
            Type=pikepdf.Name.XObject,
            Subtype=pikepdf.Name.Form,
            BBox=[0, 0, 600, 900],
            Resources=pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font)),
        )
        page.add_resource(form, pikepdf.Name.XObject, pikepdf.Name.Old)
        page.contents_add(b"q /Old Do Q")
        source = saved(file)
    assert "older" in text_of(source)
    written = result_of(source, [block(line("read anew"))]).to_pdf()
    assert "old" not in text_of(written)
    assert {"read", "anew", "seen"} <= set(text_of(written).split())


def test_a_file_written_here_can_be_written_again():
    first = result_of(documents.scan_like(1), [block(line("first words"))]).to_pdf()
    second = result_of(first, [block(line("second words"))]).to_pdf()
    assert text_of(second) == "second words"


def test_blocks_without_words_can_be_found_too():
    lines = Block("b", 1, "paragraph", "Two lines\nof text", BBox(0.1, 0.1, 0.5, 0.04), engine="vision")
    assert text_of(result_of(documents.scan_like(1), [lines]).to_pdf()) == "Two lines\nof text"


def test_what_cannot_be_written_in_unicode_becomes_a_mark():
    written = result_of(documents.scan_like(1), [block(line("half\ud800 whole"))]).to_pdf()
    assert text_of(written) == "half\ufffd whole"


def test_an_encrypted_file_needs_its_password():
    source = documents.encrypted("secret")
    result = result_of(source, [block(line("added", top=0.95))], password="secret")
    assert "added" in text_of(result.to_pdf())
    with pytest.raises(PasswordError):
        result_of(source, [block(line("added", top=0.95))]).to_pdf()


def test_resources_shared_by_all_pages_stay_shared():
    with pikepdf.open(io.BytesIO(documents.scan_like(2))) as file:
        for page in file.pages:
            file.Root.Pages.Resources = page.obj.Resources
        for page in file.pages:
            del page.obj.Resources
        source = saved(file)
    before = drawn(source, 2)
    written = result_of(source, [block(line("first page"))]).to_pdf()
    assert text_of(written, 1) == "first page"
    assert ImageChops.difference(before, drawn(written, 2)).getbbox() is None


def picture() -> tuple[Image.Image, list[Word]]:
    """A page of 150 dpi with three words, and where their ink is."""
    image = Image.new("L", (1240, 1754), 255)
    draw, font, found = ImageDraw.Draw(image), ImageFont.load_default(size=40), []
    for text, at in (("Harbour", (100, 100)), ("office", (400, 100)), ("ledger", (100, 200))):
        draw.text(at, text, font=font, fill=0)
        left, top, right, bottom = draw.textbbox(at, text, font=font)
        found.append(Word(text, BBox.of_points((left, top, right, bottom), image.size), 0.9))
    return image, found


def test_the_data_of_a_jpeg_is_kept():
    image, found = picture()
    source = encoded(image, "JPEG", dpi=(150, 150))
    written = result_of(source, [block(found)], name="scan.jpg").to_pdf()
    assert source in written
    with pikepdf.open(io.BytesIO(written)) as file:
        assert [round(float(side)) for side in file.pages[0].mediabox] == [0, 0, 595, 842]
    assert text_of(written) == "Harbour office\nledger"


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_is_shown_upright(orientation):
    image, found = picture()
    back = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = image.transpose(back[orientation]) if orientation in back else image
    source = encoded(stored, "JPEG", exif=exif, dpi=(150, 150), quality=95)
    written = result_of(source, [block(found)], name="photo.jpg").to_pdf()
    assert looks_like(drawn(written), image)


@pytest.mark.parametrize(
    ("format", "mode"), [("PNG", "L"), ("PNG", "RGBA"), ("TIFF", "1"), ("WEBP", "RGB"), ("BMP", "P")]
)
def test_other_pictures_keep_every_pixel(format, mode):
    image = documents.scan().convert(mode)
    more = {"lossless": True} if format == "WEBP" else {} if format == "BMP" else {"dpi": (100, 100)}
    written = result_of(encoded(image, format, **more), [], name=f"scan.{format.lower()}").to_pdf()
    with pikepdf.open(io.BytesIO(written)) as file:
        kept = pikepdf.PdfImage(file.pages[0].obj.Resources.XObject.Im0).as_pil_image()
    assert ImageChops.difference(kept.convert("RGB"), image.convert("RGB")).getbbox() is None


def test_every_frame_of_a_tiff_is_a_page():
    first, second = documents.scan(), documents.scan().rotate(90, expand=True)
    source = encoded(first, "TIFF", save_all=True, append_images=[second], dpi=(100, 100))
    written = result_of(source, [block(line("on the second"), page=2)], name="fax.tiff").to_pdf()
    assert (text_of(written, 1), text_of(written, 2)) == ("", "on the second")
    assert drawn(written, 1).size == drawn(written, 2).size[::-1]


def test_words_of_a_picture_lie_over_their_ink():
    image, found = picture()
    written = result_of(encoded(image, "PNG", dpi=(150, 150)), [block(found)], name="a.png").to_pdf()
    for (text, _, box), word in zip(words(written), found, strict=True):
        assert text == word.text
        ink = ImageChops.invert(image.crop([round(v) for v in box.points(image.size)])).getbbox()
        assert ink is not None
        assert ink[2] - ink[0] > 0.9 * box.width * image.width  # as wide as the word, and nothing of the next
        assert box.height * image.height < 60


def test_without_pikepdf_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pikepdf", None)
    with pytest.raises(ConfigurationError, match=r"quire-documents\[pdf\]"):
        result_of(encoded(documents.scan(), "PNG"), [], name="a.png").to_pdf()


def test_a_result_without_its_source_cannot_become_a_pdf():
    class Plain:
        name, id, media_type, pages, blocks = "a", "b", "application/pdf", Result().pages, ()

    with pytest.raises(UsageError, match="source"):
        pdf(Plain())


def test_the_file_is_written_to_the_path(tmp_path):
    result = quire.read(documents.simple())
    assert result.to_pdf(tmp_path / "out.pdf") == (tmp_path / "out.pdf").read_bytes()

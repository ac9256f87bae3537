"""Small PDFs that cost a reader without guards all its time or memory, or its process.

Most have a first page that says `HARMLESS` and a second one that is the bomb.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

from tests.rawpdf import assemble, stream

HARMLESS = "The harbour is open"
_TEXT = f"BT /F1 12 Tf 72 700 Td ({HARMLESS}) Tj ET"
_FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_FIRST_FREE = 6  # the number of the first object that a builder adds


def packed(content: str | bytes, entries: str = "") -> bytes:
    """A stream, compressed."""
    data = content.encode("latin-1") if isinstance(content, str) else content
    return stream(zlib.compress(data, 9), f"/Filter/FlateDecode{entries}")


def _beside_a_harmless_page(page: str, objects: Sequence[str | bytes], *, catalog: str = "") -> bytes:
    """Page 1 says `HARMLESS`; page 2 has the entries `page`, and `objects` are numbered from 7."""
    harmless = "/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>"
    return assemble(
        [
            f"<</Type/Catalog/Pages 2 0 R{catalog}>>",
            "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2/MediaBox[0 0 595 842]>>",
            f"<</Type/Page/Parent 2 0 R{harmless}>>",
            stream(_TEXT),
            _FONT,
            f"<</Type/Page/Parent 2 0 R{page}>>",
            *objects,
        ]
    )


def marked_content(levels: int = 100_000) -> bytes:
    """A page whose marked content is nested `levels` deep: PDFium copies all open marks at each."""
    content = "/Span BMC " * levels + _TEXT + " EMC" * levels
    return _beside_a_harmless_page("/Contents 7 0 R/Resources<</Font<</F1 5 0 R>>>>", [packed(content)])


def marked_content_in_pieces(levels: int = 100_000, pieces: int = 100) -> bytes:
    """The same, by one short stream that the page names many times."""
    contents = "7 0 R " * pieces
    return _beside_a_harmless_page(f"/Contents[{contents}]", [packed("/Span <</A 1>> BDC " * (levels // pieces))])


def saved_states(levels: int = 5_000_000) -> bytes:
    """A page that saves its graphics state `levels` times and restores it never."""
    return _beside_a_harmless_page("/Contents 7 0 R", [packed("q " * levels)])


def _forms(levels: int, times: int, first: int) -> list[str | bytes]:
    """Form `first` draws the next one `times` times, and so on; the last one draws a line."""
    return [
        *(
            packed("/F Do " * times, f"/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F {number} 0 R>>>>")
            for number in range(first + 1, first + levels)
        ),
        packed("0 0 m 9 9 l S", "/Subtype/Form/BBox[0 0 9 9]"),
    ]


def doubling_forms(levels: int = 30) -> bytes:
    """`levels` forms, each of which draws the next one twice."""
    page = "/Contents 7 0 R/Resources<</XObject<</F 8 0 R>>>>"
    return _beside_a_harmless_page(page, [packed("/F Do"), *_forms(levels, 2, 8)])


def cyclic_forms() -> bytes:
    """A form that draws itself twice."""
    entries = "/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 8 0 R>>>>"
    page = "/Contents 7 0 R/Resources<</XObject<</F 8 0 R>>>>"
    return _beside_a_harmless_page(page, [packed("/F Do"), packed("/F Do /F Do", entries)])


def doubling_patterns(levels: int = 30) -> bytes:
    """A page filled with a pattern whose cell is filled with a pattern, and so on: each fills twice."""
    fill = "/Pattern cs /P scn 0 0 5 5 re f 2 2 7 7 re f"
    head = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9"
    cells = [packed(fill, f"{head}/Resources<</Pattern<</P {number} 0 R>>>>") for number in range(9, 8 + levels)]
    page = "/Contents 7 0 R/Resources<</Pattern<</P 8 0 R>>>>"
    last = packed("0 0 m 9 9 l S", f"{head}/Resources<<>>")
    return _beside_a_harmless_page(page, [packed(fill), *cells, last])


def doubling_glyphs(levels: int = 30) -> bytes:
    """A Type 3 font whose glyph draws the glyph of the next font twice, and so on."""
    first = 8
    objects: list[str | bytes] = [packed("BT /T 12 Tf 72 700 Td (a) Tj ET")]
    for level in range(levels):
        number = first + 2 * level
        following = f"/Resources<</Font<</T {number + 2} 0 R>>>>" if level + 1 < levels else "/Resources<<>>"
        objects += [
            "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[9]"
            f"/Encoding<</Differences[97/a]>>/CharProcs<</a {number + 1} 0 R>>{following}>>",
            packed("9 0 d0 BT /T 1 Tf (aa) Tj ET 0 0 5 5 re f" if level + 1 < levels else "9 0 d0 0 0 5 5 re f"),
        ]
    return _beside_a_harmless_page("/Contents 7 0 R/Resources<</Font<</T 8 0 R>>>>", objects)


def doubling_appearances(levels: int = 30) -> bytes:
    """An annotation whose appearance is a form that draws the next one twice, and so on."""
    annotation = "<</Type/Annot/Subtype/Stamp/Rect[0 0 99 99]/AP<</N 8 0 R>>>>"
    return _beside_a_harmless_page("/Annots[7 0 R]", [annotation, *_forms(levels, 2, 8)])


def doubling_masks(levels: int = 30) -> bytes:
    """A page drawn through a soft mask, which is drawn twice through a soft mask, and so on."""
    content = "/G gs 0 0 99 99 re f 0 0 50 50 re f"
    group = "/Subtype/Form/BBox[0 0 99 99]/Group<</S/Transparency/CS/DeviceGray>>"
    masked = "/Resources<</ExtGState<</G<</SMask<</S/Luminosity/G {} 0 R>>>>>>>>"
    masks = [packed(content, group + masked.format(number)) for number in range(9, 8 + levels)]
    last = packed("0 0 m 9 9 l S", group)
    return _beside_a_harmless_page(f"/Contents 7 0 R{masked.format(8)}", [packed(content), *masks, last])


def many_annotations(times: int = 400_000) -> bytes:
    """A page that names one annotation very often."""
    annotation = "<</Type/Annot/Subtype/Stamp/Rect[0 0 99 99]/AP<</N 8 0 R>>>>"
    return _beside_a_harmless_page(f"/Annots[{'7 0 R ' * times}]", [annotation, *_forms(1, 1, 8)])


def many_draws(times: int = 2_000_000) -> bytes:
    """A page that draws one small form very often."""
    page = "/Contents 7 0 R/Resources<</XObject<</F 8 0 R>>>>"
    return _beside_a_harmless_page(page, [packed("/F Do " * times), *_forms(1, 1, 8)])


def large_form(size: int = 4_000_000, times: int = 20_000) -> bytes:
    """A page that draws one large form often."""
    page = "/Contents 7 0 R/Resources<</XObject<</F 8 0 R>>>>"
    form = packed("0 0 m 9 9 l S " * (size // 14), "/Subtype/Form/BBox[0 0 9 9]")
    return _beside_a_harmless_page(page, [packed("/F Do " * times), form])


def twice_packed(size: int = 100_000_000) -> bytes:
    """A content stream that is compressed twice: a thousand times a thousand."""
    packer = zlib.compressobj(9)
    piece = b"0 0 m 9 9 l S\n" * 10_000
    once = b"".join([*(packer.compress(piece) for _ in range(size // len(piece))), packer.flush()])
    content = stream(zlib.compress(once, 9), "/Filter[/FlateDecode/FlateDecode]")
    return _beside_a_harmless_page("/Contents 7 0 R", [content])


def inline_picture() -> bytes:
    """A picture inside the content that claims ten thousand million pixels."""
    content = "q 99 0 0 99 0 0 cm BI /W 100000 /H 100000 /CS /RGB /BPC 8 ID abc EI Q"
    return _beside_a_harmless_page("/Contents 7 0 R", [packed(content)])


def huge_picture() -> bytes:
    """The same as an object of its own."""
    entries = "/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceRGB/BitsPerComponent 8"
    page = "/Contents 7 0 R/Resources<</XObject<</I 8 0 R>>>>"
    return _beside_a_harmless_page(page, [packed("99 0 0 99 0 0 cm /I Do"), packed(bytes(3_000_000), entries)])


def deep_values(levels: int = 1_000_000) -> bytes:
    """Arrays and dictionaries inside each other, in the content."""
    content = "[" * levels + "/A " + "<</A" * levels + " DP"
    return _beside_a_harmless_page("/Contents 7 0 R", [packed(content)])


def deep_object(levels: int = 1_000_000) -> bytes:
    """The same, in the dictionary of a page."""
    return _beside_a_harmless_page(f"/Extra {'[' * levels}", [])


def claimed_pages(pages: int = 1_000_000) -> bytes:
    """One page, in a tree that claims `pages`."""
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[3 0 R]/Count {pages}>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>",
        ]
    )


def repeated_page(times: int = 200_000) -> bytes:
    """The same page `times` times."""
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            f"<</Type/Pages/Kids[{'3 0 R ' * times}]/Count {times}>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(_TEXT),
            _FONT,
        ]
    )


def deep_pages(levels: int = 100_000) -> bytes:
    """A page at the end of a chain of page tree nodes."""
    nodes = [f"<</Type/Pages/Kids[{number} 0 R]/Count 1/Parent {number - 2} 0 R>>" for number in range(3, 3 + levels)]
    page = f"<</Type/Page/Parent {levels + 1} 0 R/MediaBox[0 0 595 842]>>"
    return assemble(["<</Type/Catalog/Pages 2 0 R>>", *nodes, page])


def form_fields(fields: int = 20_000, *, name: str = "f{}") -> bytes:
    """One page with so many text fields."""
    numbers = range(_FIRST_FREE, _FIRST_FREE + fields)
    names = "".join(f"{number} 0 R " for number in numbers)
    return assemble(
        [
            f"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[{names}]/DA(/F1 9 Tf)/DR<</Font<</F1 5 0 R>>>>>>>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 595 842]>>",
            f"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[{names}]>>",
            stream(_TEXT),
            _FONT,
            *(
                f"<</Type/Annot/Subtype/Widget/FT/Tx/T({name.format(number)})/V(value)/Rect[10 10 60 20]/P 3 0 R>>"
                for number in numbers
            ),
        ]
    )


def outline(entries: int = 100_000, *, deep: bool = False) -> bytes:
    """An outline of so many entries, beside or below each other."""
    first = 7
    last = first + entries - 1
    objects = [f"<</First {first + 1} 0 R/Last {first + 1 if deep else last} 0 R>>"]
    for number in range(first + 1, last + 1):
        following = f"/{'First' if deep else 'Next'} {number + 1} 0 R" if number < last else ""
        objects.append(f"<</Title(Entry)/Parent {first} 0 R{following}>>")
    return _beside_a_harmless_page("", objects, catalog=f"/Outlines {first} 0 R")


KNOWN: dict[str, Callable[[], bytes]] = {
    kind.__name__: kind for kind in (marked_content, doubling_forms, claimed_pages, repeated_page, form_fields)
}
"""Those that ended, or never ended, the programs of users."""

RELATIVES: dict[str, Callable[[], bytes]] = {
    kind.__name__: kind
    for kind in (
        marked_content_in_pieces,
        saved_states,
        cyclic_forms,
        doubling_patterns,
        doubling_appearances,
        doubling_masks,
        many_annotations,
        many_draws,
        large_form,
        twice_packed,
    )
}
"""Whose second page is too much for PDFium."""

HARMLESS_RELATIVES: dict[str, Callable[[], bytes]] = {
    kind.__name__: kind for kind in (inline_picture, huge_picture, deep_values, deep_object, deep_pages, outline)
}
"""Which PDFium bounds by itself."""

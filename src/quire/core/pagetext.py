"""The native text of a page as a compact value: written by a reader, read by the layout.

A `PageText` is serialised as one `bytes` value, which is also its artifact:

    b"QPT1" | u32 length of the header | header, JSON in UTF-8 | padding to 4 bytes | arrays, little endian

The header holds numbers, fonts, links, fields, tags and the texts of the runs; the arrays follow in the order
of `ARRAYS`, each with as many values as the header says in `counts`. Coordinates are points of the displayed
page (after rotation and crop box), origin at the top left: the frame of the readers and of the layout alone.

A *run* is a piece of one word in one style. `SPACE` says that a space (or a line break) precedes it;
a run without it is joined to the one before. Runs come in the order of the file, grouped into lines.
"""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypedDict

from quire.core.fonts import Font, FontStyle, looks_of
from quire.core.types import AnswerSource, Box, LeftOut, PageInfo

MAGIC = b"QPT1"

SEAM = 1.0  # points between the strips of one picture

SPACE = 1  # a space precedes this run
LINE = 2  # this run begins a line
INVISIBLE = 4  # drawn with render mode 3 or 7, or with an alpha of 0
UNMAPPED = 8  # PDFium found no Unicode value for one of its characters
HYPHEN = 16  # ends with a soft hyphen (U+00AD) or one that PDFium marks as breaking a word; the text ends with "-"

ARRAYS: tuple[tuple[str, str, int], ...] = (
    # name, array type code, values per item
    ("boxes", "f", 4),  # runs: left, top, right, bottom (advance width; font ascent and descent)
    ("baselines", "f", 1),  # runs: y of the baseline (x for text rotated by 90 or 270 degrees)
    ("sizes", "f", 1),  # runs: effective font size in points
    ("colors", "I", 1),  # runs: 0xRRGGBB
    ("fonts", "H", 1),  # runs: index into the fonts of the header
    ("angles", "H", 1),  # runs: direction of writing in degrees, clockwise, 0 to 359
    ("mcids", "i", 1),  # runs: marked-content id, -1 for none
    ("flags", "H", 1),  # runs
    ("rulings", "f", 5),  # horizontal or vertical strokes and thin rectangles: x0, y0, x1, y1, thickness
    ("rects", "f", 4),  # filled rectangles
    ("rect_colors", "I", 1),  # 0xRRGGBB
    ("images", "f", 4),  # placed bitmaps
    ("drawings", "f", 4),  # boxes of other painted paths
)


class LinkInfo(TypedDict):
    box: list[float]
    uri: str | None
    page: int | None


class FieldInfo(TypedDict):
    box: list[float]
    kind: str  # text, checkbox, radio, choice, button, signature
    name: str
    value: str  # "" for buttons that are not set, "on" for set check boxes, its export value for a radio button


class TagInfo(TypedDict):
    """One element of the structure tree that this page shows, in tree order."""

    type: str  # standard type: H1, P, L, LI, Lbl, LBody, Table, TR, TH, TD, Figure, Caption, Formula, Code, ...
    parent: int  # index into the tags, -1 for none
    mcids: list[int]
    alt: str
    row_span: int
    column_span: int


class FormulaInfo(TypedDict):
    """A formula that an engine read in the picture of a page."""

    box: list[float]
    latex: str
    unsure: bool


@dataclass(frozen=True, slots=True)
class PageText:
    """Words in runs, rulings and pictures of one page. See the module docstring for the frame and the runs."""

    number: int
    width: float
    height: float
    rotation: int
    chars: int  # characters drawn, spaces not counted
    unmapped: int  # of them, those for which PDFium found no Unicode value
    invisible: int  # of them, those drawn invisibly
    font_table: Sequence[Font]
    links: Sequence[LinkInfo]
    fields: Sequence[FieldInfo]
    tags: Sequence[TagInfo]
    texts: Sequence[str]
    boxes: Sequence[float]
    baselines: Sequence[float]
    sizes: Sequence[float]
    colors: Sequence[int]
    fonts: Sequence[int]
    angles: Sequence[int]
    mcids: Sequence[int]
    flags: Sequence[int]
    rulings: Sequence[float]
    rects: Sequence[float]
    rect_colors: Sequence[int]
    images: Sequence[float]
    drawings: Sequence[float]
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)  # characters that are in no run, by reason
    lost: int = 0  # text objects for which PDFium returned no characters at all
    engine: str = ""  # the OCR engine of the runs from `recognised` on; "" for a page of native text alone
    recognised: int = 0
    confidences: Sequence[float | None] = ()  # of the OCR runs
    ordered: bool = False  # the OCR runs are in reading order
    skew: float = 0.0  # degrees by which OCR lines slope down to the right
    source: AnswerSource | None = None  # the engine's answer that the OCR runs came from
    others: Sequence[AnswerSource] = ()  # the answers of further engines that OCR runs came from
    origins: Sequence[int] = ()  # of the OCR runs: 0 for `source`, otherwise the number in `others`, from 1
    formulas: Sequence[FormulaInfo] = ()  # of the picture of the page, over OCR runs
    notes: Sequence[str] = ()  # which enrichments are missing, and why: part of the reason of the page
    ready: str = ""  # the page as `encode_page` writes it, from a reader that knows the blocks: nothing is laid out

    @classmethod
    def empty(cls, info: PageInfo) -> PageText:
        """A page of that size without anything on it."""
        return cls(
            info.number,
            info.width,
            info.height,
            info.rotation,
            chars=0,
            unmapped=0,
            invisible=0,
            font_table=(),
            links=(),
            fields=(),
            tags=(),
            texts=(),
            boxes=(),
            baselines=(),
            sizes=(),
            colors=(),
            fonts=(),
            angles=(),
            mcids=(),
            flags=(),
            rulings=(),
            rects=(),
            rect_colors=(),
            images=(),
            drawings=(),
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> PageText:
        """Decode what `to_bytes` or a native reader wrote. Raises ValueError for anything else."""
        if data[:4] != MAGIC or len(data) < 8:
            raise ValueError("not the native text of a page")
        (length,) = struct.unpack_from("<I", data, 4)
        try:
            header: dict[str, Any] = json.loads(data[8 : 8 + length])
            position = (8 + length + 3) & ~3
            arrays: dict[str, Any] = {}
            counts = header.pop("counts")
            for name, code, width in ARRAYS:
                end = position + counts[name] * width * struct.calcsize(code)
                if end > len(data):
                    raise ValueError("the native text of a page is truncated")
                values = array(code)
                values.frombytes(data[position:end])
                arrays[name] = values.tolist()
                position = (end + 3) & ~3
            texts = header.pop("texts")
            fonts = [Font(*font) for font in header.pop("font_table")]
            if source := header.pop("source", None):
                arrays["source"] = AnswerSource(**source)
            if others := header.pop("others", None):
                arrays["others"] = [AnswerSource(**other) for other in others]
            return cls(texts=texts.split("\n") if counts["sizes"] else [], font_table=fonts, **header, **arrays)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError("not the native text of a page") from error

    def to_bytes(self) -> bytes:
        counts = {name: len(getattr(self, name)) // width for name, _, width in ARRAYS}
        header: dict[str, object] = {
            "number": self.number,
            "width": self.width,
            "height": self.height,
            "rotation": self.rotation,
            "chars": self.chars,
            "unmapped": self.unmapped,
            "invisible": self.invisible,
            "lost": self.lost,
            "left_out": dict(self.left_out),
            "font_table": list(self.font_table),
            "links": list(self.links),
            "fields": list(self.fields),
            "tags": list(self.tags),
            "texts": "\n".join(self.texts),
            "counts": counts,
        }
        if self.engine:
            header |= {"engine": self.engine, "recognised": self.recognised, "skew": self.skew}
            header["ordered"] = self.ordered
            header["confidences"] = list(self.confidences)
            header["source"] = self.source and asdict(self.source)
        if self.others:
            header |= {"others": [asdict(other) for other in self.others], "origins": list(self.origins)}
        if self.formulas:
            header["formulas"] = list(self.formulas)
        if self.notes:
            header["notes"] = list(self.notes)
        if self.ready:
            header["ready"] = self.ready
        encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        out = bytearray(MAGIC + struct.pack("<I", len(encoded)) + encoded)
        for name, code, _ in ARRAYS:
            out += b"\0" * (-len(out) % 4)
            out += array(code, getattr(self, name)).tobytes()
        return bytes(out)

    def looks(self) -> Sequence[FontStyle]:
        """The style of each font, by its number."""
        return looks_of(tuple(self.font_table))

    def confidence(self, run: int) -> float | None:
        """The OCR engine's confidence in the run; None for native text."""
        if not self.engine or run < self.recognised:
            return None
        return self.confidences[run - self.recognised]

    def source_of(self, run: int) -> AnswerSource | None:
        """The engine's answer that the run came from; None for native text."""
        if not self.engine or run < self.recognised:
            return None
        origin = self.origins[run - self.recognised] if self.origins else 0
        return self.others[origin - 1] if origin else self.source

    def pictures(self) -> list[Box]:
        """The placed bitmaps; those that touch along a whole side are strips or tiles of one picture."""
        boxes = [Box(*self.images[at : at + 4]) for at in range(0, len(self.images), 4)]
        for side, along in ((1, 0), (0, 1)):  # tiles side by side in one row, then rows one below the other
            boxes.sort(key=lambda box: (round(box[side]), round(box[side + 2]), box[along]))
            joined: list[Box] = []
            for box in boxes:
                last = joined[-1] if joined else box
                same = round(last[side]) == round(box[side]) and round(last[side + 2]) == round(box[side + 2])
                if joined and same and box[along] <= last[along + 2] + SEAM:
                    joined[-1] = Box(
                        min(last.left, box.left),
                        min(last.top, box.top),
                        max(last.right, box.right),
                        max(last.bottom, box.bottom),
                    )
                else:
                    joined.append(box)
            boxes = joined
        return boxes

    def box(self, run: int) -> Box:
        return Box(*self.boxes[4 * run : 4 * run + 4])

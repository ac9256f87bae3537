"""A glyphless font: invisible text that can be searched, selected and copied, in any script.

Every character has its own code (Identity-H), and the ToUnicode table maps codes to characters. All of them have the
same glyph: a contour without area, which draws nothing, but whose bounding box is that of a character. PDFium skips
single characters whose glyph has no box.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

NAME = "GlyphLess"
WIDTH = 500  # of 1000: every character
ASCENT, DESCENT = 800, -200
_MOST_CODES = 0xFFFE
_REPLACEMENT = "\ufffd"


class Codes:
    """The codes of the characters used so far, in the order of their first use."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    def encoded(self, text: str) -> bytes:
        """The codes of a text, two bytes each."""
        return b"".join(struct.pack(">H", self._code(character)) for character in text)

    def _code(self, character: str) -> int:
        if "\ud800" <= character <= "\udfff" or (len(self._codes) >= _MOST_CODES and character not in self._codes):
            character = _REPLACEMENT
        return self._codes.setdefault(character, len(self._codes) + 1)

    def to_unicode(self) -> bytes:
        """The CMap from codes to characters (PDF 32000-1, 9.10.3); at most 100 to a section."""
        rows = [f"<{code:04X}> <{character.encode('utf-16-be').hex()}>" for character, code in self._codes.items()]
        sections = [rows[at : at + 100] for at in range(0, len(rows), 100)]
        return "\n".join(
            [
                "/CIDInit /ProcSet findresource begin",
                "12 dict begin",
                "begincmap",
                "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
                "/CMapName /Adobe-Identity-UCS def",
                "/CMapType 2 def",
                "1 begincodespacerange",
                "<0000> <FFFF>",
                "endcodespacerange",
                *(line for rows in sections for line in (f"{len(rows)} beginbfchar", *rows, "endbfchar")),
                "endcmap",
                "CMapName currentdict /CMap defineresource pop",
                "end",
                "end",
                "",
            ]
        ).encode()

    def to_glyphs(self) -> bytes:
        """The map from codes to glyphs: one glyph for all."""
        return struct.pack(">H", 0) + struct.pack(">H", 1) * len(self._codes)


def font_file() -> bytes:
    """A TrueType file with an empty glyph and the one of all characters; the tables are those that PDF requires.

    (PDF 32000-1, 9.9; their contents follow the OpenType specification.)
    """
    version, box = 0x00010000, (0, DESCENT, WIDTH, ASCENT)
    head = struct.pack(">IIIIHHqqhhhhHHhhh", version, version, 0, 0x5F0F3CF5, 0, 1000, 0, 0, *box, 0, 8, 2, 0, 0)
    hhea = struct.pack(">IhhhH11hH", version, ASCENT, DESCENT, 0, WIDTH, 0, 0, WIDTH, 1, *[0] * 7, 1)
    there_and_back = struct.pack(">HHBB4h", 1, 0, 1, 1, 0, WIDTH, DESCENT, ASCENT - DESCENT)  # two points
    glyph = struct.pack(">h4h", 1, *box) + there_and_back
    return _sfnt(
        {
            b"glyf": glyph,
            b"head": head,
            b"hhea": hhea,
            b"hmtx": struct.pack(">Hhh", WIDTH, 0, 0),
            b"loca": struct.pack(">HHH", 0, 0, len(glyph) // 2),
            b"maxp": struct.pack(">IH13H", version, 2, 2, 1, *[0] * 11),
        }
    )


def _sfnt(tables: Mapping[bytes, bytes]) -> bytes:
    """The tables (in the order of their names) with the directory in front; `head` holds the checksum of the whole."""
    directory, body = b"", b""
    begin = 12 + 16 * len(tables)
    for name, data in tables.items():
        directory += struct.pack(">4sIII", name, _sum(data), begin + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    power = len(tables).bit_length() - 1
    start = struct.pack(">IHHHH", 0x00010000, len(tables), 16 << power, power, 16 * len(tables) - (16 << power))
    whole = start + directory + body
    at = whole.index(tables[b"head"]) + 8
    return whole[:at] + struct.pack(">I", (0xB1B0AFBA - _sum(whole)) & 0xFFFFFFFF) + whole[at + 4 :]


def _sum(data: bytes) -> int:
    padded = data + bytes(-len(data) % 4)
    total: int = sum(value for (value,) in struct.iter_unpack(">I", padded))
    return total & 0xFFFFFFFF

"""hOCR 1.2: pages, blocks, lines and words with their boxes, as XHTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from quire.core.types import BBox, BlockKind, Cell, PageInfo, Word
from quire.output.export._grid import grid, span_attributes
from quire.output.export._lines import BlockPlace, Size, TextLine, is_spaced, places_of
from quire.output.export._xml import attributes, text
from quire.output.export.contracts import Exportable
from quire.pages.layout.lines import is_right_to_left

_AREAS: Mapping[BlockKind, str] = {
    "header": "ocr_header",
    "footer": "ocr_footer",
    "page_number": "ocr_pageno",
    "figure": "ocr_photo",
    "table": "ocr_table",
}
"""Kinds with their own area class; every other block is in an `ocr_carea`."""

_PARAGRAPHS: Mapping[BlockKind, str] = {"title": "ocr_title", "caption": "ocr_caption", "formula": "ocr_display"}
_HEADINGS = ("ocr_chapter", "ocr_section", "ocr_subsection", "ocr_subsubsection")
_CAPABILITIES = (
    "ocr_page",
    "ocr_carea",
    "ocr_par",
    "ocr_line",
    "ocrx_word",
    *_AREAS.values(),
    *_PARAGRAPHS.values(),
    *_HEADINGS,
    "ocrp_wconf",
)
_PLAIN_NUMBER = re.compile(r"\d{1,6}", re.ASCII)


def hocr(result: Exportable, *, dpi: float = 300) -> str:
    """All pages that were read, with headers and footers; boxes in pixels of pages rendered at `dpi`."""
    placed = places_of(result)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            "<!DOCTYPE html>",
            '<html xmlns="http://www.w3.org/1999/xhtml">',
            "<head>",
            f"<title>{text(result.name)}</title>",
            '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"/>',
            '<meta name="ocr-system" content="quire"/>',
            f'<meta name="ocr-capabilities" content="{" ".join(_CAPABILITIES)}"/>',
            f'<meta name="ocr-number-of-pages" content="{len(result.pages)}"/>',
            "</head>",
            "<body>",
            *(line for page in result.pages for line in _Page(result.name, page, dpi).lines(placed[page.number])),
            "</body>",
            "</html>",
            "",
        ]
    )


class _Page:
    """Writes one page; counts its lines and words, whose ids derive from the page's."""

    def __init__(self, name: str, info: PageInfo, dpi: float) -> None:
        self.name, self.info, self.dpi = name, info, dpi
        self.size: Size = (info.width * dpi / 72, info.height * dpi / 72)
        self.line_count = self.word_count = 0

    def lines(self, places: Sequence[BlockPlace]) -> Iterator[str]:
        printed = next((p.block.text.strip() for p in places if p.block.kind == "page_number"), "")
        properties = [
            f'image "{_quotable(self.name)}"',
            self.box(BBox(0, 0, 1, 1)),
            f"ppageno {self.info.number - 1}",  # the first page has the number 0 there
            f"lpageno {printed}" if _PLAIN_NUMBER.fullmatch(printed) else "",
            f"scan_res {self.dpi:g} {self.dpi:g}",
        ]
        yield f"<div{_named('ocr_page', f'page_{self.info.number}', *properties)}>"
        for place in places:
            yield from self.table(place) if place.cells else self.block(place)
        yield "</div>"

    def block(self, place: BlockPlace) -> Iterator[str]:
        kind = place.block.kind
        area = _AREAS.get(kind, "ocr_carea")
        box = self.box(place.bbox)
        yield f"<div{_named(area, place.id, box, *_flow_of(place))}>"
        if place.lines:
            name = _PARAGRAPHS.get(kind, "ocr_par")
            if kind == "heading":
                name = _HEADINGS[min(max(place.block.level or 1, 1), len(_HEADINGS)) - 1]
            direction = attributes(dir="rtl" if is_right_to_left(place.lines[0].text) else None)
            yield f"<p{_named(name, f'{place.id}-par', box)}{direction}>"
            for line in place.lines:
                yield self.line(line)
            yield "</p>"
        yield "</div>"

    def table(self, place: BlockPlace) -> Iterator[str]:
        """The grid as HTML; empty cells fill rows that begin later or have a gap."""
        assert place.block.table is not None
        here = {id(cell): lines for cell, lines in place.cells}
        yield f"<table{_named('ocr_table', place.id, self.box(place.bbox), *_flow_of(place))}>"
        for number, row in enumerate(grid(place.block.table)):
            if any(cell is not None and id(cell) in here for cell in row):
                yield "<tr>"
                for column, cell in enumerate(row):
                    if cell is None:
                        yield "<td></td>"
                    elif (cell.row, cell.column) == (number, column):
                        yield from self.cell(cell, here.get(id(cell), ()))
                yield "</tr>"
        yield "</table>"
        for line in place.lines:
            yield f"<p{_named('ocr_par', '', self.box(line.bbox))}>{self.line(line)}</p>"

    def cell(self, cell: Cell, lines: Sequence[TextLine]) -> Iterator[str]:
        tag = "th" if cell.header else "td"
        yield f"<{tag}{span_attributes(cell)}{attributes(title=self.box(cell.bbox))}>"
        for line in lines:
            yield self.line(line)
        yield f"</{tag}>"

    def line(self, line: TextLine) -> str:
        self.line_count += 1
        turned = f"textangle {360 - line.angle}" if line.angle else ""  # counted anticlockwise there
        identity = f"line_{self.info.number}_{self.line_count}"
        if line.words:
            inner = self.word(line.words[0])
            for i, word in enumerate(line.words[1:]):
                inner += (" " if is_spaced(line.words[i].text, word.text) else "") + self.word(word)
        else:
            inner = text(line.text)
        return f"<span{_named('ocr_line', identity, self.box(line.bbox), turned)}>{inner}</span>"

    def word(self, word: Word) -> str:
        self.word_count += 1
        sure = "" if word.confidence is None else f"x_wconf {round(min(max(word.confidence, 0), 1) * 100)}"
        identity = f"word_{self.info.number}_{self.word_count}"
        return f"<span{_named('ocrx_word', identity, self.box(word.bbox), sure)}>{text(word.text)}</span>"

    def box(self, box: BBox) -> str:
        return "bbox {} {} {} {}".format(*(round(value) for value in box.points(self.size)))


def _named(name: str, identity: str, *properties: str) -> str:
    """The attributes of an element: its class, its id, and its properties in the title."""
    return attributes(class_=name, id=identity or None, title="; ".join(p for p in properties if p))


def _flow_of(place: BlockPlace) -> list[str]:
    """The property that links the places of a block."""
    return [f'cflow "{_quotable(place.block.id)}"'] if len(place.block.places) > 1 else []


def _quotable(value: str) -> str:
    return value.replace('"', "'")

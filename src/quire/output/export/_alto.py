"""ALTO 4.4: one XML file per page, with blocks, lines, words and spaces in pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from quire.core.types import FURNITURE, BBox, BlockKind, PageInfo, Word
from quire.output.export._flow import flow
from quire.output.export._lines import BlockPlace, Size, TextLine, is_spaced, places_of
from quire.output.export._xml import attributes, text
from quire.output.export.contracts import Exportable
from quire.pages.layout.lines import is_right_to_left

_NAMESPACE = "http://www.loc.gov/standards/alto/ns-v4#"
_SCHEMA = "http://www.loc.gov/standards/alto/v4/alto-4-4.xsd"
_LAYOUT_KINDS: frozenset[BlockKind] = FURNITURE | {"table", "figure"}
_HYPHENS = ("-", "\u00ad", "\u2010")


def alto(result: Exportable, *, dpi: float = 300) -> list[str]:
    """One file per page that was read, with headers and footers; boxes in pixels of a page rendered at `dpi`."""
    placed = places_of(result)
    return [_Page(result, page, dpi).file(placed[page.number]) for page in result.pages]


class _Page:
    """Writes one page; counts its lines and words, whose ids derive from the page's."""

    def __init__(self, result: Exportable, info: PageInfo, dpi: float) -> None:
        self.result, self.info = result, info
        self.size: Size = (info.width * dpi / 72, info.height * dpi / 72)
        self.line_count = self.word_count = 0

    def file(self, places: Sequence[BlockPlace]) -> str:
        width, height = (round(side) for side in self.size)
        whole = attributes(HPOS=0, VPOS=0, WIDTH=width, HEIGHT=height)
        page = attributes(
            ID=f"page_{self.info.number}",
            PHYSICAL_IMG_NR=self.info.number,
            PRINTED_IMG_NR=next((flow(p.block.text) for p in places if p.block.kind == "page_number"), None),
            WIDTH=width,
            HEIGHT=height,
        )
        return "\n".join(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                f'<alto xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
                f' xsi:schemaLocation="{_NAMESPACE} {_SCHEMA}" SCHEMAVERSION="4.4">',
                *self.description(places),
                *_tags(places),
                *_reading_order(places),
                "<Layout>",
                f"<Page{page}>",
                f"<PrintSpace{whole}>",
                *(line for place in places for line in self.block(place)),
                "</PrintSpace>",
                "</Page>",
                "</Layout>",
                "</alto>",
                "",
            ]
        )

    def description(self, places: Sequence[BlockPlace]) -> Iterator[str]:
        yield "<Description>"
        yield "<MeasurementUnit>pixel</MeasurementUnit>"
        yield f"<sourceImageInformation><fileName>{text(self.result.name)}</fileName>"
        yield f"<fileIdentifier>sha256:{text(self.result.id)}</fileIdentifier></sourceImageInformation>"
        for number, engine in enumerate(_engines(places), 1):
            yield f'<Processing ID="processing_{number}"><processingCategory>contentGeneration</processingCategory>'
            yield f"<processingStepDescription>{text(engine)}</processingStepDescription>"
            yield "<processingSoftware><softwareName>quire</softwareName></processingSoftware></Processing>"
        yield "</Description>"

    def block(self, place: BlockPlace) -> Iterator[str]:
        named = self.box(place.bbox, ID=place.id, TAGREFS=_tag(place.block.kind))
        if place.cells:
            yield f'<ComposedBlock{named} TYPE="table">'
            for number, (cell, lines) in enumerate(place.cells, 1):
                yield from self.text_block(self.box(cell.bbox, ID=f"{place.id}-c{number}"), lines, cell.text)
            if place.lines:
                yield from self.text_block(self.box(place.bbox, ID=f"{place.id}-rest"), place.lines, "")
            yield "</ComposedBlock>"
        elif place.block.kind != "figure":
            yield from self.text_block(named, place.lines, place.block.text)
        elif not place.lines:
            yield f"<Illustration{named}/>"
        else:  # an Illustration cannot contain text
            yield f'<ComposedBlock{named} TYPE="figure">'
            yield f"<Illustration{self.box(place.bbox, ID=f'{place.id}-picture')}/>"
            yield from self.text_block(self.box(place.bbox, ID=f"{place.id}-text"), place.lines, place.block.text)
            yield "</ComposedBlock>"

    def text_block(self, named: str, lines: Sequence[TextLine], whole: str) -> Iterator[str]:
        """`whole` is the text in which words broken at a line end are joined."""
        turned = 360 - lines[0].angle if lines and lines[0].angle else None  # counted anticlockwise there
        leftwards = "rtl" if lines and is_right_to_left(lines[0].text) else None
        yield f"<TextBlock{named}{attributes(ROTATION=turned, BASEDIRECTION=leftwards)}>"
        broken = _broken_words(lines, whole)
        for number, line in enumerate(lines):
            self.line_count += 1
            yield f"<TextLine{self.box(line.bbox, ID=f'line_{self.info.number}_{self.line_count}')}>"
            if line.words:
                yield from self.words(line.words, broken.get(number - 1), broken.get(number))
            else:
                yield "<SP/>".join(f"<String{attributes(CONTENT=word)}/>" for word in line.text.split())
            yield "</TextLine>"
        yield "</TextBlock>"

    def words(self, words: Sequence[Word], begun: str | None, broken: str | None) -> Iterator[str]:
        """The words of a line; `begun` is the word that the first one completes, `broken` the one that continues."""
        for number, word in enumerate(words):
            self.word_count += 1
            if number and is_spaced(words[number - 1].text, word.text):
                yield f"<SP{self.box(_between(words[number - 1].bbox, word.bbox))}/>"
            first, last = number == 0, number == len(words) - 1
            part = ("HypPart1", broken) if last and broken else ("HypPart2", begun) if first and begun else None
            named = self.box(
                word.bbox,
                ID=f"word_{self.info.number}_{self.word_count}",
                CONTENT=word.text[:-1] if last and broken else word.text,
                SUBS_TYPE=part[0] if part else None,
                SUBS_CONTENT=part[1] if part else None,
                WC=None if word.confidence is None else f"{min(max(word.confidence, 0.0), 1.0):.4g}",
            )
            yield f"<String{named}/>"
        if broken:
            yield f"<HYP{attributes(CONTENT=words[-1].text[-1])}/>"

    def box(self, box: BBox, **more: object) -> str:
        """The attributes of an element, with its position."""
        left, top, right, bottom = (round(value) for value in box.points(self.size))
        return attributes(**more, HPOS=left, VPOS=top, WIDTH=right - left, HEIGHT=bottom - top)


def _engines(places: Sequence[BlockPlace]) -> list[str]:
    return sorted({place.block.engine for place in places})


def _tag(kind: BlockKind) -> str:
    return f"kind_{kind}"


def _tags(places: Sequence[BlockPlace]) -> Iterator[str]:
    """The kinds of the blocks: a tag for each kind that occurs on the page."""
    kinds = sorted({place.block.kind for place in places})
    if kinds:
        yield "<Tags>"
        for kind in kinds:
            name = "LayoutTag" if kind in _LAYOUT_KINDS else "StructureTag"
            yield f"<{name}{attributes(ID=_tag(kind), TYPE='kind', LABEL=kind)}/>"
        yield "</Tags>"


def _reading_order(places: Sequence[BlockPlace]) -> Iterator[str]:
    if places:
        yield '<ReadingOrder><OrderedGroup ID="order">'
        for number, place in enumerate(places, 1):
            yield f"<ElementRef{attributes(ID=f'order_{number}', REF=place.id)}/>"
        yield "</OrderedGroup></ReadingOrder>"


def _broken_words(lines: Sequence[TextLine], whole: str) -> dict[int, str]:
    """Map line indexes to the word broken at the line end, where `whole` has it without the hyphen."""
    found = {}
    for number, (line, following) in enumerate(pairwise(lines)):
        if line.words and following.words:
            first, second = line.words[-1].text, following.words[0].text
            mended = first[:-1] + second
            if len(first) > 1 and first.endswith(_HYPHENS) and mended in whole and first + second not in whole:
                found[number] = mended
    return found


def _between(before: BBox, after: BBox) -> BBox:
    """The space between two words, whichever is on the left; zero width where they touch."""
    first, second = sorted((before, after), key=lambda box: box.left)
    top, bottom = max(before.top, after.top), min(before.bottom, after.bottom)
    return BBox(first.right, top, max(second.left - first.right, 0.0), max(bottom - top, 0.0))

"""Places for the items of a DoclingDocument on its printed pages, found by aligning their texts.

A document without pages of its own is aligned as a whole. Where each sheet or slide is one printed page, each page is
aligned by itself, and docling's own boxes say where the shapes of a slide are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from quire.core.pagetext import PageText
from quire.core.types import Box
from quire.pages.formats.alignment import SoughtText, align
from quire.pages.formats.placed_pictures import SoughtPicture, Spot, place_pictures
from quire.pages.formats.placed_tables import CellPlace, Placed, fill
from quire.pages.formats.printed_text import PrintedLine, PrintedText, kept, letters, lines_of, without_furniture
from quire.pages.geometry.extents import box_of

Item = dict[str, Any]

_SLIDE_WIDTH = 10_000.0
"""Docling gives the size of a slide in EMU, 914,400 to the inch, and the size of a sheet in cells."""
_UNPRINTED = ("notes", "background")


def place(structure: dict[str, Any], pages: Sequence[PageText]) -> dict[str, Any]:
    """The structure with `prov` from the printed pages, and the sizes of these as its `pages`.

    A text or table that continues on the next page has several entries. A cell of a table has `bbox` and, because
    docling has no word for it, `page_no`. What is known to be on a page, a sheet or a slide, but not where, has an
    entry with an empty box, as docling itself writes it for notes. What has no certain place has no entry. A pure
    function: the structure that is passed in stays as it is.
    """
    return _Placing(deepcopy(structure), pages).result()


class _Placing:
    """The work on one document."""

    def __init__(self, structure: dict[str, Any], pages: Sequence[PageText]) -> None:
        self.structure = structure
        self.pages = pages
        self.sizes = {int(number): page["size"] for number, page in structure.get("pages", {}).items()}
        self.paged = bool(self.sizes) and sorted(self.sizes) == [page.number for page in pages]
        self.items = list(_reading_order(structure))
        self.stated = {item["self_ref"]: item.get("prov") or [] for item in self.items}
        self.furniture = {
            item["self_ref"]: letters(kept(item["text"]).text)
            for item in self.items
            if item.get("content_layer") == "furniture" and "text" in item
        }
        self.texts: dict[str, SoughtText] = {}
        self.cells: dict[str, list[SoughtText]] = {}
        self.order: list[tuple[int, SoughtText]] = list(self._sought())
        self.printed, self.margin = self._printed()

    def result(self) -> dict[str, Any]:
        if self.paged:
            by_page: dict[int, list[SoughtText]] = defaultdict(list)
            for page, sought in self.order:
                by_page[page].append(sought)
            for page, texts in by_page.items():
                if page >= 0:
                    align(texts, self.printed, self.printed.page_span(page))
        else:
            align([sought for _, sought in self.order], self.printed, (0, len(self.printed.text)))
        for item in self.items:
            item["prov"] = self._prov(item)
        self._place_pictures()
        for item in self.items:
            if self.paged and not item["prov"]:
                item["prov"] = [self._as_docling_says(entry) for entry in self.stated[item["self_ref"]]]
        stated_pages = self.structure.get("pages", {})
        self.structure["pages"] = {
            str(page.number): {
                **stated_pages.get(str(page.number), {}),
                "size": {"width": page.width, "height": page.height},
                "page_no": page.number,
            }
            for page in self.pages
        }
        return self.structure

    def _sought(self) -> Iterator[tuple[int, SoughtText]]:
        """The texts that need a place, in reading order, with their pages from 0; -1 where a page is unknown."""
        for item in self.items:
            if item.get("content_layer") in ("furniture", *_UNPRINTED) or _is_in_table(item, self.structure):
                continue
            reference = item["self_ref"]
            page = self.stated[reference][0]["page_no"] - 1 if self.paged and self.stated[reference] else -1
            if _is_table(item):
                whole = not self._is_sheet(item)
                self.cells[reference] = [SoughtText(kept(cell["text"]), whole) for cell in item["data"]["table_cells"]]
                yield from ((page, sought) for sought in self.cells[reference])
            elif "text" in item:
                whole = not _is_inline(item, self.structure)
                is_formula = item.get("label") == "formula"
                self.texts[reference] = SoughtText(kept(item["text"]), whole, may_change=True, formula=is_formula)
                yield page, self.texts[reference]

    def _printed(self) -> tuple[PrintedText, list[PrintedLine]]:
        """The text of the pages, and the lines of running headers and footers, which are not part of it."""
        lines = [line for index, page in enumerate(self.pages) for line in lines_of(index, page)]
        if self.paged:
            return PrintedText(self.pages, lines), []
        body = letters("".join(sought.text for _, sought in self.order))
        lines, margin = without_furniture(lines, self.pages, [*self.furniture.values()], body)
        return PrintedText(self.pages, lines), margin

    def _is_sheet(self, item: Item) -> bool:
        """Cells of a sheet are printed side by side, without anything between them."""
        stated = self.stated[item["self_ref"]]
        size = self.sizes.get(stated[0]["page_no"]) if stated else None
        return size is not None and size["width"] < _SLIDE_WIDTH

    def _prov(self, item: Item) -> list[Item]:
        reference = item["self_ref"]
        if reference in self.cells:
            return self._table_prov(item, self.cells[reference])
        if reference in self.texts:
            return self._text_prov(self.texts[reference], len(item["text"]))
        if reference in self.furniture:
            return self._furniture_prov(item)
        return []

    def _text_prov(self, sought: SoughtText, length: int) -> list[Item]:
        boxes = self._boxes(sought)
        if len(sought.found) != 1:  # with gaps: which characters are where is not known
            return [self._entry(page, box, (0, length)) for page, _, box in boxes]
        begin = sought.found[0][0]
        starts = [sought.kept.sources[at - begin] if at > begin else 0 for _, at, _ in boxes]
        spans = zip(starts, [*starts[1:], length], strict=True)
        return [self._entry(page, box, span) for (page, _, box), span in zip(boxes, spans, strict=True)]

    def _boxes(self, sought: SoughtText) -> list[tuple[int, int, Box]]:
        """Page, position of its first character and box, for each page that a text is on."""
        found: dict[int, tuple[int, list[Box]]] = {}
        for start, end in sought.found:
            for page, at, box in self.printed.boxes(start, end):
                found.setdefault(page, (at, []))[1].append(box)
        return [(page, at, box_of(boxes)) for page, (at, boxes) in found.items()]

    def _table_prov(self, item: Item, sought: Sequence[SoughtText]) -> list[Item]:
        cells = [(_cell(cell), cell, one) for cell, one in zip(item["data"]["table_cells"], sought, strict=True)]
        placed: Placed = {}
        for cell, _, one in cells:
            for page, _, box in self._boxes(one)[:1]:
                placed[cell] = page, box
        missing = [cell for cell, written, _ in cells if cell not in placed and written["text"].strip()]
        placed |= fill(placed, missing, self.pages)
        by_page: dict[int, list[Box]] = defaultdict(list)
        for cell, written, one in cells:
            written.pop("bbox", None)
            if cell in placed:
                page, box = placed[cell]
                by_page[page].append(box)
                written |= {"bbox": _bottom_left(self.pages[page], box), "page_no": self.pages[page].number}
                self._place_content(written, one)
        return [self._entry(page, box_of(boxes), (0, 0)) for page, boxes in sorted(by_page.items())]

    def _place_content(self, cell: Item, sought: SoughtText) -> None:
        """Items in a cell follow each other in its text."""
        if "ref" not in cell or len(sought.found) != 1:
            return
        start, end = sought.found[0]
        for item in _descendants([cell["ref"]], self.structure):
            if not (text := kept(item.get("text", ""))).text:
                continue
            at = self.printed.text.find(text.text, start, end)
            if at < 0:
                return
            start = at + len(text.text)
            self.texts[item["self_ref"]] = SoughtText(text, whole=False, found=[(at, start)])

    def _furniture_prov(self, item: Item) -> list[Item]:
        """A running header is on many pages; its place is the first of them."""
        pattern = self.furniture[item["self_ref"]]
        lines = (line for line in self.margin if pattern and line.pattern == pattern)
        return [self._entry(line.page, line.box, (0, len(item["text"]))) for line in lines][:1]

    def _place_pictures(self) -> None:
        pictures: list[tuple[Item, SoughtPicture]] = []
        waiting: list[SoughtPicture] = []
        last: Spot | None = None
        for item in self.items:
            if item.get("label") in ("picture", "chart") and not item["prov"]:
                picture = self._picture(item)
                picture.before = last
                waiting.append(picture)
                pictures.append((item, picture))
            elif item["prov"] and item.get("content_layer") != "furniture":
                for picture in waiting:
                    picture.after = self._spot(item["prov"][0])
                last, waiting = self._spot(item["prov"][-1]), []
        places = place_pictures([picture for _, picture in pictures], self.pages, running=not self.paged)
        for (item, _), spot in zip(pictures, places, strict=True):
            item["prov"] = [self._entry(spot.page, spot.box, (0, 0))] if spot else []

    def _picture(self, item: Item) -> SoughtPicture:
        size = (item.get("image") or {}).get("size")
        picture = SoughtPicture(size["width"] / size["height"] if size and size["height"] else None)
        if self.paged and (stated := self.stated[item["self_ref"]]):
            entry = self._as_docling_says(stated[0])
            picture.page, box = self._spot(entry)
            picture.shape = box if box.right > box.left else None
        return picture

    def _spot(self, entry: Item) -> Spot:
        page, box = self.pages[entry["page_no"] - 1], entry["bbox"]
        return Spot(entry["page_no"] - 1, Box(box["l"], page.height - box["t"], box["r"], page.height - box["b"]))

    def _as_docling_says(self, entry: Item) -> Item:
        """The box of a shape on a slide in points; an empty one for what has a page and no place on it."""
        page, size, stated = self.pages[entry["page_no"] - 1], self.sizes[entry["page_no"]], entry["bbox"]
        x, y = page.width / (size["width"] or 1), page.height / (size["height"] or 1)
        left, right = max(stated["l"] * x, 0), min(stated["r"] * x, page.width)
        top, bottom = max(stated["t"] * y, 0), min(stated["b"] * y, page.height)
        is_slide = size["width"] >= _SLIDE_WIDTH and stated["coord_origin"] == "TOPLEFT"
        covers_page = right - left >= page.width and bottom - top >= page.height
        if not is_slide or covers_page or right <= left or bottom <= top:
            left, top, right, bottom = 0, page.height, 0, page.height
        return self._entry(page.number - 1, Box(left, top, right, bottom), tuple(entry["charspan"]))

    def _entry(self, page: int, box: Box, charspan: tuple[int, ...]) -> Item:
        text = self.pages[page]
        return {"page_no": text.number, "bbox": _bottom_left(text, box), "charspan": list(charspan)}


def _bottom_left(page: PageText, box: Box) -> Item:
    left, top, right, bottom = (round(float(value), 2) for value in box)
    height = float(page.height)
    top, bottom = round(height - top, 2), round(height - bottom, 2)
    return {"l": left, "t": top, "r": right, "b": bottom, "coord_origin": "BOTTOMLEFT"}


def _cell(cell: Item) -> CellPlace:
    return CellPlace(cell["start_row_offset_idx"], cell["start_col_offset_idx"], cell["row_span"], cell["col_span"])


def _reading_order(structure: dict[str, Any]) -> Iterator[Item]:
    """All items of the document, parents before their children."""
    return _descendants(
        [*structure["body"].get("children", []), *structure.get("furniture", {}).get("children", [])], structure
    )


def _descendants(references: Sequence[Item], structure: dict[str, Any]) -> Iterator[Item]:
    stack = list(reversed(references))
    seen: set[str] = set()
    while stack:
        reference = stack.pop()["$ref"]
        if reference in seen:
            continue
        seen.add(reference)
        item = _resolved(reference, structure)
        if not reference.startswith("#/groups/"):
            yield item
        stack.extend(reversed(item.get("children", [])))


def _resolved(reference: str, structure: dict[str, Any]) -> Item:
    _, kind, number = reference.split("/")
    item: Item = structure[kind][int(number)]
    return item


def _ancestors(item: Item, structure: dict[str, Any]) -> Iterator[Item]:
    while (parent := item.get("parent")) and parent["$ref"].count("/") == 2:  # the body is no item
        item = _resolved(parent["$ref"], structure)
        yield item


def _is_table(item: Item) -> bool:
    return "table_cells" in item.get("data", {})


def _is_inline(item: Item, structure: dict[str, Any]) -> bool:
    """Whether an item is a part of a line: words in another style, a formula."""
    return any(parent.get("label") == "inline" for parent in _ancestors(item, structure))


def _is_in_table(item: Item, structure: dict[str, Any]) -> bool:
    """Whether an item is in a cell, whose text the table has already; a caption of a table is not."""
    for ancestor in _ancestors(item, structure):
        if _is_table(ancestor):
            captions = [*ancestor.get("captions", []), *ancestor.get("footnotes", [])]
            return {"$ref": item["self_ref"]} not in captions
    return False

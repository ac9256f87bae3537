"""The values used across the package: boxes, words, blocks, tables and results. Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, overload

from quire.core.keys import ArtifactKey, Digest

if TYPE_CHECKING:
    import pandas
    import polars

BlockKind = Literal[
    "title",
    "heading",
    "paragraph",
    "list_item",
    "table",
    "figure",
    "caption",
    "formula",
    "code",
    "header",
    "footer",
    "footnote",
    "page_number",
    "field",
]
BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)

FURNITURE: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
"""Kinds of page furniture (headers, footers), not of the text: left out of flowing exports."""

REDACTED = "[[REDACTED]]"
"""The placeholder for a redaction: where a scan was blacked out."""

PageStatus = Literal["ok", "empty", "failed", "skipped"]

LeftOut = Literal[
    "hidden",  # drawn invisibly, or white on nothing
    "off_page",
    "unmapped",  # no Unicode value for any character of the line
    "unplaced",  # no place on the page
    "unread",  # seen by an OCR engine that could not read it: lines in another script, their letters estimated
    "unusable",  # the text of the file is garbage, and no OCR engine read the page
    "replaced",  # the text of the file, on a page that an OCR engine read instead
    "duplicate",  # drawn or recognised again at the same place
    "repeated",  # the header of a table, or its title, again on the next page
    "redacted",  # recognised under a redaction
    "speck",  # a piece of a rule, or dust, that an OCR engine took for a letter
    "unasked",  # recognised outside the pictures that the engine was asked about
    "leader",  # the dots between the cells of a table
    "hyphen",  # at the end of a line, in a word that was joined
]
"""Why a character that a page draws is in no block."""

LOST: frozenset[LeftOut] = frozenset({"hidden", "off_page", "unmapped", "unplaced", "unread", "unusable"})
"""The reasons for which text is missing from the blocks; for the others nothing that the page says is missing."""

HIDDEN: tuple[LeftOut, ...] = ("hidden", "off_page")
"""The reasons of text that is in the file and that no person sees on its page."""

SMALL_SHARE = 0.05
"""Of the characters of a page: when more are missing, its ledger entry has a reason."""
DOUBTFUL = 0.65
"""Mean confidence of the OCR of a page: below it, its ledger entry has a reason."""


class Box(NamedTuple):
    """Left, top, right, bottom in points of the displayed page."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class BBox:
    """Left, top, width and height as fractions of the displayed page, origin at the top left."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @classmethod
    def of_points(cls, box: tuple[float, float, float, float], size: tuple[float, float]) -> BBox:
        """From (left, top, right, bottom) on a displayed page of `size`, clamped to the page and rounded."""
        width, height = size
        left, top, right, bottom = box[0] / width, box[1] / height, box[2] / width, box[3] / height
        left = 0.0 if not left > 0 else 1.0 if left > 1 else left
        top = 0.0 if not top > 0 else 1.0 if top > 1 else top
        right = left if not right > left else 1.0 if right > 1 else right
        bottom = top if not bottom > top else 1.0 if bottom > 1 else bottom
        return cls(
            int(left * 1e5 + 0.5) / 1e5,
            int(top * 1e5 + 0.5) / 1e5,
            int((right - left) * 1e5 + 0.5) / 1e5,
            int((bottom - top) * 1e5 + 0.5) / 1e5,
        )

    @classmethod
    def union(cls, boxes: Iterable[BBox]) -> BBox:
        """The smallest box around all of `boxes`."""
        listed = list(boxes)
        left, top = min(b.left for b in listed), min(b.top for b in listed)
        right, bottom = max(b.right for b in listed), max(b.bottom for b in listed)
        return cls(left, top, round(right - left, 5), round(bottom - top, 5))

    def points(self, size: tuple[float, float]) -> Box:
        """The same place on a page (or picture) of `size`."""
        width, height = size
        return Box(self.left * width, self.top * height, self.right * width, self.bottom * height)


NO_BOX = BBox(0.0, 0.0, 0.0, 0.0)
"""Stands for the box of something without a known place: text of a file without pages. JSON writes it as null."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word and its bounding box. `confidence` is that of the OCR engine, None for text of the file."""

    text: str
    bbox: BBox
    confidence: float | None = None


def mean_confidence(parts: Iterable[tuple[float | None, int]]) -> float | None:
    """The mean of confidences, each with the number of its characters; None where none is known."""
    known = [(confidence, length) for confidence, length in parts if confidence is not None]
    total = sum(length for _, length in known)
    return sum(confidence * length for confidence, length in known) / total if total else None


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a block's text with their own style or a link, or a formula in LaTeX.

    `latex` is what the characters of a formula mean, without dollars; `unsure` says that a part of it is a guess.
    """

    start: int
    end: int
    bold: bool = False
    italic: bool = False
    superscript: bool = False
    subscript: bool = False
    code: bool = False
    link: str | None = None
    latex: str | None = None
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The OCR engine's answer from which something was read: the provenance that evidence must show.

    `profile` is the digest of the engine's settings, `key` the key of the raw answer in a store. `similarity` is None
    when the answer is for exactly these pixels. Otherwise it is for a similar picture, the one of the key. Whether it
    was a cache hit is not part of it: equal answers have equal sources.
    """

    engine: str
    version: str
    profile: Digest
    key: ArtifactKey
    similarity: float | None = None

    @property
    def tier(self) -> Literal["exact", "semantic"]:
        """`exact` for an answer about exactly these pixels, `semantic` for one about a similar picture."""
        return "exact" if self.similarity is None else "semantic"


@dataclass(frozen=True, slots=True)
class Part:
    """One place of a block that continues in the next column or on the next page; `source` as in `Block`."""

    page: int
    bbox: BBox
    source: AnswerSource | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; rows and columns count from 0.

    `confidence` is the mean over its OCR characters and `source` the engine's answer that they are from; both are None
    for text of the file.
    """

    row: int
    column: int
    text: str
    page: int
    bbox: BBox
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    confidence: float | None = None
    source: AnswerSource | None = None

    def __repr__(self) -> str:
        return f"<Cell row {self.row}, column {self.column}: {shortened(self.text)!r}>"


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of cells in row order, with row and column spans. Positions that no cell covers are empty."""

    rows: int
    columns: int
    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        """The cells of each row separated by spaces, the rows by line breaks; the grid itself is in the cells."""
        lines: list[list[str]] = [[] for _ in range(self.rows)]
        for cell in self.cells:
            if cell.text:
                lines[cell.row].append(cell.text.replace("\n", " "))
        return "\n".join(" ".join(line) for line in lines if line)

    def grid(self, *, fill_spans: bool = False) -> list[list[str]]:
        """The texts of each row and column, each on one line; "" where there is none.

        A cell that spans several positions has its text in the first of them, or in all with `fill_spans`.
        """
        rows: list[list[str]] = _exporter("_grid:filled" if fill_spans else "_grid:texts")(self)
        return rows

    @property
    def header(self) -> list[str]:
        """The title of each column, the parts of a header of several rows joined by dots; empty without a header."""
        names: list[str] = _exporter("_dataframe:column_names")(self)
        return names

    def to_html(self) -> str:
        """The cells as an HTML table with their spans; header cells are `th`."""
        text: str = _exporter("_markdown:html_table")(self)
        return text

    def to_csv(self) -> str:
        """The grid as CSV; a text that a spreadsheet would take for a formula is escaped with an apostrophe."""
        text: str = _exporter("_csv:csv_table")(self)
        return text

    @overload
    def to_dataframe(self, library: Literal["pandas"] = "pandas") -> pandas.DataFrame: ...

    @overload
    def to_dataframe(self, library: Literal["polars"]) -> polars.DataFrame: ...

    def to_dataframe(self, library: Literal["pandas", "polars"] = "pandas") -> pandas.DataFrame | polars.DataFrame:
        """A DataFrame of texts with spans filled in; rows of header cells at the top name the columns.

        The parts of a header of several rows are joined by dots. Needs that library, which Quire does not install.
        """
        return _exporter("_dataframe:dataframe")(self, library)

    def __repr__(self) -> str:
        return f"<Table {self.rows} rows × {self.columns} columns: {shortened(self.text)!r}>"

    def _repr_html_(self) -> str:
        return self.to_html()


@dataclass(frozen=True, slots=True)
class Field:
    """A label with its value, as on an invoice or a form: the texts without the colon, and the boxes of both.

    The value is empty where nothing was filled in. A field of a PDF form has no box of its label, which is its name.
    """

    label: str
    value: str
    label_bbox: BBox = NO_BOX
    value_bbox: BBox = NO_BOX

    def __repr__(self) -> str:
        return f"<Field {shortened(self.label)!r}: {shortened(self.value)!r}>"


@dataclass(frozen=True, slots=True)
class GridCell:
    """The position of a region in a grid, with its row and column span; rows and columns count from 0."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1


RegionRole = Literal["page", "text", "cell", "table", "figure", "header", "blank"]


@dataclass(frozen=True, slots=True)
class Region:
    """An area of a page: a box (fractions of its picture or page), its expected role, and its position in a grid.

    A `blank` region is never sent to an engine. Regions with the same `merge_group` are one cell drawn as several.
    `polygon` is the outline where a box is too coarse: points (x, y) in the frame of `bbox`. `attrs` holds further
    data of the detector as JSON values; engines that take regions see it.
    """

    id: str
    bbox: BBox
    role: RegionRole = "text"
    grid: GridCell | None = None
    parent: str | None = None
    merge_group: str | None = None
    polygon: tuple[tuple[float, float], ...] = ()
    attrs: Mapping[str, object] = dataclass_field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Layout:
    """The regions of a page, in reading order."""

    regions: tuple[Region, ...] = ()

    @property
    def rows(self) -> int:
        return max((r.grid.row + r.grid.row_span for r in self.regions if r.grid), default=0)

    @property
    def columns(self) -> int:
        return max((r.grid.column + r.grid.column_span for r in self.regions if r.grid), default=0)


@dataclass(frozen=True, slots=True)
class Style:
    """The typography of a block: what `assemble` needs to compare blocks of different pages."""

    size: float
    bold: bool = False
    italic: bool = False
    font: str = ""
    caps: bool = False
    centered: bool = False
    turned: bool = False
    artifact: bool = False
    """The file marks it as not part of the text (an artifact in tagged PDF)."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item, table or figure, as read from one place.

    The `text` keeps the lines of the page, separated by line breaks; words hyphenated at a line end are
    joined. `level` is the depth of a heading (1 is the highest) or of a list item. `marker` is the bullet or
    number with which the text of a list item begins. `words` may be empty when they were not requested. `source` is
    the engine's answer that OCR text of the block is from, None if all text is from the file. `table` and `field` are
    set for blocks of these kinds.
    """

    id: str
    page: int
    kind: BlockKind
    text: str
    bbox: BBox
    level: int | None = None
    parts: tuple[Part, ...] = ()
    confidence: float | None = None
    engine: str = "native"
    marker: str = ""
    words: Sequence[Word] = ()
    spans: tuple[Span, ...] = ()
    table: Table | None = None
    style: Style | None = dataclass_field(default=None, compare=False)
    source: AnswerSource | None = None
    field: Field | None = None

    @property
    def latex(self) -> str | None:
        """The LaTeX of a formula that stands apart, without its number; None for other blocks and unknown formulas."""
        return next((span.latex for span in self.spans if span.latex), None) if self.kind == "formula" else None

    @property
    def placed(self) -> bool:
        """Whether its place on the page is known. Without printed pages, a document that has none has no boxes."""
        return self.bbox != NO_BOX

    @property
    def places(self) -> tuple[Part, ...]:
        """Every place of the block, also when there is only one."""
        return self.parts or (Part(self.page, self.bbox, self.source),)

    @property
    def sources(self) -> tuple[AnswerSource, ...]:
        """Every engine answer that a part of the block is from, in order: that of each page, that of each cell."""
        parts: tuple[Block | Part | Cell, ...] = (self, *self.parts, *(self.table.cells if self.table else ()))
        return tuple(dict.fromkeys(part.source for part in parts if part.source is not None))

    def __repr__(self) -> str:
        return f"<Block {self.id} {self.kind}, page {self.page}: {shortened(self.text)!r}>"

    def _repr_markdown_(self) -> str:
        text: str = _exporter("_markdown:of_blocks")([self])
        return text


if TYPE_CHECKING:

    class TableBlock(Block):
        """A block whose `table` is not None, for type checkers: at run time it is a `Block`."""

        @property
        def table(self) -> Table: ...

else:
    TableBlock = Block


@dataclass(frozen=True, slots=True)
class Characters:
    """The account of the characters that a page draws, without spaces: `drawn = in_blocks + those left out`.

    `drawn` is counted in what the reader or the OCR engine found, `in_blocks` in the texts of the blocks. A character
    that is in neither part of the account is `unaccounted` for: that would be a defect of the layout.
    """

    drawn: int
    in_blocks: int
    left_out: Mapping[LeftOut, int] = dataclass_field(default_factory=dict, hash=False)

    @property
    def unaccounted(self) -> int:
        return self.drawn - self.in_blocks - sum(self.left_out.values())

    @property
    def missing(self) -> int:
        """The number of characters that may mean something and are in no block."""
        return sum(count for reason, count in self.left_out.items() if reason in LOST) + abs(self.unaccounted)

    @property
    def is_incomplete(self) -> bool:
        """Whether more than a small share is missing."""
        return self.missing > SMALL_SHARE * self.drawn

    def describe(self) -> str:
        """The characters left out, as the reason of a page: `text left out: 12 of 80 characters (12 hidden)`."""
        listed = [f"{n} {reason.replace('_', ' ')}" for reason, n in self.left_out.items() if reason in LOST]
        if self.unaccounted:
            listed.append(f"{self.unaccounted} unaccounted for")
        return f"text left out: {self.missing} of {self.drawn} characters ({', '.join(listed)})"

    def without(self, left_out: Mapping[LeftOut, int]) -> Characters:
        """The account after characters of its blocks were left out."""
        both = {reason: self.left_out.get(reason, 0) + left_out.get(reason, 0) for reason in get_args(LeftOut)}
        known = {reason: count for reason, count in both.items() if count}
        return Characters(self.drawn, self.in_blocks - sum(left_out.values()), known)


@dataclass(frozen=True, slots=True)
class PageInfo:
    """The ledger entry of a page. `reason` says why it failed or was skipped, what text of it was left out, or that its
    OCR is doubtful.

    `characters` is None for a page whose characters were not counted: it failed, or an engine returned its blocks.
    `tables` says how its tables were found where that was asked for: `2 areas by hand`, `words`.
    `confidence` is the mean over the recognised characters, None without OCR.
    """

    number: int
    width: float
    height: float
    rotation: int = 0
    status: PageStatus = "ok"
    reason: str | None = None
    characters: Characters | None = None
    tables: str | None = None
    confidence: float | None = None

    @property
    def size(self) -> tuple[float, float]:
        return self.width, self.height

    @property
    def hidden(self) -> int:
        """The number of characters in the file that the page does not show: text for machines, not for people."""
        counted = self.characters
        return 0 if counted is None else sum(counted.left_out.get(reason, 0) for reason in HIDDEN)

    @property
    def lacks_text(self) -> bool:
        """Whether more than a small share of the text of a page that was read is in no block."""
        read = self.status in ("ok", "empty")
        return read and self.characters is not None and self.characters.is_incomplete

    @property
    def is_doubtful(self) -> bool:
        """Whether the engine had so little confidence in the text of the page that much of it is probably wrong."""
        return self.confidence is not None and self.confidence < DOUBTFUL

    @property
    def doubt(self) -> str | None:
        """The reason of a doubtful page, with its confidence; None for another page."""
        return f"doubtful text: mean confidence of OCR {self.confidence:.2f}" if self.is_doubtful else None


@dataclass(frozen=True, slots=True)
class PageResult:
    """The blocks of one page in reading order, with its ledger entry."""

    info: PageInfo
    blocks: tuple[Block, ...] = ()

    @property
    def number(self) -> int:
        return self.info.number

    @property
    def status(self) -> PageStatus:
        return self.info.status

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks if block.text)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __repr__(self) -> str:
        return f"<PageResult {self.number}: {self.status}, {len(self.blocks)} blocks: {shortened(self.text)!r}>"

    def _repr_markdown_(self) -> str:
        text: str = _exporter("_notebook:page")(self)
        return text


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One bookmark of the document. `top` is a fraction of the page's height, if the file has it."""

    level: int
    title: str
    page: int | None = None
    top: float | None = None


def shortened(text: str, most: int = 50) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1]}…"


def _exporter(place: str) -> Any:
    """A function of `output/export`, as `module:function`: imported lazily by name, like the reader of a document."""
    module, function = place.split(":")
    return getattr(import_module(f"quire.output.export.{module}"), function)

"""The JSON of the API, as models for its OpenAPI description. A key keeps its meaning; clients ignore keys they do not
know."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from quire.core.context import RunState
from quire.core.errors import Category
from quire.core.types import PageStatus
from quire.reading.result import ResultStatus
from quire.retrieval.search.excerpts import LineKind


class ApiSchema(BaseModel):
    """Refuses keys of requests that it does not know, so that a misspelt option is not ignored."""

    model_config = ConfigDict(extra="forbid")


class UrlSource(ApiSchema):
    """A document at a URL, and headers to send for it."""

    url: str = Field(max_length=8192)
    headers: dict[str, str] = {}


class AreaOption(ApiSchema):
    """A table given by hand, or how the tables of some pages are found."""

    pages: str | None = Field(None, description="The pages, like `1-3,7`; all by default.")
    box: list[float] | None = Field(None, description="Left, top, width and height as fractions of the page.")
    columns: list[float] = Field([], description="The positions between columns, as fractions of the page's width.")
    tables: Literal["auto", "lines", "words", "none"] | None = None


class RunOptions(ApiSchema):
    """How to read: the options of `quire read`."""

    pages: str | None = Field(None, description="Only these pages: `1-3,7`, `5-` or `-8`.")
    ocr: Literal["auto", "always", "never"] = "auto"
    effort: Literal["fast", "balanced", "accurate"] = "balanced"
    engines: list[str] = Field([], description="OCR engines in the order of trying; empty for the default.")
    lang: list[str] = []
    figures: bool = False
    redactions: bool = False
    tables: Literal["auto", "lines", "words", "none"] = Field("auto", description="How tables are found.")
    areas: list[AreaOption] = Field([], max_length=1000, description="Tables given by hand.")
    hints: list[str] = []
    retries: int = Field(0, ge=0, le=10)
    retry_backoff_s: float = Field(1.0, ge=0, le=3600)


class RunRequest(ApiSchema):
    """Documents by URL to read, or a document whose work is to be done again."""

    sources: list[UrlSource] = []
    document: str | None = Field(
        None, max_length=200, description="The id of a document: from the same source, in the same way."
    )
    options: RunOptions | None = Field(None, description="How to read; `document` as before by default.")


class ExtractOptions(ApiSchema):
    """What to extract: a JSON Schema, or the names of fields."""

    schema_: dict[str, Any] | None = Field(None, alias="schema", description="A JSON Schema of an object.")
    fields: list[str] | str = Field([], description="Names of values, instead of a schema.")
    extractors: list[str] = Field([], max_length=10, description="Who proposes values; `offline` by default.")
    learned: str | None = Field(
        None, max_length=200, description="A model of this server, which `quire learn` made from samples, by its name."
    )
    min_confidence: float = Field(0.0, ge=0, le=1, description="Leave out values with a lower confidence.")
    reread: str = Field("", max_length=50, description="An OCR engine that reads the places of values again.")
    review: Literal["none", "queue", "wait"] = Field(
        "none", description="Put doubtful values up for review; with `wait`, the run ends when they are decided."
    )


class ExtractSubmission(ExtractOptions):
    """What to extract, and from which documents: one that was read already, or documents by URL."""

    document: str | None = Field(None, max_length=200, description="The id of a document that was read.")
    sources: list[UrlSource] = []
    options: RunOptions | None = Field(None, description="How to read; for `document` as it was read by default.")


class ExtractChoices(BaseModel):
    """What an extraction can name on this server, and how large a request may be."""

    learned: list[str] = Field(description="The models that were learnt from samples.")
    max_bytes: int = Field(description="Of a request.")
    max_file_bytes: int = Field(description="Of one of its files.")


class Counts(BaseModel):
    """How many there are, how many of them were read, and how many failed."""

    total: int = 0
    done: int = 0
    failed: int = 0


class RunProgress(BaseModel):
    """The progress of a run. Pages are known once their document is opened."""

    documents: Counts
    pages: Counts


class PageLedger(BaseModel):
    """The outcome of pages: `pages = ok + empty + failed + skipped`; `left_out` of those read lack some text."""

    pages: int
    ok: int
    empty: int
    failed: int
    skipped: int
    left_out: int = 0


class PageCharacters(BaseModel):
    """The account of the characters of a page: `drawn = in_blocks + left_out`, the latter by reason."""

    drawn: int
    in_blocks: int
    left_out: dict[str, int]


class DocumentSummary(BaseModel):
    """One source of one run."""

    id: str
    run: str
    name: str
    sha256: str | None
    media_type: str | None
    state: RunState
    status: ResultStatus | None
    pages: int | None
    ledger: PageLedger | None
    submitted: float
    error: str | None
    category: Category | None = None
    extraction: str | None = Field(None, description="The path of what was extracted from it, if anything was.")
    review: str | None = Field(None, description="The path of the review of it, if it has one.")


class PageSummary(BaseModel):
    """A page: its size in points as displayed, and its outcome. `blocks` is their number."""

    number: int
    width: float
    height: float
    rotation: int
    status: PageStatus
    reason: str | None
    characters: PageCharacters | None
    tables: str | None = Field(None, description="How its tables were found, where that was asked for.")
    confidence: float | None = None
    blocks: int
    engine: str | None
    attempts: int = Field(description="How often an OCR engine was asked; 0 if the text is from the file.")
    has_image: bool


class DocumentDetail(DocumentSummary):
    """A document with its pages; they are listed once it was read."""

    page_list: list[PageSummary]


class Run(BaseModel):
    """A request to read documents, and what has become of it. Times are seconds since 1970."""

    id: str
    type: str
    state: RunState
    submitted: float
    finished: float | None
    error: str | None
    category: Category | None
    progress: RunProgress
    documents: list[DocumentSummary]


class RunList(BaseModel):
    """Runs, the latest first. `next` is the value of `before` for the next page."""

    runs: list[Run]
    next: str | None


class DocumentList(BaseModel):
    """Documents, the latest run first. `next` is the value of `before` for the next page."""

    documents: list[DocumentSummary]
    next: str | None


class DeletedDocument(BaseModel):
    """What was deleted with a document: everything that its tenant had of the same file, in whichever run."""

    document: str
    artifacts: int = 0
    bytes: int = 0
    runs: int = Field(description="Runs that were deleted, or that go on without it.")
    reviews: int = 0
    samples: int = Field(description="How many of these reviews were samples to learn from.")
    learned: list[str] = Field(description="Models learnt from it, which are kept: learn again without it.")
    unfinished: list[str] = Field(description="Runs that began to read it meanwhile: cancel, and delete again.")


class PageAttempt(BaseModel):
    """One engine's attempt at a page."""

    engine: str
    outcome: str
    reason: str
    ms: float


class PageEvent(BaseModel):
    """What a stage did for a page; `hit` if the output was in the store already."""

    stage: str
    kind: str
    ms: float | None
    hit: bool


class PageView(BaseModel):
    """A page with its blocks in reading order, as in the JSON export, and how it was read."""

    page: PageSummary
    blocks: list[dict[str, Any]]
    path: list[PageAttempt]
    events: list[PageEvent]


class PageBox(BaseModel):
    """Fractions of the displayed page, from the top left."""

    left: float
    top: float
    width: float
    height: float


class TextMatch(BaseModel):
    """A match: characters `start` to `end` of the text of a block, and where they are on the page."""

    page: int
    block: str
    kind: str
    bbox: PageBox
    snippet: str
    start: int
    end: int


class SearchResult(BaseModel):
    """The first matches in reading order, and how many there are."""

    hits: list[TextMatch]
    total: int


class HitPlace(BaseModel):
    """A place of a hit."""

    page: int
    bbox: PageBox


class ShownCell(BaseModel):
    """A text, and the matching words in it as ranges of characters."""

    text: str
    marks: list[tuple[int, int]]


class ShownLine(BaseModel):
    """A line of an excerpt: `text` has one cell, `header` and `row` of a table several, `gap` (something is left out)
    none."""

    kind: LineKind
    cells: list[ShownCell]


class FoundPlace(BaseModel):
    """A passage of a document that fits a query, and where it is.

    `marks` are the matching words, as ranges of characters of `text`. `excerpt` is what of it to show: the best row
    with the header of its table, or the best sentences. `scores` are by source: `lexical`, `dense`,
    `total`. `crop` is the path of its picture.
    """

    document: str
    sha256: str | None
    name: str
    path: str = Field(description="`run/number/name`: for the parameter `in`, each part of it by itself too.")
    page: int
    bbox: PageBox | None
    crop: str | None
    text: str
    marks: list[tuple[int, int]]
    excerpt: list[ShownLine]
    section: list[str]
    kinds: list[str]
    blocks: list[str]
    places: list[HitPlace]
    chunk: str
    index: int
    score: float
    scores: dict[str, float]
    reason: str
    also: list[str] = Field(description="Names of other documents that say the same.")


class FoundPlaces(BaseModel):
    """The hits of a query, the best first."""

    query: str
    hits: list[FoundPlace]


class TableSummary(BaseModel):
    """A table: the block that holds it, and where it begins."""

    block: str
    page: int
    rows: int
    columns: int
    caption: str | None
    bbox: PageBox


class LedgerEntry(BaseModel):
    """The outcome of one page."""

    page: int
    status: PageStatus
    reason: str | None
    characters: PageCharacters | None
    tables: str | None = Field(None, description="How its tables were found, where that was asked for.")
    confidence: float | None = None


class DocumentLedger(BaseModel):
    """The outcome of every page of a document."""

    status: ResultStatus
    ledger: PageLedger
    pages: list[LedgerEntry]


class ApiFault(BaseModel):
    """Why a request failed; `document`, `page` and `category` where they are known."""

    detail: str
    document: str | None = None
    page: int | None = None
    category: Category | None = None

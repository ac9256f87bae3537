"""Jobs of workers for someone who looks at a document: the views of its pages, a table as a file, a search.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from quire.core.encoding import decode_document
from quire.core.engine import Attempt
from quire.core.errors import UsageError
from quire.core.keys import Digest
from quire.core.opened import WorkerWork
from quire.core.pagetext import PageText
from quire.core.types import Block, PageInfo, Word
from quire.durable.reads.read_jobs import load_artifacts
from quire.durable.views import block_search as searching
from quire.lexicon.phrases import folded, matches, without_accents
from quire.output.export import _csv, _excel, _flow, _json, _lines, _markdown, _structure
from quire.reading.native_pages import text_of_page
from quire.retrieval.chunk import ChunkOptions, chunks
from quire.retrieval.chunk.rows import rows

AT_ONCE = 32
"""Pages in one message to the parent."""

TABLE_FORMATS = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "html": "text/html",
}
"""Media types of tables by format."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """The document to look at: its artifact, the digests of the texts of its pages, the attempts of engines."""

    document: Digest
    texts: Mapping[int, Digest]
    path: Mapping[int, tuple[Attempt, ...]]


@dataclass(frozen=True, slots=True)
class WordsOf:
    """A page whose view is to have words."""

    viewed: Viewed
    page: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table to write as a file. `name`, `id` and `media_type` are those of the document."""

    viewed: Viewed
    block: str
    format: str


@dataclass(frozen=True, slots=True)
class Find:
    """A search for a text."""

    viewed: Viewed
    query: str
    limit: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A document to cut into chunks."""

    viewed: Viewed
    name: str
    id: str
    media_type: str
    options: ChunkOptions


@dataclass(frozen=True, slots=True)
class _Document:
    """A document to export or to cut into chunks: the blocks of a document, or the few of one table."""

    blocks: Sequence[Block]
    pages: Sequence[PageInfo] = ()
    name: str = ""
    id: str = ""
    media_type: str = ""


def view_pages(viewed: Viewed, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The views of all pages, sent to the parent in portions; returns what the document has: pages and tables."""
    infos, blocks = _decoded(viewed, work)
    on_page = _by_page(blocks)
    summaries = [_summary(info, on_page.get(info.number, ()), viewed) for info in infos]
    for begin in range(0, len(summaries), AT_ONCE):
        some = summaries[begin : begin + AT_ONCE]
        views = [_view(page, on_page.get(int(str(page["number"])), ()), viewed) for page in some]
        header = {"pages": [page["number"] for page in some], "sizes": [len(view) for view in views]}
        work.request("views", header, b"".join(views))
    captions = _structure.captions(blocks)
    tables = [_table_row(block, captions.get(block.id)) for block in _structure.tables(blocks)]
    return {}, _encoded({"pages": summaries, "tables": tables})


def view_words(request: WordsOf, work: WorkerWork) -> bytes:
    """The view of one page with the words that are on it."""
    viewed, number = request.viewed, request.page
    infos, blocks = _decoded(viewed, work)
    here = _by_page(blocks).get(number, [])
    info = next(info for info in infos if info.number == number)
    return _view(_summary(info, here, viewed), here, viewed, words=True)


def write_table(request: TableFile, work: WorkerWork) -> bytes:
    """One table as CSV, Excel, JSON or HTML."""
    _, blocks = _decoded(request.viewed, work)
    block = next((block for block in blocks if block.id == request.block), None)
    if block is None or block.table is None:
        raise UsageError(f"the document has no table {request.block}")
    caption = _structure.captions(blocks).get(block.id)
    match request.format:
        case "csv":
            return _csv.csv_table(block.table).encode("utf-8", "replace")
        case "xlsx":
            return _excel.excel(_Document([block] if caption is None else [block, caption]))
        case "html":
            return _markdown.html_table(block.table).encode("utf-8", "replace")
    return _encoded({**_table_row(block, caption), **_json.table_json(block.table, block)})


def cut(request: Cut, work: WorkerWork) -> bytes:
    """The chunks of the document, as a list of rows."""
    infos, blocks = _decoded(request.viewed, work)
    document = _Document(blocks, infos, request.name, request.id, request.media_type)
    return _encoded(rows(document, chunks(document, request.options)))


def find(request: Find, work: WorkerWork) -> bytes:
    """The matches in reading order: all are counted, the first `limit` are returned with their places."""
    viewed, query = request.viewed, folded(request.query, without_accents).strip()
    texts = work.kept(f"texts {viewed.document}", lambda: _texts(viewed, work))
    found: list[tuple[int, int, int]] = []
    total = 0
    for number, (text, comparable) in enumerate(texts):
        if query in comparable:
            here = matches(text, comparable, query, without_accents)
            total += len(here)
            found += [(number, start, end) for start, end in here[: request.limit - len(found)]]
    hits: list[searching.Hit] = []
    if found:
        _, blocks = _decoded(viewed, work)
        hits = list(_hits(blocks, found))
    return _encoded({"hits": [{**asdict(hit), "bbox": _json.box_json(hit.bbox)} for hit in hits], "total": total})


def _hits(blocks: Sequence[Block], found: Sequence[tuple[int, int, int]]) -> Iterable[searching.Hit]:
    for number, start, end in found:
        block = blocks[number]
        place = searching.place_of(block, start, end)
        snippet = searching.snippet(block.text, start, end)
        yield searching.Hit(block.id, block.kind, place.page, place.bbox, start, end, snippet)


def _texts(viewed: Viewed, work: WorkerWork) -> list[tuple[str, str]]:
    """The text of each block, as it is and as it is compared."""
    return [(block.text, folded(block.text, without_accents)) for block in _decoded(viewed, work)[1]]


def _decoded(viewed: Viewed, work: WorkerWork) -> tuple[Sequence[PageInfo], Sequence[Block]]:
    last: dict[int, PageText] = {}

    def text(page: int) -> PageText:
        if page not in last:
            last.clear()
            (data,) = load_artifacts(work, [viewed.texts[page]])
            last[page] = text_of_page(data, page)
        return last[page]

    (data,) = load_artifacts(work, [viewed.document])
    return decode_document(data, text)


def _by_page(blocks: Sequence[Block]) -> dict[int, list[Block]]:
    """The blocks that begin or continue on each page, in reading order."""
    found: dict[int, list[Block]] = {}
    for block in blocks:
        for page in dict.fromkeys(place.page for place in block.places):
            found.setdefault(page, []).append(block)
    return found


def _summary(info: PageInfo, blocks: Sequence[Block], viewed: Viewed) -> dict[str, object]:
    path = viewed.path.get(info.number, ())
    read = next((attempt.engine for attempt in reversed(path) if attempt.outcome in ("ok", "hit", "similar")), None)
    engine = read or next((block.engine for block in blocks if block.engine != "native"), None)
    return {
        **_json.page_json(info),
        "blocks": len(blocks),
        "engine": engine or ("native" if blocks else None),
        "attempts": len(path),
        "has_image": info.width > 0 and info.height > 0,
    }


def _view(page: Mapping[str, object], blocks: Sequence[Block], viewed: Viewed, *, words: bool = False) -> bytes:
    number = int(str(page["number"]))
    listed = [
        _json.block_json(block, words=_words_on(block, number) if words else None, trace=True) for block in blocks
    ]
    return _encoded({"page": page, "blocks": listed, "path": [asdict(one) for one in viewed.path.get(number, ())]})


def _words_on(block: Block, page: int) -> list[Word]:
    by_place = zip(block.places, _lines.words_by_place(block), strict=True)
    return [word for place, words in by_place if place.page == page for word in words]


def _table_row(block: Block, caption: Block | None) -> dict[str, object]:
    assert block.table is not None
    return {
        "block": block.id,
        "page": block.page,
        "rows": block.table.rows,
        "columns": block.table.columns,
        "caption": None if caption is None else _flow.flow(caption.text),
        "bbox": _json.box_json(block.bbox),
    }


def _encoded(value: object) -> bytes:
    """Lone surrogates, which damaged files can contain, become `?`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")

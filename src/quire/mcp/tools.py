"""The tools: each turns its arguments into questions about documents, and what they say into a small answer.

Knows nothing of the protocol. Its methods block, and raise QuireError with what to ask instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quire.client.reports import DocumentReport, RunReport
from quire.client.server_runs import ClientRun
from quire.core.errors import UsageError
from quire.core.page_ranges import page_numbers, selection
from quire.core.types import BBox, PageInfo
from quire.mcp import tool_arguments as given
from quire.mcp.answers.answer import Answer, cursor_numbers
from quire.mcp.answers.crop_pictures import CropAnswer, around, dpi_for, fitted
from quire.mcp.answers.document_list import DocumentsAnswer, UploadOffer, document_line
from quire.mcp.answers.document_map import map_answer, map_of
from quire.mcp.answers.extracted_values import ExtractAnswer, extract_answer
from quire.mcp.answers.page_texts import PagesAnswer, page_texts
from quire.mcp.answers.quote_check import check_quote
from quire.mcp.answers.search_passages import search_answer
from quire.mcp.answers.table_rows import table_answer
from quire.mcp.file_roots import FileRoots
from quire.mcp.resources import ResourcePlace, document_link, page_link, table_link
from quire.mcp.served_documents import OnProgress, ServedDocuments, another_key
from quire.mcp.token_budget import MAX_TOKENS, tokens_of

WAIT_S = 45.0
"""How long a call waits for a document to be read: clients give up after a minute."""
MOST_FOUND = 100
"""Passages that a search has at most, on all pages of its answer."""
SHOWN_TABLES = 20

OfferUpload = Callable[[str], UploadOffer]


@dataclass(frozen=True, slots=True)
class ToolPicture:
    """A picture for the model."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returns: its structured answer, a picture, and links to more."""

    answer: Answer
    picture: ToolPicture | None = None
    links: Sequence[ResourcePlace] = ()


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a call has beside its arguments: who hears the progress, and, over HTTP, who offers an upload."""

    on_progress: OnProgress = lambda done, total: None
    offer_upload: OfferUpload | None = None


@dataclass(frozen=True, slots=True)
class DocumentTools:
    """The tools over the documents of one tenant."""

    documents: ServedDocuments
    roots: FileRoots
    write: bool = False
    max_tokens: int = MAX_TOKENS
    wait_s: float = WAIT_S

    def list_or_add(self, asked: given.DocumentsArguments, context: CallContext) -> ToolResult:
        match asked.action:
            case "list":
                return ToolResult(self._listed(asked.limit, asked.cursor))
            case "get":
                if asked.document is None:
                    raise UsageError("get needs the id of a document in `document`; list the documents for their ids")
                report = self.documents.document(asked.document)
                return ToolResult(DocumentsAnswer(documents=[document_line(report)]), links=_document_links([report]))
        if asked.path is not None:
            return self.added(self._waited(self.begin_add(asked.path), context))
        self._check_write()
        if context.offer_upload is None:
            raise UsageError("add needs `path`: the path of a file in an allowed folder of this server")
        note = "Send the file there, then call documents with action get and the id in the answer of the upload."
        return ToolResult(DocumentsAnswer(upload=context.offer_upload(asked.name or "document"), note=note))

    def begin_add(self, path: str) -> ClientRun:
        """The run that reads a file, or has read it."""
        self._check_write()
        file, key = self.roots.file(path)
        return self.documents.add(file, key, another_key())

    def added(self, run: RunReport) -> ToolResult:
        """The documents of a run that has read them, or is reading them."""
        lines = [document_line(one) for one in run.documents]
        note = None if run.ended else "it is still being read: call documents with action get and its id"
        return ToolResult(DocumentsAnswer(documents=lines, note=note), links=_document_links(run.documents))

    def map(self, asked: given.MapArguments, _: CallContext) -> ToolResult:
        report = self._read(asked.document)
        outline = map_of(self.documents.content(report.id), self.documents.tables(report.id))
        answer = map_answer((report.id, report.name), outline, asked.pages, asked.cursor, self.max_tokens)
        return ToolResult(answer, links=_document_links([report]))

    def read_pages(self, asked: given.ReadPagesArguments, _: CallContext) -> ToolResult:
        report = self._read(asked.document)
        infos = self.documents.pages(report.id)
        numbers = _page_numbers(asked.pages, infos, report.name)
        texts, following = page_texts(
            numbers, lambda number: self.documents.page(report.id, number), asked.cursor, self.max_tokens
        )
        answer = PagesAnswer(document=report.id, name=report.name, pages=len(infos), texts=texts, next=following)
        links = [page_link(report.id, one.page, report.name) for one in texts[-1:]] if following else []
        return ToolResult(answer, links=links)

    def search(self, asked: given.SearchArguments, _: CallContext) -> ToolResult:
        (first,) = cursor_numbers(asked.cursor, 1) or (0,)
        most = min(first + asked.limit, MOST_FOUND)
        total: int | None = None
        if asked.document is not None:
            self._read(asked.document)
            found, total = self.documents.find(asked.document, asked.query, limit=most)
            more = total > most
        else:
            found = self.documents.search(asked.query, k=min(most + 1, MOST_FOUND))
            more = len(found) > most
        answer = search_answer(
            asked.query,
            found[first:most],
            first,
            total=total,
            more=more and most < MOST_FOUND,
            max_tokens=self.max_tokens,
        )
        if not answer.passages and not first:
            everywhere = "leave out `document` to search by words and meaning, or " if asked.document else ""
            answer.note = f"nothing was found: {everywhere}use fewer or other words, or look at the map of a document"
        return ToolResult(answer)

    def table(self, asked: given.TableArguments, _: CallContext) -> ToolResult:
        report = self._read(asked.document)
        tables = self.documents.tables(report.id)
        listed = next((one for one in tables if one.id == asked.table), None)
        if listed is None:
            known = ", ".join(f"{one.id} (page {one.page})" for one in tables[:SHOWN_TABLES])
            raise UsageError(f"{report.name} has no table {asked.table[:50]!r}; its tables: {known or 'none'}")
        table = self.documents.table(report.id, listed.id)
        answer = table_answer(report.id, listed, table, asked.cursor, self.max_tokens)
        links = [table_link(report.id, listed.id, report.name)] if answer.next or asked.cursor else []
        return ToolResult(answer, links=links)

    def crop(self, asked: given.CropArguments, _: CallContext) -> ToolResult:
        report = self._read(asked.document)
        number, box = self._place(asked, report)
        infos = self.documents.pages(report.id)
        _page_numbers(str(number), infos, report.name)
        info = next(one for one in infos if one.number == number)
        data, media_type, (width, height) = fitted(self.documents.crop(report.id, number, box, dpi=dpi_for(info, box)))
        numbers = [round(value, 4) for value in (box.left, box.top, box.width, box.height)]
        answer = CropAnswer(document=report.id, page=number, box=numbers, width=width, height=height)
        return ToolResult(answer, ToolPicture(data, media_type))

    def extract(self, asked: given.ExtractArguments, context: CallContext) -> ToolResult:
        run = self._waited(self.begin_extract(asked), context)
        return self.extracted(asked.document, run, asked.cursor)

    def begin_extract(self, asked: given.ExtractArguments) -> ClientRun:
        """The run that extracts, or has extracted."""
        if bool(asked.fields) == (asked.schema_ is not None):
            raise UsageError("say what to extract: names in `fields`, or a JSON Schema in `schema`, and not both")
        report = self._read(asked.document)
        wanted = {"schema": asked.schema_} if asked.schema_ is not None else {"fields": asked.fields}
        return self.documents.extract(report.id, wanted)

    def extracted(self, document: str, run: RunReport, cursor: str | None = None) -> ToolResult:
        """What a run has extracted from a document, or how far it is."""
        (made,) = run.documents
        if not run.ended:
            return ToolResult(ExtractAnswer(document=document, state=run.state))
        if made.state == "failed":
            raise UsageError(f"nothing could be extracted from {made.name}: {made.error}")
        return ToolResult(extract_answer(document, self.documents.extraction(made.id), cursor, self.max_tokens))

    def check_quote(self, asked: given.CheckQuoteArguments, _: CallContext) -> ToolResult:
        report = self._read(asked.document)
        content = self.documents.content(report.id)
        if asked.page is not None:
            _page_numbers(str(asked.page), content.pages, report.name)
        return ToolResult(
            check_quote(
                report.id,
                asked.quote,
                content.blocks,
                asked.page,
                lambda number: self.documents.page(report.id, number, words=True),
            )
        )

    def _listed(self, limit: int, cursor: str | None) -> DocumentsAnswer:
        """A page of the list, with fewer documents where their names are too long for an answer."""
        listed = self.documents.listed(limit=limit, cursor=cursor)
        answer = DocumentsAnswer(documents=[document_line(one) for one in listed.documents], next=listed.next)
        if limit > 1 and tokens_of(answer.to_json()) > self.max_tokens:
            return self._listed(limit // 2, cursor)
        return answer

    def _check_write(self) -> None:
        if not self.write:
            raise UsageError("this server is read-only: to add documents, start it with `quire mcp --write`")

    def _waited(self, run: ClientRun, context: CallContext) -> RunReport:
        return self.documents.follow(run, timeout_s=self.wait_s, on_progress=context.on_progress)

    def _read(self, id: str) -> DocumentReport:
        """A document that can be looked at. Raises UsageError for another."""
        report = self.documents.document(id)
        if report.state == "finished":
            return report
        if report.state == "failed":
            raise UsageError(f"{report.name} could not be read: {report.error}")
        raise UsageError(
            f"{report.name} is {report.state}: it is not read yet; call documents with action get until it is"
        )

    def _place(self, asked: given.CropArguments, report: DocumentReport) -> tuple[int, BBox]:
        ways = (asked.box is not None) + (asked.block is not None) + asked.whole_page
        if ways != 1 or (asked.block is None and asked.page is None):
            raise UsageError("say what to crop: `block`; or `page` with `box`; or `page` with `whole_page`")
        if asked.block is not None:
            blocks = self.documents.content(report.id).blocks
            block = next((one for one in blocks if one.id == asked.block), None)
            if block is None or not block.placed:
                raise UsageError(
                    f"{report.name} has no block {asked.block[:50]!r} with a place; read_pages and map have the ids"
                )
            place = next((one for one in block.places if one.page == asked.page), block.places[0])
            return place.page, around(place.bbox)
        assert asked.page is not None
        left, top, width, height = asked.box or (0.0, 0.0, 1.0, 1.0)
        if not (0 <= left < 1 and 0 <= top < 1 and width > 0 and height > 0):
            raise UsageError(f"the box {asked.box} is not on the page: left and top are from 0 to 1, sizes above 0")
        return asked.page, BBox(left, top, min(width, 1 - left), min(height, 1 - top))


def _page_numbers(pages: str | None, infos: Sequence[PageInfo], name: str) -> Sequence[int]:
    """The pages that were asked for, of those that were read. Raises UsageError with those that there are."""
    known = [info.number for info in infos]
    numbers = [number for number in page_numbers(pages, max(known, default=0)) if number in known]
    if not numbers:
        raise UsageError(f"page {pages} of {name} was not read; its pages: {selection(known)}")
    return numbers


def _document_links(documents: Sequence[DocumentReport]) -> list[ResourcePlace]:
    return [document_link(one.id, one.name) for one in documents if one.state == "finished"]

"""The documents that the tools show: asked for at the HTTP API of a server, or of a store in this process."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.client.connection import Server, quoted
from quire.client.multipart import FilePart, UploadForm
from quire.client.reports import DocumentReport, RunReport
from quire.client.server_runs import ClientRun
from quire.core.errors import RunError, UsageError
from quire.core.keys import digest_of
from quire.core.types import BBox, Block, PageInfo, PageResult, Table
from quire.evidence.extract.extraction_json import decode_extraction
from quire.evidence.extract.values import Extraction
from quire.net.transport import Body, HttpResponse
from quire.output.export import _json
from quire.service.run_progress import RunTally

KNOWN = 10
"""Documents that an error about an unknown one names."""
_ID = re.compile(r"[\w-]{1,100}\.[0-9]{1,9}", re.ASCII)

OnProgress = Callable[[int, int], None]
"""Called in the thread that waits, with the pages that are done and all pages; 0 while they are not counted."""


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """Some documents, and where the next ones begin."""

    documents: Sequence[DocumentReport]
    next: str | None


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """All pages of a document, and its blocks in reading order, without their words."""

    pages: Sequence[PageInfo]
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage that fits a query, with the block and the place in which it begins."""

    document: str
    name: str
    page: int
    block: str
    text: str
    box: BBox | None
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table of a document."""

    id: str
    page: int
    rows: int
    columns: int
    caption: str


def another_key() -> str:
    """A key that no run has yet."""
    return str(uuid.uuid4())


class ServedDocuments:
    """The documents of one tenant of a server. Thread-safe; its methods block. They raise QuireError with what exists
    instead of what was asked for."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def listed(self, *, limit: int, cursor: str | None = None) -> ListedDocuments:
        """The latest documents, each file once: an extraction reads its document again, as another one."""
        try:
            answer = self._server.get("/api/documents", limit=limit, before=cursor).json()
        except UsageError as error:
            raise UsageError(f"the cursor {cursor!r} is not one of this list: begin again without it") from error
        known: dict[object, DocumentReport] = {}
        for row in answer["documents"]:
            report, extracted = DocumentReport.of(row), row.get("extraction") is not None
            key = report.sha256 or report.id
            if key not in known or not extracted:
                known[key] = report
        return ListedDocuments(list(known.values()), answer["next"])

    def document(self, id: str) -> DocumentReport:
        """Raises UsageError for an unknown id, with those that are known."""
        return DocumentReport.of(self._detail(id))

    def content(self, id: str) -> DocumentContent:
        """The whole document."""
        return DocumentContent(*_json.from_json(self._asked(id, "/exports/json").body.decode()))

    def pages(self, id: str) -> Sequence[PageInfo]:
        return [_json.read_page(row) for row in self._detail(id)["page_list"]]

    def page(self, id: str, number: int, *, words: bool = False) -> PageResult:
        """A page, with the blocks that begin or continue on it."""
        view = self._asked(id, f"/pages/{number}", words=words or None).json()
        return PageResult(_json.read_page(view["page"]), tuple(map(_json.read_block, view["blocks"])))

    def tables(self, id: str) -> Sequence[ListedTable]:
        rows = self._asked(id, "/tables").json()
        return [
            ListedTable(row["block"], row["page"], row["rows"], row["columns"], row["caption"] or "") for row in rows
        ]

    def table(self, id: str, block: str) -> Table:
        """The cells of a table."""
        return _json.read_table(self._asked(id, f"/tables/{quoted(block)}", to="json").json())

    def table_csv(self, id: str, block: str) -> str:
        return self._asked(id, f"/tables/{quoted(block)}").body.decode()

    def crop(self, id: str, page: int, box: BBox, *, dpi: int) -> bytes:
        """The part of a page inside a box, as PNG."""
        area = ",".join(f"{value:.5f}" for value in (box.left, box.top, box.width, box.height))
        return self._asked(id, f"/pages/{page}/crop", box=area, dpi=dpi).body

    def search(self, query: str, *, k: int) -> Sequence[FoundPassage]:
        """The passages of all documents that fit best, by words and by meaning."""
        hits = self._server.get("/api/search", q=query, k=k).json()["hits"]
        return [
            FoundPassage(
                hit["document"],
                hit["name"],
                hit["page"],
                next(iter(hit["blocks"]), ""),
                hit["text"],
                None if hit["bbox"] is None else BBox(**hit["bbox"]),
                tuple(hit["section"]),
            )
            for hit in hits
        ]

    def find(self, id: str, text: str, *, limit: int) -> tuple[Sequence[FoundPassage], int]:
        """The places of a text in one document, without regard to case and accents, and how many there are."""
        answer = self._asked(id, "/search", q=text, limit=limit).json()
        name = self.document(id).name
        found = [
            FoundPassage(id, name, hit["page"], hit["block"], hit["snippet"], BBox(**hit["bbox"]))
            for hit in answer["hits"]
        ]
        return found, answer["total"]

    def add(self, file: FilePart, *keys: str) -> ClientRun:
        """Let the server read a file. The same key is the same run; the next key counts where that has failed, or what
        it has read is gone."""
        form = UploadForm([file], {"options": "{}"})
        return self._submitted("/api/runs", form.headers, form.pieces, keys)

    def extract(self, id: str, request: Mapping[str, Any]) -> ClientRun:
        """Begin to extract values by a schema or by names of fields, or find the run that did."""
        body = json.dumps({"document": id, **request}).encode()
        headers, key = {"Content-Type": "application/json"}, digest_of(["mcp", "extract", id, dict(request)])
        return self._submitted("/api/extract", headers, body, [key, another_key()])

    def extraction(self, id: str) -> Extraction:
        """What was extracted from the document of such a run."""
        return decode_extraction(self._asked(id, "/extraction").body)

    def run(self, id: str) -> ClientRun:
        """Raises UsageError for an unknown run."""
        return ClientRun(self._server, RunReport.of(self._server.get(f"/api/runs/{quoted(id)}").json()))

    def follow(self, run: ClientRun, *, timeout_s: float, on_progress: OnProgress) -> RunReport:
        """The report of a run at its end, or when the time is over; tells its progress from its events."""
        tally = RunTally()
        if not run.report().ended:
            for event in run.events(timeout_s=timeout_s):
                tally.add([event])
                total, done = tally.pages
                on_progress(done, total)
        report = run.report()
        if report.state in ("failed", "cancelled"):
            raise RunError(report.error or f"the run was {report.state}; ask again to start another")
        return report

    def close(self) -> None:
        self._server.close()

    def _submitted(self, path: str, headers: Mapping[str, str], body: Body, keys: Sequence[str]) -> ClientRun:
        for key in keys:
            sent = {**headers, "Idempotency-Key": key}
            run = ClientRun(self._server, RunReport.of(self._server.send("POST", path, sent, body).json()))
            report = run.report()
            if report.documents and not (report.ended and any(one.state == "failed" for one in report.documents)):
                break
        return run

    def _detail(self, id: str) -> dict[str, Any]:
        detail: dict[str, Any] = self._asked(id, "").json()
        return detail

    def _asked(self, id: str, path: str, **parameters: object) -> HttpResponse:
        if not _ID.fullmatch(id):  # a slash in it would lead to another route
            raise self._unknown(id)
        try:
            return self._server.get(f"/api/documents/{quoted(id)}{path}", **parameters)
        except UsageError as error:
            raise (self._unknown(id) if "there is no document" in str(error) else error) from error

    def _unknown(self, id: str) -> UsageError:
        """The error about an unknown document, with those that there are."""
        listed = self.listed(limit=KNOWN)
        shown = ", ".join(f"{one.id} ({one.name})" for one in listed.documents)
        more = ", and more: list them with the tool documents" if listed.next else ""
        return UsageError(f"there is no document {id[:100]!r}; known documents: {shown or 'none yet'}{more}")

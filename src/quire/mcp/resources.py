"""The resources of documents, pages and tables: their addresses, and their contents in full."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.client.reports import DocumentReport
from quire.core.errors import UsageError
from quire.mcp.answers.document_map import map_answer, map_of
from quire.mcp.answers.page_texts import block_text
from quire.mcp.served_documents import ServedDocuments

BASE = "quire://documents/"
JSON, TEXT, CSV = "application/json", "text/plain", "text/csv"
TEMPLATES = (
    (
        "document",
        f"{BASE}{{document}}",
        "The map of a document: pages, headings and tables with their ids.",
        JSON,
    ),
    (
        "page",
        f"{BASE}{{document}}/pages/{{page}}",
        "The text of a page, a line with its id before each block.",
        TEXT,
    ),
    ("table", f"{BASE}{{document}}/tables/{{table}}", "A whole table as CSV.", CSV),
)
"""Name, URI template, description and media type of each kind of resource."""
_PLACE = re.compile(rf"{BASE}(?P<document>[^/]+)(?:/pages/(?P<page>[0-9]{{1,9}})|/tables/(?P<table>[^/]+))?")


@dataclass(frozen=True, slots=True)
class ResourcePlace:
    """A resource by its address."""

    uri: str
    name: str
    media_type: str


def document_link(id: str, name: str) -> ResourcePlace:
    return ResourcePlace(f"{BASE}{id}", name, JSON)


def page_link(id: str, page: int, name: str) -> ResourcePlace:
    return ResourcePlace(f"{BASE}{id}/pages/{page}", f"{name}, page {page}", TEXT)


def table_link(id: str, table: str, name: str) -> ResourcePlace:
    return ResourcePlace(f"{BASE}{id}/tables/{table}", f"{name}, table {table}", CSV)


@dataclass(frozen=True, slots=True)
class DocumentResources:
    """The resources over the documents of one tenant. Its methods block, and raise UsageError."""

    documents: ServedDocuments
    max_tokens: int

    def listed(self, cursor: str | None, *, limit: int = 50) -> tuple[Sequence[ResourcePlace], str | None]:
        """The documents that were read, and the cursor of the next ones."""
        listed = self.documents.listed(limit=limit, cursor=cursor)
        return [document_link(one.id, one.name) for one in listed.documents if one.state == "finished"], listed.next

    def read(self, uri: str) -> tuple[str, str]:
        """The text of a resource, and its media type."""
        place = _PLACE.fullmatch(uri)
        if place is None:
            known = ", ".join(template for _, template, _, _ in TEMPLATES)
            raise UsageError(f"there is no resource {uri[:200]!r}; resources here are {known}")
        report = self.documents.document(place["document"])
        if place["page"] is not None:
            return self._page(report, int(place["page"])), TEXT
        if place["table"] is not None:
            return self.documents.table_csv(report.id, place["table"]), CSV
        outline = map_of(self.documents.content(report.id), self.documents.tables(report.id))
        answer = map_answer((report.id, report.name), outline, None, None, self.max_tokens)
        return answer.model_dump_json(), JSON

    def _page(self, report: DocumentReport, number: int) -> str:
        page = self.documents.page(report.id, number)
        return "\n\n".join(f"[{block.id}]\n{block_text(block, number)}" for block in page.blocks)

"""A document on a server."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from quire.client.connection import Server, quoted
from quire.client.reports import DocumentReport
from quire.core.document import Document
from quire.core.engine import Attempt
from quire.core.errors import InputError
from quire.core.types import BBox, PageResult
from quire.net.transport import HttpResponse
from quire.output.export import _json, find_format
from quire.reading.result import DocumentResult, ReadSource
from quire.system.atomic_files import output_stem


@dataclass(frozen=True, slots=True)
class SearchMatch:
    """A match: characters `start` to `end` of the text of a block, and where they are on a page."""

    page: int
    block: str
    kind: str
    bbox: BBox
    snippet: str
    start: int
    end: int


class ClientDocument:
    """A document that a server has read, or is reading. Its methods block; they raise a QuireError until it is read."""

    def __init__(self, server: Server, report: DocumentReport) -> None:
        self._server = server
        self.report = report

    @property
    def id(self) -> str:
        return self.report.id

    @property
    def name(self) -> str:
        return self.report.name

    def page_list(self) -> list[dict[str, Any]]:
        """Each page that was read, as JSON: number, size, status, reason, number of blocks, engine, attempts."""
        rows: list[dict[str, Any]] = self._get("").json()["page_list"]
        return rows

    def page(self, number: int, *, words: bool = False) -> PageResult:
        """A page, with the blocks that begin or continue on it."""
        view = self._get(f"/pages/{number}", words=words or None).json()
        return PageResult(_json.read_page(view["page"]), tuple(map(_json.read_block, view["blocks"])))

    def pages(self, *, words: bool = False) -> Iterator[PageResult]:
        """Every page, one request each."""
        return (self.page(int(row["number"]), words=words) for row in self.page_list())

    def path(self, number: int) -> tuple[Attempt, ...]:
        """The attempts at a page: the engines that were tried, in order."""
        return tuple(Attempt(**attempt) for attempt in self._get(f"/pages/{number}").json()["path"])

    def result(self) -> DocumentResult:
        """The whole document with its words. It cannot render pages: use `image`."""
        exported = self.export("json", words=True, trace=True).decode()
        infos, blocks = _json.from_json(exported)
        about = json.loads(exported)
        path = {row["page"]: tuple(Attempt(**one) for one in row["attempts"]) for row in about.get("trace", ())}
        document = about["document"]
        source = ReadSource(document["id"], document["name"], document["media_type"], self._not_here)
        return DocumentResult(source, infos, blocks, path)

    def image(self, number: int, *, dpi: int = 100) -> bytes:
        """The picture of a page, as PNG."""
        return self._get(f"/pages/{number}/image", dpi=dpi).body

    def crop(self, number: int, box: BBox, *, dpi: int = 150) -> bytes:
        """The part of a page inside a box, as PNG."""
        area = ",".join(f"{value:g}" for value in (box.left, box.top, box.width, box.height))
        return self._get(f"/pages/{number}/crop", box=area, dpi=dpi).body

    def export(self, format: str, *, words: bool = False, trace: bool = False, figures: bool = False) -> bytes:
        """The document in a format (`md`, `json`, …): a file, or a zip archive of several."""
        asked = {"words": words or None, "trace": trace or None, "figures": figures or None}
        return self._get(f"/exports/{quoted(format)}", **asked).body

    def files(
        self,
        format: str,
        *,
        stem: str | None = None,
        words: bool = False,
        trace: bool = False,
        figures: bool = False,
    ) -> dict[str, bytes]:
        """The files of a format by name, like those of `DocumentResult.files`."""
        own = output_stem(self.name)
        name = own if stem is None else stem
        known, data = find_format(format), self.export(format, words=words, trace=trace, figures=figures)
        if "{number}" not in known.suffix:
            return {name + known.suffix: data}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name + one.removeprefix(own): archive.read(one) for one in archive.namelist()}

    def table(self, block: str, format: Literal["csv", "xlsx", "json", "html"] = "csv") -> bytes:
        """One table, by the id of its block, as a file."""
        return self._get(f"/tables/{quoted(block)}", to=format).body

    def search(self, text: str, *, limit: int = 50) -> list[SearchMatch]:
        """The matches of a text, without regard to case, accents and line breaks."""
        hits = self._get("/search", q=text, limit=limit).json()["hits"]
        return [SearchMatch(**{**hit, "bbox": BBox(**hit["bbox"])}) for hit in hits]

    def delete(self) -> dict[str, Any]:
        """Delete it on the server with everything derived from it; returns what that was, as JSON."""
        deleted: dict[str, Any] = self._server.send("DELETE", f"/api/documents/{quoted(self.id)}").json()
        return deleted

    def __repr__(self) -> str:
        return f"<ClientDocument {self.id} {self.name}: {self.report.state}>"

    def _get(self, path: str, **parameters: object) -> HttpResponse:
        return self._server.get(f"/api/documents/{quoted(self.id)}{path}", **parameters)

    def _not_here(self) -> Document:
        raise InputError("is on the server: get pictures of its pages from there", document=self.name)

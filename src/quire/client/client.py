"""The client of a Quire server."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from quire.client.connection import Server, quoted
from quire.client.multipart import FilePart, UploadForm
from quire.client.reports import DocumentReport, RunReport
from quire.client.server_documents import ClientDocument
from quire.client.server_runs import ClientRun
from quire.client.server_solves import ClientSolve, SolveSettings
from quire.core.document import Document, Source, is_url
from quire.core.errors import UsageError
from quire.core.table_areas import TableArea, TablesMode
from quire.net.transport import Body
from quire.pages.recognize.options import Effort, OcrMode

TIMEOUT_S = 120.0
PORTION = 100


class Client:
    """A server by its URL. Thread-safe; its methods block. Raises QuireError.

    GET requests are repeated when the connection is lost or the server is busy, and so is `submit`: the server takes
    what it has received already for the same run.
    """

    def __init__(
        self, url: str, *, api_key: str | None = None, tenant: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        """`timeout_s` is how long a request may wait for the server."""
        self._server = Server(url, api_key=api_key, tenant=tenant, timeout_s=timeout_s)

    def submit(  # noqa: PLR0913 - one argument per option
        self,
        *sources: Source | Document,
        pages: str | None = None,
        ocr: OcrMode = "auto",
        effort: Effort = "balanced",
        engines: Sequence[str] = (),
        lang: Sequence[str] = (),
        figures: bool = False,
        redactions: bool = False,
        tables: TablesMode = "auto",
        areas: Sequence[TableArea] = (),
        hints: Sequence[str] = (),
        retries: int = 0,
    ) -> ClientRun:
        """Read documents on the server: files, which are sent as they are read from disk, or URLs, which it fetches."""
        if not sources:
            raise UsageError("submit at least one document")
        options = {
            "pages": pages,
            "ocr": ocr,
            "effort": effort,
            "engines": list(engines),
            "lang": list(lang),
            "figures": figures,
            "redactions": redactions,
            "tables": tables,
            "areas": [area.to_json() for area in areas],
            "hints": list(hints),
            "retries": retries,
        }
        urls = _urls(sources)
        if urls:
            return self._run(self._post("/api/runs", {"sources": urls, "options": options}))
        form = UploadForm([FilePart.of(source) for source in sources], {"options": json.dumps(options)})
        return self._run(self._post("/api/runs", form))

    def solve(
        self,
        task: str,
        *sources: Source | Document | ClientDocument,
        schema: Mapping[str, Any] | None = None,
        fields: Sequence[str] | str = (),
        template: Source | Document | None = None,
        **options: Unpack[SolveSettings],
    ) -> ClientSolve:
        """Solve a task on the server: over files, URLs, or documents that it has read. `schema` or `fields` are the
        values that are asked for; with a `template`, an Excel workbook, it is filled. `options` are those of
        `quire.solve`; `runners` are those of the server."""
        if not sources:
            raise UsageError("name a document to solve the task with")
        asked = {"task": task, **({"schema": schema} if schema is not None else {"fields": fields}), **options}
        known = [source.id for source in sources if isinstance(source, ClientDocument)]
        files = [source for source in sources if not isinstance(source, ClientDocument)]
        urls = _urls(files)
        if known and files:
            raise UsageError("name documents of the server, or files and URLs, but not both")
        asked |= {"documents": known, "sources": urls}
        sent = [] if urls else [FilePart.of(source) for source in files]
        parts = {} if template is None else {"template": FilePart.of(template)}
        row = self._post("/api/solve", UploadForm(sent, {"solve": json.dumps(asked)}, parts))
        return ClientSolve(self._server, RunReport.of(row))

    def solved(self, run: str) -> ClientSolve:
        """A run that solves, by its id."""
        return ClientSolve(self._server, RunReport.of(self._server.get(f"/api/runs/{quoted(run)}").json()))

    def run(self, id: str) -> ClientRun:
        """A run by its id."""
        return self._run(self._server.get(f"/api/runs/{quoted(id)}").json())

    def runs(self) -> Iterator[ClientRun]:
        """All runs, the latest first."""
        return map(self._run, self._listed("/api/runs", "runs"))

    def document(self, id: str) -> ClientDocument:
        """A document by its id."""
        return self._document(self._server.get(f"/api/documents/{quoted(id)}").json())

    def documents(self) -> Iterator[ClientDocument]:
        """All documents, those of the latest run first."""
        return map(self._document, self._listed("/api/documents", "documents"))

    def close(self) -> None:
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self._server.url}>"

    def _post(self, path: str, sent: UploadForm | Mapping[str, Any]) -> Any:
        body: Body
        if isinstance(sent, UploadForm):
            headers, body = sent.headers, sent.pieces
        else:
            headers, body = {"Content-Type": "application/json"}, json.dumps(sent).encode()
        headers["Idempotency-Key"] = str(uuid.uuid4())
        return self._server.send("POST", path, headers, body).json()

    def _listed(self, path: str, name: str) -> Iterator[Any]:
        before: str | None = None
        while True:
            answer = self._server.get(path, limit=PORTION, before=before).json()
            yield from answer[name]
            before = answer["next"]
            if before is None:
                return

    def _run(self, row: Any) -> ClientRun:
        return ClientRun(self._server, RunReport.of(row))

    def _document(self, row: Any) -> ClientDocument:
        return ClientDocument(self._server, DocumentReport.of(row))


def _urls(sources: Sequence[Source | Document]) -> list[dict[str, str]]:
    """The sources as URLs; none if they are files."""
    urls = [{"url": str(source)} for source in sources if is_url(source)]
    if urls and len(urls) < len(sources):
        raise UsageError("submit URLs and files separately")
    return urls

"""Documents in a list, and what became of one that was added."""

from __future__ import annotations

from pydantic import Field

from quire.client.reports import DocumentReport
from quire.mcp.answers.answer import Answer, Cursor

LONGEST_ERROR = 300


class DocumentLine(Answer):
    """A document: `id` is what the other tools take."""

    id: str
    name: str
    state: str = Field(description="finished: it can be read. waiting, running: not yet. failed: see `error`.")
    pages: int | None = None
    media_type: str | None = None
    error: str | None = None


class UploadOffer(Answer):
    """Where to send one file; the URL is a secret, and only the first file that is sent there counts."""

    url: str
    method: str = "POST"
    body: str = "the bytes of the file, not base64"
    expires_s: int
    command: str = Field(description="Sends the file from the machine that has it.")


class DocumentsAnswer(Answer):
    """Documents, or the one that was asked for or added."""

    documents: list[DocumentLine] = Field(default_factory=list)
    upload: UploadOffer | None = None
    note: str | None = None
    next: Cursor = None


def document_line(report: DocumentReport) -> DocumentLine:
    return DocumentLine(
        id=report.id,
        name=report.name,
        state=report.state,
        pages=report.pages,
        media_type=report.media_type,
        error=None if report.error is None else report.error[:LONGEST_ERROR],
    )

"""Reports of a server about runs and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire.core.context import RunState
from quire.core.errors import Category
from quire.reading.result import Ledger, ResultStatus


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of documents or pages: all, those that were read, and those that failed."""

    total: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """One source of a run. `sha256`, `media_type`, `pages` and `ledger` are None until they are known."""

    id: str
    run: str
    name: str
    sha256: str | None
    media_type: str | None
    state: RunState
    status: ResultStatus | None
    pages: int | None
    ledger: Ledger | None
    submitted: float
    error: str | None
    category: Category | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> DocumentReport:
        known: dict[str, Any] = {name: row.get(name) for name in cls.__slots__}
        known["ledger"] = Ledger(**row["ledger"]) if row.get("ledger") else None
        return cls(**known)


@dataclass(frozen=True, slots=True)
class RunReport:
    """The state of a run, the progress by document and by page, and its documents. Times are seconds since 1970."""

    id: str
    type: str
    state: RunState
    submitted: float
    finished: float | None
    error: str | None
    category: Category | None
    document_counts: Counted
    page_counts: Counted
    documents: tuple[DocumentReport, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RunReport:
        progress = row["progress"]
        names = ("id", "type", "state", "submitted", "finished", "error", "category")
        known: dict[str, Any] = {name: row.get(name) for name in names}
        return cls(
            **known,
            document_counts=Counted(**progress["documents"]),
            page_counts=Counted(**progress["pages"]),
            documents=tuple(map(DocumentReport.of, row["documents"])),
        )

    @property
    def ended(self) -> bool:
        return self.state in ("finished", "failed", "cancelled")

"""The input files of a workspace: the documents, the pictures of their pages, all that can be cited, and the task."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypedDict

from quire.core.context import Json
from quire.core.errors import InputError, UsageError
from quire.core.events import reason_of
from quire.core.hashing import hash_file
from quire.core.keys import digest_bytes
from quire.evidence.catalog.builder import page_id
from quire.evidence.catalog.catalog_rows import CatalogRow, catalog_rows
from quire.evidence.catalog.records import SourceCatalog
from quire.output.export._csv import csv_table
from quire.retrieval.chunk.rows import jsonl
from quire.solving.joined_catalog import short_names
from quire.solving.workspace.tree_manifest import INPUT, WorkspaceFile, WorkspaceManifest

DrawPages = Callable[[Sequence[int]], Iterator[bytes | InputError]]
"""Draws pages as PNG, in order; the error instead of a page that cannot be drawn."""

_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class SolveTask:
    """What is to be done: a text, the JSON Schema of the values that it asks for, and a workbook to fill."""

    text: str
    schema: Mapping[str, Json] | None = None
    template: bytes | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise UsageError("the task is empty; say what is to be done with the documents")


@dataclass(frozen=True, slots=True)
class WorkspaceDocument:
    """A document that was read, as it enters a workspace. `content` is the file itself, by path or as bytes."""

    catalog: SourceCatalog
    content: Path | bytes
    draw: DrawPages


class TreeFile(NamedTuple):
    """A file of a workspace and its content; that of a document has the digest under which it was read."""

    path: str
    content: Path | bytes
    digest: str = ""


class PageRow(TypedDict):
    """A page in `pages.jsonl`. `image` is its picture in the workspace, None where it could not be drawn."""

    document: str
    doc_id: str
    page_number: int
    page_id: str
    width: float
    height: float
    status: str
    reason: str
    image: str | None


class WorkspaceRow(CatalogRow):
    """A record of the catalog in `chunks.jsonl` or `bboxes.jsonl`, with the document that it is from.

    Where there are several documents, ids begin with the short name of theirs, `document-2/p3-b12`.
    """

    document: str


def document_path(name: str, short: str) -> str:
    """The path of a document in the workspace, by its file name and its short name: `input/document-2.pdf`."""
    suffix = PurePosixPath(name).suffix.lower()
    return f"{INPUT}/{short or 'document'}{suffix if _SUFFIX.fullmatch(suffix) else ''}"


def tree_manifest(task: SolveTask, documents: Sequence[WorkspaceDocument]) -> WorkspaceManifest:
    """The manifest of a workspace, without making it."""
    return WorkspaceManifest.of(
        WorkspaceFile(path, hash_file(content).digest, content.stat().st_size)
        if isinstance(content, Path)
        else WorkspaceFile(path, digest_bytes(content), len(content))
        for path, content, _ in tree_files(task, documents)
    )


def tree_files(task: SolveTask, documents: Sequence[WorkspaceDocument]) -> Iterator[TreeFile]:
    """The input files of a workspace, one after the other, so that only one picture is in memory at a time.

    One document is `input/document.pdf` with `input/pages/page-001.png`; several are `input/document-1.pdf` with
    `input/pages/document-1/page-001.png`, in the order in which they are given.
    """
    if not documents:
        raise UsageError("a workspace needs a document")
    yield TreeFile(f"{INPUT}/task.md", task.text.encode("utf-8", "replace"))
    if task.schema is not None:
        schema = json.dumps(task.schema, indent=2, sort_keys=True, ensure_ascii=False)
        yield TreeFile(f"{INPUT}/schema.json", f"{schema}\n".encode("utf-8", "replace"))
    if task.template is not None:
        yield TreeFile(f"{INPUT}/template.xlsx", task.template)
    chunks: list[WorkspaceRow] = []
    boxes: list[WorkspaceRow] = []
    pages: list[PageRow] = []
    for short, document in zip(short_names(len(documents)), documents, strict=True):
        placed = _Placed.of(document, short)
        yield TreeFile(placed.file, document.content, document.catalog.document)
        undrawn = yield from placed.pictures()
        pages += placed.page_rows(undrawn)
        for row in placed.record_rows(undrawn):
            (chunks if row["level"] == "chunk" else boxes).append(row)
        yield from placed.tables()
    yield TreeFile(f"{INPUT}/sources/chunks.jsonl", jsonl(chunks))
    yield TreeFile(f"{INPUT}/sources/bboxes.jsonl", jsonl(boxes))
    yield TreeFile(f"{INPUT}/sources/pages.jsonl", jsonl(pages))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A document with its paths in the workspace. `folder` tells it apart from other documents."""

    document: WorkspaceDocument
    file: str
    folder: str

    @classmethod
    def of(cls, document: WorkspaceDocument, folder: str) -> _Placed:
        return cls(document, document_path(document.catalog.name, folder), f"{folder}/" if folder else "")

    def image(self, page: int) -> str:
        return f"{INPUT}/pages/{self.folder}page-{page:03}.png"

    def pictures(self) -> Generator[TreeFile, None, dict[int, str]]:
        """The pictures of the pages. Returns the reasons of those that could not be drawn, by page."""
        numbers = [page.number for page in self.document.catalog.pages]
        failed: dict[int, str] = {}
        for number, drawn in zip(numbers, self.document.draw(numbers), strict=True):
            if isinstance(drawn, InputError):
                failed[number] = reason_of(drawn)
            else:
                yield TreeFile(self.image(number), drawn)
        return failed

    def tables(self) -> Iterator[TreeFile]:
        """The tables, each as CSV under the id of its block, which is the id to cite."""
        for block in self.document.catalog.blocks:
            if block.table is not None:
                path = f"{INPUT}/sources/tables/{self.folder}{block.id}.csv"
                yield TreeFile(path, csv_table(block.table).encode("utf-8", "replace"))

    def page_rows(self, undrawn: Mapping[int, str]) -> Iterator[PageRow]:
        catalog = self.document.catalog
        for page in catalog.pages:
            yield {
                "document": self.file,
                "doc_id": catalog.document,
                "page_number": page.number,
                "page_id": page_id(catalog.document, page.number),
                "width": page.width,
                "height": page.height,
                "status": page.status,
                "reason": page.reason or undrawn.get(page.number, ""),
                "image": None if page.number in undrawn else self.image(page.number),
            }

    def record_rows(self, undrawn: Mapping[int, str]) -> Iterator[WorkspaceRow]:
        """The records of the catalog; `source_image` is the picture as it is named in this workspace."""
        for row in catalog_rows(self.document.catalog):
            page = row["page_number"]
            image = "" if page in undrawn else self.image(page)
            made: WorkspaceRow = {**row, "source_image": image, "document": self.file}
            made["chunk_id"] = self.cited(row["chunk_id"])
            made["blocks"], made["cells"] = ([self.cited(one) for one in ids] for ids in (row["blocks"], row["cells"]))
            yield made

    def cited(self, name: str) -> str:
        """The id of a record as it is cited: with the short name of its document where there are several."""
        return f"{self.folder}{name}"

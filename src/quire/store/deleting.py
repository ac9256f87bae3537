"""Deletes documents with everything derived from them: rows, artifacts and their bytes, page images."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quire.database.database import in_portions
from quire.database.documents import DocumentRows
from quire.database.facts import Facts
from quire.database.mentions import Mentions
from quire.database.sqlite import SqliteDatabase
from quire.document import Document
from quire.errors import UsageError
from quire.store.artifacts import ArtifactStore
from quire.store.collecting import alone
from quire.store.compacting import packs_of, rewrite
from quire.store.images import DOCUMENTS
from quire.store.local import LocalObjects
from quire.store.packs import LOOSE

if TYPE_CHECKING:
    from quire.search.backend import Indexes

SIMILAR = "similar.sqlite3"
"""The index of pictures next to the facts of a folder: fingerprints of pages, by the key of their answer."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was removed with a document, or would be."""

    document: str
    facts: int
    bytes: int
    """Size of its artifacts; content shared with other documents stays."""
    kept: int
    """Engine answers that another document uses too."""
    images: int
    runs: int
    outputs: tuple[str, ...]
    """Its output files, which are not deleted."""
    unfinished: tuple[str, ...] = ()
    """Unfinished runs about it, which are not deleted, and would read it again."""


def find_document(store: ArtifactStore, named: str) -> str:
    """The id of a document by a file, a path that the store knows, an id, or the prefix of an id.

    Raises UsageError when there is none, or more than one.
    """
    rows = DocumentRows(store.database)
    path = Path(named)
    if path.is_file():
        return Document(path).id
    if remembered := rows.at(path.absolute()):
        return remembered
    found = rows.beginning_with(named.lower()) if named.isalnum() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{named} is the prefix of {len(found)} document ids; write more characters of the id")
    raise UsageError(f"{store.place} has no document {named}; name a file, or the prefix of an id")


def delete_documents(store: ArtifactStore, documents: Sequence[str], *, dry_run: bool = False) -> list[Deleted]:
    """Delete documents by their ids. When this returns, nothing of them is left in the store but shared content.

    A process that reads such a document meanwhile may bring it back, and one that was killed while writing may have
    left orphaned bytes: the next garbage collection removes those.
    """
    from quire.search.engine_places import remove_everywhere

    database, rows = store.database, DocumentRows(store.database)
    store.flush()
    with alone(store), ExitStack() as stack:
        images = {document: _images(store, document) for document in documents}
        if dry_run:
            mentions = Mentions(database, documents)
            return [_looked_up(rows, document, images[document], mentions) for document in documents]
        if isinstance(database, SqliteDatabase):
            database.overwrite_deleted()
        had = Facts(database).known_bytes()
        index = _index(store, stack)
        remove_everywhere(database, documents)  # before the facts: if it fails, the deletion can be repeated
        with database.transaction(lasting=True):
            if index is not None:
                index.remove(documents)  # in PostgreSQL with the facts, in SQLite before them
            mentions = Mentions(database, documents)
            answers = rows.answers(documents)
            deleted = [_delete(rows, document, images[document], mentions) for document in documents]
            mentions.remove()
            Facts(database).remove_unreferenced()
            if isinstance(store.objects, LocalObjects):
                _remove_fingerprints(store.objects.folder / SIMILAR, answers - rows.known(answers))
        store.objects.delete([name for names in images.values() for name in names])
        _remove_bytes(store, had)
        if isinstance(database, SqliteDatabase):
            database.remove_traces()
        if index is not None:
            index.remove_traces()
    return deleted


def _index(store: ArtifactStore, stack: ExitStack) -> Indexes | None:
    """The search index of the store, if it has one."""
    from quire.search.opening import indexes_of

    folder = store.objects.folder if isinstance(store.objects, LocalObjects) else None
    index = indexes_of(store.database, folder, make=False)
    return None if index is None else stack.enter_context(closing(index))


def _delete(rows: DocumentRows, document: str, images: Sequence[str], mentions: Mentions) -> Deleted:
    """Delete the rows of the document, in the caller's transaction."""
    deleted = _looked_up(rows, document, images, mentions)
    rows.delete(document, mentions.paths[document])
    return deleted


def _images(store: ArtifactStore, document: str) -> list[str]:
    return [one.name for one in store.objects.list(f"{DOCUMENTS}{document}/")]


def _looked_up(rows: DocumentRows, document: str, images: Sequence[str], mentions: Mentions) -> Deleted:
    shared = rows.shared(document)
    sizes = [size for key, size in rows.sizes(document) if key not in shared]
    return Deleted(
        document=document,
        facts=len(sizes),
        bytes=sum(sizes),
        kept=len(shared),
        images=len(images),
        runs=len(mentions.ended[document]),
        outputs=tuple(rows.outputs(document)),
        unfinished=tuple(sorted(mentions.unfinished[document])),
    )


def _remove_bytes(store: ArtifactStore, had: Mapping[str, int]) -> None:
    """Remove packs that are empty now, and all holes: contents written twice are in another pack as well."""
    known = Facts(store.database).known_bytes()
    packs = packs_of(store.objects, store.database)
    store.objects.delete([pack.name for pack in packs if pack.name in had and pack.name not in known])
    holed = [pack for pack in packs if pack.name in known and pack.live < pack.size]
    rewrite(store.objects, store.database, [pack for pack in holed if not pack.name.startswith(LOOSE)])


def _remove_fingerprints(index: Path, answers: Collection[str]) -> None:
    if not (answers and index.is_file()):
        return
    with closing(sqlite3.connect(index, timeout=30)) as database:
        database.execute("PRAGMA secure_delete = ON")
        for some, marks in in_portions(sorted(answers)):
            database.execute(f"DELETE FROM pictures WHERE key IN ({marks})", some)
        database.commit()

"""Deletes documents with everything derived from them: rows, artifacts and their bytes, page images."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quire.core.document import Document
from quire.core.errors import UsageError
from quire.core.keys import Digest
from quire.database.database import in_portions
from quire.database.document_rows import DocumentRows
from quire.database.facts import Facts
from quire.database.mentions import Mentions
from quire.database.scopes import known_scopes
from quire.database.sqlite import SqliteDatabase
from quire.durable.indexing.delivery import PLACE
from quire.store.artifacts import ArtifactStore
from quire.store.compaction import packs_of, rewrite
from quire.store.garbage import alone
from quire.store.images import DOCUMENTS
from quire.store.local import LocalObjects
from quire.store.packs import LOOSE
from quire.store.scoped import document_in

if TYPE_CHECKING:
    from quire.retrieval.search.backend import Indexes

SIMILAR = "similar.sqlite3"
"""The index of pictures next to the facts of a folder: fingerprints of pages, by the key of their answer."""


PATIENCE_S = 60.0
"""The longest time that a deletion waits for another one, or for garbage collection."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """The things that were removed with a document, or would be. `document` is the id of its bytes, of whichever
    tenant."""

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
    reviews: int = 0
    samples: int = 0
    """The number of these reviews that were samples to learn from."""
    tenants: int = 0
    """Other tenants that have the same document, and keep it."""


def find_document(store: ArtifactStore, named: str) -> str:
    """The id of a document by a file, a path that the store knows, an id, or the prefix of an id.

    What tenants have is found by the whole id. Raises UsageError when there is none, or more than one.
    """
    rows = DocumentRows(store.database)
    path = Path(named)
    if path.is_file():
        return Document(path).id
    if remembered := rows.at(path.absolute()):
        return remembered
    id = named.lower()
    found = rows.beginning_with(id) if named.isalnum() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{named} is the prefix of {len(found)} document ids; write more characters of the id")
    if rows.having([document_in(scope, id) for scope in known_scopes(store.database)]):
        return id
    raise UsageError(f"{store.place} has no document {named}; name a file, or the prefix of an id")


def delete_documents(
    store: ArtifactStore, documents: Sequence[str], *, scopes: Collection[str] = ("",), dry_run: bool = False
) -> list[Deleted]:
    """Delete documents by their ids, in some scopes. When this returns, nothing of them is left there but content that
    others have too.

    A process that reads such a document meanwhile may bring it back, and one that was killed while writing may have
    left orphaned bytes: the next garbage collection removes those.
    """
    from quire.retrieval.search.engine_places import remove_everywhere

    database, rows = store.database, DocumentRows(store.database)
    own = {document: [document_in(scope, document) for scope in scopes] for document in documents}
    every = [id for ids in own.values() for id in ids]
    store.flush()
    with alone(store, patience_s=PATIENCE_S), ExitStack() as stack:
        images = {id: _images(store, id) for id in every}
        others = set(known_scopes(database)) - {*scopes} | ({""} - {*scopes})

        def found(mentions: Mentions) -> list[Deleted]:
            return [_looked_up(rows, document, own[document], images, others, mentions) for document in documents]

        if dry_run:
            return found(Mentions(database, documents, scopes=scopes, load=_loading(store)))
        if isinstance(database, SqliteDatabase):
            database.overwrite_deleted()
        had = Facts(database).known_bytes()
        index = _index(store, stack)
        remove_everywhere(database, every)  # before the facts: if it fails, the deletion can be repeated
        with database.transaction(lasting=True):
            if index is not None:
                index.remove(every)  # in PostgreSQL with the facts, in SQLite before them
            mentions = Mentions(database, documents, scopes=scopes, load=_loading(store))
            answers = rows.answers(every)
            copies = {
                document_in(scope, id)
                for scope in scopes
                for document in documents
                for id in (document, *rows.digests(document_in(scope, document)))
            }
            deleted = found(mentions)
            for document in documents:
                for id in own[document]:
                    rows.delete(id, mentions.paths[document])
            mentions.remove()
            for shared in mentions.contents:
                for id in shared.ids:
                    rows.forget_contents(document_in(shared.scope, id), shared.digests)
            Facts(database).remove_unreferenced()
            if isinstance(store.objects, LocalObjects):
                _remove_fingerprints(store.objects.folder / SIMILAR, answers - rows.known(answers))
        store.leftovers.remove(copies)
        store.objects.delete([name for names in images.values() for name in names])
        _remove_bytes(store, had)
        if isinstance(database, SqliteDatabase):
            database.remove_traces()
        if index is not None:
            index.remove_traces()
    return deleted


def _loading(store: ArtifactStore) -> Callable[[Digest], bytes]:
    """Loads the list of the documents of a task; an empty one if that was deleted with another document."""
    return lambda digest: store.load(digest) if store.has_contents([digest]) else b"[]"


def _index(store: ArtifactStore, stack: ExitStack) -> Indexes | None:
    """The search index of the store, if it has one."""
    from quire.retrieval.search.index_location import indexes_of

    folder = store.objects.folder if isinstance(store.objects, LocalObjects) else None
    index = indexes_of(store.database, folder, make=False)
    return None if index is None else stack.enter_context(closing(index))


def _images(store: ArtifactStore, document: str) -> list[str]:
    return [one.name for one in store.objects.list(f"{DOCUMENTS}{document}/")]


def _looked_up(
    rows: DocumentRows,
    document: str,
    own: Collection[str],
    images: Mapping[str, Sequence[str]],
    others: Collection[str],
    mentions: Mentions,
) -> Deleted:
    """The counts of a deletion, from the ids of a document: one for each scope that it is deleted from."""
    shared = {key for id in own for key in rows.shared(id)}
    sizes = [size for id in own for key, size in rows.sizes(id) if key not in shared]
    reviews = [rows.reviews(id) for id in own]
    return Deleted(
        document=document,
        facts=len(sizes),
        bytes=sum(sizes),
        kept=len(shared),
        images=sum(len(images[id]) for id in own),
        runs=len(mentions.ended[document]),
        outputs=tuple(file for id in own for file in rows.outputs(id) if not file.startswith(f"{PLACE}/")),
        unfinished=tuple(sorted(mentions.unfinished[document])),
        reviews=sum(all for all, _ in reviews),
        samples=sum(samples for _, samples in reviews),
        tenants=len(rows.having([document_in(scope, document) for scope in others])),
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

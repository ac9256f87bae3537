"""Documents go, with everything that was derived from them: rows, artifacts and their bytes, page images."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from quire.document import Document
from quire.errors import StoreError, UsageError
from quire.records.database import Database, SqliteDatabase, in_portions
from quire.records.places import path_text
from quire.store.artifacts import ArtifactStore
from quire.store.collecting import alone, remove_unreferenced
from quire.store.compacting import known_bytes, packs_of, rewrite
from quire.store.facts import ANSWER, integer
from quire.store.images import DOCUMENTS
from quire.store.local import LocalObjects
from quire.store.mentions import Mentions
from quire.store.packs import LOOSE

SIMILAR = "similar.sqlite3"
"""The index of pictures beside the facts of a folder: fingerprints of pages, by the key of their answer."""

_KNOWN = {
    "facts": "document",
    "attempts": "document",
    "outputs": "document",
    "quarantine": "document",
    "files": "digest",
}
"""Tables that name documents, and the column that does."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was removed with a document, or would be."""

    document: str
    facts: int
    bytes: int
    """Of its artifacts; content that artifacts of other documents share stays for them."""
    kept: int
    """Answers of engines that another document uses too."""
    images: int
    runs: int
    outputs: tuple[str, ...]
    """The files that its results were written to; they stay."""
    unfinished: tuple[str, ...] = ()
    """Runs about it that have not ended; they stay, and would read it again."""


def find_document(store: ArtifactStore, named: str) -> str:
    """The id of a document by a file, or a path that the store remembers, or an id or its beginning.

    Raises UsageError when there is none, or more than one.
    """
    database = store.database
    path = Path(named)
    if path.is_file():
        return Document(path).id
    remembered = database.rows("SELECT digest FROM files WHERE path = ?", (path_text(path.absolute()),))
    if remembered:
        return str(remembered[0][0])
    begins = f"{named.lower()}%"
    asked = " UNION ".join(f"SELECT {column} FROM {table} WHERE {column} LIKE ?" for table, column in _KNOWN.items())
    found = [str(row[0]) for row in database.rows(asked, [begins] * len(_KNOWN))] if named.isalnum() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{named} is the beginning of {len(found)} documents; write more of the id")
    raise UsageError(f"{store.place} knows no document {named}; name a file, or the beginning of an id")


def delete_documents(store: ArtifactStore, documents: Sequence[str], *, dry_run: bool = False) -> list[Deleted]:
    """Remove documents by their ids. When this returns nothing of them is left in the store but what others share.

    A process that reads such a document meanwhile may bring it back, and one that was killed while it wrote may have
    left bytes that nobody knows: the next collection of garbage removes those.
    """
    database = store.database
    store.flush()
    with alone(store):
        images = {document: _images(store, document) for document in documents}
        if dry_run:
            mentions = Mentions(database, documents)
            return [_looked_up(database, document, images[document], mentions) for document in documents]
        if isinstance(database, SqliteDatabase):
            database.rows("PRAGMA secure_delete = ON")  # else the rows stay readable in the file
        had = known_bytes(database)
        with database.transaction(lasting=True):
            mentions = Mentions(database, documents)
            answers = _answers(database, documents)
            deleted = [_delete(database, document, images[document], mentions) for document in documents]
            mentions.remove()
            remove_unreferenced(database)
            if isinstance(store.objects, LocalObjects):
                _remove_fingerprints(store.objects.folder / SIMILAR, answers - _known(database, answers))
        store.objects.delete([name for names in images.values() for name in names])
        _remove_bytes(store, had)
        if isinstance(database, SqliteDatabase):
            _remove_traces(database)
    return deleted


def _delete(database: Database, document: str, images: Sequence[str], mentions: Mentions) -> Deleted:
    """Rows that belong to the document, in the caller's transaction."""
    deleted = _looked_up(database, document, images, mentions)
    for table, column in _KNOWN.items():
        database.change(f"DELETE FROM {table} WHERE {column} = ?", (document,))
    # Stages of one's own may call a document by its path.
    database.change_many("DELETE FROM facts WHERE document = ?", [(path,) for path in mentions.paths[document]])
    return deleted


def _images(store: ArtifactStore, document: str) -> list[str]:
    return [one.name for one in store.objects.list(f"{DOCUMENTS}{document}/")]


def _looked_up(database: Database, document: str, images: Sequence[str], mentions: Mentions) -> Deleted:
    kept = database.rows(
        "SELECT DISTINCT mine.key FROM facts mine JOIN facts other ON other.key = mine.key "
        "AND other.document <> mine.document WHERE mine.document = ?",
        (document,),
    )
    facts = database.rows("SELECT key, size FROM facts WHERE document = ?", (document,))
    sizes = [integer(size) for key, size in facts if (key,) not in kept]
    written = database.rows("SELECT place, files FROM outputs WHERE document = ? ORDER BY place", (document,))
    files = [path for place, files in written for path in [one[0] for one in json.loads(str(files))] or [place]]
    return Deleted(
        document=document,
        facts=len(sizes),
        bytes=sum(sizes),
        kept=len(kept),
        images=len(images),
        runs=len(mentions.ended[document]),
        outputs=tuple(map(str, files)),
        unfinished=tuple(sorted(mentions.unfinished[document])),
    )


def _answers(database: Database, documents: Collection[str]) -> set[str]:
    """The keys of the answers that some documents use."""
    asked = "SELECT key FROM facts WHERE document IN ({}) AND stage = ?"
    portions = in_portions(documents)
    return {str(key) for some, marks in portions for (key,) in database.rows(asked.format(marks), (*some, ANSWER))}


def _known(database: Database, keys: Collection[str]) -> set[str]:
    """Those of the keys that some document still has."""
    asked, portions = "SELECT key FROM facts WHERE key IN ({})", in_portions(keys)
    return {str(key) for some, marks in portions for (key,) in database.rows(asked.format(marks), some)}


def _remove_bytes(store: ArtifactStore, had: Mapping[str, int]) -> None:
    """Remove packs that are empty now, and every hole: contents written twice lie in another pack as well."""
    known = known_bytes(store.database)
    packs = packs_of(store.objects, store.database)
    store.objects.delete([pack.name for pack in packs if pack.name in had and pack.name not in known])
    holed = [pack for pack in packs if pack.name in known and pack.live < pack.size]
    rewrite(store.objects, store.database, [pack for pack in holed if not pack.name.startswith(LOOSE)])


def _remove_traces(database: SqliteDatabase) -> None:
    """Write the file anew: rows that were changed or removed earlier are still readable in its gaps and its log."""
    database.rows("VACUUM")
    ((busy, *_),) = database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise StoreError(
            f"the document is deleted, but another process reads {database.place} all the time: deleted rows stay in "
            "its log until that ends; delete the document again then"
        )


def _remove_fingerprints(index: Path, answers: Collection[str]) -> None:
    if not (answers and index.is_file()):
        return
    with closing(sqlite3.connect(index, timeout=30)) as database:
        database.execute("PRAGMA secure_delete = ON")
        for some, marks in in_portions(sorted(answers)):
            database.execute(f"DELETE FROM pictures WHERE key IN ({marks})", some)
        database.commit()

"""Documents go, with everything that was derived from them: rows, artifacts and their bytes, page images."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from quire.document import Document
from quire.errors import UsageError
from quire.records.database import Database, SqliteDatabase, in_portions
from quire.records.places import path_text
from quire.records.runs import HAS_ENDED, forget_runs
from quire.store.artifacts import ArtifactStore
from quire.store.collecting import ANSWER, alone, remove_unreferenced
from quire.store.compacting import known_bytes, packs_of, rewrite
from quire.store.facts import integer
from quire.store.images import DOCUMENTS
from quire.store.local import LocalObjects
from quire.store.packs import LOOSE

PICTURE = "picture"
"""The stage that says what a page shows; equal for equal pictures."""
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
    """Answers of engines that another document with the same picture of a page needs."""
    images: int
    runs: int
    outputs: tuple[str, ...]
    """Where its results were written; these files stay."""


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
            return [_looked_up(database, document, images[document]) for document in documents]
        if isinstance(database, SqliteDatabase):
            database.rows("PRAGMA secure_delete = ON")  # else the rows stay readable in the file
        had = known_bytes(database)
        with database.transaction(lasting=True):
            deleted = [_delete(store, document, images[document]) for document in documents]
            remove_unreferenced(database)
        store.objects.delete([name for names in images.values() for name in names])
        _remove_bytes(store, had)
        if isinstance(database, SqliteDatabase):
            database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return deleted


def _delete(store: ArtifactStore, document: str, images: Sequence[str]) -> Deleted:
    """Everything but bytes, in the caller's transaction."""
    database = store.database
    deleted = _looked_up(database, document, images)
    _hand_over(database, document)
    if isinstance(store.objects, LocalObjects):
        _remove_fingerprints(store.objects.folder / SIMILAR, _answers(database, document))
    _remove_rows(database, document)
    return deleted


def _images(store: ArtifactStore, document: str) -> list[str]:
    return [one.name for one in store.objects.list(f"{DOCUMENTS}{document}/")]


def _looked_up(database: Database, document: str, images: Sequence[str]) -> Deleted:
    shared = _shared_answers(database, document)
    facts = database.rows("SELECT key, size FROM facts WHERE document = ?", (document,))
    sizes = [integer(size) for key, size in facts if key not in shared]
    ((runs,),) = database.rows(f"SELECT count(*) FROM runs WHERE {_OF_DOCUMENT}", _mentions(document))
    outputs = database.rows("SELECT place FROM outputs WHERE document = ? ORDER BY place", (document,))
    places = tuple(str(place) for (place,) in outputs)
    return Deleted(document, len(sizes), sum(sizes), len(shared), len(images), integer(runs), places)


_OF_DOCUMENT = f"flow <> 'batch' AND {HAS_ENDED} AND (inputs LIKE ? OR result LIKE ?)"
"""Runs that have ended and are about the document: begun again, they would name artifacts that are gone."""


def _mentions(document: str) -> tuple[str, str]:
    return f"%{document}%", f"%{document}%"


def _shared_answers(database: Database, document: str) -> dict[str, tuple[str, int]]:
    """Answers to a picture that a page of another document shows too: their key, that document and its page.

    The fact of an answer names who asked first; the others only found it.
    """
    own = "SELECT stage, page, digest, key FROM facts WHERE document = ? AND stage IN (?, ?)"
    mine = database.rows(own, (document, PICTURE, ANSWER))
    pictures = {page: str(digest) for stage, page, digest, _ in mine if stage == PICTURE}
    others: dict[str, tuple[str, int]] = {}
    for some, marks in in_portions(set(pictures.values())):
        asked = (
            "SELECT digest, document, page FROM facts "
            f"WHERE stage = ? AND document <> ? AND digest IN ({marks}) ORDER BY document DESC, page DESC"
        )
        for digest, other, page in database.rows(asked, (PICTURE, document, *some)):
            others[str(digest)] = str(other), integer(page)
    answers = {str(key): pictures.get(page, "") for stage, page, _, key in mine if stage == ANSWER}
    return {key: others[picture] for key, picture in answers.items() if picture in others}


def _hand_over(database: Database, document: str) -> None:
    shared = _shared_answers(database, document)
    database.change_many(
        "UPDATE facts SET document = ?, page = ? WHERE key = ?", [(*of, key) for key, of in sorted(shared.items())]
    )


def _answers(database: Database, document: str) -> list[str]:
    rows = database.rows("SELECT key FROM facts WHERE document = ? AND stage = ?", (document, ANSWER))
    return [str(key) for (key,) in rows]


def _remove_rows(database: Database, document: str) -> None:
    for table, column in _KNOWN.items():
        database.change(f"DELETE FROM {table} WHERE {column} = ?", (document,))
    forget_runs(database, _OF_DOCUMENT, _mentions(document))
    about = f"(argument LIKE ? OR result LIKE ?) AND {HAS_ENDED}"
    database.change(f"DELETE FROM invocations WHERE {about}", _mentions(document))
    database.change("DELETE FROM events WHERE document = ?", (document,))


def _remove_bytes(store: ArtifactStore, had: dict[str, int]) -> None:
    """Remove packs that are empty now, and every hole: contents written twice lie in another pack as well."""
    known = known_bytes(store.database)
    packs = packs_of(store.objects, store.database)
    store.objects.delete([pack.name for pack in packs if pack.name in had and pack.name not in known])
    holed = [pack for pack in packs if pack.name in known and pack.live < pack.size]
    rewrite(store.objects, store.database, [pack for pack in holed if not pack.name.startswith(LOOSE)])


def _remove_fingerprints(index: Path, answers: Sequence[str]) -> None:
    if not index.is_file():
        return
    with closing(sqlite3.connect(index, timeout=30)) as database:
        database.execute("PRAGMA secure_delete = ON")
        for some, marks in in_portions(answers):
            database.execute(f"DELETE FROM pictures WHERE key IN ({marks})", some)
        database.commit()

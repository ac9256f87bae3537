"""One source of a task is deleted: the others keep their numbers, which are part of the ids of documents."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from quire.core.context import Json
from quire.database.database import Database
from quire.database.runs import HAS_ENDED, forget_invocations, forget_runs

TASK = "task"
"""The flow of a server's runs."""
SOLVE = "solve"
"""The stage of events about a solve, which quote all documents of a task."""
REMOVED = "(deleted)"
"""Replaces the name of a deleted document."""

GONE = {"name": REMOVED, "uri": REMOVED, "status": "failure", "faults": [], "deleted": True}


def sources_of(sources: Sequence[Json], listed: Sequence[Json], documents: Collection[str]) -> set[int]:
    """The positions of the sources of a task that are one of some documents, given what became of the sources."""
    return {position for position, id in ids_of(sources, listed) if id in documents}


def delete_sources(database: Database, run: str, gone: Collection[int], listed: Sequence[Json]) -> None:
    """Remove sources from a task that has ended, in the caller's transaction; the whole task if no other is left.

    `listed` is what became of its sources, in order, as far as that is known. An answer about all of them is gone.
    """
    ((text, result, error),) = database.rows("SELECT inputs, result, error FROM runs WHERE run = ?", (run,))
    inputs, ended = json.loads(str(text)), json.loads(str(result)) if result else None
    sources: list[Json] = inputs["sources"]
    known = {position for all in (sources, listed) for position, one in enumerate(all) if one.get("deleted")}
    if known | {*gone} >= {*range(max(len(sources), len(listed)))}:
        forget_runs(database, "run = ?", (run,))
        return
    about = {id for position, id in ids_of(sources, listed) if position in gone}
    inputs["deleted"] = True
    inputs["sources"] = [{"deleted": True} if position in gone else one for position, one in enumerate(sources)]
    if ended is not None:
        ended.pop("archive", None)
        ended.pop("solve", None)
        ended["documents"] = [GONE if position in gone else one for position, one in enumerate(listed)]
    failure = json.loads(str(error)) | {"message": REMOVED} if error else None
    written = [None if one is None else json.dumps(one) for one in (inputs, ended, failure)]
    database.change("UPDATE runs SET inputs = ?, result = ?, error = ? WHERE run = ?", (*written, run))
    forget_invocations(database, f"run = ? AND {HAS_ENDED}", (run,))
    for sequence, stage, document, payload in database.rows(
        "SELECT sequence, stage, document, payload FROM events WHERE run = ?", (run,)
    ):
        event = json.loads(str(payload))
        if document in about or stage == SOLVE or ("document" in event and event.get("number", 0) - 1 in gone):
            database.change("DELETE FROM events WHERE run = ? AND sequence = ?", (run, sequence))


def solved_contents(solved: Json) -> list[str]:
    """The contents of a solve that are about all of its documents."""
    made = [one[part] for one in solved["attempts"] for part in ("prompt", "output") if one[part]]
    made += [call for one in solved["attempts"] for call in one["calls"]]
    return [*{solved["manifest"], solved["answer"], *solved["files"].values(), *solved["contents"], *made}]


def ids_of(sources: Sequence[Json], listed: Sequence[Json]) -> Iterator[tuple[int, str]]:
    """The ids of documents, as far as they are known, with the position of the source."""
    for position, source in enumerate(sources):
        if "stored" in source:
            yield position, source["stored"]["id"]
    for position, one in enumerate(listed):
        if "reference" in one:
            yield position, one["reference"]["source"]["id"]

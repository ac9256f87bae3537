"""The queue of the workflow `index`: runs that any process with a runtime on the database takes up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from secrets import token_hex

from quire.core.context import Json
from quire.database.database import Database
from quire.durable.indexing.read_places import ReadPlace
from quire.reading.messages import DocumentReference, IndexArgument
from quire.runtime.queue import enqueue

FLOW = POOL = "index"
"""The name of the workflow, and of its pool."""
VERSION = "1"


def queue_document(
    database: Database,
    target: Mapping[str, Json],
    reference: DocumentReference,
    place: ReadPlace,
    read: float | None = None,
) -> str:
    """Queue a document that a run has read, once for each reading; returns the id of its run."""
    tenant = reference.get("scope", "")
    argument: IndexArgument = {
        "target": target,
        "tenant": tenant,
        "background": True,
        "reference": reference,
        "run": place.run,
        "number": place.number,
        "read": time.time() if read is None else read,
    }
    return _queued(database, argument)


def queue_missing(database: Database, target: Mapping[str, Json], types: Sequence[str] | None) -> str:
    """Queue a look for what runs have read and the index lacks; returns the id of its run."""
    argument: IndexArgument = {"target": target, "tenant": "", "background": True}
    return _queued(database, argument if types is None else {**argument, "types": types})


def _queued(database: Database, argument: IndexArgument) -> str:
    return enqueue(database, FLOW, argument, pool=POOL, version=VERSION, key=token_hex(16))

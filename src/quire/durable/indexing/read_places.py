"""The places in which runs of a server have read an indexed document, among the records of outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quire.core.keys import Digest
from quire.database.database import Database
from quire.database.outputs import Output, Outputs
from quire.durable.indexing.delivery import PLACE

READS = f"{PLACE}/reads"
"""Below it are the records of what runs have read, in place of output files: `run/number`."""


class ReadPlace(NamedTuple):
    """A source of a run."""

    run: str
    number: int


class RecordedPlace(NamedTuple):
    """A place in which a document was read: its id in the index, the digest of what was read, and its name."""

    place: ReadPlace
    document: str
    reading: Digest
    name: str
    read: float


class ReadPlaces:
    """The places of indexed documents. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._outputs = Outputs(database)

    def record(self, places: Sequence[RecordedPlace]) -> None:
        self._outputs.record(
            Output(_text(one.place), one.reading, one.document, one.name, at=one.read) for one in places
        )

    def of_document(self, document: str) -> list[RecordedPlace]:
        """The places of a document by its id in the index, the latest first."""
        return sorted(_recorded(self._outputs.of_document(document, READS)), key=lambda one: -one.read)

    def of_run(self, run: str) -> list[RecordedPlace]:
        return _recorded(self._outputs.below(f"{READS}/{run}"))

    def all(self) -> list[RecordedPlace]:
        return _recorded(self._outputs.below(READS))

    def forget(self, places: Sequence[ReadPlace]) -> None:
        self._outputs.forget([_text(place) for place in places])


def _text(place: ReadPlace) -> str:
    return f"{READS}/{place.run}/{place.number}"


def _recorded(outputs: Sequence[Output]) -> list[RecordedPlace]:
    return [
        RecordedPlace(ReadPlace(run, int(number)), one.document, Digest(one.key), one.source, one.at)
        for one in outputs
        for run, number in [one.place.removeprefix(f"{READS}/").split("/")]
    ]

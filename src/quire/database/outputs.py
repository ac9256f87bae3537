"""Outputs: which files were written, from which source and with which settings."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quire.core.context import Json
from quire.database.database import Database, change_in, like_text, rows_in, upsert
from quire.database.paths import path_text

_COLUMNS = "place, key, document, source, settings, files, at"
_SELECT = f"SELECT {_COLUMNS} FROM outputs"


class OutputFile(NamedTuple):
    """A file of an output: its path, its size in bytes and the sha256 of its content."""

    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Output:
    """The output of one source.

    `place` is its path, `key` identifies everything it was made from, and `settings` lists the requested settings in
    readable form, to explain why an output is out of date.
    """

    place: str
    key: str
    document: str
    source: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    files: tuple[OutputFile, ...] = ()
    at: float = 0.0

    @property
    def earlier(self) -> tuple[OutputFile, ...]:
        """Files that were written at this place before, with other settings, and are not part of it any more."""
        return tuple(OutputFile(*file) for file in self.settings.get("earlier", ()))


class Outputs:
    """The table of outputs. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, outputs: Iterable[Output]) -> None:
        """Record written outputs; they replace earlier ones at their places."""
        rows = [
            (
                path_text(output.place),
                output.key,
                output.document,
                path_text(output.source),
                json.dumps(dict(output.settings), sort_keys=True),
                json.dumps(output.files),
                output.at or time.time(),
            )
            for output in outputs
        ]
        with self._database.transaction():
            self._database.change_many(upsert("outputs", "place", _COLUMNS), rows)

    def find(self, places: Sequence[str]) -> dict[str, Output]:
        """The outputs at these places, in few statements."""
        texts = {path_text(place): place for place in places}
        rows = rows_in(self._database, f"{_SELECT} WHERE place IN ({{}})", texts)
        return {texts[output.place]: output for output in _read(rows)}

    def of_sources(self, sources: Sequence[str], folder: str) -> dict[str, Output]:
        """The output below a folder of each of the sources; the latest if there are several."""
        texts = {path_text(source): source for source in sources}
        rows = rows_in(self._database, f"{_SELECT} WHERE source IN ({{}}) ORDER BY at, place", texts)
        return {texts[output.source]: output for output in _read(rows, folder)}

    def below(self, folder: str) -> list[Output]:
        """Everything recorded below a folder, by place."""
        query = f"{_SELECT} WHERE place LIKE ? ESCAPE '!' ORDER BY place"
        return [*_read(self._database.rows(query, (f"{like_text(_below(folder))}%",)))]

    def of_document(self, document: str, folder: str) -> list[Output]:
        """The outputs of a document below a folder, by place."""
        rows = self._database.rows(f"{_SELECT} WHERE document = ? ORDER BY place", (document,))
        return [*_read(rows, folder)]

    def forget(self, places: Sequence[str]) -> None:
        change_in(self._database, "DELETE FROM outputs WHERE place IN ({})", [path_text(place) for place in places])


def _read(rows: Iterable[Sequence[object]], folder: str | None = None) -> Iterator[Output]:
    """The outputs of rows, of those below a folder where one is named."""
    below = "" if folder is None else _below(folder)
    decoded: dict[str, Mapping[str, Json]] = {}  # settings by their text, which is mostly the same for all
    for place, key, document, source, settings, files, at in rows:
        if not str(place).startswith(below):
            continue
        text = str(settings)
        if text not in decoded:
            decoded[text] = json.loads(text)
        written = tuple(OutputFile(*file) for file in json.loads(str(files)))
        yield Output(str(place), str(key), str(document), str(source), decoded[text], written, float(str(at)))


def _below(folder: str) -> str:
    """The beginning of the places in a folder."""
    return f"{path_text(folder)}/"

"""Outputs: which files were written, from which source and with which settings."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quire.core.context import Json
from quire.database.database import Database, in_portions
from quire.database.paths import path_text

_COLUMNS = "place, key, document, source, settings, files, at"


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
            self._database.change_many(
                f"INSERT INTO outputs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (place) DO UPDATE SET "
                "key = excluded.key, document = excluded.document, source = excluded.source, "
                "settings = excluded.settings, files = excluded.files, at = excluded.at",
                rows,
            )

    def find(self, places: Sequence[str]) -> dict[str, Output]:
        """The outputs at these places, in few statements."""
        texts = {path_text(place): place for place in places}
        found = {}
        settings: dict[str, Mapping[str, Json]] = {}  # mostly the same for all
        for portion, marks in in_portions(texts):
            for row in self._database.rows(f"SELECT {_COLUMNS} FROM outputs WHERE place IN ({marks})", portion):
                found[texts[str(row[0])]] = _read(row, settings)
        return found

    def of_sources(self, sources: Sequence[str], folder: str) -> dict[str, Output]:
        """What was made below a folder from each of the sources; the latest if there are several."""
        texts = {path_text(source): source for source in sources}
        below = f"{path_text(folder)}/"
        found = {}
        settings: dict[str, Mapping[str, Json]] = {}
        for portion, marks in in_portions(texts):
            asked = f"SELECT {_COLUMNS} FROM outputs WHERE source IN ({marks}) ORDER BY at, place"
            for row in self._database.rows(asked, portion):
                if str(row[0]).startswith(below):
                    found[texts[str(row[3])]] = _read(row, settings)
        return found

    def below(self, folder: str) -> list[Output]:
        """Everything recorded below a folder, by place."""
        escaped = path_text(folder).replace("!", "!!").replace("%", "!%").replace("_", "!_")
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM outputs WHERE place LIKE ? ESCAPE '!' ORDER BY place", (f"{escaped}/%",)
        )
        settings: dict[str, Mapping[str, Json]] = {}
        return [_read(row, settings) for row in rows]

    def of_document(self, document: str, folder: str) -> list[Output]:
        """What was made of a document below a folder, by place."""
        asked = f"SELECT {_COLUMNS} FROM outputs WHERE document = ? ORDER BY place"
        settings: dict[str, Mapping[str, Json]] = {}
        below = f"{path_text(folder)}/"
        return [
            _read(row, settings) for row in self._database.rows(asked, (document,)) if str(row[0]).startswith(below)
        ]

    def forget(self, places: Sequence[str]) -> None:
        for portion, marks in in_portions([path_text(place) for place in places]):
            self._database.change(f"DELETE FROM outputs WHERE place IN ({marks})", portion)


def _read(row: Sequence[object], known: dict[str, Mapping[str, Json]]) -> Output:
    place, key, document, source, settings, files, at = row
    text = str(settings)
    if text not in known:
        known[text] = json.loads(text)
    written = tuple(OutputFile(*file) for file in json.loads(str(files)))
    return Output(str(place), str(key), str(document), str(source), known[text], written, float(str(at)))

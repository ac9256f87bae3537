"""The manifest: a row for each item, built from the event stream. A JSON Lines file, or built on demand."""

from __future__ import annotations

import fcntl
import json
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from quire.core.errors import InputError, StoreError, UsageError
from quire.core.events import SCHEMA, Event
from quire.core.regular_files import kind_of

Row = dict[str, Any]
"""A row: the fields of `FIELDS` first, then further fields of the stage."""

FIELDS = (
    "stage",
    "doc_id",
    "status",
    "duration_s",
    "input_path",
    "input_hash",
    "output_path",
    "output_key",
    "schema_version",
    "attempts",
    "category",
    "engines",
    "run",
    "at",
)
_FROM_WORKERS = ("input_hash", "output_path", "output_key", "engines")
OWN = frozenset({*FIELDS, "name", "reason", "exit_code"}.difference(_FROM_WORKERS))
"""Fields of a row that are never the worker's: a failed item that says `status: ok` would be believed."""
LEFT_OUT = "left_out"
"""The status of a file that is not read, because it is not a document; it is no item of the stage."""
_ENDS = frozenset({"finished", "failed", "hit"})


def item_name(event: Event) -> str | None:
    """The item that an event of a stage is about; None for the stage itself."""
    return None if event.document is None else str(event.payload.get("name", event.document))


def row_of(event: Event) -> Row | None:
    """The row of an event that ends an item; None for any other."""
    payload = event.payload
    if event.kind not in _ENDS or not event.document or event.page is not None or "status" not in payload:
        return None
    known: Row = {
        **payload,
        "stage": event.stage,
        "doc_id": item_name(event),
        "output_key": payload.get("output_key", event.key),
        "schema_version": SCHEMA,
        "engines": payload.get("engines", []),
        "run": event.run,
        "at": _written_time(event.at),
    }
    return {name: known.get(name) for name in FIELDS} | {n: v for n, v in known.items() if n not in (*FIELDS, "name")}


def rows_of(events: Iterable[Event]) -> Iterator[Row]:
    """The rows of the events of a run, in their order."""
    return (row for event in events if (row := row_of(event)) is not None)


class ManifestWriter:
    """An event subscriber that appends rows to a file. Thread-safe, and several processes may share a file.

    Each row is one write to the end of the file under its lock, so that rows are complete and in the order of the
    events. An incomplete last row of a killed process is removed on opening.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._writing = Lock()  # threads share the open file, and with it the lock between processes
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise UsageError(f"cannot write the manifest {self.path}: {error.strerror}") from error
        try:
            if kind := kind_of(os.fstat(self._file)):
                raise UsageError(f"cannot write the manifest {self.path}: {kind}, not a file")
            with _locked(self._file):
                _repair(self._file)
        except BaseException:
            os.close(self._file)
            raise

    def __call__(self, event: Event) -> None:
        if (row := row_of(event)) is None:
            return
        line = json.dumps(row, ensure_ascii=False, default=str) + "\n"
        data = line.encode("utf-8", "backslashreplace")  # a JSON escape, for file names that are not valid text
        try:
            with self._writing, _locked(self._file):
                _append(self._file, data)
        except OSError as error:
            raise self._unwritten(error) from error

    def close(self) -> None:
        """Sync the rows to disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._unwritten(error) from error
        finally:
            os.close(self._file)

    def _unwritten(self, error: OSError) -> StoreError:
        return StoreError(f"cannot write the manifest {self.path}: {error.strerror}; free some disk space")

    def __enter__(self) -> ManifestWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_manifest(
    path: str | Path,
    *,
    tail: int | None = None,
    filters: Mapping[str, str] | None = None,
    since: datetime | None = None,
) -> Iterator[Row]:
    """The rows of a file: those whose fields equal `filters`, not before `since`, and the last `tail`."""
    rows = select(_rows_in(Path(path)), tail=tail, filters=filters, since=since)
    yield from rows


def select(
    rows: Iterable[Row],
    *,
    tail: int | None = None,
    filters: Mapping[str, str] | None = None,
    since: datetime | None = None,
) -> Iterable[Row]:
    """The rows that match `filters`, `since` and `tail`."""
    if tail is not None and tail < 0:
        raise UsageError(f"tail is {tail}; it must be a number of rows")
    conditions = (filters or {}).items()
    earliest = since.astimezone(UTC).isoformat(timespec="milliseconds") if since else ""
    found = (
        row
        for row in rows
        if all(_text(row.get(name)) == wanted for name, wanted in conditions) and (row.get("at") or "") >= earliest
    )
    return found if tail is None else deque(found, maxlen=tail)


def _rows_in(path: Path) -> Iterator[Row]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return  # being written, or left incomplete by a killed process
                yield _row(line, number, path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", document=str(path)) from error


def _row(line: bytes, number: int, path: Path) -> Row:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError(f"line {number} is not a row of a manifest", document=str(path))
    return row


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _written_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


class _locked:
    """Holds the lock of an open file, against other processes and other descriptors of the file."""

    def __init__(self, file: int) -> None:
        self._file = file

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)


def _append(file: int, data: bytes) -> None:
    """Write all of it or nothing: a partial row on a full disk is rolled back."""
    end = os.fstat(file).st_size
    try:
        written = os.write(file, data)
        while written < len(data):
            written += os.write(file, data[written:])
    except OSError:
        os.ftruncate(file, end)
        raise


def _repair(file: int) -> None:
    """Truncate an incomplete last line, unless only its newline is missing."""
    size = os.fstat(file).st_size
    if size == 0 or os.pread(file, 1, size - 1) == b"\n":
        return
    begin = _begin_of_last_line(file, size)
    try:
        json.loads(os.pread(file, size - begin, begin))
    except ValueError:
        os.ftruncate(file, begin)
    else:
        os.write(file, b"\n")


def _begin_of_last_line(file: int, size: int) -> int:
    place = size
    while place > 0:
        length = min(place, 1 << 16)
        found = os.pread(file, length, place - length).rfind(b"\n")
        if found >= 0:
            return place - length + found + 1
        place -= length
    return 0

"""What workers do for tasks: turn a document that was read into the contents that a docling client expects.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import PurePosixPath

from quire.context import Json
from quire.durable.reads.jobs import Export, load_artifacts, loaded_result
from quire.keys import Digest
from quire.opened import WorkerWork

VERSION = "1"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of a document; everything here decides the output."""

    outputs: dict[str, Json]
    chunking: dict[str, Json] | None
    archive: bool
    name: str
    status: str

    def to_json(self) -> Json:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OutputRequest:
    """A document, and what to make of it."""

    document: Export
    wanted: Wanted


def output(request: OutputRequest, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The parts of the answer. The header has their names and sizes, the data their bytes."""
    result = loaded_result(request.document, work)
    raise NotImplementedError(result)


def joined(archives: Sequence[Digest], work: WorkerWork) -> bytes:
    """One zip archive with the files of several; a name that is taken gets a number."""
    buffer, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as joint:
        for data in load_artifacts(work, archives):
            with zipfile.ZipFile(io.BytesIO(data)) as single:
                for member in single.infolist():
                    name = _free(member.filename, taken)
                    taken.add(name)
                    joint.writestr(archive_entry(name), single.read(member))
    return buffer.getvalue()


def archive_entry(name: str) -> zipfile.ZipInfo:
    """An entry without the time, so that equal files make equal archives."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _free(name: str, taken: Collection[str]) -> str:
    path = PurePosixPath(name)
    numbered = (str(path.with_name(f"{path.stem}-{number}{path.suffix}")) for number in count(2))
    return name if name not in taken else next(one for one in numbered if one not in taken)

"""The manifest of a workspace: each input file with its digest and size, and one digest of them all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_of

SCHEMA = "quire-workspace/1"
MANIFEST = "manifest.json"
INPUT = "input"
OUTPUT = "output"

Fault = Literal["missing", "changed", "added", "not a file"]


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file of a workspace by its path from the top, with `/` between folders on every system."""

    path: str
    digest: Digest
    size: int


@dataclass(frozen=True, slots=True)
class WorkspaceFault:
    """A path below `input/` that is not as the manifest has it."""

    path: str
    fault: Fault


@dataclass(frozen=True)
class WorkspaceManifest:
    """The input files of a workspace, sorted by path."""

    files: Sequence[WorkspaceFile]

    @classmethod
    def of(cls, files: Iterable[WorkspaceFile]) -> WorkspaceManifest:
        return cls(tuple(sorted(files, key=lambda one: one.path)))

    @cached_property
    def digest(self) -> Digest:
        """One digest for the whole tree: of the paths, digests and sizes of all files."""
        return digest_of([SCHEMA, [[one.path, one.digest, one.size] for one in self.files]])

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(one.size for one in self.files)

    def to_bytes(self) -> bytes:
        """The manifest as the file `manifest.json`: the same manifest is the same bytes."""
        content = {"schema_version": SCHEMA, "digest": self.digest, "files": [asdict(one) for one in self.files]}
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes, place: str) -> WorkspaceManifest:
        """The manifest of a file. Raises UsageError for one that is not a manifest, or does not agree with itself."""
        try:
            content = json.loads(data)
            files = [WorkspaceFile(str(f["path"]), Digest(str(f["digest"])), int(f["size"])) for f in content["files"]]
            version, digest = content["schema_version"], content["digest"]
        except (ValueError, TypeError, KeyError):
            raise UsageError(f"{place} is not the manifest of a workspace") from None
        if version != SCHEMA:
            raise UsageError(f"{place} has the schema {version!r}; this version of Quire reads {SCHEMA}")
        if wrong := next((one.path for one in files if not _is_inside(one.path)), None):
            raise UsageError(f"{place} names {wrong!r}, which is not a path below {INPUT}/")
        manifest = cls.of(files)
        if manifest.digest != digest:
            raise UsageError(f"{place} was changed: its files have another digest than it says")
        return manifest

    def faults(self, found: Iterable[WorkspaceFile | WorkspaceFault]) -> Iterator[WorkspaceFault]:
        """The differences between the manifest and the files that are there, by path."""
        expected = {one.path: one for one in self.files}
        present = {one.path: one for one in found}
        for path in sorted(expected.keys() | present.keys()):
            there = present.get(path)
            if isinstance(there, WorkspaceFault):
                yield there
            elif there is None:
                yield WorkspaceFault(path, "missing")
            elif path not in expected:
                yield WorkspaceFault(path, "added")
            elif there != expected[path]:
                yield WorkspaceFault(path, "changed")


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) > 1 and parts[0] == INPUT and ".." not in parts and "\\" not in path and "\0" not in path

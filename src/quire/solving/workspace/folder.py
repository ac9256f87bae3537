"""A workspace on disk: made in one move, checked against its manifest."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quire.core.errors import ChangedError, StoreError, UsageError
from quire.core.hashing import hash_file
from quire.core.keys import Digest
from quire.solving.workspace.tree import SolveTask, WorkspaceDocument, tree_files
from quire.solving.workspace.tree_manifest import (
    INPUT,
    MANIFEST,
    OUTPUT,
    WorkspaceFault,
    WorkspaceFile,
    WorkspaceManifest,
)

TIME_S = 315532800
"""The time of all files of a workspace: 1 January 1980 in UTC, the earliest that a zip archive can hold."""
ABANDONED_S = 24 * 3600
"""The age from which the folder of an unfinished build is taken for one that was killed."""
FILE_MODE = 0o444
FOLDER_MODE = 0o755


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with `input/`, which runners read, `output/`, into which they write, and `manifest.json`."""

    folder: Path
    manifest: WorkspaceManifest

    @property
    def digest(self) -> Digest:
        """The one digest of all input files."""
        return self.manifest.digest

    @property
    def output(self) -> Path:
        return self.folder / OUTPUT

    @classmethod
    def build(cls, folder: str | Path, task: SolveTask, documents: Sequence[WorkspaceDocument]) -> Workspace:
        """Make a workspace. What a crash leaves behind is a hidden folder beside it, never half a workspace; a build of
        the same workspace on another day removes it.

        Where the same workspace is there already, with its input as it was made, it stays with its output. Raises
        UsageError for a folder with other contents.
        """
        target = Path(folder)
        if target.exists() and (not target.is_dir() or (any(target.iterdir()) and not (target / MANIFEST).exists())):
            raise UsageError(f"{target} is not empty, and no workspace; choose another folder")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(target)
            with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
                made = cls._written(Path(scratch) / "workspace", task, documents)
                return cls._moved(made, target)
        except OSError as error:
            raise StoreError(f"cannot make the workspace {target}: {error}") from error

    @classmethod
    def open(cls, folder: str | Path) -> Workspace:
        """A workspace that was made before. Its files are not checked: `faults` does that."""
        path = Path(folder) / MANIFEST
        try:
            data = path.read_bytes()
        except OSError:
            raise UsageError(f"{folder} is not a workspace: it has no {MANIFEST}") from None
        return cls(Path(folder), WorkspaceManifest.from_bytes(data, str(path)))

    def faults(self) -> list[WorkspaceFault]:
        """The input files that are not as the manifest has them; none in an untouched workspace."""
        return list(self.manifest.faults(_present(self.folder)))

    @classmethod
    def _written(cls, folder: Path, task: SolveTask, documents: Sequence[WorkspaceDocument]) -> Workspace:
        for name in (INPUT, OUTPUT):
            (folder / name).mkdir(parents=True)
        files: list[WorkspaceFile] = []
        for path, content, digest in tree_files(task, documents):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                shutil.copyfile(content, file)
            else:
                file.write_bytes(content)
            files.append(_settled(file, path))
            if digest and files[-1].digest != digest:
                raise ChangedError("has changed since it was read; read it again", document=str(content))
        manifest = WorkspaceManifest.of(files)
        (folder / MANIFEST).write_bytes(manifest.to_bytes())
        _settled(folder / MANIFEST, MANIFEST)
        for inner in sorted((one for one in folder.rglob("*") if one.is_dir()), reverse=True):
            _settle(inner, FOLDER_MODE)
        return cls(folder, manifest)

    @classmethod
    def _moved(cls, made: Workspace, target: Path) -> Workspace:
        try:
            made.folder.replace(target)  # onto nothing, or an empty folder
        except OSError:
            if not (target / MANIFEST).exists():
                raise
            return cls.open(target)._repaired(made)
        return cls(target, made.manifest)

    def _repaired(self, made: Workspace) -> Workspace:
        """This workspace, with the input of the one just made where its own was changed."""
        if self.digest != made.digest:
            raise UsageError(
                f"{self.folder} holds another workspace ({self.digest[:12]}, not {made.digest[:12]}); "
                "choose another folder, or remove it"
            )
        if self.faults():
            shutil.rmtree(self.folder / INPUT, ignore_errors=True)
            with suppress(OSError):  # another process repairs it at the same time
                (made.folder / INPUT).replace(self.folder / INPUT)
            if faults := self.faults():
                raise StoreError(f"the input of {self.folder} is being changed: {faults[0].path}: {faults[0].fault}")
        return self


def _remove_abandoned(target: Path) -> None:
    """Remove what builds that were killed left beside the workspace. Others may be building it right now."""
    for folder in target.parent.glob(f".{glob.escape(target.name)}-*"):
        with suppress(OSError):  # another build ends and removes its own
            if time.time() - folder.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)


def _settled(file: Path, path: str) -> WorkspaceFile:
    """A written file with its digest, as every workspace has it: read-only, of the one time."""
    found = WorkspaceFile(path, hash_file(file).digest, file.stat().st_size)
    _settle(file, FILE_MODE)
    return found


def _settle(path: Path, mode: int) -> None:
    path.chmod(mode)
    os.utime(path, (TIME_S, TIME_S))


def _present(folder: Path) -> Iterator[WorkspaceFile | WorkspaceFault]:
    """What is below `input/` now; links and devices are faults, and are not followed."""
    for place, folders, files in os.walk(folder / INPUT, followlinks=False):
        for name in (*folders, *files):
            path = Path(place, name)
            named = path.relative_to(folder).as_posix()
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                yield WorkspaceFault(named, "not a file")
            elif path.is_file():
                yield _as_found(path, named)


def _as_found(path: Path, named: str) -> WorkspaceFile | WorkspaceFault:
    try:
        return WorkspaceFile(named, hash_file(path).digest, path.stat().st_size)
    except OSError:
        return WorkspaceFault(named, "not a file")

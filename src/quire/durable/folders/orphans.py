"""Finds and removes orphans: outputs whose document is gone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from quire.core.context import Json
from quire.core.hashing import hash_file
from quire.database.database import Database
from quire.database.outputs import Output, OutputFile, Outputs
from quire.database.quarantine import Quarantine


@dataclass(frozen=True, slots=True)
class Orphan:
    """The output of a document that is gone: its unchanged files, and files changed by hand."""

    output: Output
    files: tuple[OutputFile, ...]
    edited: tuple[OutputFile, ...]

    def to_json(self) -> dict[str, Json]:
        remove, keep = [file.path for file in self.files], [file.path for file in self.edited]
        return {"source": self.output.source, "remove": remove, "keep": keep}


@dataclass(frozen=True, slots=True)
class Orphans:
    """Outputs that can be pruned. `away` are folders of documents that do not exist at all, such as an unmounted drive:
    their outputs are not orphans."""

    outputs: tuple[Orphan, ...]
    away: tuple[str, ...]


def find_orphans(database: Database, folder: Path) -> Orphans:
    """The outputs below a folder whose document is gone."""
    orphans, away = [], set()
    for output in Outputs(database).below(str(folder.absolute())):
        if _is_there(output.source):
            continue
        root = _root(output, folder.absolute())
        if root.is_dir():
            orphans.append(_orphan(output))
        else:
            away.add(str(root))
    return Orphans(tuple(orphans), tuple(sorted(away)))


def prune_orphans(database: Database, folder: Path, orphans: Orphans) -> None:
    """Remove the files of the outputs, folders that become empty, and the records. Files changed by hand stay."""
    outputs = Outputs(database)
    for orphan in orphans.outputs:
        for file in orphan.files:
            Path(file.path).unlink(missing_ok=True)
            _remove_empty(Path(file.path).parent, folder.absolute())
        if orphan.edited:
            settings = {name: value for name, value in orphan.output.settings.items() if name != "earlier"}
            outputs.record([replace(orphan.output, files=orphan.edited, settings=settings)])
        else:
            outputs.forget([orphan.output.place])
    quarantine = Quarantine(database)
    gone = {orphan.output.source for orphan in orphans.outputs}
    quarantine.release([entry.key for entry in quarantine.entries() if entry.source in gone])


def _is_there(source: str) -> bool:
    """Whether a document exists. A name that is not valid text cannot be looked up, so it counts as existing."""
    return "\\x" in source or Path(source).exists() or Path(source).is_symlink()


def _root(output: Output, folder: Path) -> Path:
    """The folder that was named for a document: its path without the folders that its output is in."""
    below, parent = Path(output.place).relative_to(folder).parent, Path(output.source).parent
    depth = len(below.parts)
    return parent.parents[depth - 1] if depth and parent.parts[-depth:] == below.parts else parent


def _orphan(output: Output) -> Orphan:
    files: list[OutputFile] = []
    edited: list[OutputFile] = []
    for file in (*output.files, *output.earlier):
        with suppress(OSError):  # no longer exists
            (files if hash_file(file.path).digest == file.digest else edited).append(file)
    return Orphan(output, tuple(files), tuple(edited))


def _remove_empty(folder: Path, root: Path) -> None:
    while folder != root and folder.is_relative_to(root):
        try:
            folder.rmdir()
        except OSError:  # not empty
            return
        folder = folder.parent

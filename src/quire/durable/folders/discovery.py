"""Finds the documents that a command line names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from quire.core.document import is_url
from quire.core.errors import InputError, StoreError, UsageError
from quire.core.media_types import HEAD_BYTES, TAIL_BYTES, is_document, refusal_of_name
from quire.core.regular_files import kind_of
from quire.database.paths import DATABASE
from quire.durable.folders.output_names import NamedSource, told_apart
from quire.system.atomic_files import output_stem

if TYPE_CHECKING:
    from quire.database.database import Database

HIDDEN_STORE = ".quire"
"""The default store of a batch: a hidden folder in the output folder."""

OUTPUT, UNWANTED, NO_SUFFIX = "output", "excluded", "without suffix"
"""Kinds of files that are left out, besides suffixes: what Quire wrote, and what the patterns of the user say."""


class UnreadablePath(NamedTuple):
    """A path that cannot be read, by its name (below its folder) and with the reason."""

    name: str
    error: InputError


class LeftOutFile(NamedTuple):
    """A file in a folder that is not read: its path below the folder, what kind of file it is, and why."""

    name: str
    path: str
    kind: str
    """Its suffix, like `.zip`, or one of `OUTPUT`, `UNWANTED` and `NO_SUFFIX`."""
    reason: str


@dataclass(slots=True)
class FoundSources:
    """The documents that a command line names.

    `unreadable` are the paths that cannot be read: one that does not exist, a file or folder without permission, a
    folder without documents, a pipe. `left_out` are the other files in folders; hidden and temporary ones do not count.
    """

    sources: list[NamedSource] = field(default_factory=list)
    unreadable: list[UnreadablePath] = field(default_factory=list)
    left_out: list[LeftOutFile] = field(default_factory=list)


def find_sources(
    paths: Sequence[Path | str],
    output: Path | None,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    database: Database | None = None,
) -> FoundSources:
    """The files, URLs and documents in the folders, each once, with unique names.

    In a folder, `include` selects only files that match one of its patterns, `exclude` drops files and folders that do.
    A pattern without `/` matches the name, one with `/` the path below the folder. What Quire wrote is no source: the
    files that `database` and stores in the folders record, and those that this command writes beside a document.
    """
    found = FoundSources()
    written = _Written(database)
    documents: dict[str, NamedSource] = {}
    for given in paths:
        if isinstance(given, str) and is_url(given):
            documents.setdefault(given, NamedSource.of_url(given))
            continue
        path = Path(given)
        if path.is_dir():
            for real, source in _in_folder(path, output, _Wanted(include, exclude), written, found):
                documents.setdefault(real, source)
        elif (error := unreadable(path)) is not None:
            found.unreadable.append(UnreadablePath(path.name, error))
        else:
            documents.setdefault(os.path.realpath(path), NamedSource.of_file(path))
    found.sources = told_apart(list(documents.values()))
    found.left_out = _each_once(found.left_out)
    return found


def _each_once(files: Sequence[LeftOutFile]) -> list[LeftOutFile]:
    """Each file once, though folders that are named may contain each other; files that share a name by their paths."""
    unique = {os.path.realpath(one.path): one for one in files}
    shared = Counter(one.name for one in unique.values())
    return sorted(one if shared[one.name] == 1 else one._replace(name=one.path) for one in unique.values())


def check_paths(paths: Sequence[Path]) -> None:
    """Raises UsageError for a URL, and the error of the first path when no path can be read, before anything starts."""
    if url := next((path for path in paths if path.parts and path.parts[0].lower() in ("http:", "https:")), None):
        raise UsageError(f"{url}: only `quire read` takes URLs; download the document first")
    errors = [unreadable(path) for path in paths]
    if None not in errors and (first := next(iter(errors), None)) is not None:
        raise first


def unreadable(path: Path) -> InputError | None:
    """The reason why the file or folder at a path cannot be read; None if it can."""
    try:
        kind = kind_of(path.stat())
        if kind not in ("", "a folder"):
            what = f"cannot be read: {kind}, not a file"
        elif os.access(path, os.R_OK | (os.X_OK if kind else 0), effective_ids=True):
            return None
        else:
            what = "cannot be read: Permission denied"
    except (FileNotFoundError, NotADirectoryError):
        what = "no such file or folder"
    except (ValueError, OSError) as error:  # a name with a null byte, or one longer than the system allows
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return InputError(what, document=str(path))


class _Wanted:
    """The patterns of the user that select files of a folder."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include, self._exclude = tuple(include), tuple(exclude)

    @property
    def chosen(self) -> bool:
        return bool(self._include or self._exclude)

    def file(self, name: str, path: str) -> bool | None:
        """Whether to read it; None where the patterns do not say."""
        if _matches(self._exclude, name, path):
            return False
        return _matches(self._include, name, path) if self._include else None

    def folder(self, name: str, path: str) -> bool:
        return not _matches(self._exclude, name, path)


def _matches(patterns: Sequence[str], name: str, path: str) -> bool:
    return any(fnmatch(path if "/" in pattern else name, pattern.rstrip("/")) for pattern in patterns)


class _Written:
    """The files that Quire wrote, by their real paths: those in the database of the command and in stores found."""

    def __init__(self, database: Database | None) -> None:
        self._files: set[str] = set()
        self._looked: set[str] = set()
        if database is not None:
            self._add(database)

    def look(self, folder: str) -> None:
        """Take over what the store in an output folder records, if there is one that can be read."""
        if folder in self._looked:
            return
        self._looked.add(folder)
        from quire.store.opening import read_facts

        with suppress(StoreError), closing(read_facts(f"{folder}/{HIDDEN_STORE}")) as database:
            self._add(database)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def _add(self, database: Database) -> None:
        from quire.database.outputs import Outputs

        folders: dict[str, str] = {}
        for output in Outputs(database).below(""):
            for file in (*output.files, *output.earlier):
                folder, _, name = file.path.rpartition("/")
                if folder not in folders:
                    folders[folder] = os.path.realpath(folder)
                self._files.add(f"{folders[folder]}/{name}")


def _in_folder(
    folder: Path, output: Path | None, wanted: _Wanted, written: _Written, found: FoundSources
) -> list[tuple[str, NamedSource]]:
    """Documents anywhere below, by their real path; hidden files and those in the output folder are skipped."""
    real = os.path.realpath(folder)
    away = os.path.realpath(output) if output else None
    walk = _Walk(folder, real, away if away != real else None, wanted, written, found)
    errors = len(found.unreadable)
    parents: dict[str, Path] = {}
    documents = []
    paths = sorted(walk.documents(""))
    beside = _written_beside([path for path, _ in paths]) if away == real else frozenset()
    for path, link in paths:
        if path in beside:
            walk.leave_out(path, OUTPUT)
            continue
        below, _, name = path.rpartition("/")
        if below not in parents:
            parents[below] = Path(below)
        source = NamedSource(folder / path, parents[below], output_stem(name), real)
        documents.append((f"{real}/{path}" if not link else os.path.realpath(source.path), source))
    if not documents and len(found.unreadable) == errors:
        looked = "see the guide on formats for what Quire reads; name other files, or --include them"
        advice = "--include and --exclude leave none" if wanted.chosen else looked
        walk.refuse("", f"holds no documents; {advice}")
    return documents


_SUFFIX_OF_OUTPUT = re.compile(
    r"\.(md|html|txt|(docling\.)?json|xlsx|searchable\.pdf|table-\d+\.csv|page-\d+\.png|\w+\.(csv|md|html|xlsx))"
)
"""The suffixes of output files that would be read again as documents."""


def _written_beside(paths: Sequence[str]) -> frozenset[str]:
    """The paths that have the name of a file that is written for another of them, where the output folder is the
    folder of the documents."""
    stems: dict[str, str] = {}
    for path in paths:
        below, slash, name = path.rpartition("/")
        stems[f"{below}{slash}{output_stem(name)}"] = path
    return frozenset(
        path
        for path in paths
        for found in re.finditer(r"\.", path)
        if stems.get(path[: found.start()], path) != path and _SUFFIX_OF_OUTPUT.fullmatch(path, found.start())
    )


@dataclass(frozen=True, slots=True)
class _Walk:
    """Looks for documents below a folder, and collects the other files."""

    folder: Path
    root: str
    away: str | None
    wanted: _Wanted
    written: _Written
    found: FoundSources

    def documents(self, below: str) -> Iterator[tuple[str, bool]]:
        """Paths below the folder and whether each is a link. Links to folders are not followed: they may form
        cycles."""
        try:
            entries = list(os.scandir(f"{self.root}/{below}"))
        except OSError as error:
            advice = "leave it out with --exclude, or allow it to be read"
            self.refuse(below.rstrip("/"), f"cannot look into the folder: {error.strerror}; {advice}")
            return
        names = {entry.name for entry in entries}
        if DATABASE in names:
            return  # what is in a store are no documents of the user
        if HIDDEN_STORE in names:
            self.written.look(f"{self.root}/{below}")
        for entry in entries:
            path = f"{below}{entry.name}"
            if entry.name.startswith((".", "~$")) or entry.name.endswith(
                "~"
            ):  # hidden, locks of office programs, backups
                continue
            if entry.is_dir(follow_symlinks=False):
                if f"{self.root}/{path}" != self.away and self.wanted.folder(entry.name, path):
                    yield from self.documents(f"{path}/")
            elif self._is_document(entry, path):
                if entry.is_file():
                    yield path, entry.is_symlink()
                else:
                    self.refuse(path, f"cannot be read: {_kind(entry)}, not a file")

    def _is_document(self, entry: os.DirEntry[str], path: str) -> bool:
        """Whether to read a file; one that is not read is noted."""
        wanted = self.wanted.file(entry.name, path)
        if wanted is False:
            self.leave_out(path, UNWANTED)
        elif f"{self.root}/{path}" in self.written:
            self.leave_out(path, OUTPUT)
        elif wanted or is_document(entry.name, lambda: _bytes(entry), lambda: _bytes(entry, end=True)):
            return True
        else:
            self.leave_out(path, os.path.splitext(entry.name)[1].lower() or NO_SUFFIX)  # noqa: PTH122 - a name
        return False

    def leave_out(self, path: str, kind: str) -> None:
        reasons = {OUTPUT: "Quire wrote it", UNWANTED: "left out by --include or --exclude"}
        reason = reasons.get(kind) or refusal_of_name(path) or "not a document"
        self.found.left_out.append(LeftOutFile(path, str(self.folder / path), kind, reason))

    def refuse(self, path: str, reason: str) -> None:
        error = InputError(reason, document=str(self.folder / path))
        self.found.unreadable.append(UnreadablePath(path or self.folder.name, error))


def _bytes(entry: os.DirEntry[str], *, end: bool = False) -> bytes:
    """The beginning or the end of a file; nothing of what is not a file or cannot be read."""
    try:
        if not entry.is_file():
            return b""
        with Path(entry.path).open("rb") as file:
            if end:
                file.seek(-min(TAIL_BYTES, os.fstat(file.fileno()).st_size), os.SEEK_END)
            return file.read(TAIL_BYTES if end else HEAD_BYTES)
    except OSError:
        return b""


def _kind(entry: os.DirEntry[str]) -> str:
    """The kind of a thing that has the name of a document but is not a file."""
    try:
        return kind_of(entry.stat())
    except OSError:
        return "a link that leads nowhere"

"""Finds the documents that a command line names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from quire.atomic_files import output_stem
from quire.document import is_url
from quire.durable.folders.naming import NamedSource, told_apart
from quire.errors import InputError, UsageError
from quire.regular_files import kind_of

_PAGES = ".pdf .png .jpg .jpeg .tif .tiff .webp .bmp"
_OFFICE = ".docx .docm .dotx .doc .rtf .odt .pptx .pptm .ppsx .ppt .odp .xlsx .xlsm .xls .ods"
_TEXTS = ".epub .eml .msg .mhtml .mht .adoc .asciidoc .tex"
SUFFIXES = frozenset(f"{_PAGES} {_OFFICE} {_TEXTS}".split())
"""The suffixes of documents in folders. A file that is named explicitly may have any suffix. Markdown, HTML, CSV and
JSON are missing: in a folder they are mostly the outputs of an earlier run."""


class UnreadablePath(NamedTuple):
    """A path that cannot be read, by its name (below its folder) and with the reason."""

    name: str
    error: InputError


@dataclass(slots=True)
class FoundSources:
    """The documents that a command line names.

    `unreadable` are the paths that cannot be read: one that does not exist, a file or folder without permission, a
    folder without documents, a pipe. `others` are the files in folders that are not documents.
    """

    sources: list[NamedSource] = field(default_factory=list)
    unreadable: list[UnreadablePath] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def find_sources(
    paths: Sequence[Path | str], output: Path | None, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> FoundSources:
    """The files, URLs and documents in the folders, each once, with unique names.

    In a folder, `include` selects only files that match one of its patterns, `exclude` drops files and folders that do.
    A pattern without `/` matches the name, one with `/` the path below the folder.
    """
    found = FoundSources()
    documents: dict[str, NamedSource] = {}
    for given in paths:
        if isinstance(given, str) and is_url(given):
            documents.setdefault(given, NamedSource.of_url(given))
            continue
        path = Path(given)
        if path.is_dir():
            for real, source in _in_folder(path, output, _Wanted(include, exclude), found):
                documents.setdefault(real, source)
        elif (error := unreadable(path)) is not None:
            found.unreadable.append(UnreadablePath(path.name, error))
        else:
            documents.setdefault(os.path.realpath(path), NamedSource.of_file(path))
    found.sources = told_apart(list(documents.values()))
    return found


def check_paths(paths: Sequence[Path]) -> None:
    """Raises UsageError for a URL, and the error of the first path when no path can be read, before anything starts."""
    if url := next((path for path in paths if path.parts and path.parts[0].lower() in ("http:", "https:")), None):
        raise UsageError(f"{url}: only `quire read` takes URLs; download the document first")
    errors = [unreadable(path) for path in paths]
    if None not in errors and (first := next(iter(errors), None)) is not None:
        raise first


def unreadable(path: Path) -> InputError | None:
    """Why the file or folder at a path cannot be read; None if it can."""
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
    """Which files of a folder are documents to read."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include, self._exclude = tuple(include), tuple(exclude)

    @property
    def chosen(self) -> bool:
        return bool(self._include or self._exclude)

    def file(self, name: str, path: str) -> bool:
        if self._include:
            return _matches(self._include, name, path) and not _matches(self._exclude, name, path)
        return os.path.splitext(name)[1].lower() in SUFFIXES and not _matches(self._exclude, name, path)  # noqa: PTH122

    def folder(self, name: str, path: str) -> bool:
        return not _matches(self._exclude, name, path)


def _matches(patterns: Sequence[str], name: str, path: str) -> bool:
    return any(fnmatch(path if "/" in pattern else name, pattern.rstrip("/")) for pattern in patterns)


def _in_folder(
    folder: Path, output: Path | None, wanted: _Wanted, found: FoundSources
) -> list[tuple[str, NamedSource]]:
    """Documents anywhere below, by their real path; hidden files and those in the output folder are skipped."""
    real = os.path.realpath(folder)
    away = os.path.realpath(output) if output else None
    walk = _Walk(folder, real, away if away != real else None, wanted, found)
    errors = len(found.unreadable)
    parents: dict[str, Path] = {}
    documents = []
    for path, link in sorted(walk.documents("")):
        below, _, name = path.rpartition("/")
        if below not in parents:
            parents[below] = Path(below)
        source = NamedSource(folder / path, parents[below], output_stem(name), real)
        documents.append((f"{real}/{path}" if not link else os.path.realpath(source.path), source))
    if not documents and len(found.unreadable) == errors:
        looked = "Quire looks for PDFs, pictures, office files, e-books and mail; name others, or --include them"
        advice = "--include and --exclude leave none" if wanted.chosen else looked
        walk.leave_out("", f"holds no documents; {advice}")
    return documents


@dataclass(frozen=True, slots=True)
class _Walk:
    """Looks for documents below a folder, and collects the other files."""

    folder: Path
    root: str
    away: str | None
    wanted: _Wanted
    found: FoundSources

    def documents(self, below: str) -> Iterator[tuple[str, bool]]:
        """Paths below the folder and whether each is a link. Links to folders are not followed: they may form
        cycles."""
        try:
            entries = list(os.scandir(f"{self.root}/{below}"))
        except OSError as error:
            advice = "leave it out with --exclude, or allow it to be read"
            self.leave_out(below.rstrip("/"), f"cannot look into the folder: {error.strerror}; {advice}")
            return
        for entry in entries:
            path = f"{below}{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if f"{self.root}/{path}" != self.away and self.wanted.folder(entry.name, path):
                    yield from self.documents(f"{path}/")
            elif not self.wanted.file(entry.name, path):
                self.found.others.append(str(self.folder / path))
            elif not entry.is_file():
                self.leave_out(path, f"cannot be read: {_kind(entry)}, not a file")
            else:
                yield path, entry.is_symlink()

    def leave_out(self, path: str, reason: str) -> None:
        error = InputError(reason, document=str(self.folder / path))
        self.found.unreadable.append(UnreadablePath(path or self.folder.name, error))


def _kind(entry: os.DirEntry[str]) -> str:
    """What kind of thing has the name of a document but is not a file."""
    try:
        return kind_of(entry.stat())
    except OSError:
        return "a link that leads nowhere"

"""Which documents a command line names, and what their outputs are called."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from quire.atomic_files import fitting_stem
from quire.errors import InputError, UsageError, printable
from quire.regular_files import kind_of

SUFFIXES = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"})
"""What is looked for in folders. A file that is named itself may be called anything."""


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A document, the folder below the output folder it goes to, and the stem of its files."""

    path: Path
    folder: Path
    stem: str


def find_sources(
    paths: Sequence[Path], output: Path | None, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> list[NamedSource]:
    """The files, and the documents in the folders, each once, with names that no two share.

    Of a folder, `include` takes only files that match one of its patterns, `exclude` no file or folder that does.
    A pattern without `/` is about the name, another one about the path below the folder.
    """
    found: dict[str, NamedSource] = {}
    for path in paths:
        if path.is_dir():
            for real, source in _in_folder(path, output, _Wanted(include, exclude)):
                found.setdefault(real, source)
        else:
            found.setdefault(os.path.realpath(path), NamedSource(path, Path(), path.stem))
    return _told_apart([replace(source, stem=fitting_stem(source.stem)) for source in found.values()])


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


def _in_folder(folder: Path, output: Path | None, wanted: _Wanted) -> list[tuple[str, NamedSource]]:
    """Documents anywhere below, by their real path; hidden ones and those in the output folder are left alone."""
    real = os.path.realpath(folder)
    away = os.path.realpath(output) if output else None
    found = [
        (f"{real}/{path}" if not link else os.path.realpath(folder / path), _source(folder, path))
        for path, link in sorted(_walk(real, "", away if away != real else None, wanted))
    ]
    if not found:
        looked = f"Quire looks for {' '.join(sorted(SUFFIXES))}"
        raise UsageError(
            f"no documents in {folder}; {'--include and --exclude leave none' if wanted.chosen else looked}"
        )
    return found


def _walk(root: str, below: str, away: str | None, wanted: _Wanted) -> Iterator[tuple[str, bool]]:
    """Paths below a folder and whether each is a link. Links to folders are not followed: they may lead in circles."""
    try:
        entries = list(os.scandir(f"{root}/{below}"))
    except OSError as error:
        advice = "leave it out with --exclude, or allow it to be read"
        raise InputError(f"cannot look into the folder: {error.strerror}; {advice}", document=error.filename) from error
    for entry in entries:
        path = f"{below}{entry.name}"
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            if f"{root}/{path}" != away and wanted.folder(entry.name, path):
                yield from _walk(root, f"{path}/", away, wanted)
        elif wanted.file(entry.name, path):
            if entry.is_file():
                yield path, entry.is_symlink()
            else:
                _tell_left_out(entry)


def _tell_left_out(entry: os.DirEntry[str]) -> None:
    """Say that something with the name of a document is none."""
    import logging  # takes time to import, and such things are rare

    try:
        kind = kind_of(entry.stat())
    except OSError:
        kind = "a link that leads nowhere"
    logging.getLogger("quire").warning("%s is %s, not a file: left out", printable(entry.path), kind)


def _source(folder: Path, path: str) -> NamedSource:
    found = folder / path
    return NamedSource(found, Path(path).parent, found.stem)


def _told_apart(sources: list[NamedSource]) -> list[NamedSource]:
    """Sources that would share a name keep their suffix: `report.pdf.md`; and then get a number."""
    shared = Counter(_place(source) for source in sources)
    full = [replace(s, stem=fitting_stem(s.path.name)) if shared[_place(s)] > 1 else s for s in sources]
    taken: set[str] = set()
    told_apart = []
    for source in full:
        free = next(s for s in _numbered(source) if _place(s) not in taken)
        taken.add(_place(free))
        told_apart.append(free)
    return told_apart


def _numbered(source: NamedSource) -> Iterable[NamedSource]:
    yield source
    number = 2
    while True:
        yield replace(source, stem=fitting_stem(f"{source.stem}-{number}"))
        number += 1


def _place(source: NamedSource) -> str:
    return str(source.folder / source.stem).casefold()  # some file systems do not tell A from a

"""The names of the files of a document: one rule for `quire read` and `quire run`.

The name depends on the document alone: `report.pdf` becomes `report.md`, `scan.jpg` becomes `scan.jpg.md`. So two kinds
of one stem never share a file, whatever the command and the order of arguments. Documents of one command that still
share a name come from different folders: their files go below as many trailing parts of these folders as make them
unique (`a/report.md` and `b/report.md`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from quire.system.atomic_files import fitting_stem, output_stem


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A document, the folder of its files below the output folder, and their stem.

    `root` is the folder it was found in: the one that was named, or the parent of a file that was named.
    """

    path: Path
    folder: Path
    stem: str
    root: str
    url: str | None = None
    """The address that it is downloaded from, if it is not a file; `path` is then only its name."""

    @property
    def shown(self) -> str:
        """For messages: without the query of a URL, which may be a secret."""
        if self.url is None:
            return str(self.path)
        from quire.net.urls import shown_url

        return shown_url(self.url)

    @classmethod
    def of_file(cls, path: Path) -> NamedSource:
        return cls(path, Path(), output_stem(path.name), os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120 - no links are followed

    @classmethod
    def of_url(cls, url: str) -> NamedSource:
        """Named after the path of the URL, with a hash of the URL if it has a query."""
        from quire.net.urls import url_name

        parts = urlsplit(url)
        stem = output_stem(url_name(url))
        if parts.query:
            stem = fitting_stem(f"{stem}-{_mark(url)}")
        return cls(Path(url_name(url)), Path(), stem, f"/{parts.hostname}{parts.path.rpartition('/')[0]}", url)


def told_apart(sources: Sequence[NamedSource]) -> list[NamedSource]:
    """The sources with unique places, independent of their order."""
    placed = list(sources)
    for apart in (_below_their_roots, _with_hashes):
        for group in _sharing(placed):
            for number, source in zip(group, apart([placed[number] for number in group]), strict=True):
                placed[number] = source
    return placed


def _sharing(sources: Sequence[NamedSource]) -> list[list[int]]:
    """The indexes of sources that share a place, for each such place."""
    places: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        place = f"{source.folder}/{source.stem}".casefold()  # some file systems ignore case
        places.setdefault(place, []).append(number)
    return [group for group in places.values() if len(group) > 1]


def _below_their_roots(group: Sequence[NamedSource]) -> list[NamedSource]:
    """Below the trailing parts of the folders they were found in: as many as make these unique."""
    roots = [Path(source.root).parts[1:] for source in group]
    length = 1 if len(set(roots)) > 1 else 0
    while length and len({parts[-length:] for parts in roots}) < len(set(roots)):
        length += 1
    return [
        replace(source, folder=Path(*parts[-length:]) / source.folder) if length else source
        for source, parts in zip(group, roots, strict=True)
    ]


def _with_hashes(group: Sequence[NamedSource]) -> list[NamedSource]:
    """With a prefix of the hash of their path: `Report-1b2f9c04`, `report-77e0a51d`."""
    marks = [_mark(source.url or os.path.abspath(source.path)) for source in group]  # noqa: PTH100 - no links are followed
    return [
        replace(source, stem=fitting_stem(f"{source.stem}-{mark}")) for source, mark in zip(group, marks, strict=True)
    ]


def _mark(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:8]

"""What the files of a document are called: the one rule for `quire read` and `quire run`.

The name follows from the document alone: `report.pdf` gives `report.md`, `scan.jpg` gives `scan.jpg.md`. So two kinds
of one stem never share a file, whichever command reads them, in whichever order. Documents of one command that still
share a name come from different folders: they go below as many of the last parts of those as tell them apart
(`a/report.md` and `b/report.md`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from quire.atomic_files import fitting_stem, output_stem


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A document, the folder below the output folder it goes to, and the stem of its files.

    `root` is the folder it was found in: the one that was named, or that of a file which was named itself.
    """

    path: Path
    folder: Path
    stem: str
    root: str
    url: str | None = None
    """Where it is fetched from, if it is no file; `path` is then only its name."""

    @property
    def shown(self) -> str:
        """For messages: without a query, which may be a secret."""
        if self.url is None:
            return str(self.path)
        from quire.fetching import shown_url

        return shown_url(self.url)

    @classmethod
    def of_file(cls, path: Path) -> NamedSource:
        return cls(path, Path(), output_stem(path.name), os.path.dirname(os.path.abspath(path)))  # noqa: PTH100, PTH120 - no links are followed

    @classmethod
    def of_url(cls, url: str) -> NamedSource:
        """Named after the path of the URL, with a hash of it where a query says more."""
        from quire.fetching import url_name

        parts = urlsplit(url)
        stem = output_stem(url_name(url))
        if parts.query:
            stem = fitting_stem(f"{stem}-{_mark(url)}")
        return cls(Path(url_name(url)), Path(), stem, f"/{parts.hostname}{parts.path.rpartition('/')[0]}", url)


def told_apart(sources: Sequence[NamedSource]) -> list[NamedSource]:
    """The sources with places that no two share, whatever the order they come in."""
    placed = list(sources)
    for apart in (_below_their_roots, _with_hashes):
        for group in _sharing(placed):
            for number, source in zip(group, apart([placed[number] for number in group]), strict=True):
                placed[number] = source
    return placed


def _sharing(sources: Sequence[NamedSource]) -> list[list[int]]:
    """The numbers of those that share a place, place by place."""
    places: dict[str, list[int]] = {}
    for number, source in enumerate(sources):
        place = str(source.folder / source.stem).casefold()  # some file systems do not tell A from a
        places.setdefault(place, []).append(number)
    return [group for group in places.values() if len(group) > 1]


def _below_their_roots(group: Sequence[NamedSource]) -> list[NamedSource]:
    """Below the last parts of the folders they were found in: as many as tell these apart."""
    roots = [Path(source.root).parts[1:] for source in group]
    length = 1 if len(set(roots)) > 1 else 0
    while length and len({parts[-length:] for parts in roots}) < len(set(roots)):
        length += 1
    return [
        replace(source, folder=Path(*parts[-length:]) / source.folder) if length else source
        for source, parts in zip(group, roots, strict=True)
    ]


def _with_hashes(group: Sequence[NamedSource]) -> list[NamedSource]:
    """With the beginning of a hash of their path: `Report-1b2f9c04`, `report-77e0a51d`."""
    marks = [_mark(source.url or os.path.abspath(source.path)) for source in group]  # noqa: PTH100 - no links are followed
    return [
        replace(source, stem=fitting_stem(f"{source.stem}-{mark}")) for source, mark in zip(group, marks, strict=True)
    ]


def _mark(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:8]

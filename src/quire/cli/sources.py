"""Which documents a command line names, and what their outputs are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quire.errors import UsageError

SUFFIXES = frozenset({".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"})
"""What is looked for in folders. A file that is named itself may be called anything."""


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A document, the folder below the output folder it goes to, and the stem of its files."""

    path: Path
    folder: Path
    stem: str


def find_sources(paths: Sequence[Path], output: Path | None) -> list[NamedSource]:
    """The files, and the documents in the folders, each once, with names that no two share."""
    found: dict[Path, NamedSource] = {}
    for path in paths:
        for source in _in_folder(path, output) if path.is_dir() else [NamedSource(path, Path(), path.stem)]:
            found.setdefault(source.path.resolve(), source)
    return _told_apart(list(found.values()))


def _in_folder(folder: Path, output: Path | None) -> list[NamedSource]:
    """Documents anywhere below; hidden ones and those in the output folder are left alone."""
    away = output.resolve() if output and output.resolve() != folder.resolve() else None
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    found = [
        NamedSource(path, path.relative_to(folder).parent, path.stem)
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and not (away and path.resolve().is_relative_to(away))
    ]
    if not found:
        raise UsageError(f"no documents in {folder}; Quire looks for {' '.join(sorted(SUFFIXES))}")
    return found


def _told_apart(sources: list[NamedSource]) -> list[NamedSource]:
    """Sources that would share a name keep their suffix: `report.pdf.md`; and then get a number."""
    shared = Counter(_place(source) for source in sources)
    full = [replace(s, stem=s.path.name) if shared[_place(s)] > 1 else s for s in sources]
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
        yield replace(source, stem=f"{source.stem}-{number}")
        number += 1


def _place(source: NamedSource) -> str:
    return str(source.folder / source.stem).casefold()  # some file systems do not tell A from a

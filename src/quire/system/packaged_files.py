"""Finds data files inside installed packages, by their metadata: the packages themselves are never imported."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from pathlib import Path


def find_packaged(homes: Mapping[str, str], *names: str) -> tuple[PackagePath, ...] | None:
    """The files of these names in the first package that has all of them; None where no package does.

    `homes` has the folder with the files for each distribution: Quire's own wheel (hatch_build.py) and, for a plain
    source tree, the package from which the wheel takes them.
    """
    for package, folder in homes.items():
        files = _files(package, folder)
        if all(name in files for name in names):
            return tuple(files[name] for name in names)
    return None


def path_of(file: PackagePath) -> Path:
    return Path(str(file.locate()))


@lru_cache(maxsize=8)
def _files(package: str, folder: str) -> dict[str, PackagePath]:
    """The existing files of a distribution below a folder, by their names in it."""
    try:
        listed = distribution(package).files or []
    except PackageNotFoundError:
        return {}
    below = {file.as_posix().removeprefix(f"{folder}/"): file for file in listed if file.is_relative_to(folder)}
    return {name: file for name, file in below.items() if path_of(file).is_file()}

"""The source and data files of Quire, and those that a module depends on.

Imports are found by their text, without parsing: some hundred files are searched when a digest is computed. Those for
type checkers only do not count, and neither does `quire` itself, which is a list of names.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from quire.core.keys import Digest

_FROM = re.compile(rb"from quire((?:\.\w+)*) import (\([^)]*\)|[^\n(]+)")  # begins with letters: found without trying
_IMPORT = re.compile(rb"import quire\.([\w.]+)")
_FOR_TYPE_CHECKERS = re.compile(rb"\nif TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+")
_COMMENT = re.compile(rb"#[^\n]*")
_INIT = "__init__"


class SourceFile(NamedTuple):
    """A file by its path below the package, with `/`, and the digest of its content: the same on every machine."""

    path: str
    digest: Digest


class SourceTree:
    """The files of an installation of Quire: the modules, and the data files of their packages."""

    def __init__(self, root: Path) -> None:
        self.root = str(root)
        self._imports: dict[str, list[str]] = {}
        self._contents: dict[str, bytes] = {}
        self._read: dict[str, SourceFile] = {}

    def below(self, name: str) -> list[str]:
        """The module of this name and, if it is a package, those in it."""
        return sorted(one for one in self._files if one == name or one.startswith(f"{name}."))

    def needed_by(self, modules: Iterable[str]) -> set[str]:
        """The modules and all that they import, directly or not, with the packages that these are in."""
        needed: set[str] = set()
        waiting = [*modules]
        while waiting:
            module = waiting.pop()
            if module and module not in needed:
                needed.add(module)
                if module not in self._imports:
                    self._imports[module] = list(self._imported(module))
                waiting += self._imports[module]
        return needed

    def files(self, modules: Iterable[str]) -> dict[str, str]:
        """The modules by the paths of their files below the package, and of the data files of packages among them."""
        return dict(sorted((path, module) for module in modules for path in self._files.get(module, ())))

    def read(self, path: str) -> SourceFile:
        """A file with its digest. Line endings do not count."""
        if path not in self._read:
            self._read[path] = SourceFile(path, Digest(hashlib.sha256(self._content(path)).hexdigest()))
        return self._read[path]

    def _content(self, path: str) -> bytes:
        if path not in self._contents:
            with open(f"{self.root}/{path}", "rb") as file:  # noqa: PTH123 - some hundred files when a process starts
                self._contents[path] = file.read().replace(b"\r\n", b"\n")
        return self._contents[path]

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The files by module; data belong to the nearest package around them."""
        by_module: dict[str, list[str]] = {}
        packages = {"": ""}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
            inside = folder[len(self.root) + 1 :].replace(os.sep, "/")
            name_of_folder = inside.replace("/", ".")
            if inside:
                is_package = f"{_INIT}.py" in names or f"{_INIT}.pyc" in names
                packages[inside] = name_of_folder if is_package else packages[inside.rpartition("/")[0]]
            for name in sorted(name for name in names if not name.startswith(".")):
                stem, _, suffix = name.rpartition(".")
                home = packages[inside]
                if suffix in ("py", "pyc"):
                    home = ".".join(filter(None, (name_of_folder, "" if stem == _INIT else stem)))
                by_module.setdefault(home, []).append(f"{inside}/{name}" if inside else name)
        return by_module

    def _imported(self, module: str) -> Iterator[str]:
        """The package of a module, and the modules that it imports."""
        yield module.rpartition(".")[0]
        for path in self._files.get(module, ()):
            if path.endswith(".py"):
                content = self._content(path)
                yield from self._named(
                    _FOR_TYPE_CHECKERS.sub(b"\n", content) if b"TYPE_CHECKING" in content else content
                )

    def _named(self, content: bytes) -> Iterator[str]:
        for home, names in _FROM.findall(content):
            for name in _COMMENT.sub(b"", names).strip(b"()").split(b","):
                if words := name.split():
                    yield self._module(b"%b.%b" % (home, words[0]))
        for name in _IMPORT.findall(content):
            yield self._module(name)

    def _module(self, written: bytes) -> str:
        """The module that a name is, or is in."""
        name = written.decode().removeprefix(".")
        while name and name not in self._files:
            name = name.rpartition(".")[0]
        return name

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

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+quire(?P<home>(?:\.\w+)*)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n(]+)"
    r"|import[ \t]+quire\.(?P<module>[\w.]+))",
    re.MULTILINE,
)
_FOR_TYPE_CHECKERS = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_CODE = (".py", ".pyc")
_INIT = "__init__"


class SourceFile(NamedTuple):
    """A file by its path below the package, with `/`, and the digest of its content: the same on every machine."""

    path: str
    digest: Digest

    @property
    def module(self) -> str:
        """`pages.layout` for `pages/layout/__init__.py` and for data beside it."""
        folder, _, name = self.path.rpartition("/")
        stem, suffix = os.path.splitext(name)  # noqa: PTH122 - a name, not a path
        parts = folder.split("/") if folder else []
        return ".".join([*parts, stem] if suffix in _CODE and stem != _INIT else parts)


class SourceTree:
    """The files of an installation of Quire: the modules, and the data files of their packages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._imports: dict[str, list[str]] = {}
        self._read: dict[str, SourceFile] = {}

    def below(self, name: str) -> list[str]:
        """The module of this name and, if it is a package, those in it."""
        return sorted(one for one in self._files if one == name or one.startswith(f"{name}."))

    def needed_by(self, modules: Iterable[str]) -> set[str]:
        """The modules and all that they import, directly or not, with the packages that these are in."""
        found: set[str] = set()
        waiting = [*modules]
        while waiting:
            module = waiting.pop()
            if module and module not in found:
                found.add(module)
                if module not in self._imports:
                    self._imports[module] = list(self._imported(module))
                waiting += self._imports[module]
        return found

    def files(self, modules: Iterable[str]) -> list[str]:
        """The files of modules, by their paths below the package, and the data files of packages among them."""
        return sorted(path for module in modules for path in self._files.get(module, ()))

    def read(self, path: str) -> SourceFile:
        """A file with its digest. Line endings do not count."""
        if path not in self._read:
            content = (self.root / path).read_bytes().replace(b"\r\n", b"\n")
            self._read[path] = SourceFile(path, Digest(hashlib.sha256(content).hexdigest()))
        return self._read[path]

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The files by module; data belong to the nearest package around them."""
        found: dict[str, list[str]] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != "__pycache__" and not name.startswith("."))
            inside = Path(folder).relative_to(self.root).as_posix()
            inside = "" if inside == "." else inside
            for name in sorted(name for name in names if not name.startswith(".")):
                path = f"{inside}/{name}" if inside else name
                found.setdefault(self._home(path), []).append(path)
        return found

    def _home(self, path: str) -> str:
        module = SourceFile(path, Digest("")).module
        if path.endswith(_CODE):
            return module
        while module and not self._is_package(module):
            module = module.rpartition(".")[0]
        return module

    def _is_package(self, module: str) -> bool:
        folder = self.root / module.replace(".", "/")
        return any((folder / f"{_INIT}{suffix}").exists() for suffix in _CODE)

    def _imported(self, module: str) -> Iterator[str]:
        """The package of a module, and the modules that it imports."""
        yield module.rpartition(".")[0]
        for path in self._files.get(module, ()):
            if path.endswith(".py"):
                text = (self.root / path).read_text(encoding="utf-8")
                yield from self._named(_FOR_TYPE_CHECKERS.sub("", text))

    def _named(self, text: str) -> Iterator[str]:
        for found in _IMPORT.finditer(text):
            if found["module"]:
                yield self._module(found["module"])
                continue
            home = found["home"].removeprefix(".")
            for name in _COMMENT.sub("", found["names"]).strip("()").split(","):
                if words := name.split():
                    yield self._module(f"{home}.{words[0]}" if home else words[0])

    def _module(self, name: str) -> str:
        """The module that a name is, or is in."""
        while name and name not in self._files:
            name = name.rpartition(".")[0]
        return name

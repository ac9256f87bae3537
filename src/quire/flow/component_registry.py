"""Components by name: entry points of the group `quire.components`, and, where that is allowed, import paths.

An import path (`package.module:function`) runs code chosen by the author of the flow. It is allowed for files and
Python, where the author is the caller anyway, and never for requests: a registry rejects import paths by default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import cast

from quire.core.errors import ConfigurationError, UsageError
from quire.core.plugins import GROUPS, loaded, offered
from quire.flow.components import Component, component_of
from quire.flow.tree import nearest


class ComponentRegistry:
    """Finds and caches components: built-in ones and those of other packages."""

    def __init__(self, *, import_paths: bool = False, folders: tuple[str, ...] = ()) -> None:
        """`import_paths` allows `package.module:function`, also from modules in `folders`."""
        self._import_paths = import_paths
        self._folders = folders
        self._found: dict[str, Component] = {}

    def look_in(self, *folders: str) -> None:
        """Also find modules in those folders, if import paths are allowed at all."""
        self._folders = tuple(dict.fromkeys((*self._folders, *folders)))

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(offered("component")))

    def find(self, name: str) -> Component:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._imported(name) if ":" in name else self._registered(name)
        return found

    def _registered(self, name: str) -> Component:
        points = offered("component")
        if name not in points:
            raise UsageError(f"there is no component {name!r}; {nearest(name, points)}")
        return _component(loaded("component", points[name]), name)

    def _imported(self, path: str) -> Component:
        if not self._import_paths:
            raise UsageError(
                f"{path!r} is an import path, which is allowed in files and Python but not in requests; register the "
                f"component as an entry point of the group {GROUPS['component']}"
            )
        module, _, name = path.partition(":")
        for folder in self._folders:
            if folder not in sys.path:
                sys.path.append(folder)
        try:
            found: object = import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError, ValueError) as error:
            raise ConfigurationError(
                f"the component {path} cannot be loaded: {error}; is its module installed, or beside the flow?"
            ) from error
        return _component(found, path)


def _component(loaded_object: object, name: str) -> Component:
    if isinstance(loaded_object, Component):
        return loaded_object
    if not callable(loaded_object):
        raise ConfigurationError(f"the component {name} is {type(loaded_object).__name__}, not a function")
    return component_of(cast("Callable[..., object]", loaded_object), name)

"""Plugins of installed packages: engines, components, formats, extractors, runners, each with its entry points.

Built-in ones are found in the same way as those of other packages.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from quire.core.errors import ConfigurationError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["engine", "component", "format", "extractor", "runner"]

GROUPS: Mapping[Kind, str] = {
    "engine": "quire.engines",  # a function `engine(*, profile, languages)` that returns an `Engine`
    "component": "quire.components",  # a `Component`, or a function that becomes one
    "format": "quire.formats",  # an `export.Format`
    "extractor": "quire.extractors",  # a function that returns an `Extractor`
    "runner": "quire.runners",  # a function that returns a `Runner`
}


def offered(kind: Kind) -> Mapping[str, EntryPoint]:
    """The entry points of a kind by name; nothing is imported."""
    return _installed(GROUPS[kind], tuple(sys.path))


@lru_cache(maxsize=len(GROUPS))
def _installed(group: str, _: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """The entry points of a group on a path: looking for them reads a file of every installed package."""
    from importlib.metadata import entry_points  # slow to import, and most reads need no plugin

    return {point.name: point for point in entry_points(group=group)}


def loaded(kind: Kind, point: EntryPoint) -> object:
    """The object of an entry point. Raises ConfigurationError when its module cannot be imported."""
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"the {kind} {point.name} cannot be loaded: {error}") from error

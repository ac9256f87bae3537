"""Engines by name. The built-in ones come through the same door as a stranger's: the entry points `quire.engines`.

An entry point is a function `engine(*, effort, languages) -> Engine`. It is light: it loads no model. It raises
ConfigurationError, naming what to install or set, when the engine cannot work here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points

from quire.engine import Engine
from quire.errors import ConfigurationError, UsageError
from quire.recognize.options import Effort

GROUP = "quire.engines"


def names() -> tuple[str, ...]:
    """The names of all engines that some installed package offers."""
    return tuple(sorted(_points()))


def check(wanted: Sequence[str]) -> None:
    """Raises UsageError for the first name that no engine has."""
    known = _points()
    for name in wanted:
        if name not in known:
            raise _unknown(name)


def make(name: str, *, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """The engine of that name. Raises UsageError for an unknown name, ConfigurationError when it cannot work here."""
    point = _points().get(name)
    if point is None:
        raise _unknown(name)
    try:
        factory = point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"the engine {name} cannot be loaded: {error}") from error
    made: Engine = factory(effort=effort, languages=tuple(languages))
    return made


def _unknown(name: str) -> UsageError:
    return UsageError(f"there is no engine {name!r}; choose from {', '.join(names())}")


def _points() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}

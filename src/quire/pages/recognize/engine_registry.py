"""OCR engines by name: the entry points of the group `quire.engines`, built-in ones included.

An entry point is a function `engine(*, effort, languages) -> Engine`. It is cheap and loads no model. It
raises ConfigurationError, with what to install or set, when the engine cannot work here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from quire.core.engine import Engine
from quire.core.errors import UsageError
from quire.core.plugin_checks import check_engine
from quire.core.plugins import loaded, offered
from quire.pages.recognize.options import Effort


def names() -> tuple[str, ...]:
    """The names of all installed engines."""
    return tuple(sorted(offered("engine")))


def check_names(requested: Iterable[str]) -> None:
    """Raise UsageError for an unknown name; does not check whether the engine works here."""
    engines = offered("engine")
    for name in requested:
        if name not in engines:
            raise UsageError(f"there is no engine {name!r}; choose from {', '.join(names())}")


def make(name: str, *, effort: Effort = "balanced", languages: Sequence[str] = ()) -> Engine:
    """The engine of that name. Raises UsageError for an unknown name, ConfigurationError when it cannot work here."""
    check_names([name])
    factory = cast("Callable[..., Engine]", loaded("engine", offered("engine")[name]))
    made = factory(effort=effort, languages=tuple(languages))
    check_engine(made)
    return made

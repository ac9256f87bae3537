"""Whether an object of somebody else can play its role: checked when it is handed over, not on the first page."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from quire.engine import Engine
from quire.errors import ConfigurationError


def check_engine(engine: object) -> None:
    """Raise ConfigurationError that says what an object lacks to be an engine."""
    if isinstance(engine, type):
        raise ConfigurationError(f"{engine.__name__} is a class; pass an engine made of it: {engine.__name__}(…)")
    if callable(engine) and not hasattr(engine, "ask"):
        raise ConfigurationError(f"{name_of(engine)} is a function; make an engine of it with @quire.recognizer")
    check_members(engine, Engine, "; name one ('tesseract') or pass an object with the members of quire.Engine")
    check_call(engine.ask, 3, f"{name_of(engine)}.ask", "picture, question, partial")  # type: ignore[attr-defined]
    check_call(engine.interpret, 2, f"{name_of(engine)}.interpret", "answer, question")  # type: ignore[attr-defined]


def check_members(plugin: object, role: type, advice: str = "") -> None:
    """Raise ConfigurationError that names the members of the protocol that an object lacks."""
    needed = [name for name in vars(role) if not name.startswith("_")]
    # of the type first: a property may start something
    lacking = [name for name in needed if not (hasattr(type(plugin), name) or hasattr(plugin, name))]
    if lacking:
        members = ", ".join(lacking)
        raise ConfigurationError(f"{name_of(plugin)} is no {role.__name__}: it has no {members}{advice}")


def check_call(function: Callable[..., object], count: int, what: str, names: str) -> None:
    """Raise ConfigurationError when a function cannot be called with so many arguments by position."""
    try:
        called = signature(function)
    except (TypeError, ValueError):  # of a compiled function that does not tell
        return
    try:
        called.bind(*[None] * count)
    except TypeError as error:
        raise ConfigurationError(f"{what}{called} is called with ({names}): {error}") from None


def check_function(function: object, names: str) -> None:
    """Raise ConfigurationError when something is no function that can be called with `names` by position."""
    if not callable(function):
        raise ConfigurationError(f"{name_of(function)} is no function; it should take ({names})")
    check_call(function, names.count(",") + 1, name_of(function), names)


def check_returned(made: object, kinds: type | tuple[type, ...], stage: str) -> None:
    """Raise ConfigurationError when what a stage returned, or a part of it, is not of the kind that its role says."""
    if not isinstance(made, kinds):
        expected = [kinds] if isinstance(kinds, type) else kinds
        names = " or ".join(_with_article(kind.__name__) for kind in expected)
        raise ConfigurationError(f"{stage} returned {_with_article(type(made).__name__)} where {names} is expected")


def name_of(plugin: object) -> str:
    """What to call an object in a message."""
    if isinstance(plugin, (int, float, str, bytes, type(None))):
        return f"{plugin!r} ({type(plugin).__name__})"
    return str(getattr(plugin, "__name__", None) or type(plugin).__name__)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"

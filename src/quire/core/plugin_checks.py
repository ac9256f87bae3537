"""Checks that a third-party object implements its role: when it is passed in, not on the first page."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from quire.core.engine import Engine
from quire.core.errors import ConfigurationError
from quire.core.runner import RUNNER_CAPABILITIES, Runner


def check_engine(engine: object) -> None:
    """Raise ConfigurationError for what an object lacks to be an engine."""
    if isinstance(engine, type):
        raise ConfigurationError(f"{engine.__name__} is a class; pass an instance: {engine.__name__}(…)")
    if callable(engine) and not hasattr(engine, "ask"):
        raise ConfigurationError(f"{name_of(engine)} is a function; make an engine of it with @quire.recognizer")
    check_members(engine, Engine, "; pass a name ('tesseract') or an object with the members of quire.Engine")
    check_call(engine.ask, 3, f"{name_of(engine)}.ask", "picture, question, partial")  # type: ignore[attr-defined]
    check_call(engine.interpret, 2, f"{name_of(engine)}.interpret", "answer, question")  # type: ignore[attr-defined]


def check_runner(runner: object) -> None:
    """Raise ConfigurationError for what an object lacks to be a runner."""
    if isinstance(runner, type):
        raise ConfigurationError(f"{runner.__name__} is a class; pass an instance: {runner.__name__}(…)")
    check_members(runner, Runner, "; pass a name ('offline') or an object with the members of quire.runners.Runner")
    check_call(runner.run, 1, f"{name_of(runner)}.run", "work")  # type: ignore[attr-defined]
    check_call(runner.prompt, 1, f"{name_of(runner)}.prompt", "brief")  # type: ignore[attr-defined]
    unknown = {*map(str, runner.capabilities)} - {*RUNNER_CAPABILITIES}  # type: ignore[attr-defined]
    if unknown:
        known = ", ".join(RUNNER_CAPABILITIES)
        raise ConfigurationError(f"{name_of(runner)} has the capability {min(unknown)!r}; choose from {known}")


def check_members(plugin: object, role: type, advice: str = "") -> None:
    """Raise ConfigurationError that names the members of the protocol that an object lacks."""
    needed = [name for kind in role.__mro__ for name in vars(kind) if not name.startswith("_")]
    # look at the type first: reading a property may have side effects
    lacking = [name for name in needed if not (hasattr(type(plugin), name) or hasattr(plugin, name))]
    if lacking:
        members = ", ".join(lacking)
        raise ConfigurationError(f"{name_of(plugin)} is not a valid {role.__name__}: it has no {members}{advice}")


def check_call(function: Callable[..., object], count: int, what: str, names: str) -> None:
    """Raise ConfigurationError if a function cannot be called with this number of positional arguments."""
    try:
        called = signature(function)
    except (TypeError, ValueError):  # a compiled function without a signature
        return
    try:
        called.bind(*[None] * count)
    except TypeError as error:
        raise ConfigurationError(f"{what}{called} is called with ({names}): {error}") from None


def check_function(function: object, names: str) -> None:
    """Raise ConfigurationError if an object is not a function with the positional arguments `names`."""
    if not callable(function):
        raise ConfigurationError(f"{name_of(function)} is not a function; it should take ({names})")
    check_call(function, names.count(",") + 1, name_of(function), names)


def check_returned(made: object, kinds: type | tuple[type, ...], stage: str) -> None:
    """Raise ConfigurationError if the return value of a stage, or an item of it, has the wrong type for its role."""
    if not isinstance(made, kinds):
        expected = [kinds] if isinstance(kinds, type) else kinds
        names = " or ".join(_with_article(kind.__name__) for kind in expected)
        raise ConfigurationError(f"{stage} returned {_with_article(type(made).__name__)} where {names} is expected")


def name_of(plugin: object) -> str:
    """The name of an object for messages."""
    if isinstance(plugin, (int, float, str, bytes, type(None))):
        return f"{plugin!r} ({type(plugin).__name__})"
    return str(getattr(plugin, "__name__", None) or type(plugin).__name__)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiouAEIOU' else 'a'} {noun}"

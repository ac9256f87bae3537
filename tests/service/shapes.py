"""Shapes of JSON answers: which keys there are, and of what types. Nothing else may be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Shape = Any
"""A type, a value that must be equal, a dictionary of shapes, a list with the shape of its entries, or one of these:"""


@dataclass(frozen=True)
class OneOf:
    """Any of several shapes."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Each:
    """An object with any keys, whose values have one shape."""

    shape: Shape


@dataclass(frozen=True)
class AtLeast:
    """An object with these keys, and perhaps others."""

    keys: Mapping[str, Shape]


def one_of(*shapes: Shape) -> OneOf:
    return OneOf(shapes)


def optional(shape: Shape) -> OneOf:
    return OneOf((None, shape))


def misfits(value: Any, shape: Shape, path: str = "answer") -> Iterator[str]:
    """What is wrong with a value, and where."""
    match shape:
        case OneOf():
            if all(any(True for _ in misfits(value, one, path)) for one in shape.shapes):
                yield f"{path} is {value!r:.200}, which is none of {shape.shapes}"
        case Each():
            yield from _entries(value, dict, path, shape.shape)
        case AtLeast():
            yield from _keys(value, shape.keys, path, more=True)
        case dict():
            yield from _keys(value, shape, path, more=False)
        case [_]:
            yield from _entries(value, list, path, shape[0])
        case type():
            wanted = (int, float) if shape is float else shape
            if not isinstance(value, wanted) or (isinstance(value, bool) and shape is not bool):
                yield f"{path} is {value!r:.200}, not of type {shape.__name__}"
        case _:
            if value != shape:
                yield f"{path} is {value!r:.200}, not {shape!r}"


def _keys(value: Any, keys: Mapping[str, Shape], path: str, *, more: bool) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} is {value!r:.200}, not an object"
        return
    yield from (f"{path} has no {name}" for name in keys if name not in value)
    yield from (f"{path} has {name}, which is not expected" for name in value if name not in keys and not more)
    for name in keys.keys() & value.keys():
        yield from misfits(value[name], keys[name], f"{path}.{name}")


def _entries(value: Any, kind: type, path: str, shape: Shape) -> Iterator[str]:
    if not isinstance(value, kind):
        yield f"{path} is {value!r:.200}, not of type {kind.__name__}"
        return
    for name, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield from misfits(one, shape, f"{path}[{name}]")

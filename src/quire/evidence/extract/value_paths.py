"""Paths of values in the data of an extraction, such as `items[3].price`: their steps, lists and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from quire.core.context import Json

_NUMBER = re.compile(r"\[\d+\]")
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def field_of(path: str) -> str:
    """The path in the schema: `items[].price` for `items[3].price`."""
    return _NUMBER.sub("[]", path)


def part_of(path: str) -> str:
    """The outermost list that a path is in, `items` for `items[3].price`; the path itself outside of lists."""
    return path.partition("[")[0]


def list_of(path: str) -> str:
    """The list of which a path is an item, `authors` for `authors[3]`; the path itself of anything else."""
    return re.sub(r"\[\d+\]$", "", path)


def steps_of(path: str) -> list[str | int]:
    """The keys and positions that lead to a value: `items[3].price` is `["items", 3, "price"]`."""
    return [int(number) if number else name for number, name in _STEP.findall(path)]


def rows_of(path: str) -> tuple[int, ...]:
    """The positions in lists on the way to a value."""
    return tuple(step for step in steps_of(path) if isinstance(step, int))


def value_at(values: Json, path: str) -> Json:
    """The value at a path of the data; None where there is none."""
    for name in steps_of(path):
        if isinstance(name, int):
            values = values[name] if isinstance(values, list) and name < len(values) else None
        else:
            values = values.get(name) if isinstance(values, dict) else None
    return values


def with_value(values: Json, path: str, value: Json) -> Json:
    """The data with a value at a path, and the objects and rows on the way to it."""
    return _put_at(values, steps_of(path), value)


def _put_at(values: Json, steps: list[str | int], value: Json) -> Json:
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, int):
        rows = list(values) if isinstance(values, list) else []
        rows += [None] * (step + 1 - len(rows))
        rows[step] = _put_at(rows[step], rest, value)
        return rows
    tree = dict(values) if isinstance(values, dict) else {}
    tree[step] = _put_at(tree.get(step), rest, value)
    return tree


def values_by_path(values: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """The single values of the data with their paths; an empty list is None."""
    if isinstance(values, Mapping):
        for name, child in values.items():
            yield from values_by_path(child, f"{path}.{name}" if path else name)
    elif isinstance(values, list):
        for number, child in enumerate(values):
            yield from values_by_path(child, f"{path}[{number}]")
        if not values:
            yield path, None
    else:
        yield path, values

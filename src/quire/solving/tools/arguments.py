"""The arguments of a call of a tool: a model wrote them, so that anything may be in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from quire.core.context import Json

LONGEST_TEXT = 4000
LONGEST_VALUE = 10_000
MOST_PAGES = 1000
_LARGEST = 10**300


class BadCall(Exception):
    """A call that cannot be answered. The message tells the model what to write instead."""


class ToolArguments:
    """ToolArguments by name, each checked when it is asked for; those that are not are ignored."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def has(self, name: str) -> bool:
        return self._given.get(name) not in (None, "", [], {})

    def text(self, name: str, *, most: int = LONGEST_TEXT) -> str:
        """A text, "" without one. Raises BadCall for something else, and for one that is too long."""
        given = self._given.get(name)
        if given is None:
            return ""
        if not isinstance(given, str):
            raise BadCall(f"`{name}` is {_kind(given)}; give a text")
        if len(given) > most:
            raise BadCall(f"`{name}` has {len(given):,} characters; give at most {most:,}")
        return given.strip()

    def needed(self, name: str, *, most: int = LONGEST_TEXT) -> str:
        found = self.text(name, most=most)
        if not found:
            raise BadCall(f"`{name}` is missing")
        return found

    def number(self, name: str) -> int | None:
        """A whole number from 0; models also write it as a text."""
        given = self._given.get(name)
        if given is None or given == "":
            return None
        if isinstance(given, str) and given.strip().isdecimal() and len(given) <= 9:
            given = int(given)
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 10**9:
            raise BadCall(f"`{name}` is {_kind(given)}; give a whole number from 0")
        return given

    def numbers(self, name: str) -> tuple[int, ...]:
        given = self._given.get(name)
        listed = given if isinstance(given, list) else [] if given is None else [given]
        found = [one for one in listed if isinstance(one, int) and not isinstance(one, bool) and 0 < one < 10**9]
        if len(found) < len(listed) or len(found) > MOST_PAGES:
            raise BadCall(f"`{name}` should be a list of at most {MOST_PAGES} page numbers from 1")
        return tuple(found)

    def value(self, name: str) -> Json:
        """A single value. Raises BadCall for an object, a list, nothing, and a number that is none."""
        given = self._given.get(name)
        if given is None or given == "":
            raise BadCall(f"`{name}` is empty; call not_found for a value that the documents do not have")
        if isinstance(given, (list, dict)):
            raise BadCall(f"`{name}` is {_kind(given)}; propose each of its values at its own path")
        if isinstance(given, str):
            return self.needed(name, most=LONGEST_VALUE)
        if not isinstance(given, (bool, int, float)):
            raise BadCall(f"`{name}` is {_kind(given)}; give a text, a number, true or false")
        if (isinstance(given, float) and not math.isfinite(given)) or not -_LARGEST < given < _LARGEST:
            raise BadCall(f"`{name}` is no number that a document has")
        return given

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        given = self._given.get(name)
        if given is None or given == {} or given == "":
            return None
        if not isinstance(given, Mapping):
            raise BadCall(f"`{name}` is {_kind(given)}; give an object")
        return given


def _kind(given: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return names.get(type(given), "a number" if isinstance(given, float) else "nothing that JSON has")

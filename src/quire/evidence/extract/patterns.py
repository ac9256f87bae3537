"""Patterns of schemas, compared with texts in bounded time.

A schema may come from anyone, and `re` takes years for `(a+)+b`, with the interpreter lock held; the package `regex`
has a timeout, but loops and crashes on some nested repetitions of nothing. Here the set of all places that a part of
the pattern can end at is followed through the text, part by part, which never goes back; what takes too many steps even
so does not match. Python parses the pattern, and compiles its single characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

LONGEST_PATTERN = 1000
MOST_STEPS = 10_000
MOST_STEPS_PER_CHARACTER = 300
KEPT = 1024

_PARSER, _COMPILER = import_module("re._parser"), import_module("re._compiler")
_ATOMS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_Places = frozenset[int]
_Part = Callable[["_Walk", _Places], _Places]


class ValuePattern:
    """A regular expression of Python without references to groups, atomic groups and possessive repetitions."""

    def __init__(self, pattern: str) -> None:
        """Raises ValueError for one that is none, or cannot be compared."""
        if len(pattern) > LONGEST_PATTERN:
            raise ValueError(f"it has more than {LONGEST_PATTERN:,} characters")
        try:
            tree = _PARSER.parse(pattern)
            self._part = _sequence(tree, tree.state.flags)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from error

    def occurs_in(self, text: str) -> bool:
        """Whether a part of the text matches."""
        return bool(self._ends(text, range(len(text) + 1)))

    def is_all_of(self, text: str) -> bool:
        """Whether the whole text matches."""
        return len(text) in self._ends(text, (0,))

    def _ends(self, text: str, starts: Iterable[int]) -> _Places:
        try:
            return self._part(_Walk(text), frozenset(starts))
        except _TooManySteps:
            return frozenset()


@lru_cache(KEPT)
def value_pattern(pattern: str) -> ValuePattern:
    """Raises ValueError."""
    return ValuePattern(pattern)


class _TooManySteps(Exception):
    pass


class _Walk:
    """A text that is compared, and how many steps that may still take."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._left = MOST_STEPS + MOST_STEPS_PER_CHARACTER * len(text)

    def step(self, number: int) -> None:
        self._left -= number + 1
        if self._left < 0:
            raise _TooManySteps


def _sequence(parts: Iterable[Any], flags: int) -> _Part:
    made = [_part(name, content, flags) for name, content in parts]

    def walk(walked: _Walk, places: _Places) -> _Places:
        for one in made:
            if not places:
                break
            places = one(walked, places)
        return places

    return walk


def _part(code: Any, content: Any, flags: int) -> _Part:
    name = str(code)
    if name in _ATOMS:
        alone = _PARSER.SubPattern(_PARSER.State(), [(code, content)])
        return _atom(_COMPILER.compile(alone, flags), width=int(name != "AT"))
    if name in _REPEATS:
        least, most, inside = content
        return _repeated(_sequence(inside, flags), int(least), int(most))
    if name == "SUBPATTERN":
        _, added, removed, inside = content
        return _sequence(inside, (flags | added) & ~removed)
    if name == "BRANCH":
        return _branches([_sequence(one, flags) for one in content[1]])
    if name in ("ASSERT", "ASSERT_NOT"):
        direction, inside = content
        back = inside.getwidth()[0] if direction < 0 else 0
        return _looked(_sequence(inside, flags), ahead=direction > 0, back=back, holding=name == "ASSERT")
    raise re.error(f"{name.lower().replace('_', ' ')} is not supported in a schema")


def _atom(pattern: re.Pattern[str], width: int) -> _Part:
    def walk(walked: _Walk, places: _Places) -> _Places:
        walked.step(len(places))
        return frozenset(at + width for at in places if pattern.match(walked.text, at))

    return walk


def _repeated(part: _Part, least: int, most: int) -> _Part:
    def walk(walked: _Walk, places: _Places) -> _Places:
        for _ in range(least):
            walked.step(0)
            places = part(walked, places)
            if not places:
                return places
        found, new = places, places
        for _ in range(most - least):
            walked.step(0)
            new = part(walked, new) - found
            if not new:
                break
            found |= new
        return found

    return walk


def _branches(parts: Sequence[_Part]) -> _Part:
    def walk(walked: _Walk, places: _Places) -> _Places:
        return frozenset[int]().union(*(one(walked, places) for one in parts))

    return walk


def _looked(part: _Part, *, ahead: bool, back: int, holding: bool) -> _Part:
    def holds(walked: _Walk, at: int) -> bool:
        if at < back:
            return not holding
        ends = part(walked, frozenset((at - back,)))
        return (bool(ends) if ahead else at in ends) == holding

    def walk(walked: _Walk, places: _Places) -> _Places:
        walked.step(len(places))
        return frozenset(at for at in places if holds(walked, at))

    return walk

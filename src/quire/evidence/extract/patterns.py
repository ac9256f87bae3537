"""Patterns of schemas, compared with texts in bounded time.

A schema may come from anyone, and `re` takes years for `(a+)+b`, with the interpreter lock held. A pattern that cannot
backtrack far is left to `re`. For others the set of all places that a part of the pattern can end at is followed
through the text, part by part, which never goes back; what takes too many steps even so does not match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

LONGEST_PATTERN = 1000
LONGEST_TEXT = 200
"""For `re`, which looks for a pattern with one repetition in a time that grows with the square of the text."""
MOST_WAYS = 16 * LONGEST_TEXT
"""In which `re` may match a pattern from one place: one repetition without end, and a few with one."""
MOST_STEPS = 10_000
MOST_STEPS_PER_CHARACTER = 300
KEPT = 1024

_ATOMS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT")
_CHARACTERS = [["LITERAL"], ["NOT_LITERAL"], ["ANY"], ["IN"]]
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_PLACES = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": r"\A",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
    "AT_END": "$",
    "AT_END_STRING": r"\Z",
}
_CATEGORIES = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
_Places = frozenset[int]
_Part = Callable[["_Walk", _Places], _Places]


class ValuePattern:
    """A regular expression of Python without references to groups, atomic groups and possessive repetitions."""

    def __init__(self, pattern: str) -> None:
        """Raises ValueError for one that is none, or cannot be compared."""
        if len(pattern) > LONGEST_PATTERN:
            raise ValueError(f"it has more than {LONGEST_PATTERN:,} characters")
        try:
            tree = import_module("re._parser").parse(pattern)
            self._pattern = re.compile(pattern)
            self._part = _sequence(tree, tree.state.flags & ~re.UNICODE)
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from error
        self._is_simple = _is_simple(tree)

    def occurs_in(self, text: str) -> bool:
        """Whether a part of the text matches."""
        if self._is_simple and len(text) <= LONGEST_TEXT:
            return self._pattern.search(text) is not None
        return bool(self._ends(text, range(len(text) + 1)))

    def is_all_of(self, text: str) -> bool:
        """Whether the whole text matches."""
        if self._is_simple and len(text) <= LONGEST_TEXT:
            return self._pattern.fullmatch(text) is not None
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
    made = [_part(str(name), given, flags) for name, given in parts]

    def walk(walked: _Walk, places: _Places) -> _Places:
        for one in made:
            if not places:
                break
            places = one(walked, places)
        return places

    return walk


def _part(name: str, given: Any, flags: int) -> _Part:
    if name in _ATOMS:
        return _atom(re.compile(_source(name, given), flags), width=int(name != "AT"))
    if name in _REPEATS:
        least, most, inside = given
        return _repeated(_sequence(inside, flags), int(least), int(most))
    if name == "SUBPATTERN":
        _, added, removed, inside = given
        return _sequence(inside, (flags | added) & ~removed)
    if name == "BRANCH":
        return _branches([_sequence(one, flags) for one in given[1]])
    if name in ("ASSERT", "ASSERT_NOT"):
        direction, inside = given
        back = inside.getwidth()[0] if direction < 0 else 0
        return _looked(_sequence(inside, flags), ahead=direction > 0, back=back, wanted=name == "ASSERT")
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


def _looked(part: _Part, *, ahead: bool, back: int, wanted: bool) -> _Part:
    def holds(walked: _Walk, at: int) -> bool:
        if at < back:
            return not wanted
        ends = part(walked, frozenset((at - back,)))
        return (bool(ends) if ahead else at in ends) == wanted

    def walk(walked: _Walk, places: _Places) -> _Places:
        walked.step(len(places))
        return frozenset(at for at in places if holds(walked, at))

    return walk


def _source(name: str, given: Any) -> str:
    """One character, or one place, as a pattern."""
    if name == "LITERAL":
        return re.escape(chr(given))
    if name == "NOT_LITERAL":
        return f"[^{_escaped(given)}]"
    if name == "ANY":
        return "."
    if name == "AT":
        return _PLACES[str(given)]
    negated = str(given[0][0]) == "NEGATE"
    return f"[{'^' * negated}{''.join(_item(str(kind), one) for kind, one in given[negated:])}]"


def _item(kind: str, given: Any) -> str:
    if kind == "CATEGORY":
        return _CATEGORIES[str(given).removeprefix("CATEGORY_")]
    return "-".join(map(_escaped, given)) if kind == "RANGE" else _escaped(given)


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


def _is_simple(tree: Any) -> bool:
    """Whether `re` cannot go back far: single characters one after the other, few of them repeated."""
    ways = 1
    for name, given in ((str(name), given) for name, given in tree):
        if name in _REPEATS:
            least, most, inside = given
            if [str(part) for part, _ in inside] not in _CHARACTERS:
                return False
            ways *= LONGEST_TEXT if str(most) == "MAXREPEAT" else int(most) - int(least) + 1
        elif name not in _ATOMS:
            return False
    return ways <= MOST_WAYS

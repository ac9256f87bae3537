"""Filters as conditions on the fields of a chunk, which each search engine writes in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from quire.core.page_ranges import ranges_of
from quire.retrieval.search.query import Query, SearchFilter

STAMP = 14
"""Digits of a time, to the second."""
_NO_DIGIT = re.compile(r"\D")


class AnyOf(NamedTuple):
    """A field has one of the values."""

    field: str
    values: Sequence[str]


class InOrder(NamedTuple):
    """A field has these words, one after the other."""

    field: str
    words: str


class Between(NamedTuple):
    """A number is in a range."""

    field: str
    least: int | None = None
    most: int | None = None


class Either(NamedTuple):
    """All conditions of one of the groups hold."""

    groups: Sequence[Sequence[Condition]]


Condition: TypeAlias = AnyOf | InOrder | Between | Either


class Conditions(NamedTuple):
    """All of `every` hold, and none of `none`."""

    every: Sequence[Condition]
    none: Sequence[Condition] = ()


def conditions_on(query: Query) -> Conditions:
    """Of the filter of a query, its phrases, and what it excludes."""
    phrases = [InOrder("terms", " ".join(phrase)) for phrase in query.phrases]
    excluded = [InOrder("terms", " ".join(phrase)) for phrase in query.excluded]
    return Conditions([*_of_filter(query.filter), *phrases], excluded)


def on_pages(pages: Sequence[tuple[str, int]], tenant: str) -> Conditions:
    groups = [
        (AnyOf("document", [document]), Between("first_page", None, page), Between("last_page", page))
        for document, page in pages
    ]
    return Conditions([AnyOf("tenant", [tenant]), Either(groups)])


def place_of(path: str) -> str:
    """The names in a path as words, in lower case: a folder is a phrase of them."""
    return " ".join(quote(name.lower(), safe="", errors="replace") for name in path.split("/") if name)


def stamp(time: str, filler: str = "0") -> int:
    """A time, or the beginning of one, as a number; 0 for none. `filler` is the digit for what is missing."""
    digits = _NO_DIGIT.sub("", time)[:STAMP]
    return int(digits.ljust(STAMP, filler)) if digits else 0


def _of_filter(filters: SearchFilter) -> list[Condition]:
    found: list[Condition] = [AnyOf("tenant", [filters.tenant])]
    if filters.documents:
        found.append(Either([[AnyOf("document", filters.documents)], [AnyOf("name", filters.documents)]]))
    folders = [place_of(folder) for folder in filters.folders]
    if folders and all(folders):
        found.append(Either([[InOrder("place", folder)] for folder in folders]))
    if filters.kinds:
        found.append(AnyOf("kinds", filters.kinds))
    if filters.pages:
        found.append(
            Either(
                [
                    [Between("last_page", first), *([] if last is None else [Between("first_page", None, last)])]
                    for first, last in ranges_of(filters.pages)
                ]
            )
        )
    if filters.statements:
        found.append(AnyOf("statement", filters.statements))
    if filters.since or filters.until:
        since = stamp(filters.since) if filters.since else None
        found.append(Between("modified", since, stamp(filters.until, "9") if filters.until else None))
    return found + [AnyOf("metadata", [f"{name}={value}"]) for name, value in filters.metadata]

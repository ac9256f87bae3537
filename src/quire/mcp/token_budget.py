"""Sizes of answers in tokens: an estimate that is rather too high, without the tokenizer of any model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
MAX_TOKENS = 20_000
"""Tokens of an answer by default: clients refuse, or cut, answers of more than 25,000."""
ENVELOPE = 300
"""Tokens kept for the members of an answer beside its list, and for links."""
_ASCII_PER_TOKEN = 3


def tokens_in(text: str) -> int:
    """About as many tokens as a text has: three letters of ASCII are one, and so is each other character."""
    other = 0 if text.isascii() else sum(not character.isascii() for character in text)
    return other + (len(text) - other) // _ASCII_PER_TOKEN + 1


def tokens_of(value: object) -> int:
    """The tokens of a value as JSON."""
    return tokens_in(json.dumps(value, ensure_ascii=False))


def fitting(text: str, tokens: int) -> int:
    """How many characters of a text have so many tokens at most; never fewer than one."""
    if tokens_in(text) <= tokens:
        return len(text)
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens_in(text[:middle]) <= tokens else (low, middle - 1)
    return low


def first_fitting(items: Sequence[T], tokens: int, size_of: Callable[[T], int]) -> Sequence[T]:
    """The items from the first on that have so many tokens together at most; always the first."""
    used = 0
    for number, item in enumerate(items):
        used += size_of(item)
        if number and used > tokens:
            return items[:number]
    return items

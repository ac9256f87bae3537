"""The certainty of a model about each value that it wrote, by the probabilities of the tokens."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

LEAST, MOST = 0.01, 0.99
"""Between which a probability is a confidence: a model is never quite sure."""
_DEEPEST = 100
_DECODER = json.JSONDecoder()


def certainties(answer: bytes) -> dict[str, float]:
    """The probability of the least likely token of each value, by its path in the JSON that the model wrote.

    Nothing where the server gives no probabilities, or those of another text than the one that it sent.
    """
    try:
        choice = json.loads(answer)["choices"][0]
        content, tokens = choice["message"]["content"], choice["logprobs"]["content"]
        pieces = [(_text(token), float(token["logprob"])) for token in tokens]
        begin = content.index("{", content.rfind("</think>") + 1)
        joined = b"".join(text for text, _ in pieces)
        start = joined.index(content.encode()) + len(content[:begin].encode())
        return dict(_likely(content[begin:], pieces, start))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _likely(content: str, pieces: list[tuple[bytes, float]], start: int) -> Iterator[tuple[str, float]]:
    ends = list(accumulate(len(text) for text, _ in pieces))
    places = list(accumulate((len(letter.encode()) for letter in content), initial=start))
    for path, first, last in _scalars(content, 0, "", 0)[1]:
        those = pieces[bisect_right(ends, places[first]) : bisect_left(ends, places[last]) + 1]
        least = min((logprob for _, logprob in those if not math.isnan(logprob)), default=None)
        if least is not None:
            yield path, round(min(max(math.exp(min(least, 0.0)), LEAST), MOST), 3)


def _text(token: Mapping[str, Any]) -> bytes:
    """A token may be a part of a letter; some servers then give its bytes."""
    given = token.get("bytes")
    return bytes(given) if given is not None else str(token["token"]).encode()


def _scalars(text: str, at: int, path: str, depth: int) -> tuple[int, list[tuple[str, int, int]]]:
    """The end of a JSON value, and the paths and places of the strings, numbers and words in it. Raises ValueError."""
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    at = _after_space(text, at)
    if text[at : at + 1] not in ("{", "["):
        value, end = _DECODER.raw_decode(text, at)
        quotes = int(isinstance(value, str))
        return end, [(path, at + quotes, end - quotes)] if value != "" else []
    named, found, number = text[at] == "{", [], 0
    at = _after_space(text, at + 1)
    while text[at] not in "}]":
        inner = f"{path}[{number}]"
        if named:
            name, at = _DECODER.raw_decode(text, at)
            inner, at = f"{path}.{name}" if path else str(name), text.index(":", at) + 1
        at, more = _scalars(text, at, inner, depth + 1)
        found += more
        number += 1
        at = _after_space(text, at)
        at = _after_space(text, at + 1) if text[at] == "," else at
    return at + 1, found


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at

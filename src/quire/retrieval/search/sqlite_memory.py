"""The memory of an index in SQLite between searches: numbers of all its chunks, in the order of their ids."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers = tuple["NDArray[np.int64]", "NDArray[np.uint64]"]
"""Ids, and what is known of each: its last axis is theirs."""

_LOW, _MORE = 0x7F, 0x80


class KeptNumbers:
    """One kind of numbers. New ones are added; all are loaded again after many removals."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: Numbers | None = None
        self._removals = 0

    def current(self, removals: int, after: Callable[[int], Numbers]) -> Numbers:
        """All numbers. `removals` is how many chunks were ever removed, `after` gives what was added after an id."""
        with self._lock:
            if self._numbers is None or removals - self._removals > len(self._numbers[0]) // 10:
                self._numbers, self._removals = after(0), removals
                return self._numbers
            ids, known = self._numbers
            new, numbers = after(int(ids[-1]) if len(ids) else 0)
            if len(new):
                self._numbers = np.concatenate([ids, new]), np.concatenate([known, numbers], axis=-1)
            return self._numbers


def integers(text: object) -> NDArray[np.int64]:
    """Numbers between commas, as `group_concat` gives them; None for no row."""
    return np.fromstring(str(text), np.int64, sep=",") if text is not None else np.empty(0, np.int64)


def bytes_of(digits: object) -> bytes:
    """Bytes in hexadecimal digits, as `group_concat` gives them; None for no row."""
    return bytes.fromhex(str(digits)) if digits is not None else b""


def varints(data: bytes) -> NDArray[np.uint64]:
    """The numbers in variable-length integers of SQLite, each below 2**21: seven bits a byte, the highest first."""
    read = np.frombuffer(data, np.uint8).astype(np.uint64)
    last = np.flatnonzero(read < _MORE)
    before = np.concatenate([np.zeros(2, np.uint64), read])  # the byte two places back has the same index
    one, two = before[last + 1], before[last]
    one, two = np.where(one >= _MORE, one & _LOW, 0), np.where((one >= _MORE) & (two >= _MORE), two & _LOW, 0)
    numbers: NDArray[np.uint64] = read[last] + (one << np.uint64(7)) + (two << np.uint64(14))
    return numbers

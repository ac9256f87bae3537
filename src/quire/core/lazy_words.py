"""Lazy words of a block: kept as ranges of runs and created on first use."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

from quire.core.pagetext import LINE, SPACE, PageText
from quire.core.types import BBox, Word

Ranges = tuple[tuple[int, int], ...]
"""Runs of a page from the first to before the second number of each pair, in reading order."""


class _LazyWords(Sequence[Word]):
    """A lazy sequence, created on first use. Iterating once caches nothing; indexing caches the words."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: tuple[Word, ...] | None = None

    @abstractmethod
    def _make(self) -> Iterator[Word]: ...

    def _all(self) -> tuple[Word, ...]:
        if self._made is None:
            self._made = tuple(self._make())
        return self._made

    @overload
    def __getitem__(self, index: int) -> Word: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Word]: ...
    def __getitem__(self, index: int | slice) -> Word | Sequence[Word]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Word]:
        return self._make() if self._made is None else iter(self._made)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, _LazyWords) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[tuple[Word, ...]], tuple[tuple[Word, ...]]]:
        return tuple, (tuple(self),)  # copies and other processes get the words themselves


class PageWords(_LazyWords):
    """The words of some runs of one page; joined runs are one word.

    `load` returns the text of the page, which is not kept. `bind` replaces `load`, so that the words of a page just
    laid out do not hold its text in memory.
    """

    __slots__ = ("load", "page", "ranges")

    def __init__(self, load: Callable[[], PageText], ranges: Iterable[tuple[int, int]], *, page: int = 0) -> None:
        super().__init__()
        self.load = load
        self.ranges: Ranges = tuple(ranges)
        self.page = page

    def bind(self, load: Callable[[], PageText], page: int) -> None:
        self.load, self.page = load, page

    def __repr__(self) -> str:
        return f"PageWords(page={self.page}, ranges={self.ranges})"

    def __bool__(self) -> bool:
        return any(start < end for start, end in self.ranges)

    def _make(self) -> Iterator[Word]:
        return words_of(self.load(), self.ranges)


class JoinedWords(_LazyWords):
    """The words of a block that was joined from several, perhaps of different pages."""

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Sequence[Word]]) -> None:
        super().__init__()
        self.parts: tuple[Sequence[Word], ...] = tuple(
            part for given in parts for part in (given.parts if isinstance(given, JoinedWords) else (given,))
        )

    def __repr__(self) -> str:
        return f"JoinedWords({self.parts})"

    def __bool__(self) -> bool:
        return any(self.parts)

    def _make(self) -> Iterator[Word]:
        return (word for part in self.parts for word in part)


def words_of(text: PageText, ranges: Iterable[tuple[int, int]]) -> Iterator[Word]:
    """The words of some runs, with boxes as fractions of the page."""
    size = text.width, text.height
    texts, flags, boxes = text.texts, text.flags, text.boxes
    for start, end in ranges:
        run = start
        while run < end:
            word, confidence = texts[run], text.confidence(run)
            left, top, right, bottom = boxes[4 * run : 4 * run + 4]
            run += 1
            while run < end and not flags[run] & (SPACE | LINE):
                box = boxes[4 * run : 4 * run + 4]
                left, top = min(left, box[0]), min(top, box[1])
                right, bottom = max(right, box[2]), max(bottom, box[3])
                word += texts[run]
                run += 1
            yield Word(word, BBox.of_points((left, top, right, bottom), size), confidence)

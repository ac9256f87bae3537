"""Page ranges such as `1-3,7`, as page numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from quire.core.errors import UsageError

Pages = str | int | Iterable[int]
"""`"1-3,7"`, `"5-"` (to the end), `"-8"` (the first eight), or numbers from 1. Ranges end with the document."""

_RANGE = re.compile(r"\s*(\d+)?\s*(-)?\s*(\d+)?\s*")


def check_pages(pages: Pages | None) -> Pages | None:
    """`pages` in a form that can be read twice, checked as far as that is possible without the document."""
    if pages is None or isinstance(pages, str):
        if pages is not None:
            ranges_of(pages)
        return pages
    numbers = (pages,) if isinstance(pages, int) else tuple(pages)
    if not numbers:
        raise UsageError("no pages were asked for; leave `pages` out to read all of them")
    wrong = next((n for n in numbers if not isinstance(n, int) or isinstance(n, bool) or n < 1), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} is not a page number; pages are counted from 1")
    return numbers


def page_numbers(pages: Pages | None, count: int) -> Sequence[int]:
    """The requested pages, each once, in the order of the document.

    Ranges end with the document. Raises UsageError for a single page that is not there, and when no page is left.
    """
    if pages is None:
        return range(1, count + 1)
    if isinstance(pages, str):
        ranges = ranges_of(pages)
        requested = {n for first, last in ranges for n in range(first, min(last or count, count) + 1)}
        beyond = [first for first, last in ranges if first > count and (first == last or not requested)]
    else:
        requested = {pages} if isinstance(pages, int) else set(pages)
        beyond = [n for n in requested if n > count]
    if beyond:
        raise UsageError(f"there is no page {min(beyond)}: the document has {count} page{'' if count == 1 else 's'}")
    return sorted(requested)


def has_page(pages: str | None, number: int) -> bool:
    """Whether a selection, like `1-3,7`, has the page; None stands for all."""
    return pages is None or any(
        first <= number and (last is None or number <= last) for first, last in ranges_of(pages)
    )


def selection(numbers: Iterable[int]) -> str:
    """Rising numbers as text: `3-5,9`."""
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def ranges_of(text: str) -> list[tuple[int, int | None]]:
    """First and last pages; None as the last one means to the end."""
    return [_range(piece, text) for piece in text.split(",")]


def _range(piece: str, text: str) -> tuple[int, int | None]:
    match = _RANGE.fullmatch(piece)
    first, dash, last = match.groups() if match else (None, None, None)
    if not first and not last:
        raise UsageError(f"cannot read the pages {text!r}; write them like 1-3,7 or 5- (to the end)")
    start = int(first or 1)
    end = int(last) if last else None if dash else start
    if start < 1 or (end is not None and end < start):
        raise UsageError(f"cannot read the pages {text!r}: {piece.strip()!r} names no page; pages are counted from 1")
    return start, end

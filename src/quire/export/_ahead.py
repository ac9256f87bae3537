"""Work on pictures in a few threads: Pillow and zlib release the interpreter lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from quire.document import PageImage

Made = TypeVar("Made")
Missing = TypeVar("Missing")

LARGE_PIXELS = 40_000_000
"""A picture with more pixels is worked on alone, so that memory does not grow with the threads."""


def ahead(
    make: Callable[[PageImage], Made], pictures: Iterable[PageImage | Missing], *, threads: int
) -> Generator[Made | Missing]:
    """What `make` makes of each picture, in order; what is no picture passes as it is.

    `pictures` is iterated in the caller's thread, at most `threads` pictures ahead of it.
    """
    if threads == 1:
        for picture in pictures:
            yield make(picture) if isinstance(picture, PageImage) else picture
        return
    with ThreadPoolExecutor(threads, "quire-picture") as pool:
        waiting: deque[Future[Made] | Missing] = deque()
        try:
            for picture in pictures:
                if not isinstance(picture, PageImage):
                    waiting.append(picture)
                elif picture.width * picture.height <= LARGE_PIXELS:
                    waiting.append(pool.submit(make, picture))
                else:
                    while waiting:
                        yield _taken(waiting.popleft())
                    yield make(picture)
                if len(waiting) > threads:
                    yield _taken(waiting.popleft())
            while waiting:
                yield _taken(waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _taken(made: Future[Made] | Missing) -> Made | Missing:
    return made.result() if isinstance(made, Future) else made

"""Processes images ahead in a few threads: Pillow and zlib release the GIL."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from quire.core.document import PageImage
from quire.core.errors import InputError

Made = TypeVar("Made")

LARGE_PIXELS = 40_000_000
"""An image with more pixels is processed alone, so that memory does not grow with the threads."""


def ahead(
    make: Callable[[PageImage], Made], pictures: Iterable[PageImage | InputError], *, threads: int
) -> Generator[Made | InputError]:
    """The result of `make` for each picture, in order; an error in place of a picture is passed through.

    `pictures` is iterated in the caller's thread, at most `threads` pictures ahead.
    """

    def made(picture: PageImage | InputError) -> Made | InputError:
        return picture if isinstance(picture, InputError) else make(picture)

    if threads == 1:
        yield from map(made, pictures)
        return
    pool = ThreadPoolExecutor(threads, "quire-picture")
    waiting: deque[Future[Made | InputError]] = deque()
    try:
        for picture in pictures:
            large = isinstance(picture, PageImage) and picture.width * picture.height > LARGE_PIXELS
            while waiting and (large or len(waiting) > threads):
                yield waiting.popleft().result()
            if large:
                yield made(picture)
            else:
                waiting.append(pool.submit(made, picture))
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

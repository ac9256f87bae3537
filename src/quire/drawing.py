"""Pages drawn in a worker process, for documents that come from strangers: a page that crashes or hangs the renderer
costs that page. `DocumentResult.pictures` and `PageImages.save` draw in the caller's process instead."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Semaphore

from quire.budget import cpu_budget
from quire.document import PageImage, RenderOptions
from quire.errors import CorruptError, InputError
from quire.export import _show
from quire.opened import Opened, WorkerWork
from quire.pool import Job, JobFailed, WorkerError, WorkerTimeout, shared_pool
from quire.pool.errors import describe, rebuilt
from quire.types import Block

GROUP = 32
"""Pages of one job."""
PAGE_S = 60.0
"""What a worker gets for opening the document, and then for each page."""
AHEAD = 2
"""Pictures that have come from the worker and wait here."""

_USUAL = RenderOptions()


@dataclass(frozen=True, slots=True)
class _Group:
    """Pages for a worker to draw, with or without marks."""

    source: Opened
    pages: tuple[int, ...]
    options: RenderOptions
    threads: int
    marks: Mapping[int, Sequence[_show.Mark]] | None = None


def page_count(source: Opened, *, timeout_s: float = PAGE_S) -> int:
    """How many pages the document has, found out by a worker. Raises InputError when it cannot be opened."""
    job = Job("quire.drawing:count_in_worker", source)
    try:
        return int(str(shared_pool().submit(job, timeout_s=timeout_s).result().header["pages"]))
    except (WorkerError, JobFailed) as error:
        raise _unopened(source, error) from error


def draw(
    source: Opened,
    pages: Sequence[int],
    options: RenderOptions = _USUAL,
    *,
    marks: Mapping[int, Sequence[_show.Mark]] | None = None,
    threads: int | None = None,
    page_s: float = PAGE_S,
) -> Generator[PageImage | InputError]:
    """Pictures of pages in order, drawn by `threads` threads of a worker process; the error instead for a page that
    cannot be drawn, that ends its worker, or that takes longer than `page_s`.

    A few pictures are in memory at a time; an iterator that is dropped ends the job. May be iterated in any thread.
    Raises InputError when the document cannot be opened or has changed.
    """
    waiting, alone = list(pages), False
    count = threads or cpu_budget()
    while waiting:
        group = waiting[: 1 if alone else GROUP]
        own = None if marks is None else {number: marks[number] for number in group if number in marks}
        coming = _drawn(_Group(source, tuple(group), options, count, own), page_s)
        done = 0
        try:
            with closing(coming):
                for image in coming:
                    yield image
                    done += 1
            for number in group[done:]:
                yield InputError("the reader stopped before this page", document=source.name, page=number)
            alone, done = False, len(group)
        except (WorkerError, JobFailed) as error:
            # Pages come in order: only the next can have passed its time. A crash may be the fault of one that is
            # drawn ahead of it, so the next is tried alone first.
            blamed = isinstance(error, WorkerTimeout) or len(group) - done == 1
            if blamed:
                yield InputError(f"could not be drawn: {error}", document=source.name, page=group[done])
                done += 1
            alone = not blamed
        del waiting[:done]


def show(
    source: Opened, pages: Sequence[int], blocks: Iterable[Block], *, dpi: int = 150, threads: int | None = None
) -> Iterator[bytes | InputError]:
    """PNGs of pages with the boxes of their blocks drawn, as `DocumentResult.pictures` gives them, by a worker."""
    for image in draw(source, pages, RenderOptions(dpi=dpi), marks=_show.marks(blocks), threads=threads):
        yield image if isinstance(image, InputError) else image.png


def _drawn(group: _Group, page_s: float) -> Generator[PageImage | InputError]:
    """The pages of one job, as they come. Raises WorkerError or JobFailed when the job ends early."""
    arrived: SimpleQueue[PageImage | InputError | None] = SimpleQueue()
    room = Semaphore(AHEAD)
    opened = False

    def listen(name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]:
        nonlocal opened
        opened = True
        if name == "page":
            room.acquire()
            arrived.put(_received(header, data))
        return {}, b""

    pool = shared_pool()
    job = Job("quire.drawing:draw_in_worker", group)
    future = pool.submit(job, timeout_s=page_s, renew_s=page_s, on_request=listen)
    future.add_done_callback(lambda _: arrived.put(None))
    try:
        while (image := arrived.get()) is not None:
            room.release()
            yield image
        future.result()
    except (WorkerError, JobFailed) as error:
        if not opened:
            raise _unopened(group.source, error) from error
        raise
    finally:
        room.release(len(group.pages))  # nobody takes pictures any more, and the listener must not wait
        pool.cancel([future])


def count_in_worker(source: Opened, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Runs in a worker."""
    return {"pages": source.document(work).page_count}, b""


def draw_in_worker(group: _Group, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Runs in a worker: sends the pictures one by one, so that neither process holds many."""
    document = group.source.document(work)
    reader = document.reader
    work.request("opened", {})
    drawn: Iterable[PageImage | InputError]
    if group.marks is None:
        drawn = reader.render(group.pages, group.options, threads=group.threads)
    else:
        drawn = _show.shown(document, group.pages, group.marks, dpi=group.options.dpi, threads=group.threads)
    for image in drawn:
        if isinstance(image, InputError):
            work.request("page", {"error": describe(image)})
        else:
            told = {name: getattr(image, name) for name in ("number", "width", "height", "dpi", "mode")}
            work.request("page", {**told, "render_ms": float(image.render_ms)}, image.png)
    return {}, b""


def _received(header: Mapping[str, object], png: bytes) -> PageImage | InputError:
    """What a worker says is checked: it parses hostile bytes."""
    match header:
        case {"error": dict(described)}:
            error = rebuilt(described)
            return error if isinstance(error, InputError) else CorruptError(str(error))
        case {
            "number": int(number),
            "width": int(width),
            "height": int(height),
            "dpi": int(dpi),
            "mode": str(mode),
            "render_ms": float(render_ms),
        }:
            return PageImage(number, png, width, height, dpi, mode, render_ms)
        case _:
            return CorruptError("the worker sent no picture of the page")


def _unopened(source: Opened, error: WorkerError | JobFailed) -> InputError:
    return CorruptError(f"cannot be opened: {error}", document=source.name)

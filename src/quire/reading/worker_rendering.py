"""Renders pages in a worker process, for untrusted documents: when a page crashes or hangs the renderer, only that page
is lost. `DocumentResult.pictures` and `PageImages.save` render in the caller's process instead."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from quire.core.document import PageImage, RenderOptions
from quire.core.errors import CorruptError, InputError
from quire.core.opened import Opened, WorkerWork
from quire.core.types import BBox, Block
from quire.output.export import _show
from quire.output.export.crops import Render
from quire.output.place_crops import part_of
from quire.reading.page_groups import PageGroups
from quire.system.budget import cpu_budget
from quire.system.workers import Job, JobFailed, WorkerError, WorkerPool, shared_pool
from quire.system.workers.job_errors import describe, rebuilt

GROUP = 32
"""Pages of one job."""
PAGE_S = 60.0
"""The timeouts for opening the document, and then for each page."""
AHEAD = 2
"""How many pictures from the worker are buffered here."""

_USUAL = RenderOptions()


@dataclass(frozen=True, slots=True)
class _Group:
    """Pages for a worker to render, with or without marks."""

    source: Opened
    pages: tuple[int, ...]
    options: RenderOptions
    threads: int
    marks: Mapping[int, Sequence[_show.Mark]] | None = None
    fit: bool = False
    box: BBox | None = None


def draw(  # noqa: PLR0913 - what is drawn, and how
    source: Opened,
    pages: Sequence[int],
    options: RenderOptions = _USUAL,
    *,
    marks: Mapping[int, Sequence[_show.Mark]] | None = None,
    fit: bool = False,
    box: BBox | None = None,
    threads: int | None = None,
    page_s: float = PAGE_S,
    pool: WorkerPool | None = None,
) -> Generator[PageImage | InputError]:
    """Pictures of pages in order, rendered by `threads` threads of a worker process; the error instead for a page that
    cannot be rendered, that crashes its worker, or that takes longer than `page_s`.

    `fit` renders a page that has too many pixels at a lower resolution; `box` returns only that part of each page.
    Only a few pictures are in memory at a time; closing the iterator ends the job. May be iterated in any thread.
    Raises InputError when the document cannot be opened or has changed.
    """
    count = threads or cpu_budget()

    def job(group: tuple[int, ...]) -> Job:
        own = None if marks is None else {number: marks[number] for number in group if number in marks}
        return Job(
            "quire.reading.worker_rendering:draw_in_worker", _Group(source, group, options, count, own, fit, box)
        )

    drawn = PageGroups(pool or shared_pool(), job, _received, open_s=page_s, page_s=page_s, room=AHEAD)
    with closing(drawn):
        drawn.expect(pages, size=GROUP, ahead=1)
        for number in pages:
            try:
                yield drawn.take(number)
            except (WorkerError, JobFailed) as error:
                if not drawn.opened:
                    raise CorruptError(f"cannot be opened: {error}", document=source.name) from error
                yield InputError(f"could not be drawn: {error}", document=source.name, page=number)


def rendered_in_worker(source: Opened) -> Render:
    """Renders single pages in a worker, for pictures that are cut out of them."""

    def render(page: int, options: RenderOptions) -> bytes:
        with closing(draw(source, [page], options, fit=True, threads=1)) as drawn:
            image = next(drawn)
        if isinstance(image, InputError):
            raise image
        return image.png

    return render


def show(
    source: Opened, pages: Sequence[int], blocks: Iterable[Block], *, dpi: int = 150, threads: int | None = None
) -> Iterator[bytes | InputError]:
    """PNGs of pages with the boxes of their blocks, like `DocumentResult.pictures`, rendered by a worker."""
    for image in draw(source, pages, RenderOptions(dpi=dpi), marks=_show.marks(blocks), threads=threads):
        yield image if isinstance(image, InputError) else image.png


def draw_in_worker(group: _Group, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Runs in a worker: sends the pictures one by one, so that neither process holds many."""
    document = group.source.document(work)
    reader = document.reader
    work.request("opened", {})
    drawn: Iterable[PageImage | InputError]
    if group.marks is not None:
        drawn = _show.shown(document, group.pages, group.marks, dpi=group.options.dpi, threads=group.threads)
    elif group.fit:
        drawn = _show.fitting(document, group.pages, group.options, threads=group.threads)
    else:
        drawn = reader.render(group.pages, group.options, threads=group.threads)
    for image in drawn:
        if group.box is not None and not isinstance(image, InputError):
            image = part_of(image, group.box)
        if isinstance(image, InputError):
            work.request("page", {"error": describe(image)})
        else:
            header = {name: getattr(image, name) for name in ("number", "width", "height", "dpi", "mode")}
            work.request("page", {**header, "render_ms": float(image.render_ms)}, image.png)
    return {}, b""


def _received(page: int, header: Mapping[str, object], png: bytes) -> PageImage | InputError:
    """Validates the message of a worker, which parses untrusted bytes."""
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

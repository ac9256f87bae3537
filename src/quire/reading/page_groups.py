"""Pages of a document done by workers, in groups: what a page does there costs that page.

A job hands its pages over one by one, each within a deadline. A page that passes it fails. A page on which a worker
ends is done once more alone, since another page of the group may be to blame; when that ends a worker too, it fails.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Condition
from typing import Generic, TypeVar

from quire.workers import Job, JobFailed, WorkerCrashed, WorkerError, WorkerPool, WorkerReply, WorkerTimeout

T = TypeVar("T")

Received = Callable[[int, Mapping[str, object], bytes], T]
"""Makes a page of its number and of what a worker handed over, which may be nonsense: then it raises ValueError."""


@dataclass(slots=True, eq=False)
class _Group:
    """Pages of one job. `waiting` are those that were not handed over yet."""

    waiting: deque[int]
    alone: bool = False
    opened: bool = False
    future: Future[WorkerReply] | None = None

    @property
    def ended(self) -> bool:
        return self.future is not None and self.future.done()


class PageGroups(Generic[T]):
    """Used by one thread; workers hand pages over in their supervising threads.

    `job` makes the job for some pages. It makes a request named `opened`, and then one for each page, in order, named
    `page`. `open_s` is what it has until the first request, `page_s` for each after that. At most
    `room` pages wait here for the caller; a worker that has more waits. Without it the groups under way bound them.
    """

    def __init__(
        self,
        pool: WorkerPool,
        job: Callable[[tuple[int, ...]], Job],
        received: Received[T],
        *,
        open_s: float,
        page_s: float,
        room: int | None = None,
    ) -> None:
        self._pool, self._job, self._received = pool, job, received
        self._open_s, self._page_s, self._room = open_s, page_s, room
        self._changed = Condition()
        self._wanted: dict[int, None] = {}  # expected, and not taken yet, in their order
        self._groups: deque[_Group] = deque()  # with pages that are wanted, in the order of the pages
        self._passed: list[_Group] = []  # under way, with pages that are not wanted any more
        self._pages: dict[int, T] = {}
        self._failed: dict[int, WorkerError | JobFailed] = {}
        self._ahead = 1
        self._closed = False
        self.opened = False
        """Whether a worker has opened the document."""

    def expect(self, pages: Sequence[int], *, size: int, ahead: int) -> None:
        """Work ahead on these pages, `size` in a job and `ahead` jobs at a time: they will be taken in this order,
        but for some of them."""
        self._ahead = ahead
        self._wanted = dict.fromkeys(pages)
        self._groups = deque(_Group(deque(pages[at : at + size])) for at in range(0, len(pages), size))
        self._submit()

    def take(self, page: int) -> T:
        """The page, as soon as it is handed over. Raises WorkerError or JobFailed for one that a worker cannot do, and
        errors of the job that are not about a page."""
        with self._changed:
            if page not in self._wanted:
                self._groups.appendleft(_Group(deque([page]), alone=True))
                self._wanted = {page: None, **self._wanted}
            while (first := next(iter(self._wanted))) != page:
                del self._wanted[first]
                self._pages.pop(first, None)
        while True:
            self._submit()
            with self._changed:
                if page in self._failed:
                    del self._wanted[page]
                    raise self._failed.pop(page)
                if page in self._pages:
                    del self._wanted[page]
                    self._changed.notify_all()
                    return self._pages.pop(page)
                group = next(group for group in self._groups if page in group.waiting)
                while page not in self._pages and not group.ended:
                    self._changed.wait()
                if page in self._pages:
                    continue
            self._ended(group)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            under_way = (*self._passed, *self._groups)
        self._pool.cancel([group.future for group in under_way if group.future is not None and group.waiting])

    def _ended(self, group: _Group) -> None:
        """A job ended before it handed over all of its pages."""
        assert group.future is not None
        error = group.future.exception() or WorkerCrashed("the worker left pages out")
        if not isinstance(error, (WorkerError, JobFailed)):
            raise error
        with self._changed:
            place = self._groups.index(group)
            self._groups.remove(group)
            first = group.waiting.popleft()
            if group.waiting:
                self._groups.insert(place, _Group(group.waiting))
            # Pages come in order: only the next can have passed its time.
            if group.alone or not group.opened or isinstance(error, WorkerTimeout):
                self._failed[first] = error
            else:
                self._groups.insert(place, _Group(deque([first]), alone=True))

    def _submit(self) -> None:
        """Keep the workers busy, a few groups ahead of the page that is taken next."""
        with self._changed:
            while self._groups and not any(page in self._wanted for page in self._groups[0].waiting):
                self._passed.append(self._groups.popleft())
            self._passed = [group for group in self._passed if group.future is not None and not group.ended]
            ahead = list(self._groups)[: self._ahead]
        for group in ahead:
            if group.future is None:
                listen = partial(self._listen, group)
                job = self._job(tuple(group.waiting))
                group.future = self._pool.submit(job, timeout_s=self._open_s, renew_s=self._page_s, on_request=listen)
                group.future.add_done_callback(self._wake)

    def _wake(self, _: Future[WorkerReply]) -> None:
        with self._changed:
            self._changed.notify_all()

    def _listen(
        self, group: _Group, name: str, header: Mapping[str, object], data: bytes
    ) -> tuple[dict[str, object], bytes]:
        """Runs in the thread that supervises the worker, which is not trusted to make sense."""
        group.opened = self.opened = True
        if name != "page":
            return {}, b""
        if not group.waiting:
            raise WorkerCrashed("the worker handed over more pages than it was asked for")
        number = group.waiting[0]
        try:
            page = self._received(number, header, data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise WorkerCrashed(f"the worker handed over nonsense ({error})") from error
        with self._changed:
            group.waiting.popleft()
            if number in self._wanted:
                self._pages[number] = page
                self._changed.notify_all()
                while self._room is not None and len(self._pages) > self._room and not self._closed:
                    self._changed.wait()
        return {}, b""

"""Pages of a document processed by workers, in groups: a crash or a timeout costs only the page that causes it.

A job sends its pages one by one, each within a deadline. A page that misses it fails. A page on which a worker crashes
is retried alone, since another page of the group may be the cause; when it crashes a worker again, it fails.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from threading import Condition
from typing import Generic, TypeVar

from quire.system.workers import Job, JobFailed, WorkerCrashed, WorkerError, WorkerPool, WorkerReply, WorkerTimeout
from quire.system.workers.pool import Lane

T = TypeVar("T")

ENDING_S = 1.0
BRIEF = 3
"""Pages of a job that does not have to wait for longer ones: a short document, or the rest of a group."""

Received = Callable[[int, Mapping[str, object], bytes], T]
"""Decodes a page from its number and the message of a worker. Raises ValueError for invalid messages."""


@dataclass(slots=True, eq=False)
class _Group:
    """Pages of one job. `waiting` are those not received yet."""

    waiting: deque[int]
    alone: bool = False
    future: Future[WorkerReply] | None = None

    @property
    def ended(self) -> bool:
        return self.future is not None and self.future.done()


class PageGroups(Generic[T]):
    """Not thread-safe for callers; pages of workers arrive in the threads that supervise them.

    `job` makes the job for some pages. The job sends a request named `opened`, and then one for each page, in order,
    named `page`. `open_s` is the timeout of the first request, `page_s` of each one after that. At most `room` pages
    are buffered here; a worker with more waits. Without `room`, the number of running groups bounds the buffer.
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
        share: str = "",
    ) -> None:
        self._pool, self._job, self._received, self._share = pool, job, received, share
        self._open_s, self._page_s, self._room = open_s, page_s, room
        self._changed = Condition()
        self._wanted: dict[int, None] = {}  # expected, and not taken yet, in order
        self._groups: deque[_Group] = deque()  # with wanted pages, in page order
        self._passed: list[_Group] = []  # running, with pages that are no longer wanted
        self._pages: dict[int, T] = {}
        self._failed: dict[int, WorkerError | JobFailed] = {}
        self._ahead = 1
        self._closed = False
        self.opened = False
        """Whether a worker has opened the document."""

    def expect(self, pages: Sequence[int], *, size: int, ahead: int) -> None:
        """Prefetch these pages, `size` per job and `ahead` jobs at a time: they will be taken in this order, possibly
        with gaps."""
        self._ahead = ahead
        self._wanted = dict.fromkeys(pages)
        self._groups = deque(_Group(deque(pages[at : at + size])) for at in range(0, len(pages), size))
        self._submit()

    def take(self, page: int) -> T:
        """Wait for the page. Raises WorkerError or JobFailed for a page that a worker cannot process, and errors of
        the job that are not about a page."""
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
            under_way = [group for group in (*self._passed, *self._groups) if group.future is not None]
        self._pool.cancel([group.future for group in under_way if group.future and group.waiting])
        # One that has sent its last page is about to end: its worker is free for what comes next.
        wait([group.future for group in under_way if group.future and not group.waiting], ENDING_S)

    def _ended(self, group: _Group) -> None:
        """Handle a job that ended before it sent all its pages."""
        assert group.future is not None
        error = group.future.exception() or WorkerCrashed("the worker skipped pages")
        if not isinstance(error, (WorkerError, JobFailed)):
            raise error
        with self._changed:
            place = self._groups.index(group)
            self._groups.remove(group)
            first = group.waiting.popleft()
            if group.waiting:
                self._groups.insert(place, _Group(group.waiting))
            # Pages come in order: only the next one can have timed out.
            if group.alone or isinstance(error, WorkerTimeout):
                self._failed[first] = error
            else:
                self._groups.insert(place, _Group(deque([first]), alone=True))

    def _submit(self) -> None:
        """Keep the workers busy, a few groups ahead of the next page."""
        with self._changed:
            while self._groups and not any(page in self._wanted for page in self._groups[0].waiting):
                self._passed.append(self._groups.popleft())
            self._passed = [group for group in self._passed if group.future is not None and not group.ended]
            ahead = list(self._groups)[: self._ahead]
        for group in ahead:
            if group.future is None:
                listen = partial(self._listen, group)
                job = self._job(tuple(group.waiting))
                group.future = self._pool.submit(
                    job,
                    timeout_s=self._open_s,
                    renew_s=self._page_s,
                    on_request=listen,
                    lane=Lane.BRIEF if len(group.waiting) <= BRIEF else Lane.LONG,
                    share=self._share,
                )
                group.future.add_done_callback(self._wake)

    def _wake(self, _: Future[WorkerReply]) -> None:
        with self._changed:
            self._changed.notify_all()

    def _listen(
        self, group: _Group, name: str, header: Mapping[str, object], data: bytes
    ) -> tuple[dict[str, object], bytes]:
        """Runs in the thread that supervises the worker, whose messages are not trusted."""
        self.opened = True
        if name != "page":
            return {}, b""
        if not group.waiting:
            raise WorkerCrashed("the worker sent more pages than requested")
        number = group.waiting[0]
        try:
            page = self._received(number, header, data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise WorkerCrashed(f"the worker sent an invalid page ({error})") from error
        with self._changed:
            group.waiting.popleft()
            if number in self._wanted:
                self._pages[number] = page
                self._changed.notify_all()
                while self._room is not None and len(self._pages) > self._room and not self._closed:
                    self._changed.wait()
        return {}, b""

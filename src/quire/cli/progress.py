"""The progress bar: an event subscriber that draws on standard error."""

from __future__ import annotations

import time

from quire.cli.bar import Bar
from quire.cli.display_numbers import duration, rate
from quire.core.errors import printable
from quire.core.events import Event

PATIENCE_S = 0.7
"""Work shorter than this draws nothing."""


class ProgressBar(Bar):
    """Pages done, their rate and the time left, for one document after the other. Drawn only on a terminal and for long
    work."""

    def __init__(self, documents: int, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._documents = documents
        self._begun = time.monotonic()
        self._number = 0
        self._name = ""
        self._pages = 0
        self._done: set[int] = set()
        self._document_begun = self._begun

    def __call__(self, event: Event) -> None:
        if not self._drawn:
            return
        if event.stage == "read" and event.kind == "started":
            self._next(printable(str(event.payload["name"])), int(str(event.payload["pages"])))
        elif event.page is not None and (
            event.kind == "failed" or (event.stage == "page-blocks" and event.kind in ("finished", "hit"))
        ):
            self._done.add(event.page)  # an engine may fail at a page that the next one reads
        if self._pages:
            self._draw()

    def _next(self, name: str, pages: int) -> None:
        self._number += 1
        self._name, self._pages = name, pages
        self._done.clear()
        self._document_begun = time.monotonic()

    def _draw(self) -> None:
        now = time.monotonic()
        if self._bar is None:
            if now - self._begun < PATIENCE_S:
                return
            from rich.progress import BarColumn, MofNCompleteColumn

            self._start("{task.description}", BarColumn(), MofNCompleteColumn(), "pages{task.fields[speed]}")
        done = len(self._done)
        self._update(done, self._pages, self._description(), speed(done, self._pages, now - self._document_begun))

    def _description(self) -> str:
        return self._name if self._documents == 1 else f"{self._number}/{self._documents} {self._name}"


def speed(done: int, pages: int, seconds: float) -> str:
    """`, 12.0 pages/min, 40 s left`: from all pages so far, because those of a scan end in bursts."""
    if not done or seconds <= 0:
        return ""
    left = duration(seconds / done * (pages - done))
    return f", {rate(done / seconds, 'pages')}" + (f", {left} left" if done < pages else "")

"""The progress bar: an event subscriber that draws on standard error."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from quire.cli.bar import Bar
from quire.errors import printable
from quire.events import Event

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

PATIENCE_S = 0.7
"""Work shorter than this draws nothing."""


class ProgressBar(Bar):
    """Pages done and their rate, for one document after the other. Drawn only on a terminal and for long work."""

    def __init__(self, documents: int, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._documents = documents
        self._begun = time.monotonic()
        self._number = 0
        self._name = ""
        self._pages = 0
        self._done = 0

    def __call__(self, event: Event) -> None:
        if not self._drawn:
            return
        if event.stage == "read" and event.kind == "started":
            self._next(printable(str(event.payload["name"])), int(str(event.payload["pages"])))
        elif (event.stage == "page-blocks" and event.kind in ("finished", "hit")) or (
            event.kind == "failed" and event.page is not None
        ):
            self._done += 1
            self._draw()

    def _next(self, name: str, pages: int) -> None:
        self._number += 1
        self._name, self._pages, self._done = name, pages, 0
        if self._bar is not None and self._task is not None:
            self._bar.reset(self._task, total=pages, description=self._description())

    def _draw(self) -> None:
        if self._bar is None:
            if time.monotonic() - self._begun < PATIENCE_S:
                return
            self._start()
        assert self._bar is not None and self._task is not None
        self._bar.update(self._task, completed=self._done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("pages"),
            _rate_column(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self._description(), total=self._pages)
        self._bar.start()

    def _description(self) -> str:
        return self._name if self._documents == 1 else f"{self._number}/{self._documents} {self._name}"


def _rate_column() -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "")

    return Rate()

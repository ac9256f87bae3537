"""A progress bar on standard error, and lines above it."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quire.core.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID


class Bar:
    """Base of the progress bars. Drawn only on a terminal, and removed when its context ends."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._drawn = sys.stderr.isatty() and not quiet
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the bar permanently."""
        self._drawn = False
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self, *columns: ProgressColumn | str) -> None:
        """Make the bar with these columns. A text is a column of its own, without markup."""
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        drawn = [TextColumn(one, markup=False) if isinstance(one, str) else one for one in columns]
        self._bar = Progress(*drawn, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=None, speed="")

    def _update(self, done: int, total: int | None, description: str, speed: str = "") -> None:
        assert self._bar is not None and self._task is not None
        self._bar.update(self._task, completed=done, total=total, description=description, speed=speed)
        self._bar.start()  # from the first time on

    def say(self, message: str) -> None:
        """Print a line on standard error, above the bar."""
        line = f"quire: {printable(message)}"
        if self._bar is not None:
            self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

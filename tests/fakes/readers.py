"""Readers that misbehave. They enter by the door of every reader: `READERS` names the function that opens them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quire.core.document import Document, PageImage, Reader, RenderOptions
from quire.core.errors import CorruptError, InputError
from quire.core.opened import Opened, WorkerWork
from quire.pages.render.pdf import open_pdf


class LimpingReader:
    """A PDF whose page 2 cannot be read. Remembers which pages it was asked for, and that it was closed."""

    asked: list[int]
    name = "limping"
    broken = 2

    def __init__(self, document: Document) -> None:
        self._inner: Reader = open_pdf(document)
        self.asked = []
        self.stopped = False
        opened.append(self)

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        try:
            for number in pages:
                self.asked.append(number)
                if number == self.broken:
                    yield CorruptError("the page has no content", document="report.pdf", page=number)
                else:
                    yield from self._inner.text([number])
        finally:
            self.stopped = True


class RecordingReader(LimpingReader):
    """A PDF that reads well."""

    name = "recording"
    broken = 0


class QuittingReader(LimpingReader):
    """A reader that stops after the first page, without a word."""

    name = "quitting"

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        yield from self._inner.text(pages[:1])


@dataclass(frozen=True)
class StrangeSource(Opened):
    """A PDF with pages that end the worker which draws them. Its renderer draws nothing ahead, and notes each page.

    `pages` says what a page does: "crash", "hang", "eat" (memory) or "raise"; 0 is the opening of the document.
    """

    pages: Mapping[int, str] = field(default_factory=dict)
    notes: Path | None = None

    def document(self, work: WorkerWork) -> Document:
        misbehave(self.pages.get(0))
        document = self.open()
        document._reader = StrangeReader(document, self)
        return document


class StrangeReader(LimpingReader):
    """Draws the pages of a `StrangeSource`."""

    def __init__(self, document: Document, source: StrangeSource) -> None:
        super().__init__(document)
        self._source = source

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        for number in pages:
            if self._source.notes:
                with self._source.notes.open("a") as notes:
                    print(number, file=notes)
            misbehave(self._source.pages.get(number))
            yield from self._inner.render([number], options)


def misbehave(how: str | None) -> None:
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how == "hang":
        threading.Event().wait()
    elif how == "eat":
        raise MemoryError  # as an allocation beyond the limit of the worker does
    elif how == "raise":
        raise ZeroDivisionError("a bug of the renderer")


opened: list[LimpingReader] = []
"""Every fake reader that was opened, the newest last."""


def limping(document: Document) -> LimpingReader:
    return LimpingReader(document)


def recording(document: Document) -> RecordingReader:
    return RecordingReader(document)


def quitting(document: Document) -> QuittingReader:
    return QuittingReader(document)

"""Readers that misbehave. They enter by the door of every reader: `READERS` names the function that opens them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.document import Document, Reader
from quire.errors import CorruptError, InputError
from quire.render.pdf import open_pdf


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


opened: list[LimpingReader] = []
"""Every fake reader that was opened, the newest last."""


def limping(document: Document) -> LimpingReader:
    return LimpingReader(document)


def recording(document: Document) -> RecordingReader:
    return RecordingReader(document)


def quitting(document: Document) -> QuittingReader:
    return QuittingReader(document)

"""Images of pages for flows, stored under names that other programs can look up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from quire.core.context import Store
from quire.core.document import RenderOptions
from quire.core.errors import InputError, UsageError
from quire.core.events import Sink, reason_of
from quire.core.opened import Opened
from quire.core.page_ranges import page_numbers
from quire.core.passwords import Password, password_of
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import Sources
from quire.durable.steps.services import PageService
from quire.reading.messages import DocumentReference, PageEntry, SourceJson
from quire.reading.worker_pages import look_into
from quire.reading.worker_rendering import draw
from quire.store.artifacts import ArtifactStore
from quire.store.images import PageImages
from quire.system.workers import shared_pool

Drawable: TypeAlias = DocumentReference | SourceJson
"""A document that was read, or a file."""


def rendering(store: Store, *, password: Password = None) -> PageService:
    """The service `render`: an entry for each page with the name of its image, or the error."""
    drawn = _Rendering(store, password)
    return PageService(drawn.numbers, drawn.some)


class _Rendering:
    """Documents are opened and rendered in workers. Thread-safe."""

    def __init__(self, store: Store, password: Password) -> None:
        self._store = store
        self._sources = Sources(store)
        self._password = password

    def numbers(self, document: Drawable, *, dpi: int, grey: bool, pages: str | None) -> Sequence[int]:
        if not isinstance(self._store, ArtifactStore):
            raise UsageError("images of pages are stored by name, in a folder or a bucket; choose a store")
        with self._opened(document) as source:
            return page_numbers(pages, look_into(source, shared_pool()).pages)

    def some(
        self, numbers: Sequence[int], on_event: Sink, document: Drawable, *, dpi: int, grey: bool, pages: str | None
    ) -> list[PageEntry]:
        assert isinstance(self._store, ArtifactStore)
        options = RenderOptions(dpi=dpi, grey=grey)
        with self._opened(document) as source:
            drawing = partial(draw, source, options=options)
            names = PageImages(self._store).save_drawn(source.id, numbers, options, drawing, on_event=on_event)
        return [_entry(number, name) for number, name in zip(numbers, names, strict=True)]

    @contextmanager
    def _opened(self, document: Drawable) -> Iterator[Opened]:
        if "source" in document:
            document = document["source"]
        source = SourceRef.from_json(document)
        with self._sources.path(source) as path:
            yield Opened(path, source.name, source.id, password_of(self._password, source.path))


def _entry(number: int, name: str | InputError) -> PageEntry:
    if isinstance(name, InputError):
        return {"page": number, "error": reason_of(name)}
    return {"page": number, "image": name}

"""The pictures of pages in the workspace of a solve: drawn once, by name in a store that has names."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial

from quire.core.context import Store
from quire.core.document import RenderOptions
from quire.core.errors import InputError, StoreError
from quire.core.events import Sink
from quire.core.keys import ArtifactKey
from quire.core.opened import Opened
from quire.output.place_crops import picture_id
from quire.reading.messages import DocumentReference
from quire.reading.worker_rendering import draw
from quire.store.artifacts import ArtifactStore
from quire.store.images import PageImages
from quire.store.scoped import document_in, scoped

_OPTIONS = RenderOptions()


class PagePictures:
    """Pictures of the pages of documents that were read. A tenant has its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def draw(self, reference: DocumentReference, source: Opened, pages: Sequence[int], sink: Sink) -> None:
        """Draw the pages that were not drawn yet, in workers."""
        drawing = partial(draw, source, options=_OPTIONS, fit=True)
        if isinstance(self._store, ArtifactStore):
            PageImages(self._store).save_drawn(_own_id(reference), pages, _OPTIONS, drawing, on_event=sink)
            return
        store = self._part(reference)
        missing = [page for page in pages if store.find(_key(reference, page)) is None]
        with closing(drawing(missing)) as drawn:
            for page, image in zip(missing, drawn, strict=True):
                if not isinstance(image, InputError):
                    id = reference["source"]["id"]
                    store.save(_key(reference, page), image.png, stage="page-image", document=id, page=page)

    def load(self, reference: DocumentReference, page: int) -> bytes:
        """The picture of a page. Raises StoreError for one that could not be drawn."""
        if isinstance(self._store, ArtifactStore):
            return PageImages(self._store).load(_own_id(reference), page)
        store = self._part(reference)
        digest = store.find(_key(reference, page))
        if digest is None:
            raise StoreError(f"page {page} of {reference['source']['name']} was not drawn")
        return store.load(digest)

    def _part(self, reference: DocumentReference) -> Store:
        return scoped(self._store, reference.get("scope", ""))


def _own_id(reference: DocumentReference) -> str:
    """The id of a document among those of all tenants: pictures are named by it, and deleted with it."""
    return document_in(reference.get("scope", ""), reference["source"]["id"])


def _key(reference: DocumentReference, page: int) -> ArtifactKey:
    return picture_id(reference["source"]["id"], page, dpi=_OPTIONS.dpi)

"""Pictures of pages for flows, under names that other programs find."""

from __future__ import annotations

from quire.context import Json, Store
from quire.document import RenderOptions
from quire.errors import InputError, UsageError
from quire.running.flows.resolving import Service
from quire.running.request import SourceRef
from quire.running.sources import open_source
from quire.selection import page_numbers
from quire.store.artifacts import ArtifactStore
from quire.store.images import PageImages


def rendering(store: Store, *, password: str | None = None) -> Service:
    """The service `render`: gives a list by page of where each picture is, or why there is none."""

    def render(document: Json, *, dpi: int, grey: bool, pages: str | None) -> Json:
        if not isinstance(store, ArtifactStore):
            raise UsageError("pictures of pages are kept by name, in a folder or a bucket; name a store")
        source = document.get("source", document)  # of a document that was read, or a file
        with open_source(store, SourceRef(**source), password=password) as opened:
            names = PageImages(store).save(opened, pages, RenderOptions(dpi=dpi, grey=grey))
            numbers = page_numbers(pages, opened.page_count)
        return [_told(number, name) for number, name in zip(numbers, names, strict=True)]

    return render


def _told(number: int, name: str | InputError) -> Json:
    if isinstance(name, InputError):
        return {"page": number, "error": str(name.args[0])}
    return {"page": number, "image": name}

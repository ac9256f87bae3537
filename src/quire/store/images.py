"""Page images under names that people and other programs can find without a database."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass

from quire.core.document import Document, PageImage, RenderOptions, page_image_name
from quire.core.errors import InputError, StoreError
from quire.core.events import Sink, Teller, reason_of
from quire.core.keys import ArtifactKey, Profile, artifact_key, digest_bytes
from quire.core.page_ranges import Pages, check_pages, page_numbers
from quire.store.artifacts import ArtifactStore
from quire.system.budget import cpu_budget
from quire.system.stage_versions import stage_version

STAGE = "page-image"
DOCUMENTS = "documents/"
"""Named objects of a document are in a subfolder of this one, and are deleted with the document."""
BATCH = 32
"""Pictures written and recorded in one batch."""

Draw = Callable[[Sequence[int]], Iterator[PageImage | InputError]]
"""Draws pages, in order."""

_USUAL = RenderOptions()


@dataclass(frozen=True, slots=True)
class _Drawing(Profile):
    """Options that change a picture."""

    dpi: int
    max_bytes: int
    max_pixels: int
    grey: bool


def image_name(document: str, page: int, options: RenderOptions = _USUAL) -> str:
    """The name of the picture of a page: `documents/{id}/pages/page-001.png`, or `renders/…` for other options."""
    if options == _USUAL:
        return page_image_name(document, page)
    return f"{DOCUMENTS}{document}/renders/{_profile(options).digest()[:16]}/page-{page:03}.png"


def document_of(name: str) -> str:
    """The id of the document of a named object."""
    return name.removeprefix(DOCUMENTS).partition("/")[0]


class PageImages:
    """The page images in a store. Its digest and size are recorded for each. Not thread-safe."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    def save(
        self,
        document: Document,
        pages: Pages | None = None,
        options: RenderOptions = _USUAL,
        *,
        threads: int | None = None,
        on_event: Sink | None = None,
    ) -> list[str | InputError]:
        """Render and save the pages that are missing; returns the name of each page, in order.

        A page that cannot be rendered has its error instead of a name. Pages are rendered in this process, by default
        with one of the `threads` per CPU; only a few pictures are in memory at a time.
        """

        def draw(numbers: Sequence[int]) -> Iterator[PageImage | InputError]:
            return document.reader.render(numbers, options, threads=threads or cpu_budget())

        numbers = page_numbers(check_pages(pages), document.page_count)
        return self.save_drawn(document.id, numbers, options, draw, on_event=on_event)

    def save_drawn(
        self,
        document: str,
        numbers: Sequence[int],
        options: RenderOptions,
        draw: Draw,
        *,
        on_event: Sink | None = None,
    ) -> list[str | InputError]:
        """Like `save`, with a custom renderer: `draw` is called with the missing pages."""
        names: dict[int, str | InputError] = {n: image_name(document, n, options) for n in numbers}
        missing = self._missing(document, numbers, options)
        teller = Teller("", (on_event,) if on_event else (), document)
        with closing(_all_of(missing, draw)) as coming:
            for begin in range(0, len(missing), BATCH):
                names.update(self._save(document, missing[begin : begin + BATCH], coming, options, teller))
        return list(names.values())

    def load(self, document: str, page: int, options: RenderOptions = _USUAL) -> bytes:
        """A saved picture, verified. Raises StoreError when it is missing or damaged."""
        store, name = self._store, image_name(document, page, options)
        recorded = store.find(_key(document, page, options))
        png = store.objects.read(name) if recorded is not None else None
        if recorded is None or png is None:
            raise StoreError(f"there is no {name} in {store.place}; save the pictures of the document first")
        if digest_bytes(png) != json.loads(store.load(recorded))["digest"]:
            store.objects.delete([name])  # so that it is drawn again
            raise StoreError(
                f"{store.place}/{name} was damaged and is removed; save the pictures of the document again"
            )
        return png

    def _missing(self, document: str, numbers: Sequence[int], options: RenderOptions) -> list[int]:
        """The pages whose picture is not recorded, or missing; in one query."""
        keys = {number: _key(document, number, options) for number in numbers}
        known = self._store.find_many(list(keys.values()))
        folder = image_name(document, 1, options).rpartition("/")[0]
        there = {found.name for found in self._store.objects.list(f"{folder}/")} if known else set()
        return [n for n, key in keys.items() if key not in known or image_name(document, n, options) not in there]

    def _save(
        self,
        document: str,
        numbers: Sequence[int],
        coming: Iterator[PageImage | InputError],
        options: RenderOptions,
        teller: Teller,
    ) -> dict[int, InputError]:
        """Write the pictures of these pages, then record them; returns the errors of those that cannot be rendered."""
        entries: dict[int, bytes] = {}
        failed: dict[int, InputError] = {}

        def pictures() -> Iterator[tuple[str, bytes]]:
            for number, drawn in zip(numbers, coming, strict=False):
                if isinstance(drawn, InputError):
                    failed[number] = drawn
                    teller.emit("failed", "render", page=number, payload={"reason": reason_of(drawn)})
                    continue
                entries[number] = _entry(drawn)
                teller.emit("finished", "render", page=number, payload=_payload(drawn))
                yield image_name(document, number, options), drawn.png

        self._store.objects.write_many(pictures())
        for number, entry in entries.items():
            self._store.save(_key(document, number, options), entry, stage=STAGE, document=document, page=number)
        self._store.flush()
        return failed


def _all_of(pages: Sequence[int], draw: Draw) -> Generator[PageImage | InputError]:
    yield from draw(pages) if pages else ()
    while True:
        yield InputError("the reader stopped before this page")


def _payload(drawn: PageImage) -> dict[str, object]:
    size = {"bytes": len(drawn.png), "width": drawn.width, "height": drawn.height}
    return {"ms": round(drawn.render_ms, 3), **size}


def _entry(drawn: PageImage) -> bytes:
    entry = {
        "digest": digest_bytes(drawn.png),
        "size": len(drawn.png),
        "width": drawn.width,
        "height": drawn.height,
        "dpi": drawn.dpi,
    }
    return json.dumps(entry, sort_keys=True).encode()


def _profile(options: RenderOptions) -> _Drawing:
    return _Drawing(**asdict(options))


def _key(document: str, page: int, options: RenderOptions) -> ArtifactKey:
    return artifact_key(STAGE, stage_version(STAGE), (document, str(page)), _profile(options).digest())

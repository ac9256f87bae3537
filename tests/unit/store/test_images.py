"""Pictures of pages by name: drawn once, in order, verified, gone with their document."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from io import BytesIO

import pytest
from PIL import Image

from quire.core.document import READERS, Document, PageImage, RenderOptions
from quire.core.errors import InputError, StoreError, UsageError
from quire.durable.deletion import delete_documents
from quire.store.artifacts import DAY_S
from quire.store.files import FileStore
from quire.store.garbage import collect
from quire.store.images import BATCH, PageImages, image_name
from quire.store.opening import open_store
from tests import documents
from tests.fakes.readers import LimpingReader
from tests.marking import on_servers

pytestmark = pytest.mark.both_readers

GREY = RenderOptions(dpi=50, grey=True)


class DrawingReader(LimpingReader):
    """Remembers which pages it drew; one of them cannot be drawn, and one is the last before it gives up."""

    broken = 0
    last = 10_000

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        for number in pages:
            if number > self.last:
                return
            self.asked.append(number)
            if number == self.broken:
                yield InputError("no picture", document="report.pdf", page=number)
            else:
                yield from self._inner.render([number], options)


def open_drawing(document: Document) -> DrawingReader:
    return DrawingReader(document)


@pytest.fixture
def document(monkeypatch):
    """Five pages, with a reader that records which of them it rendered."""
    monkeypatch.setattr(DrawingReader, "broken", 0)
    monkeypatch.setattr(DrawingReader, "last", 10_000)
    monkeypatch.setitem(READERS, "application/pdf", f"{__name__}:open_drawing")
    with Document(documents.simple(5), name="report.pdf") as opened:
        yield opened


@pytest.fixture(params=["folder", on_servers("bucket")])
def store(request, tmp_path):
    if request.param == "folder":
        opened = FileStore(tmp_path)
    else:
        opened = open_store(request.getfixturevalue("s3_url"), request.getfixturevalue("postgres_url"))
    with opened:
        yield opened


def asked(document: Document) -> list[int]:
    return document.reader.asked  # type: ignore[attr-defined]


def test_each_page_has_a_name_in_the_order_of_the_document(store, document):
    names = PageImages(store).save(document)
    assert names == [f"documents/{document.id}/pages/page-00{number}.png" for number in range(1, 6)]
    for number, name in enumerate(names, start=1):
        assert store.objects.read(name) == document.page(number).image().png


def test_a_picture_is_drawn_once(store, document):
    images = PageImages(store)
    images.save(document, pages="2-3", options=GREY)
    names = images.save(document, options=GREY)
    assert asked(document) == [2, 3, 1, 4, 5]
    assert images.save(document, options=GREY) == names
    assert asked(document) == [2, 3, 1, 4, 5]


def test_other_options_are_other_pictures(store, document):
    images = PageImages(store)
    (usual,) = images.save(document, pages=1)
    (grey,) = images.save(document, pages=1, options=GREY)
    assert grey != usual
    assert grey.startswith(f"documents/{document.id}/renders/")
    assert Image.open(BytesIO(images.load(document.id, 1, GREY))).mode == "L"


def test_a_page_that_cannot_be_drawn_is_told_in_its_place(store, document, monkeypatch):
    monkeypatch.setattr(DrawingReader, "broken", 2)
    first, second, third, *_ = PageImages(store).save(document, options=GREY)
    assert isinstance(second, InputError)
    assert (first, third) == (image_name(document.id, 1, GREY), image_name(document.id, 3, GREY))
    monkeypatch.setattr(DrawingReader, "broken", 0)
    assert image_name(document.id, 2, GREY) in PageImages(store).save(document, options=GREY)
    assert asked(document) == [1, 2, 3, 4, 5, 2], "only that one is tried again"


def test_a_reader_that_stops_early_is_told_for_each_page(store, document, monkeypatch):
    monkeypatch.setattr(DrawingReader, "last", 3)
    *_, fourth, fifth = PageImages(store).save(document, options=GREY)
    assert "stopped before this page" in str(fourth)
    assert "stopped before this page" in str(fifth)


def test_a_picture_that_is_gone_is_drawn_again(store, document):
    images = PageImages(store)
    images.save(document, options=GREY)
    store.objects.delete([image_name(document.id, 4, GREY)])
    with pytest.raises(StoreError, match="save the pictures"):
        images.load(document.id, 4, GREY)
    images.save(document, options=GREY)
    assert asked(document)[5:] == [4]


def test_a_damaged_picture_is_told_and_drawn_again(store, document):
    images = PageImages(store)
    images.save(document, options=GREY)
    store.objects.write(image_name(document.id, 4, GREY), b"not what was drawn")
    with pytest.raises(StoreError, match="was damaged"):
        images.load(document.id, 4, GREY)
    images.save(document, options=GREY)
    assert images.load(document.id, 4, GREY).startswith(b"\x89PNG")


def test_more_pages_than_a_batch_keep_their_order(store):
    with Document(documents.simple(BATCH + 3)) as document:
        names = PageImages(store).save(document, options=RenderOptions(dpi=10))
        widths = {Image.open(BytesIO(store.objects.read(name))).size for name in names}
    assert [name[-7:-4] for name in names] == [f"{number:03}" for number in range(1, BATCH + 4)]
    assert len(widths) == 1


def test_pictures_go_with_their_document(store, document):
    PageImages(store).save(document, options=GREY)
    with Document(documents.simple(1)) as other:
        PageImages(store).save(other, options=GREY)
        delete_documents(store, [document.id])
        assert [found.name for found in store.objects.list("documents/")] == [image_name(other.id, 1, GREY)]
        assert PageImages(store).load(other.id, 1, GREY)
    with pytest.raises(StoreError, match="there is no"):
        PageImages(store).load(document.id, 1, GREY)


def test_pictures_that_nobody_has_recorded_are_garbage_once_they_are_old(store, document):
    with Document(documents.simple(1)) as kept:
        PageImages(store).save(kept, options=GREY)
    PageImages(store).save(document, options=GREY)
    store.database.change("DELETE FROM facts WHERE document = ?", (document.id,))
    assert collect(store).images == 0, "somebody may be about to record them"
    assert collect(store, dry_run=True, clock=lambda: time.time() + 2 * DAY_S).images == 5
    assert len(list(store.objects.list("documents/"))) == 6
    assert collect(store, clock=lambda: time.time() + 2 * DAY_S).images == 5
    assert [found.name for found in store.objects.list("documents/")] == [image_name(kept.id, 1, GREY)]


def test_a_page_that_is_not_there_is_refused(store, document):
    with pytest.raises(UsageError, match="there is no page 9"):
        PageImages(store).save(document, pages=[9])

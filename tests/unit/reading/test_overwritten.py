"""Files that are overwritten while they are read: what is kept under an id was made of exactly the bytes of that id."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

import quire
from quire.core.document import IN_MEMORY_BYTES, Document, RenderOptions
from quire.core.errors import ChangedError, InputError
from quire.core.hashing import SETTLED_NS, FileState, hash_file, steady_state
from quire.durable.reads.read_request import ReadRequest, SourceRef
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.reads.sources import PIECE_BYTES, Sources, keep_source
from quire.store.files import FileStore
from tests import documents, scans
from tests.fakes.engines import NumberEngine

pytestmark = pytest.mark.processes

PAGES = 6
PDF_PAGES = 120  # the compiled reader works some pages ahead
CHANGED = "changed while it was read; read it again"


def pdf(version: int) -> bytes:
    """A text on every page; all versions are alike but for a digit."""
    lines = [f"This is version {version}, and this line comes again and again", "on every page of it"] * 5
    return documents.placed(*[documents.listed([f"Page {page}", *lines], 72, 150) for page in range(PDF_PAGES)])


def tiff(first: int) -> bytes:
    """Numbered sheets."""
    sheets = [Image.open(io.BytesIO(scans.numbered_sheet(first + n).png(50))).convert("L") for n in range(PAGES)]
    file = io.BytesIO()
    sheets[0].save(file, "TIFF", save_all=True, append_images=sheets[1:], dpi=(50, 50))
    return file.getvalue()


def large(data: bytes, path: Path) -> Path:
    """The document with a hole that makes it too large for memory."""
    end = data.rindex(b"startxref") if data.startswith(b"%PDF") else len(data)
    with path.open("wb") as file:
        file.write(data[:end] + b"\n%")
        file.truncate(IN_MEMORY_BYTES + 1)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + data[end:])
    return path


def overwrite(path: Path, other: Path) -> None:
    """In place: processes that have the file open read the new bytes. The hole in the middle of a large one stays."""
    size, part = other.stat().st_size, 1 << 20
    with other.open("rb") as new, path.open("r+b") as file:
        for start in {0, max(0, size - part)}:
            new.seek(start)
            file.seek(start)
            file.write(new.read(part))
        file.truncate(size)


class Overwriting:
    """Overwrites a file when the text of the second page has been read."""

    def __init__(self, path: Path, other: Path) -> None:
        self._path, self._other = path, other
        self.done = False

    def __call__(self, event) -> None:
        if not self.done and (event.kind, event.page) == ("finished", 2):
            overwrite(self._path, self._other)
            self.done = True


@pytest.fixture(params=["native", "pure"])
def either_reader(request, monkeypatch):
    if request.param == "pure":
        monkeypatch.setenv("QUIRE_NATIVE", "0")


@pytest.fixture(params=["in memory", "large"])
def versions(request, tmp_path):
    """Makes two versions of a document, small or too large for memory."""

    def make(one: bytes, two: bytes, ending: str) -> tuple[Path, Path]:
        paths = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
        for data, path in zip((one, two), paths, strict=True):
            if request.param == "large":
                large(data, path)
            else:
                path.write_bytes(data)
        return paths

    return make


def race(one: Path, two: Path, store: Path, **options) -> None:
    """Read a file while it is overwritten; then the untouched original must read as if nothing had happened."""
    calm = quire.read(one, **options)
    racing = one.with_stem("racing")
    shutil.copyfile(one, racing)
    change = Overwriting(racing, two)
    try:
        result = quire.read(racing, store=store, on_event=change, **options)
    except InputError as error:
        assert "read it again" in str(error)
    else:
        reasons = [page.info.reason for page in result.pages if page.status == "failed"]
        assert all("read it again" in reason for reason in reasons)
        assert reasons or [page.text for page in result.pages] == [page.text for page in calm.pages]
    assert change.done
    assert quire.read(one, store=store, **options).to_json() == calm.to_json()


@pytest.mark.usefixtures("either_reader")
def test_a_pdf_that_is_overwritten_does_not_poison_the_store(versions, tmp_path):
    race(*versions(pdf(1), pdf(2), ".pdf"), tmp_path / "store", threads=1)


def test_a_tiff_that_is_overwritten_does_not_poison_the_store(versions, tmp_path):
    race(*versions(tiff(1), tiff(101), ".tif"), tmp_path / "store", engines=NumberEngine(), workers=1)


@pytest.mark.usefixtures("either_reader")
def test_steps_of_a_run_of_a_file_that_is_overwritten_do_not_poison_the_store(versions, tmp_path):
    """The worker has the document open from the first step on."""
    one, two = versions(pdf(1), pdf(2), ".pdf")
    calm = quire.read(one).to_json()
    racing = one.with_stem("racing")
    shutil.copyfile(one, racing)
    asked = ReadRequest(SourceRef.of(racing))
    with FileStore(tmp_path / "store") as store:
        steps = DocumentSteps(store, workers=1)
        quiet = "run", lambda event: None
        reader = steps.plan(asked, *quiet)["reader"]
        assert not any(outcome.failed for outcome in steps.group(asked, reader, [1, 2], *quiet))
        overwrite(racing, two)
        try:
            outcomes = steps.group(asked, reader, range(3, PDF_PAGES + 1), *quiet)
            assert {outcome.failed for outcome in outcomes} == {""}
        except ChangedError as error:
            assert "read it again" in str(error)
        assert quire.read(one, store=store).to_json() == calm


@pytest.mark.usefixtures("either_reader")
def test_pages_of_a_large_file_are_refused_once_it_changed(tmp_path):
    path, other = large(pdf(1), tmp_path / "a.pdf"), large(pdf(2), tmp_path / "b.pdf")
    with Document(path) as document:
        assert document.content is None
        texts = document.reader.text([1, 2, 3])
        assert isinstance(next(texts), bytes)
        document.check_unchanged()
        overwrite(path, other)
        refused = [*texts, *document.reader.render([1], RenderOptions())]
        assert [str(error) for error in refused] == [f"a.pdf: {CHANGED}"] * 3
        for use in (document.check_unchanged, document.read_bytes, document.reader.outline):
            with pytest.raises(InputError, match=CHANGED):
                use()


def test_a_small_file_is_read_once(saved):
    path = saved(pdf(1))
    with Document(path) as document:
        assert document.content == path.read_bytes()
        path.write_bytes(pdf(2))
        document.check_unchanged()
        assert "version 1" in " ".join(document.page(6).text().texts)
    with pytest.raises(InputError, match=CHANGED):
        document.reader  # noqa: B018 - it was closed, and the bytes of its id are gone


def test_another_file_that_takes_the_name_is_refused(tmp_path):
    path, other = large(tiff(1), tmp_path / "a.tif"), large(tiff(101), tmp_path / "b.tif")
    with Document(path) as document:
        document.page(1).image()
        other.rename(path)
        with pytest.raises(InputError, match=CHANGED):
            document.page(1).image()


def test_a_time_that_was_set_back_does_not_hide_a_change(tmp_path):
    path = large(pdf(1), tmp_path / "a.pdf")
    with Document(path) as document:
        assert document.id == hash_file(path).digest
        was = path.stat()
        overwrite(path, large(pdf(2), tmp_path / "b.pdf"))
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
        with pytest.raises(InputError, match=CHANGED):
            document.check_unchanged()


def test_a_large_file_that_is_back_as_it_was_can_be_used_again(tmp_path):
    """As workers do, which keep documents open between jobs."""
    path, same = large(pdf(1), tmp_path / "a.pdf"), large(pdf(1), tmp_path / "same.pdf")
    with Document(path) as document:
        assert document.id == hash_file(same).digest
        text = document.page(2).text()
        overwrite(path, large(pdf(2), tmp_path / "b.pdf"))
        document.refresh()
        with pytest.raises(InputError, match=CHANGED):
            document.page(2)
        overwrite(path, same)
        document.refresh()
        assert document.page(2).text().to_bytes() == text.to_bytes()


def test_a_known_digest_spares_reading_only_while_the_file_is_as_it_was(tmp_path, monkeypatch):
    path, other = large(pdf(1), tmp_path / "a.pdf"), large(pdf(2), tmp_path / "b.pdf")
    steady_state(path)
    known = hash_file(path)
    with monkeypatch.context() as patch:
        patch.setattr("quire.core.document.hash_file", lambda path: pytest.fail("it was read"))
        assert Document(path, known=known).id == known.digest
    overwrite(path, other)
    assert Document(path, known=known).id == hash_file(other).digest != known.digest


def test_a_state_is_trusted_when_the_clock_of_the_file_system_has_moved_on():
    fine, coarse = FileState(1, 5, 1_000_000_001), FileState(1, 5, 1_000_000_000)
    assert not fine.shows_changes(1_000_000_002)
    assert fine.shows_changes(1_500_000_000)
    assert not coarse.shows_changes(1_500_000_000)
    assert coarse.shows_changes(1_000_000_000 + SETTLED_NS)


def test_a_large_source_is_kept_and_copied_in_pieces(tmp_path):
    path = large(pdf(1), tmp_path / "a.pdf")
    source = SourceRef.of(path)
    elsewhere = SourceRef(source.id, source.name, str(tmp_path / "elsewhere" / "a.pdf"), stored=True)
    with FileStore(tmp_path / "store") as store:
        saved, save = [], store.save
        store.save = lambda key, data, **facts: saved.append(len(data)) or save(key, data, **facts)
        keep_source(store, source)
        assert max(saved) == PIECE_BYTES
        with Sources(store).path(elsewhere) as copy, Document(copy) as document:
            assert document.id == source.id
            assert document.page_count == PDF_PAGES

"""Documents and pages: bytes with an identity, opened lazily by the reader for their media type."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar
from weakref import finalize

from quire.core.errors import ChangedError, CorruptError, InputError, UnsupportedError, UsageError, is_text
from quire.core.hashing import FileState, Hashed, hash_file, steady_state
from quire.core.keys import Digest, digest_bytes
from quire.core.media_types import HEAD_BYTES, INPUT_FORMATS, TAIL_BYTES, media_type_of, refusal
from quire.core.pagetext import PageText
from quire.core.regular_files import kind_of, open_file
from quire.core.types import OutlineEntry, PageInfo, shortened

if TYPE_CHECKING:
    from quire.core.bundle import Bundle
    from quire.core.fetch_policy import FetchPolicy

T = TypeVar("T")

Source = str | Path | bytes | bytearray | memoryview | BinaryIO
"""A source to read: a path, a URL (`https://…`), bytes, or a binary file object."""

IN_MEMORY_BYTES = 64 << 20
"""Files up to this size are read into memory once; larger ones are read lazily, page by page."""

READERS: Mapping[str, str] = {
    "application/pdf": "quire.pages.render.pdf:open_pdf",
    "image/png": "quire.pages.render.images:open_images",
    "image/jpeg": "quire.pages.render.images:open_images",
    "image/tiff": "quire.pages.render.images:open_images",
    "image/webp": "quire.pages.render.images:open_images",
    "image/bmp": "quire.pages.render.images:open_images",
    # In a worker process, which only orchestration may start: hence by name.
    **dict.fromkeys(INPUT_FORMATS, "quire.reading.bundles:open_bundle"),
}
"""Media type to the function that opens it: `module:function(document) -> Reader`."""
FETCH = "quire.net.fetching:fetch"
"""The function that downloads a document from its URL: by name too, because few documents come from one."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Settings of rendering pages. `max_pixels` is checked before anything is allocated."""

    dpi: int = 150
    max_bytes: int = 20_000_000
    max_pixels: int = 120_000_000
    grey: bool = False


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as PNG. `dpi` is lower than requested if the picture would have exceeded the byte limit."""

    number: int
    png: bytes
    width: int
    height: int
    dpi: int
    mode: str  # "L", "P" or "RGB"
    render_ms: float


class Reader(Protocol):
    """An opened document. Pages are numbered from 1; results come in the order of `pages`.

    A page that cannot be read yields the error instead of a value: one bad page never loses the document.
    """

    @property
    def name(self) -> str:
        """The name of the reader and the version of what it reads by: part of the key of its output."""
        ...

    @property
    def page_count(self) -> int: ...

    def info(self, number: int) -> PageInfo:
        """Displayed size in points and rotation of a page."""
        ...

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        """The native text of each page, as the bytes of a `PageText`."""
        ...

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]: ...

    def outline(self) -> Sequence[OutlineEntry]: ...

    def metadata(self) -> Mapping[str, str]: ...

    def close(self) -> None: ...


def page_image_name(document: str, page: int) -> str:
    """The name of the picture of a page in a store, by the id of its document: `documents/{id}/pages/page-018.png`."""
    return f"documents/{document}/pages/page-{page:03}.png"


class Document:
    """Bytes with an id (their sha256), a name and a media type; opened on first use, closed with `close`.

    The output of a reader always comes from exactly the bytes of the id. A file of up to `IN_MEMORY_BYTES` is loaded
    once, and hashed and read from memory until `close`. A larger one stays on disk: the output of its reader is
    returned only while the file is in the state in which it was hashed.
    """

    def __init__(
        self,
        source: Source,
        *,
        name: str | None = None,
        password: str | None = None,
        known: Hashed | None = None,
        fetch: FetchPolicy | None = None,
        bundle: Bundle | None = None,
    ) -> None:
        """`known` is an earlier digest of the file at this path: it saves hashing a file that has not changed since.
        `fetch` has the limits for a source that is a URL, which is downloaded immediately to a temporary file that is
        removed with the document. `bundle` is the converted document, if it was converted before."""
        if password is not None and not is_text(password):
            raise UsageError("the password is not valid text: encode it as UTF-8")
        self.password = password
        self.bundle = bundle
        self.path: Path | None = None
        self.data: bytes | None = None
        self.url: str | None = None
        if is_url(source):
            self.url = str(source)
            self.path, fetched_name = self._fetched(self.url, fetch)
            name = name or fetched_name
        elif isinstance(source, (str, Path)):
            self.path = _existing(source)
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self.data = bytes(source)
        elif hasattr(source, "read"):
            try:
                self.data = source.read()
            except UnicodeDecodeError:
                self.data = None
            if not isinstance(self.data, bytes):
                raise UsageError("the file object returns text, not bytes: open it with mode 'rb'")
            name = name or Path(str(getattr(source, "name", "") or "")).name
        else:
            raise UsageError(
                f"cannot read {type(source).__name__}: pass a path, a URL, bytes, a binary file object or a Document"
            )
        self.name = name or (self.path.name if self.path else "") or "document"
        self._reader: Reader | None = None
        self._id: Digest | None = None
        self._known = known
        self._content = self.data
        self._state: FileState | None = None  # of a file that is too large for memory
        head = self._head()
        if not head:
            raise CorruptError("the file is empty", document=self.name)
        self.media_type = media_type_of(head, self.name, self._tail)

    @classmethod
    def load(cls, path: str | Path, *, password: str | None = None) -> Document:
        """The document in a file. Raises InputError when there is no such file."""
        if not isinstance(path, (str, Path)):
            raise UsageError(f"load takes a path, not {type(path).__name__}; from_bytes takes bytes")
        return cls(path, password=password)

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, name: str, password: str | None = None) -> Document:
        """A document in memory. Its output files are named after `name`, which also decides the file type if the bytes
        do not."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise UsageError(f"from_bytes takes bytes, not {type(data).__name__}; load takes a path")
        return cls(data, name=name, password=password)

    def __repr__(self) -> str:
        return f"Document({shortened(self.name)!r}, {self.media_type or 'unknown'})"

    @property
    def id(self) -> Digest:
        """sha256 of the bytes."""
        if self._id is None and self.content is None:
            self._id = self._digest_of_file()
        if self._id is None:  # only for bytes; a file that was loaded into memory has it by now
            self._id = digest_bytes(self._content or b"")
        return self._id

    @property
    def size(self) -> int:
        return len(self._content) if self._content is not None else FileState.at(self._path()).size

    @property
    def content(self) -> bytes | None:
        """All bytes; None for a file that is too large for memory, which is read by its path."""
        if self._content is None and self._state is None:
            self._load()
        return self._content

    @property
    def hashed(self) -> Hashed | None:
        """The digest of the file, for another `Document` of it; None for bytes without a file."""
        self.id  # noqa: B018 - makes it
        return self._known

    @property
    def reader(self) -> Reader:
        """The opened document. Raises a typed error if it cannot be opened."""
        if self._reader is None:
            kept_in_memory = self.content is not None
            where = READERS.get(self.media_type)
            if where is None:
                advice = refusal(self.media_type) or (
                    "Quire reads PDF, pictures, office files, HTML, Markdown, CSV, e-mail and more, see the guide on "
                    "formats"
                )
                kind = self.media_type or "this kind of file"
                raise UnsupportedError(f"cannot read {kind}; {advice}", document=self.name)
            module, function = where.split(":")
            reader: Reader = getattr(import_module(module), function)(self)
            self._reader = reader if kept_in_memory else _Watched(reader, self.check_unchanged)
        return self._reader

    def open(self) -> BinaryIO:
        """The bytes as a new file object. Data read from a large file is valid once `check_unchanged` passes."""
        content = self.content
        if content is not None:
            return BytesIO(content)
        try:
            file = open_file(self._path())
        except OSError as error:
            raise self._unreadable(error) from error
        if FileState.of(os.fstat(file.fileno())) != self._state:
            file.close()
            raise self._changed()
        return file

    def read_bytes(self) -> bytes:
        """All bytes, also of a file that is too large to be kept in memory."""
        with self.open() as file:
            content = file.read()
        self.check_unchanged()
        return content

    def check_unchanged(self) -> None:
        """Raise InputError if the bytes that a reader saw may differ from those of the id.

        Costs one `stat` for a large file and nothing for bytes in memory. Once this passes, everything read before may
        be stored under the id.
        """
        if not self._is_unchanged():
            raise self._changed()

    def refresh(self) -> None:
        """Close a large file that has changed, so that the next use reopens it and compares it with the id.

        For documents that stay open between jobs: the original file may have been restored.
        """
        if not self._is_unchanged():
            self.close()

    @property
    def page_count(self) -> int:
        return self.reader.page_count

    @property
    def metadata(self) -> Mapping[str, str]:
        return self.reader.metadata()

    def pages(self) -> Iterator[Page]:
        return (Page(self, number) for number in range(1, self.page_count + 1))

    def page(self, number: int) -> Page:
        if not 1 <= number <= self.page_count:
            raise UsageError(f"{self.name} has {self.page_count} pages, there is no page {number}")
        return Page(self, number)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        self._content = self.data
        self._state = None

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fetched(self, url: str, policy: FetchPolicy | None) -> tuple[Path, str]:
        module, function = FETCH.split(":")
        path, name = getattr(import_module(module), function)(url, policy)
        finalize(self, path.unlink, missing_ok=True)
        return path, name

    def _path(self) -> Path:
        assert self.path is not None
        return self.path

    def _head(self) -> bytes:
        if self.data is not None:
            return self.data[:HEAD_BYTES]
        try:
            with open_file(self._path()) as file:
                return file.read(HEAD_BYTES)
        except OSError as error:
            raise self._unreadable(error) from error

    def _tail(self) -> bytes:
        if self.data is not None:
            return self.data[-TAIL_BYTES:]
        try:
            with open_file(self._path()) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
                return file.read(TAIL_BYTES)
        except OSError as error:
            raise self._unreadable(error) from error

    def _load(self) -> None:
        """Load a small file into memory, or record the state of a large one.

        After `close` the file must still match the id.
        """
        try:
            began = time.time_ns()
            with open_file(self._path()) as file:
                state = FileState.of(os.fstat(file.fileno()))
                if state.size > IN_MEMORY_BYTES:
                    self._state = steady_state(self._path())
                    if self._id is not None:
                        self._digest_of_file()
                    return
                content = file.read()
                same = FileState.of(os.fstat(file.fileno())) == state
        except OSError as error:
            raise self._unreadable(error) from error
        if not content:
            raise CorruptError("the file is empty", document=self.name)
        known = self._known
        if known is None or not (same and known.holds(state)):
            known = Hashed(str(self.path), state, digest_bytes(content), began)
        if self._id not in (None, known.digest):
            raise self._changed()
        self._content, self._known, self._id = content, known, known.digest
        self.media_type = media_type_of(content[:HEAD_BYTES], self.name, self._tail)

    def _digest_of_file(self) -> Digest:
        """The digest of a large file in the recorded state."""
        assert self._state is not None
        known = self._known
        if known is None or not known.holds(self._state):
            try:
                known = hash_file(self._path())
            except OSError as error:
                raise self._unreadable(error) from error
        self.check_unchanged()
        if known.state != self._state or self._id not in (None, known.digest):
            self._state = None
            raise self._changed()
        self._known = known
        return known.digest

    def _is_unchanged(self) -> bool:
        try:
            return self._state is None or FileState.at(self._path()) == self._state
        except OSError:
            return False

    def _changed(self) -> ChangedError:
        return ChangedError("changed while it was read; read it again", document=self.name)

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(f"cannot be read: {error.strerror}", document=str(self.path))


def document_of(
    source: Source | Document, *, password: str | None = None, fetch: FetchPolicy | None = None
) -> Document:
    """The document to read, owned and closed by the caller.

    A `Document` that is passed in gets a separate reader: the original stays open, and is not read or hashed again.
    """
    if not isinstance(source, Document):
        return Document(source, password=password, fetch=fetch)
    if password is not None:
        raise UsageError("the password belongs to the Document: pass it there, Document(path, password=…)")
    document = copy(source)
    document._reader = None
    return document


class _Watched:
    """The reader of a file that is read lazily: returns results until the file changes, then errors."""

    def __init__(self, reader: Reader, check: Callable[[], None]) -> None:
        self._reader, self._check = reader, check
        self.name = reader.name
        self.page_count = self._checked(reader.page_count)

    def info(self, number: int) -> PageInfo:
        return self._checked(self._reader.info(number))

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        return (self._or_error(made) for made in self._reader.text(pages, threads=threads))

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        return (self._or_error(made) for made in self._reader.render(pages, options, threads=threads))

    def outline(self) -> Sequence[OutlineEntry]:
        return self._checked(self._reader.outline())

    def metadata(self) -> Mapping[str, str]:
        return self._checked(self._reader.metadata())

    def close(self) -> None:
        self._reader.close()

    def _checked(self, made: T) -> T:
        self._check()
        return made

    def _or_error(self, made: T) -> T | InputError:
        try:
            return self._checked(made)
        except InputError as error:
            return error


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a document; its text and picture are lazy."""

    document: Document
    number: int

    @property
    def id(self) -> str:
        return f"{self.document.id}/{self.number}"

    @property
    def info(self) -> PageInfo:
        return self.document.reader.info(self.number)

    def text(self) -> PageText:
        """The native text of the page. Raises the error of a page that cannot be read."""
        read = next(iter(self.document.reader.text([self.number])))
        if isinstance(read, InputError):
            raise read
        return PageText.from_bytes(read)

    def image(self, options: RenderOptions | None = None) -> PageImage:
        """The page as PNG. Raises the error of a page that cannot be rendered."""
        drawn = next(iter(self.document.reader.render([self.number], options or RenderOptions())))
        if isinstance(drawn, InputError):
            raise drawn
        return drawn

    def __repr__(self) -> str:
        return f"<Page {self.number} of {shortened(self.document.name)}>"

    def _repr_png_(self) -> bytes:
        return self.image().png


def is_url(source: object) -> bool:
    """Whether a source is the URL of a document, not a path."""
    return isinstance(source, str) and source[:8].lower().startswith(("http://", "https://"))


def _existing(source: str | Path) -> Path:
    path = Path(source)
    try:
        kind = kind_of(path.stat())
        if not kind:
            return path
        advice = "give a file in it" if path.is_dir() else "write the document to a file first"
        what = f"is {kind}, not a file; {advice}"
    except (FileNotFoundError, NotADirectoryError):
        what = "no such file"
    except (ValueError, OSError) as error:  # a name with a null byte, or one longer than the system allows
        what = f"is not a valid file name ({error})"
    raise InputError(what, document=str(source))

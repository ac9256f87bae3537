"""Documents and pages: bytes with an identity, opened lazily by the reader for their media type."""

from __future__ import annotations

import errno
import hashlib
import mimetypes
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from stat import S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFMT, S_IFSOCK, S_ISREG
from typing import BinaryIO, Protocol

from quire.errors import CorruptError, InputError, UnsupportedError, UsageError, is_text
from quire.keys import Digest
from quire.pagetext import PageText
from quire.types import OutlineEntry, PageInfo

Source = str | Path | bytes | bytearray | memoryview | BinaryIO
"""What can be read: a path, the bytes themselves, or a binary file object."""

READERS: Mapping[str, str] = {
    "application/pdf": "quire.render.pdf:open_pdf",
    "image/png": "quire.render.images:open_images",
    "image/jpeg": "quire.render.images:open_images",
    "image/tiff": "quire.render.images:open_images",
    "image/webp": "quire.render.images:open_images",
    "image/bmp": "quire.render.images:open_images",
}
"""Media type to the function that opens it: `module:function(document) -> Reader`."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How pages become pictures. `max_pixels` is checked before anything is allocated."""

    dpi: int = 150
    max_bytes: int = 20_000_000
    max_pixels: int = 120_000_000
    grey: bool = False


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as PNG. `dpi` is lower than asked for when the picture would have passed the byte limit."""

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
        """Which reader this is, for the key of what it makes: `pdfium-native`, `pdfium-python`, `image`."""
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


class Document:
    """Bytes with an id (their sha256), a name and a media type; opened on first use, closed with `close`.

    A path is read through the file, never held in memory as a whole; bytes and file objects are held.
    """

    def __init__(
        self, source: Source, *, name: str | None = None, password: str | None = None, id: Digest | None = None
    ) -> None:
        """`id` spares whoever knows it, and knows that the bytes are still the same, reading all of them."""
        if password is not None and not is_text(password):
            raise UsageError("the password is not valid text: give it as UTF-8")
        self.password = password
        self.path: Path | None = None
        self.data: bytes | None = None
        if isinstance(source, (str, Path)):
            self.path = _existing(source)
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self.data = bytes(source)
        elif hasattr(source, "read"):
            try:
                self.data = source.read()
            except UnicodeDecodeError:
                self.data = None
            if not isinstance(self.data, bytes):
                raise UsageError("the file object gives text, not bytes: open it with mode 'rb'")
            name = name or Path(str(getattr(source, "name", "") or "")).name
        else:
            raise UsageError(f"cannot read {type(source).__name__}: pass a path, bytes or a binary file object")
        self.name = name or (self.path.name if self.path else "") or "document"
        self._reader: Reader | None = None
        self._id = id
        head = self._head()
        if not head:
            raise CorruptError("the file is empty", document=self.name)
        self.media_type = _media_type(head, self.name)

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {self.media_type or 'unknown'})"

    @property
    def id(self) -> Digest:
        """sha256 of the bytes, read in pieces."""
        if self._id is None:
            self._id = Digest(self._digest())
        return self._id

    @property
    def size(self) -> int:
        return len(self.data) if self.data is not None else self._path().stat().st_size

    @property
    def reader(self) -> Reader:
        """The opened document. Raises the typed error of whatever is wrong with it."""
        if self._reader is None:
            where = READERS.get(self.media_type)
            if where is None:
                raise UnsupportedError(
                    f"cannot read {self.media_type or 'this kind of file'}; Quire reads PDF, PNG, JPEG, TIFF, WebP "
                    "and BMP",
                    document=self.name,
                )
            module, function = where.split(":")
            self._reader = getattr(import_module(module), function)(self)
        return self._reader

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

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self) -> Path:
        assert self.path is not None
        return self.path

    def _head(self) -> bytes:
        if self.data is not None:
            return self.data[:1024]
        try:
            with open_file(self._path()) as file:
                return file.read(1024)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", document=str(self.path)) from error

    def _digest(self) -> str:
        if self.data is not None:
            return hashlib.sha256(self.data).hexdigest()
        with open_file(self._path()) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a document; its text and picture are made when asked for."""

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
        """The page as PNG. Raises the error of a page that cannot be drawn."""
        drawn = next(iter(self.document.reader.render([self.number], options or RenderOptions())))
        if isinstance(drawn, InputError):
            raise drawn
        return drawn


_KINDS = {S_IFIFO: "a pipe", S_IFSOCK: "a socket", S_IFCHR: "a device", S_IFBLK: "a device", S_IFDIR: "a folder"}


def open_file(path: str | Path) -> BufferedReader:
    """Open a file for reading. Raises OSError, also for a pipe, a socket or a device: one may never end."""
    # Without waiting: opening a named pipe waits for somebody who writes into it.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    if kind := kind_of(os.fstat(file.fileno())):
        file.close()
        raise OSError(errno.EINVAL, f"{kind}, not a file", str(path))
    return file


def kind_of(status: os.stat_result) -> str:
    """What something with a path is if it is no file: "a pipe", "a folder"; empty for a file."""
    return "" if S_ISREG(status.st_mode) else _KINDS.get(S_IFMT(status.st_mode), "something else")


def _existing(source: str | Path) -> Path:
    path = Path(source)
    try:
        kind = kind_of(path.stat())
        if not kind:
            return path
        advice = "name a file in it" if path.is_dir() else "write the document to a file first"
        what = f"is {kind}, not a file; {advice}"
    except (FileNotFoundError, NotADirectoryError):
        what = "no such file"
    except (ValueError, OSError) as error:  # a name with a null byte, or one longer than the system allows
        what = f"is not the name of a file ({error})"
    raise InputError(what, document=str(source))


_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0", "image/tiff"),
    (b"MM\0+", "image/tiff"),
)


def _media_type(head: bytes, name: str) -> str:
    """From the first bytes; the name decides only what the bytes leave open."""
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":  # two letters alone would take text for a picture
        return "image/bmp"
    if b"%PDF-" in head:  # after some junk, as readers allow
        return "application/pdf"
    return mimetypes.guess_type(name)[0] or ""

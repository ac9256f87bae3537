"""PDF pages to native text and PNG, in parallel, with the interpreter lock released.

Pages are numbered from 1. Every document and every result belongs to one pool of worker threads per process, which
is as large as the largest `threads` asked for; each worker has a PDFium of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TypeAlias

__version__: str

SOURCE: str
"""A digest of the sources of the crate."""

Kind: TypeAlias = str
"""What is wrong: corrupt, internal, limit, password or unsupported."""

Failure: TypeAlias = tuple[Kind, str]
"""Kind and message, in place of the result of a page."""

Image: TypeAlias = tuple[bytes, int, int, int, str, float]
"""PNG, width, height, dpi, mode ("L", "P" or "RGB") and milliseconds."""

class PdfError(Exception):
    """A document or page that cannot be read. Its arguments are kind and message."""

    args: Failure

class Glyphs:
    """What PDFium gets wrong about characters: the tables of `quire.pages.render.glyphs`, in the crate's form."""

    def __new__(
        cls,
        symbols: Sequence[tuple[str, str, str]],
        expansions: Mapping[str, str],
        composed: Mapping[tuple[str, str], str],
    ) -> Glyphs: ...

class PdfFile:
    """An opened PDF, from a path or from bytes. May be used from any thread.

    Raises `PdfError` when it cannot be opened, also for one without pages.
    """

    def __new__(
        cls,
        library: PathLike[str],
        path: PathLike[str] | None = None,
        data: bytes | None = None,
        password: str | None = None,
    ) -> PdfFile: ...
    @property
    def page_count(self) -> int: ...
    @property
    def encrypted(self) -> bool: ...
    @property
    def permissions(self) -> int:
        """The bits of ISO 32000-1, table 22; all set when the document is not encrypted."""

    def info(self, number: int) -> tuple[float, float, int]:
        """Displayed width and height in points, and rotation in degrees."""

    def outline(self) -> list[tuple[int, str, int | None]]:
        """Level from 1, title and page of each bookmark."""

    def metadata(self) -> list[tuple[str, str]]:
        """Names and values, without empty ones of the file's own."""

    def plain(self, max_bytes: int) -> bytes | None:
        """The document as PDFium understands it: decrypted, without object streams; none when it is larger."""

    def text(self, pages: Sequence[int], glyphs: Glyphs, *, threads: int = 1) -> Iterator[bytes | Failure]:
        """The bytes of a `quire.core.pagetext.PageText` for each page, in the order of `pages`.

        Starts at once, with at most 2 * threads + 2 pages under way or waiting to be taken. Waiting releases the
        interpreter lock and answers Ctrl-C. A dropped iterator cancels the rest.
        """

    def render(
        self, pages: Sequence[int], *, dpi: int, max_bytes: int, max_pixels: int, grey: bool, threads: int = 1
    ) -> Iterator[Image | Failure]:
        """Each page as PNG, like `text`. `max_pixels` is checked first; `max_bytes` lowers the dpi."""

    def close(self) -> None:
        """Results already asked for still come; the workers close the document after them."""

def shutdown() -> None:
    """End the worker threads. Runs at exit; a later call of anything starts new ones."""

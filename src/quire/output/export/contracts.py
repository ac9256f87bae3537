"""The protocols of exports: a result is exported by these properties, whatever class it is of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from quire.core.document import Document
    from quire.core.engine import Attempt
    from quire.core.types import Block, PageInfo


class Described(Protocol):
    """A document that has a name, an id and a media type."""

    @property
    def name(self) -> str: ...

    @property
    def id(self) -> str:
        """sha256 of the document's bytes, in hexadecimal."""
        ...

    @property
    def media_type(self) -> str: ...


class Exportable(Described, Protocol):
    """A result that can be exported, or any other object with pages and blocks."""

    @property
    def pages(self) -> Sequence[PageInfo]: ...

    @property
    def blocks(self) -> Sequence[Block]: ...


@runtime_checkable
class Traced(Protocol):
    """Something exportable that knows how its pages were read."""

    @property
    def trace(self) -> Mapping[int, Sequence[Attempt]] | None:
        """The path of each OCR page; None when it was not requested."""
        ...


@runtime_checkable
class Structured(Protocol):
    """Something exportable that may have been converted: docling's own document of it is then exported."""

    @property
    def structure(self) -> Callable[[], bytes] | None:
        """Returns a DoclingDocument as JSON; None for a document that was not converted."""
        ...


@runtime_checkable
class Sourced(Protocol):
    """Something exportable that also knows its source document."""

    def source(self) -> Document:
        """The document that was read, opened again; the caller closes it."""
        ...

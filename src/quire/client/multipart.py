"""The body of a request with files: multipart/form-data, read from the files while it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from secrets import token_hex
from typing import BinaryIO

from quire.core.document import Document, Source
from quire.core.errors import InputError

PIECE_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file of a form; `open` opens it again for each attempt to send it."""

    name: str
    size: int
    open: Callable[[], BinaryIO]

    @classmethod
    def of(cls, source: Source | Document) -> FilePart:
        """A path, which is sent while it is read; bytes, a file object or a document in memory, as they are."""
        if not isinstance(source, Document):
            source = Document(source)  # raises an InputError that says what is wrong with a path
        if source.path is None:
            data = source.data or b""
            return cls(source.name, len(data), lambda: BytesIO(data))
        path = source.path
        return cls(source.name, path.stat().st_size, lambda: path.open("rb"))


class UploadForm:
    """A form with files and text fields."""

    def __init__(
        self, files: Sequence[FilePart], fields: dict[str, str], attached: Mapping[str, FilePart] | None = None
    ) -> None:
        """`attached` are files of further parts, by the name of the part."""
        self._boundary = token_hex(16)
        named = [*(("files", file) for file in files), *(attached or {}).items()]
        self._files = [
            (self._head(f'{name}"; filename="{_quoted(file.name)}', "application/octet-stream"), file)
            for name, file in named
        ]
        self._texts = [self._head(name) + value.encode() + b"\r\n" for name, value in fields.items()]
        self._end = f"--{self._boundary}--\r\n".encode()

    @property
    def headers(self) -> dict[str, str]:
        size = sum(map(len, self._texts)) + len(self._end)
        size += sum(len(head) + file.size + 2 for head, file in self._files)
        return {"Content-Type": f"multipart/form-data; boundary={self._boundary}", "Content-Length": str(size)}

    def pieces(self) -> Iterator[bytes]:
        yield from self._texts
        for head, file in self._files:
            yield head
            sent = 0
            with file.open() as opened:
                while piece := opened.read(min(PIECE_BYTES, file.size - sent)):
                    sent += len(piece)
                    yield piece
            if sent != file.size:
                raise InputError("has changed while it was sent; send it again", document=file.name)
            yield b"\r\n"
        yield self._end

    def _head(self, name: str, content_type: str = "") -> bytes:
        kind = f"Content-Type: {content_type}\r\n" if content_type else ""
        return f'--{self._boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n{kind}\r\n'.encode(
            "utf-8", "replace"
        )


def _quoted(name: str) -> str:
    """As browsers write file names (WHATWG HTML, multipart/form-data)."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")

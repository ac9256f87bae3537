"""A document without pages of its own, converted: the texts of its pages with their blocks, and its printed pages.

A `Bundle` is serialised as one `bytes` value, which is also its artifact:

    b"QBN1" | u32 length of the header | header, JSON in UTF-8 | the bytes of each `PageText` | PDF

Its structure, the DoclingDocument that docling made, is an artifact of its own: only exports need it.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

from quire.core.keys import Digest
from quire.core.types import PageInfo

MAGIC = b"QBN1"


@dataclass(frozen=True, slots=True)
class Bundle:
    """`reader` names what made it, for keys. `structure` is the digest of the DoclingDocument as JSON. `pdf` are the
    printed pages; without them pages cannot be rendered, and `unprinted` says why."""

    reader: str
    pages: tuple[PageInfo, ...]
    texts: tuple[bytes, ...]
    structure: Digest
    pdf: bytes | None = None
    unprinted: str = ""

    def to_bytes(self) -> bytes:
        header = {
            "reader": self.reader,
            "pages": [[info.number, info.width, info.height, info.rotation] for info in self.pages],
            "texts": [len(text) for text in self.texts],
            "structure": self.structure,
            "pdf": None if self.pdf is None else len(self.pdf),
            "unprinted": self.unprinted,
        }
        encoded = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return b"".join([MAGIC, struct.pack("<I", len(encoded)), encoded, *self.texts, self.pdf or b""])

    @classmethod
    def from_bytes(cls, data: bytes) -> Bundle:
        """Decode what `to_bytes` wrote. Raises ValueError for anything else."""
        if data[:4] != MAGIC or len(data) < 8:
            raise ValueError("not a converted document")
        (length,) = struct.unpack_from("<I", data, 4)
        at = 8 + length
        header: dict[str, Any] = json.loads(data[8:at])
        texts = []
        for size in header["texts"]:
            texts.append(data[at : at + size])
            at += size
        pages = tuple(PageInfo(*row) for row in header["pages"])
        pdf = None if header["pdf"] is None else data[at : at + header["pdf"]]
        return cls(header["reader"], pages, tuple(texts), header["structure"], pdf, header["unprinted"])

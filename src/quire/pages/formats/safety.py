"""Checks before a backend sees the bytes: archives that unpack to too much, encryption, entities.

Runs in worker processes, which have a deadline and a memory limit as well.
"""

from __future__ import annotations

import io
import re
import zipfile

from quire.core.errors import CorruptError, LimitError, PasswordError

MEMBERS = 10_000
TOTAL_BYTES = 512 << 20
MEMBER_BYTES = 128 << 20
RATIO = 200
"""How many times larger than its archive the content may be, beyond `SMALL_BYTES`; XML rarely packs 50 times."""
SMALL_BYTES = 16 << 20
DEPTH = 10_000
"""Elements of a web page inside each other."""
CELLS = 1_000_000
"""Cells of a sheet, filled or not; docling has the same limit for a table."""

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_XML = ("xml_jats", "xml_uspto", "xml_doclang")
_PROLOG_BYTES = 1 << 20
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_ENTITY = re.compile(rb"<!ENTITY\b(?![^>]*\bNDATA\b)")
_CELL = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"')
_NESTED = re.compile(rb"<(/?)(?:div|span|ul|ol|dl|table|section|article|blockquote|b|i|a|font|em|strong)\b", re.I)
"""Elements that browsers do not close by themselves."""


def check(data: bytes, *, input_format: str, name: str) -> None:
    """Raise PasswordError, LimitError or CorruptError for bytes that no backend should see."""
    if input_format in ("html", "mhtml", "md"):
        _check_depth(data, name)
    if input_format == "csv":
        columns = 1 + max(map(data[: data.find(b"\n")].count, (b",", b";", b"\t", b"|")))
        if (cells := columns * data.count(b"\n")) > CELLS:
            raise LimitError(f"has {cells:,} cells, more than {CELLS:,}; split it", document=name)
    if data.startswith(b"PK\x03\x04"):
        _check_archive(data, input_format, name)
    elif input_format in _XML:
        _check_prolog(data[:_PROLOG_BYTES], name)


def _check_depth(data: bytes, name: str) -> None:
    """Parsers take time that grows with the square of the depth."""
    depth = 0
    for tag in _NESTED.finditer(data):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEPTH:
            raise LimitError(f"nests its elements more than {DEPTH:,} deep", document=name)


def _check_archive(data: bytes, input_format: str, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_sizes(members, len(data), name)
            if any(member.flag_bits & 1 for member in members):
                raise PasswordError("is encrypted; save it without a password and read it again", document=name)
            for member in members:
                _check_member(archive, member, input_format, name)
    except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, ValueError) as error:
        raise CorruptError(f"is a damaged archive ({error}); save or download it again", document=name) from error


def _check_sizes(members: list[zipfile.ZipInfo], packed: int, name: str) -> None:
    total = sum(member.file_size for member in members)
    largest = max((member.file_size for member in members), default=0)
    if len(members) > MEMBERS:
        raise LimitError(f"has {len(members):,} members, more than {MEMBERS:,}", document=name)
    if total > TOTAL_BYTES or largest > MEMBER_BYTES:
        raise LimitError(
            f"unpacks to {total >> 20:,} MB, its largest member to {largest >> 20:,} MB; the limits are "
            f"{TOTAL_BYTES >> 20} and {MEMBER_BYTES >> 20} MB",
            document=name,
        )
    if total > SMALL_BYTES and total > RATIO * packed:
        raise LimitError(
            f"unpacks to {total >> 20:,} MB, {total // packed} times its size: it looks like a decompression bomb",
            document=name,
        )


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, input_format: str, name: str) -> None:
    """Entities in XML, encryption of OpenDocument files, and the declared size of sheets."""
    if not member.filename.lower().endswith((".xml", ".rels", ".xhtml", ".html", ".opf", ".ncx")):
        return
    with archive.open(member) as file:
        head = file.read(_PROLOG_BYTES)
    _check_prolog(head, name)
    if member.filename == "META-INF/manifest.xml" and b"encryption-data" in head:
        raise PasswordError("is encrypted; save it without a password and read it again", document=name)
    if input_format == "xlsx" and member.filename.startswith("xl/worksheets/"):
        _check_cells(archive, member, head, name)


def _check_cells(archive: zipfile.ZipFile, member: zipfile.ZipInfo, head: bytes, name: str) -> None:
    """By the cells at the beginning and the end of a sheet: the dimension that it declares may say anything."""
    tail = b""
    with archive.open(member) as file:
        while len(head) < member.file_size and (more := file.read(_PROLOG_BYTES)):
            tail = tail[-_PROLOG_BYTES:] + more
    corners = [*_CELL.findall(head), *_CELL.findall(tail)]
    if not corners:
        return
    cells = max(_column(letters) for letters in {letters for letters, _ in corners}) * max(int(n) for _, n in corners)
    if cells > CELLS:
        raise LimitError(
            f"{member.filename} has {cells:,} cells, more than {CELLS:,}; save the part that you need", document=name
        )


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _check_prolog(head: bytes, name: str) -> None:
    """Entities are declared before the root element. Those that name a file that is not parsed (NDATA) do no harm."""
    if b"\0" in head[:4]:  # UTF-16
        head = head.replace(b"\0", b"")
    match = _PROLOG.match(head)
    begin = match.end() if match else 0
    if begin >= _PROLOG_BYTES or (head[begin : begin + 9].upper() == b"<!DOCTYPE" and _ENTITY.search(head, begin)):
        raise CorruptError("declares XML entities, which are never expanded; save it without them", document=name)

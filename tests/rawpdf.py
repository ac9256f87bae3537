"""A PDF file from its objects, for what no PDF library wants to write: odd fonts, structure trees, no pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def assemble(objects: Sequence[str | bytes], *, trailer: str = "") -> bytes:
    """The file whose object 1 (the catalog) is the first of `objects`, with a cross-reference table."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + (body.encode("latin-1") if isinstance(body, str) else body) + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer\n<</Size {len(objects) + 1}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def stream(content: str | bytes, entries: str = "") -> bytes:
    data = content.encode("latin-1") if isinstance(content, str) else content
    return f"<</Length {len(data)}{entries}>>\nstream\n".encode() + data + b"\nendstream"


def to_unicode(mapping: Mapping[int, str]) -> bytes:
    """The CMap stream that says what text each one-byte code of a font stands for."""
    lines = "\n".join(f"<{code:02X}> <{text.encode('utf-16-be').hex()}>" for code, text in mapping.items())
    return stream(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Test def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        f"{len(mapping)} beginbfchar\n{lines}\nendbfchar\nendcmap\nend\nend"
    )


def string(codes: bytes) -> str:
    """A PDF string in hexadecimal: no character needs escaping."""
    return f"<{codes.hex()}>"


def page_with_font(content: str, mapping: Mapping[int, str], *, base: str = "Helvetica", encoding: str = "") -> bytes:
    """One A4 page drawn with the font F1, whose codes stand for the texts in `mapping` (at most 100 of them)."""
    return assemble(
        [
            "<</Type/Catalog/Pages 2 0 R>>",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            stream(content),
            f"<</Type/Font/Subtype/Type1/BaseFont/{base}{encoding}/ToUnicode 6 0 R>>",
            to_unicode(mapping),
        ]
    )

"""The media type of a document: from its first bytes, its name, and, for text and archives, what is in it.

The rules are docling's, so that a file sent to either is taken for the same format: the signature of PDFs and pictures,
then the extension, then the content.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable, Mapping

HEAD_BYTES = 8192
"""Bytes at the beginning of a document that are examined."""
TAIL_BYTES = 1 << 20
"""Bytes at the end of an archive, where its list of members is, that are examined."""

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
DOCX, XLSX, PPTX = (
    f"{_OOXML}{kind}" for kind in ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation")
)
ODT, ODS, ODP = (f"{_ODF}{kind}" for kind in ("text", "spreadsheet", "presentation"))

INPUT_FORMATS: Mapping[str, str] = {
    DOCX: "docx",
    XLSX: "xlsx",
    PPTX: "pptx",
    ODT: "odt",
    ODS: "ods",
    ODP: "odp",
    "application/msword": "doc",
    "application/rtf": "rtf",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/x-mimearchive": "mhtml",
    "text/markdown": "md",
    "text/plain": "md",
    "text/csv": "csv",
    "text/asciidoc": "asciidoc",
    "text/x-tex": "latex",
    "application/epub+zip": "epub",
    "message/rfc822": "email",
    "application/vnd.ms-outlook": "email",
    "application/x-jats+xml": "xml_jats",
    "application/x-uspto+xml": "xml_uspto",
    "text/x-uspto": "xml_uspto",
    "application/x-doclang+xml": "xml_doclang",
    "application/x-doclang+zip": "dclx",
    "application/json": "json_docling",
    "text/vtt": "vtt",
    "application/vnd.box.boxnote": "boxnote",
    "application/vnd.apple.pages": "iwork_pages",
    "application/vnd.apple.keynote": "iwork_keynote",
    "application/vnd.apple.numbers": "iwork_numbers",
}
"""The documents without pages of their own, which are converted first: media type to docling's name of the format."""

_REFUSED: tuple[tuple[str, str], ...] = (
    ("application/xbrl+xml", "its taxonomies are on the network; read the report as HTML or CSV"),
    ("audio/", "there is no speech recognition here; read a transcript (WebVTT)"),
    ("video/", "there is no speech recognition here; read a transcript (WebVTT)"),
    ("application/zip", "it is an archive and no document; unpack it and read what is in it"),
    ("application/x-tar", "it is an archive and no document; unpack it and read what is in it"),
    ("application/x-afp", "convert it to PDF"),
    ("application/x-ebcdic", "convert it to UTF-8"),
    ("application/x-ole-storage", "its name must end in .doc, .xls, .ppt or .msg"),
    ("application/xml", "it is neither JATS, USPTO nor DocLang XML; convert it to HTML or text"),
)
"""Media types, or their beginnings, that docling knows or people try, and why they are not read."""


def refusal(media_type: str) -> str:
    """Why documents of a type are not read, and what to do; "" when there is nothing particular to say."""
    return next((reason for kind, reason in _REFUSED if media_type.startswith(kind)), "")


_EXTENSIONS: Mapping[str, str] = {
    extension: media_type
    for media_type, extensions in {
        "application/pdf": "pdf",
        "image/png": "png",
        "image/jpeg": "jpg jpeg",
        "image/tiff": "tif tiff",
        "image/bmp": "bmp",
        "image/webp": "webp",
        "image/gif": "gif",
        DOCX: "docx dotx docm dotm",
        PPTX: "pptx potx ppsx pptm potm ppsm",
        XLSX: "xlsx xlsm xltx xltm",
        ODT: "odt ott",
        ODS: "ods ots",
        ODP: "odp otp",
        "application/msword": "doc dot",
        "application/rtf": "rtf",
        "application/vnd.ms-powerpoint": "ppt pot pps",
        "application/vnd.ms-excel": "xls xlt",
        "text/html": "html htm xhtml",
        "application/x-mimearchive": "mhtml mht",
        "text/markdown": "md markdown qmd rmd",
        "text/csv": "csv",
        "text/asciidoc": "adoc asciidoc asc",
        "text/x-tex": "tex latex",
        "application/epub+zip": "epub",
        "message/rfc822": "eml",
        "application/vnd.ms-outlook": "msg",
        "application/x-doclang+xml": "dclg dclg.xml",
        "application/x-doclang+zip": "dclx",
        "application/json": "json",
        "text/vtt": "vtt",
        "application/vnd.box.boxnote": "boxnote",
        "application/vnd.apple.pages": "pages",
        "application/vnd.apple.keynote": "key",
        "application/vnd.apple.numbers": "numbers",
        "application/xbrl+xml": "xbrl",
        "application/x-afp": "afp",
        "application/x-ebcdic": "ebc ebcdic",
        "audio/mpeg": "wav mp3 m4a aac ogg flac",
        "video/mp4": "mp4 avi mov mkv webm",
    }.items()
    for extension in extensions.split()
}
_PLAIN = frozenset({"txt", "text"})
"""Extensions of plain text, and of the patents of the USPTO that were written as text."""
_ARCHIVES = frozenset(
    {DOCX, PPTX, XLSX, ODT, ODS, ODP, "application/epub+zip", "application/x-doclang+zip"}
    | {f"application/vnd.apple.{kind}" for kind in ("pages", "keynote", "numbers")}
)
_COMPOUND = frozenset({"application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"})
"""Formats in the container of old office files; Outlook's messages and encrypted new office files are in it too."""

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0", "image/tiff"),
    (b"MM\0+", "image/tiff"),
    (b"GIF8", "image/gif"),
    (b"{\\rtf", "application/rtf"),
)
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MEMBERS: tuple[tuple[bytes, str], ...] = (
    (b"word/document.xml", DOCX),
    (b"xl/workbook.xml", XLSX),
    (b"ppt/presentation.xml", PPTX),
)


def media_type_of(head: bytes, name: str, tail: Callable[[], bytes] = bytes) -> str:
    """The media type of a document; "" when it is unknown. `tail` reads the end of an archive without a known name."""
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":  # two letters alone would match plain text
        return "image/bmp"
    extension = _extension(name)
    named = _EXTENSIONS.get(extension, "")
    if head.startswith(_ZIP):
        return named if named in _ARCHIVES else _in_archive(head, tail())
    if head.startswith(_OLE):
        return named if named in _COMPOUND | _ARCHIVES | {"application/vnd.ms-outlook"} else "application/x-ole-storage"
    if named and named not in _BY_CONTENT:
        return named
    if b"%PDF-" in head[:1024]:  # after some junk, as readers allow
        return "application/pdf"
    return _by_content(head, extension) or named or mimetypes.guess_type(name)[0] or ""


_BY_CONTENT = frozenset({"application/pdf"}) | {
    f"image/{kind}" for kind in ("png", "jpeg", "tiff", "bmp", "webp", "gif")
}
"""Types that the first bytes always show: a name alone does not make a file one of them."""


def input_format_of(media_type: str) -> str:
    """docling's name of a format: that of `INPUT_FORMATS`, `pdf` or `image`; "" for one that is not read here."""
    if media_type in _BY_CONTENT and media_type != "image/gif":
        return "pdf" if media_type == "application/pdf" else "image"
    return INPUT_FORMATS.get(media_type, "")


def by_name(name: str) -> bool:
    """Whether the name of a file says that it is converted before it is read; its content may say otherwise."""
    extension = _extension(name)
    return extension in _PLAIN or _EXTENSIONS.get(extension) in INPUT_FORMATS


_TELLING = frozenset({"", "xml", "nxml", "json"})
"""Extensions that say nothing about whether a file is a document: its content does."""


def is_document(name: str, head: Callable[[], bytes], tail: Callable[[], bytes] = bytes) -> bool:
    """Whether a file in a folder is a document that is read, by its name, or where that says nothing by its content.

    A file with any other name, like `scan.pdf.part`, is none, whatever is in it.
    """
    extension = _extension(name)
    if extension in _PLAIN:
        return True
    if extension not in _TELLING:
        return bool(input_format_of(_EXTENSIONS.get(extension, "")))
    content = head()
    if extension == "json":
        return b"DoclingDocument" in content
    return bool(input_format_of(media_type_of(content, name, tail)))


def refusal_of_name(name: str) -> str:
    """Why files with such a name are not read, and what to do; "" when there is nothing particular to say."""
    return refusal(_EXTENSIONS.get(_extension(name), "") or mimetypes.guess_type(name)[0] or "")


def _extension(name: str) -> str:
    lower = name.lower()
    return "dclg.xml" if lower.endswith(".dclg.xml") else lower.rpartition(".")[2] if "." in lower else ""


def _in_archive(head: bytes, tail: bytes) -> str:
    """From the member `mimetype`, which comes first and is not compressed, or from the list of members at the end."""
    if head[30:38] == b"mimetype":
        found = re.match(rb"application/[\w.+-]+", head[38:200])
        media_type = found[0].decode().removesuffix("-template") if found else ""
        # Without padding, the signature of the next member follows the media type.
        media_type = media_type.removesuffix("PK")
        if media_type in _ARCHIVES:
            return media_type
    return next((media_type for member, media_type in _MEMBERS if member in tail), "application/zip")


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HTML = re.compile(r"(<script.*?>.*?</script>\s*)?(<!doctype\s+html|<html|<head|<body)", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE [^>]+>")
_ROOT = re.compile(r"<!doctype\s+([a-z_:][a-z0-9_:.-]*)\s[^>]*>\s*<\1\b")
_DOCLANG = re.compile(r"(<\?xml[^>]*\?>)?\s*<\s*doclang\b", re.IGNORECASE)
_LATEX = re.compile(r"^[ \t]*\\document(?:class|style)\b", re.MULTILINE)
_PATENTS = ("us-patent-application-v4", "us-patent-grant-v4", "us-grant-025", "patent-application-publication")


def _by_content(head: bytes, extension: str) -> str:
    text = head.decode("utf-8", "replace").lstrip("\ufeff")
    bare = _COMMENT.sub("", text).lstrip()
    lower = bare.lower()
    if extension in _PLAIN:
        return "text/x-uspto" if text.startswith(("PATN\r\n", "PATN\n")) else "text/plain"
    if lower.startswith("<?xml") or _ROOT.search(lower) or _DOCLANG.match(bare):
        return _xml(text, bare)
    if _HTML.match(lower):
        return "text/html"
    return "text/x-tex" if _LATEX.search(text) else ""


def _xml(text: str, bare: str) -> str:
    if "http://www.xbrl.org/2003/instance" in text and "<xbrl" in text.lower():
        return "application/xbrl+xml"
    doctype = _DOCTYPE.search(text)
    declared = doctype[0] if doctype else ""
    if any(kind in declared.lower() for kind in _PATENTS):
        return "application/x-uspto+xml"
    if "JATS-journalpublishing" in declared or "JATS-archive" in declared:
        return "application/x-jats+xml"
    if _DOCLANG.match(bare):
        return "application/x-doclang+xml"
    return "application/xhtml+xml" if "xhtml" in bare.lower()[:1000] else "application/xml"

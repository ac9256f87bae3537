"""`quire inspect`: what is in a document, before it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypedDict

from typer import Argument, Option

from quire.document import Document
from quire.errors import EXIT_COMPLETE, EXIT_PARTIAL, InputError
from quire.pagetext import PageText

EXAMPLES = """\b
Examples:
  quire inspect report.pdf
  quire inspect report.pdf --json
  quire inspect secret.pdf --password swordfish
"""


class PageReport(TypedDict):
    number: int
    width: float
    height: float
    rotation: int
    text: str  # usable, absent, unusable or failed
    reason: str
    characters: int
    images: int
    fonts: list[str]


class Report(TypedDict):
    name: str
    id: str
    media_type: str
    bytes: int
    encrypted: bool
    metadata: dict[str, str]
    fonts: list[str]
    pages: list[PageReport]


def inspect(
    file: Annotated[Path, Argument(metavar="FILE", help="A PDF or an image.")],
    as_json: Annotated[bool, Option("--json", help="Write JSON.")] = False,
    password: Annotated[
        str | None, Option(metavar="PASSWORD", envvar="QUIRE_PASSWORD", help="Password of an encrypted document.")
    ] = None,
) -> int:
    """Show what is in a document: pages, quality of their text, fonts, images, encryption."""
    with Document(file, password=password) as document:
        report = report_of(document)
    print(json.dumps(report, ensure_ascii=False, indent=2) if as_json else "\n".join(_lines(report)))
    return EXIT_PARTIAL if any(page["text"] == "failed" for page in report["pages"]) else EXIT_COMPLETE


def report_of(document: Document) -> Report:
    numbers = range(1, document.page_count + 1)
    texts = document.reader.text(numbers)
    pages = [_page(document, number, text) for number, text in zip(numbers, texts, strict=True)]
    metadata = dict(document.metadata)
    return {
        "name": document.name,
        "id": document.id,
        "media_type": document.media_type,
        "bytes": document.size,
        "encrypted": metadata.pop("encrypted", "no") == "yes",
        "metadata": metadata,
        "fonts": sorted({font for page in pages for font in page["fonts"]}),
        "pages": pages,
    }


def _page(document: Document, number: int, data: bytes | InputError) -> PageReport:
    from quire.layout.quality import judge

    if isinstance(data, InputError):
        return _failed(number, str(data.args[0]))
    text = PageText.from_bytes(data)
    quality = judge(text)
    return {
        "number": number,
        "width": round(text.width, 2),
        "height": round(text.height, 2),
        "rotation": text.rotation,
        "text": quality.status,
        "reason": quality.reason,
        "characters": text.chars,
        "images": len(text.images) // 4,
        "fonts": sorted({font.name for font in text.font_table if font.name}),
    }


def _failed(number: int, reason: str) -> PageReport:
    return {
        "number": number,
        "width": 0.0,
        "height": 0.0,
        "rotation": 0,
        "text": "failed",
        "reason": reason,
        "characters": 0,
        "images": 0,
        "fonts": [],
    }


def _lines(report: Report) -> Iterator[str]:
    yield f"{report['name']}  {report['media_type']}, {report['bytes']:,} bytes, {_count(len(report['pages']), 'page')}"
    facts = {
        "id": report["id"],
        "encrypted": "yes" if report["encrypted"] else "no",
        **{name: " ".join(value.split()) for name, value in report["metadata"].items() if value},
        "fonts": ", ".join(report["fonts"]) or "none",
    }
    width = max(map(len, facts))
    yield from (f"{name:<{width}}  {value}" for name, value in facts.items())
    yield ""
    yield f"{'page':>5}  {'size in points':<16} {'turned':>6}  {'characters':>10}  {'images':>6}  text"
    for page in report["pages"]:
        size = f"{page['width']:g} x {page['height']:g}"
        judged = f"{page['text']} ({page['reason']})" if page["reason"] else page["text"]
        counts = f"{page['characters']:>10}  {page['images']:>6}"
        yield f"{page['number']:>5}  {size:<16} {page['rotation']:>6}  {counts}  {judged}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

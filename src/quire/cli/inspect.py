"""`quire inspect`: what is in a document, before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

from typer import Argument, Option

from quire.cli import options
from quire.cli.command_errors import print_report
from quire.cli.inspect_vectors import is_dataset, show_dataset
from quire.cli.settings import configuration_of
from quire.core.document import Document
from quire.core.engine import Attempt
from quire.core.errors import EXIT_COMPLETE, EXIT_PARTIAL, InputError, UsageError
from quire.core.pagetext import PageText
from quire.core.table_areas import TableOptions, TablesMode, areas_beside, areas_for
from quire.core.types import HIDDEN, Characters, LeftOut

if TYPE_CHECKING:
    from quire.pages.recognize.routing import Needs

EXAMPLES = """\b
Examples:
  quire inspect report.pdf
  quire inspect report.pdf --json
  quire inspect secret.pdf --password swordfish
  quire inspect scan.pdf --store ~/.cache/quire
  quire inspect vectors/
"""


class PageReport(TypedDict):
    number: int
    width: float
    height: float
    rotation: int
    text: str  # usable, absent, unusable or failed
    reason: str
    characters: int
    in_blocks: int
    left_out: dict[LeftOut, int]  # characters by reason; `characters` is their sum with those in blocks
    images: int
    fonts: list[str]
    route: str  # native, blank, recognise (OCR), or native with OCR of pictures
    tables: str  # how its tables are found, where quire.toml or a file beside the document says so
    path: list[dict[str, object]]  # the OCR attempts of the page, if they are in the store


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
    file: Annotated[
        Path, Argument(metavar="FILE", readable=False, help="A PDF, an image, or Parquet files of chunks or vectors.")
    ],
    as_json: options.Json = False,
    password: Annotated[
        str | None, Option(metavar="PASSWORD", help="Password of an encrypted document; better in QUIRE_PASSWORD.")
    ] = None,
    store: Annotated[
        Path | None, Option(metavar="DIR", help="Also show the OCR attempts of each page, from the store of that read.")
    ] = None,
) -> int:
    """Show what is in a document: pages, quality of their text, which pages need OCR, fonts, images. Of a dataset of
    vectors: rows, model, dimension, norms, sparsity."""
    if is_dataset(file):
        return show_dataset(file, as_json=as_json)
    configuration = configuration_of({})
    secret = password or configuration.settings.passwords.of(file.absolute())
    areas = (*areas_for(file.absolute(), configuration.areas), *areas_beside(file))
    tables = TableOptions(cast("TablesMode", configuration.settings.tables), areas)  # one of its choices
    with Document(file, password=secret) as document:
        report = report_of(document, _paths(store, document) if store else {}, tables)
    print_report(report, _lines(report), as_json=as_json)
    return EXIT_PARTIAL if any(page["text"] == "failed" for page in report["pages"]) else EXIT_COMPLETE


def _paths(store: Path, document: Document) -> Mapping[int, tuple[Attempt, ...]]:
    from quire.store.files import FileStore

    if not (store / "facts.sqlite3").is_file():
        raise UsageError(f"there is no store in {store}; give the same --store as to `quire read`")
    with FileStore(store) as opened:
        return opened.paths(document.id)


def report_of(
    document: Document,
    paths: Mapping[int, tuple[Attempt, ...]] | None = None,
    tables: TableOptions | None = None,
) -> Report:
    numbers = range(1, document.page_count + 1)
    texts = document.reader.text(numbers)
    known, asked = paths or {}, tables or TableOptions()
    pages = [
        _page(document, number, text, known.get(number, ()), asked.of_page(number))
        for number, text in zip(numbers, texts, strict=True)
    ]
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


def _page(
    document: Document, number: int, data: bytes | InputError, path: Sequence[Attempt], tables: TableOptions
) -> PageReport:
    from quire.pages.layout import page_blocks
    from quire.pages.layout.quality import judge
    from quire.pages.recognize.options import RecognizeOptions
    from quire.pages.recognize.routing import needs_of
    from quire.reading.unseen import without_unseen

    if isinstance(data, InputError):
        return _failed(number, str(data.args[0]))
    text = PageText.from_bytes(data)
    text = without_unseen(document, text) or text
    quality = judge(text)
    needs = needs_of(text, quality, RecognizeOptions())
    counted = page_blocks(text, quality, tables).info.characters or Characters(text.chars, text.chars)
    return {
        "number": number,
        "width": round(text.width, 2),
        "height": round(text.height, 2),
        "rotation": text.rotation,
        "text": quality.status,
        "reason": quality.reason,
        "characters": counted.drawn,
        "in_blocks": counted.in_blocks,
        "left_out": dict(counted.left_out),
        "images": len(text.images) // 4,
        "fonts": sorted({font.name for font in text.font_table if font.name}),
        "route": _route(needs, blank=quality.reason == "blank"),
        "tables": tables.describe(),
        "path": [asdict(attempt) for attempt in path],
    }


def _route(needs: Needs | None, *, blank: bool) -> str:
    """The way in which `quire read` would read a page: native, by OCR, or not at all."""
    if needs is None:
        return "blank" if blank else "native"
    return "recognise" if needs.whole else "native, recognise pictures"


def _failed(number: int, reason: str) -> PageReport:
    return {
        "number": number,
        "width": 0.0,
        "height": 0.0,
        "rotation": 0,
        "text": "failed",
        "reason": reason,
        "characters": 0,
        "in_blocks": 0,
        "left_out": {},
        "images": 0,
        "fonts": [],
        "route": "none",
        "tables": "",
        "path": [],
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
    yield f"{'page':>5}  {'size in points':<16} {'turned':>6}  {'characters':>10}  {'images':>6}  text; route"
    for page in report["pages"]:
        size = f"{page['width']:g} x {page['height']:g}"
        judged = f"{page['text']} ({page['reason']})" if page["reason"] else page["text"]
        counts = f"{page['characters']:>10}  {page['images']:>6}"
        yield f"{page['number']:>5}  {size:<16} {page['rotation']:>6}  {counts}  {judged}; {page['route']}"
        if page["left_out"]:
            listed = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in page["left_out"].items())
            yield f"{'':>7}{page['in_blocks']} characters in blocks, left out: {listed}"
        if hidden := sum(page["left_out"].get(reason, 0) for reason in HIDDEN):
            yield f"{'':>7}hidden text: {_count(hidden, 'character')} of the file that the page does not show"
        if page["tables"]:
            yield f"{'':>7}tables: {page['tables']}"
        for attempt in page["path"]:
            reason = f" ({attempt['reason']})" if attempt["reason"] else ""
            yield f"{'':>7}{attempt['engine']}: {attempt['outcome']}{reason}, {attempt['ms']:.0f} ms"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

"""Jobs of workers for tasks: turn a document that was read into the contents that a docling client expects.

Runs in worker processes. A worker has no store: the parent loads what it needs, and saves what it makes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import count
from pathlib import PurePosixPath
from typing import Any, cast

from quire.core.context import Json
from quire.core.document import Reader
from quire.core.encoding import decode_document
from quire.core.errors import InputError
from quire.core.keys import Digest
from quire.core.media_types import INPUT_FORMATS
from quire.core.opened import WorkerWork
from quire.core.picture import Picture
from quire.docling_serve.responses.document_contents import exported
from quire.docling_serve.responses.scores import confidence, scores_of
from quire.durable.reads.read_jobs import Export, Short, load_artifacts, loaded_result, read_short
from quire.output.export import docling_outputs
from quire.output.export.crops import PageCrops, rendered_by
from quire.output.export.docling_enrichments import Addition, EnrichmentKind, additions_of, enrichable, enriched
from quire.output.export.docling_images import OutputOptions, image_of
from quire.pages.recognize.vision.request import data_url
from quire.reading.native_pages import text_of_page
from quire.reading.result import DocumentResult, ReadSource
from quire.system.zip_archive import zip_archive

PICTURES_AT_ONCE = 16
"""Pictures that are cut by one job: what is in memory at a time."""
PICTURE_SCALE, PICTURE_SIDE, PICTURE_BYTES = 2.0, 2048, 4 << 20
"""The scale, longest side and size of pictures for a model: 144 dpi as in docling."""


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """The outputs to make of a document; everything here decides the output."""

    outputs: dict[str, Json]
    chunking: dict[str, Json] | None
    archive: bool
    name: str
    enrichment: Digest | None = None
    """The digest of the answers of a vision model about it."""

    def to_json(self) -> Json:
        settings = {name: getattr(self, name) for name in ("outputs", "chunking", "archive", "name")}
        return settings if self.enrichment is None else {**settings, "enrichment": self.enrichment}


@dataclass(frozen=True, slots=True)
class OutputRequest:
    """A document, and what to make of it."""

    document: Export
    settings: OutputSettings


def output(request: OutputRequest, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The parts of the answer for a document that was read."""
    result, enrichment = loaded_result(request.document, work), request.settings.enrichment
    additions = additions_of(next(load_artifacts(work, [enrichment]))) if enrichment else ()
    return _parts(result, request.settings, request.document.source.document(work).reader, additions)


@dataclass(frozen=True, slots=True)
class Pictured:
    """A document whose items a vision model is asked about; `models` are the enrichments that have a model."""

    document: Export
    kinds: tuple[EnrichmentKind, ...]
    models: tuple[EnrichmentKind, ...]
    least_area: float
    start: int


def pictured(request: Pictured, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """The next items with their pictures as data URLs, or their code. The header has them with the sizes of their data,
    where the next ones begin (0: there are no more), and how many there are for each enrichment."""
    document = loaded_result(request.document, work).to_docling()
    crop = PageCrops(rendered_by(request.document.source.document(work).reader))
    items = list(enrichable(document, request.kinds, request.least_area))
    with_model = [(kind, item) for kind, item in items if kind in request.models]
    end = request.start + PICTURES_AT_ONCE
    pages = {page["page_no"]: page for page in cast("dict[str, Any]", document["pages"]).values()}
    contents = [
        (kind, item, item["text"] if kind == "code_enrichment" else _data_url(item, pages, crop))
        for kind, item in with_model[request.start : end]
    ]
    data = [content.encode() for _, _, content in contents]
    header: dict[str, object] = {
        "items": [(item["self_ref"], kind, len(one)) for (kind, item, _), one in zip(contents, data, strict=True)],
        "next": end if end < len(with_model) else 0,
        "total": Counter(kind for kind, _ in items),
    }
    return header, b"".join(data)


def _data_url(item: Mapping[str, Any], pages: Mapping[int, Mapping[str, Any]], crop: PageCrops) -> str:
    """The picture of an item; "" where there is none."""
    from PIL import Image, UnidentifiedImageError

    try:
        image_data = image_of(item, pages, crop, PICTURE_SCALE)
        if image_data is None:
            return ""
        with Image.open(io.BytesIO(image_data[1])) as image:
            pixels = image.convert("RGB")
    except (InputError, UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return ""
    picture = Picture(*pixels.size, "RGB", pixels.tobytes(), 72 * PICTURE_SCALE)
    return data_url(picture, PICTURE_SIDE, PICTURE_BYTES)


@dataclass(frozen=True, slots=True)
class ShortRequest:
    """A short document to read in one go, and what to make of it."""

    short: Short
    settings: OutputSettings | None


def short(request: ShortRequest, work: WorkerWork) -> tuple[dict[str, object], bytes]:
    """Read a document and make its output. The output of a document that could not be read in one go is missing."""
    read = read_short(request.short, work)
    header, data = read.message()
    if read.document and request.settings is not None:
        source = request.short.source
        texts = {int(str(page["page"])): page_data[: int(str(page["text"]))] for page, page_data in read.pages}
        infos, blocks = decode_document(read.document, lambda page: text_of_page(texts[page], page))
        opened = source.document(work)
        structure = (lambda: read.structure) if read.structure else None
        about = ReadSource(source.id, source.name, opened.media_type, source.open, structure=structure)
        made, parts = _parts(DocumentResult(about, infos, blocks), request.settings, opened.reader)
        header["output"], header["read_size"] = made, len(data)
        data += parts
    return header, data


def _parts(
    result: DocumentResult, settings: OutputSettings, reader: Reader, additions: Sequence[Addition] = ()
) -> tuple[dict[str, object], bytes]:
    """The parts of the output. The header has their names and sizes, the data their bytes."""
    if not settings.outputs.get("titles") and result.media_type not in INPUT_FORMATS:
        result = _untitled(result)
    document = enriched(result.to_docling(), additions)
    crop = PageCrops(rendered_by(reader))
    made = docling_outputs.render(document, cast(OutputOptions, settings.outputs), crop)
    paged = cast(Mapping[str, Json], document["pages"])  # as docling counts: Markdown has none
    scores = scores_of(result.blocks, (page.number for page in result.pages)) if paged else {}
    parts = {
        "body": _encoded(exported(settings.name, {name: _value(name, one) for name, one in made.contents.items()})),
        "confidence": _encoded(confidence(scores)),
    }
    if settings.chunking is not None:
        described = {one["item"]: one["said"] for one in additions if one["kind"] == "picture_description"}
        cut = result.to_docling_chunks(settings.chunking, descriptions=described)
        parts["chunks"] = _encoded(cut)
        if "chunks" in settings.outputs["formats"]:
            made.contents["chunks"] = "".join(f"{_encoded(one).decode()}\n" for one in cut)
    if settings.archive:
        (stem,) = docling_outputs.unique_stems([settings.name])
        parts["archive"] = zip_archive(docling_outputs.files(stem, made).items())
    figures = {
        "pages": len(paged),
        "characters": made.characters or sum(len(block.text) for block in result.blocks),
        "tables": len(result.tables),
        "pictures": sum(block.kind == "figure" for block in result.blocks),
    }
    header: dict[str, object] = {"parts": [[name, len(data)] for name, data in parts.items()], "figures": figures}
    return header, b"".join(parts.values())


def _untitled(result: DocumentResult) -> DocumentResult:
    """The document with its title as a heading of the first level: docling's PDF pipeline knows no titles."""
    shown = copy(result)
    shown.blocks = tuple(
        replace(block, kind="heading", level=1) if block.kind == "title" else block for block in result.blocks
    )
    return shown


def joined(archives: Sequence[Digest], work: WorkerWork) -> bytes:
    """One zip archive with the files of several; a name that is taken gets a number."""
    return zip_archive(_members(load_artifacts(work, archives)))


def _members(archives: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    taken = set[str]()
    for data in archives:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                name = _free(member.filename, taken)
                taken.add(name)
                yield name, archive.read(member)


def _free(name: str, taken: Collection[str]) -> str:
    path = PurePosixPath(name)
    numbered = (str(path.with_name(f"{path.stem}-{number}{path.suffix}")) for number in count(2))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _value(name: str, content: str | bytes) -> Json:
    """JSON is put into the answer as an object, everything else as text."""
    if name == "json":
        return json.loads(content)
    return content if isinstance(content, str) else None


def _encoded(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

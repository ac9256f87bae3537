"""The outputs that docling-serve returns of a document, by docling-core's serialisers. Runs in a worker process.

The input is a DoclingDocument as a tree of plain values: of a document that was read, or of docling's own backend.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire.core.errors import ConfigurationError, InputError, install_advice
from quire.core.names import file_stem
from quire.output.export.crops import Crop
from quire.output.export.docling_images import OutputOptions, with_images

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument

SUFFIXES = {
    "md": ".md",
    "json": ".json",
    "yaml": ".yaml",
    "html": ".html",
    "html_split_page": ".split_page.html",
    "text": ".txt",
    "doctags": ".doctags",
    "vtt": ".vtt",
    "doclang": ".dclg",
    "dclx": ".dclx",
    "chunks": ".chunks.jsonl",
    "latex": ".tex",
}
"""The end of the file names in a zip, by format."""


@dataclass(frozen=True, slots=True)
class DoclingOutputs:
    """The contents by format, and the files that they refer to by path. JSON is text as the others."""

    contents: dict[str, str | bytes]
    artifacts: dict[str, bytes] = field(default_factory=dict)
    characters: int = 0
    """The length of the Markdown, which callbacks report; 0 when it was not requested."""


def render(document: Mapping[str, Any], options: OutputOptions, crop: Crop | None = None) -> DoclingOutputs:
    """The requested formats of a document, except `chunks`. Pictures and pages are cut by `crop`."""
    tree, artifacts = with_images(document, options, crop)
    if not (formats := [name for name in dict.fromkeys(options["formats"]) if name in _WRITERS]):
        return DoclingOutputs({}, artifacts)
    loaded = _loaded(tree)
    contents: dict[str, str | bytes] = {}
    for name in formats:
        own = _own_images(name, options)
        if own == options:
            contents[name] = _WRITERS[name](loaded, options)
        else:
            other, more = with_images(document, own, crop)
            contents[name] = _WRITERS[name](_loaded(other), own)
            artifacts |= more
    return DoclingOutputs(contents, artifacts, len(contents.get("md", "")))


def _own_images(name: str, options: OutputOptions) -> OutputOptions:
    """A view of split pages is nothing without their pictures, and an archive has its images inside."""
    if name == "html_split_page":
        mode = "embedded" if options["image_mode"] == "placeholder" else options["image_mode"]
        return {**options, "image_mode": mode, "page_images": True}
    if name == "dclx" and options["image_mode"] == "referenced":
        return {**options, "image_mode": "embedded"}
    return options


def files(stem: str, outputs: DoclingOutputs) -> dict[str, bytes]:
    """The files of a document in a zip, by name."""
    named = {
        f"{stem}{SUFFIXES[name]}": content.encode() if isinstance(content, str) else content
        for name, content in outputs.contents.items()
    }
    return named | outputs.artifacts


def unique_stems(names: Sequence[str]) -> list[str]:
    """The stems of file names, the second of its name with a number: no file of a zip overwrites another's.

    Only the last component of a name counts, and case does not: zips are unpacked where it does not.
    """
    taken: set[str] = set()
    stems = []
    for name in names:
        plain = file_stem(name)
        stem, number = plain, 1
        while stem.casefold() in taken:
            number += 1
            stem = f"{plain}-{number}"
        taken.add(stem.casefold())
        stems.append(stem)
    return stems


def _loaded(tree: Mapping[str, Any]) -> DoclingDocument:
    try:
        from docling_core.types.doc.document import DoclingDocument
    except ImportError:
        advice = install_advice("service")
        raise ConfigurationError(f"docling-core is not installed, which writes this output: {advice}") from None
    # A text is tried as each of nine kinds, and every try makes the lists that it lacks: a third of the time.
    texts = [{"source": [], "comments": [], **text} for text in tree.get("texts", ())]
    try:
        return DoclingDocument.model_validate({**tree, "texts": texts})
    except ValueError as error:
        lines = str(error).splitlines()
        name = str(tree.get("name", "")) or None
        raise InputError(f"it is no valid DoclingDocument: {' '.join(lines[1:3])}", document=name) from None


def _markdown(document: DoclingDocument, options: OutputOptions) -> str:
    return document.export_to_markdown(
        image_mode=_image_mode(options),
        page_break_placeholder=options["page_break"] or None,
        compact_tables=options["compact_tables"],
    )


def _json(document: DoclingDocument, options: OutputOptions) -> str:
    if _older(options["version"], document.version):
        from docling_core.compat import project_to

        # Only what the older schema knows: the current model would add its new fields as null.
        older = project_to(document, options["version"] or "")
        return older.model_dump_json(by_alias=True, exclude_none=True, exclude_unset=True)
    return document.model_dump_json(by_alias=True)


def _older(version: str | None, than: str) -> bool:
    return version is not None and _numbers(version) < _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _yaml(document: DoclingDocument, options: OutputOptions) -> str:
    import yaml

    text: str = yaml.safe_dump(json.loads(_json(document, options)), allow_unicode=True, sort_keys=False)
    return text


def _doctags(document: DoclingDocument, _: OutputOptions) -> str:
    """As `export_to_doctags`, in a time that is linear in the number of tables.

    docling-core makes a serialiser for each table, and that checks the whole document again. A table without other
    items in its cells needs the sizes of its pages alone.
    """
    from docling_core.transforms.serializer.doctags import DocTagsDocSerializer, DocTagsParams, DocTagsTableSerializer
    from docling_core.types.doc.common.constants import DOCUMENT_TOKENS_EXPORT_LABELS
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.items.table.table_data import RichTableCell

    class Tables(DocTagsTableSerializer):
        def serialize(self, *, item: Any, doc: DoclingDocument, **more: Any) -> Any:
            if not any(isinstance(cell, RichTableCell) for cell in item.data.table_cells):
                numbers = {place.page_no for place in item.prov} & doc.pages.keys()
                doc = DoclingDocument(name=doc.name, pages={number: doc.pages[number] for number in numbers})
            return super().serialize(item=item, doc=doc, **more)

    params = DocTagsParams(labels=DOCUMENT_TOKENS_EXPORT_LABELS, add_table_cell_location=False)
    return DocTagsDocSerializer(doc=document, params=params, table_serializer=Tables()).serialize().text


def _dclx(document: DoclingDocument, options: OutputOptions) -> bytes:
    from tempfile import TemporaryDirectory

    from docling_core.types.doc.base import ImageRefMode

    mode = ImageRefMode.REFERENCED if options["images"] else ImageRefMode.PLACEHOLDER
    with TemporaryDirectory() as folder:
        path = Path(folder) / "document.dclx"
        document.save_as_doclang_archive(path, image_mode=mode)
        return path.read_bytes()


def _latex(document: DoclingDocument, _: OutputOptions) -> str:
    from docling_core.transforms.serializer.latex import LaTeXDocSerializer

    return LaTeXDocSerializer(doc=document).serialize().text


def _image_mode(options: OutputOptions) -> Any:
    from docling_core.types.doc.base import ImageRefMode

    return ImageRefMode(options["image_mode"])


_WRITERS: dict[str, Callable[[DoclingDocument, OutputOptions], str | bytes]] = {
    "md": _markdown,
    "json": _json,
    "yaml": _yaml,
    "html": lambda document, options: document.export_to_html(image_mode=_image_mode(options)),
    "html_split_page": lambda document, options: document.export_to_html(
        image_mode=_image_mode(options), split_page_view=True
    ),
    "text": lambda document, _: document.export_to_text(),
    "doctags": _doctags,
    "vtt": lambda document, _: document.export_to_vtt(),
    "doclang": lambda document, _: document.export_to_doclang(),
    "dclx": _dclx,
    "latex": _latex,
}

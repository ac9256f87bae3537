"""`quire read`: documents to Markdown and other formats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from typer import Option

from quire.cli import options
from quire.cli.batch_settings import check_formats
from quire.cli.each_document import DocumentsRequest, Written, page_crops, read_each, write_to_stdout
from quire.cli.progress import ProgressBar
from quire.cli.settings import reading_configuration
from quire.core.document import is_url
from quire.core.errors import InputError, UsageError
from quire.durable.folders.output_names import NamedSource
from quire.system.atomic_files import write_files

if TYPE_CHECKING:
    from quire.cli.read_server import ServerResult
    from quire.reading.result import DocumentResult, ImageMode

EXAMPLES = """\b
Examples:
  quire read report.pdf > report.md
  quire read scan.pdf --lang de --effort accurate
  quire read https://example.org/report.pdf --pages 1-3,7 --to json --words
  quire read letters/ scan.tiff -o out --to md --to csv --show
"""


def read(  # noqa: PLR0913 - one argument per option
    files: options.Files,
    *,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="DIR", help="Output folder; required for several documents or formats."),
    ] = None,
    to: Annotated[
        list[str] | None,
        Option(
            metavar="FORMAT",
            help="md (default), html, txt, json, docling, doctags, csv, xlsx, hocr, alto, pdf.",
        ),
    ] = None,
    show: Annotated[bool, Option("--show", help="Also write page images with the boxes drawn.")] = False,
    words: options.Words = False,
    trace: options.Trace = False,
    reading: options.ReadingOptions,
    figures: options.Figures = None,
    images: Annotated[
        str | None,
        Option(metavar="MODE", help="Add the pictures of figures to Markdown and HTML: embed, or files beside them."),
    ] = None,
    redactions: options.Redactions = None,
    tables: options.Tables = None,
    similar: Annotated[
        bool, Option("--similar", help="Reuse OCR results of nearly identical images in the store.")
    ] = False,
    cache: options.CacheOptions,
) -> int:
    """Read PDFs, scans (OCR) and photos: Markdown to standard output, or files in a folder."""
    configuration = reading_configuration(locals(), "to", "output")
    formats = tuple(dict.fromkeys(to or ("md",)))
    writer = _DocumentFiles(formats, output, words, show, trace, configuration.settings.figures, _image_mode(images))
    request = DocumentsRequest(
        writer.write, output, reading.pages, configuration, similar, quiet=cache.quiet, whole=False
    )
    check_formats(formats, words=words, trace=trace)
    writer.check(files)
    if formats == ("md",):
        import quire.output.export._markdown  # noqa: F401 - import it before the pages arrive
    return read_each(files, request)


@dataclass(frozen=True, slots=True)
class _DocumentFiles:
    """The files to write, from the options."""

    formats: tuple[str, ...]
    output: Path | None
    words: bool
    show: bool
    trace: bool
    figures: bool
    images: ImageMode | None

    def check(self, files: Sequence[str]) -> None:
        """Reject what cannot be written before anything is read."""
        if self.images and not {"md", "html"}.intersection(self.formats):
            raise UsageError("--images only works with Markdown and HTML; add --to md or --to html")
        if self.output is not None:
            return
        if self.images == "files":
            raise UsageError("pictures in files need an output folder; give it with -o DIR, or use --images embed")
        if len(files) > 1 or any(not is_url(path) and Path(path).is_dir() for path in files):
            raise UsageError("several documents need an output folder; give it with -o DIR")
        if self.show or len(self.formats) > 1 or self.formats[0] in ("csv", "xlsx"):
            what = "page images" if self.show else "several formats" if len(self.formats) > 1 else self.formats[0]
            raise UsageError(f"{what} cannot go to standard output; give an output folder with -o DIR")

    def write(self, result: DocumentResult | ServerResult, source: NamedSource, progress: ProgressBar) -> Written:
        """Write the requested formats; returns the files, and the errors of pages that could not be drawn."""
        with page_crops(result) if self.images else nullcontext() as crop:
            if self.output is None:
                images: Literal["embed"] | None = "embed" if self.images else None
                data = result.to_bytes(
                    self.formats[0],
                    words=self.words,
                    trace=self.trace,
                    figures=self.figures,
                    images=images,
                    crop=crop,
                )
                write_to_stdout(data, progress)
                return (), ()
            folder = self.output / source.folder
            files = result.save(
                folder,
                self.formats,
                stem=source.stem,
                words=self.words,
                trace=self.trace,
                figures=self.figures,
                images=self.images,
                crop=crop,
            )
        undrawn = []
        for number, picture in _pictures(result) if self.show else ():
            if isinstance(picture, InputError):
                undrawn.append(picture)
            else:
                files.append(folder / f"{source.stem}.page-{number}.png")
                write_files({files[-1]: picture})
        return files, undrawn


def _image_mode(given: str | None) -> ImageMode | None:
    if given is None or given in ("embed", "files"):
        return cast("ImageMode | None", given)
    raise UsageError(f"--images is {given!r}; choose from embed, files")


def _pictures(result: DocumentResult | ServerResult) -> Iterator[tuple[int, bytes | InputError]]:
    """The pages with the boxes drawn, in a worker process: the file is untrusted."""
    from quire.reading.result import DocumentResult

    if not isinstance(result, DocumentResult):
        yield from result.shown()
        return
    from quire.core.opened import DiskCopy
    from quire.reading.worker_rendering import show

    numbers = [page.number for page in result.pages]
    with result.reopened() as document:
        yield from zip(numbers, show(DiskCopy(document).opened(), numbers, result.blocks), strict=True)

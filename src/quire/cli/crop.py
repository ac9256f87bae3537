"""`quire crop`: the picture of a place on a page."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from quire.cli import options
from quire.cli.settings import settings_of
from quire.core.document import Document, RenderOptions
from quire.core.errors import EXIT_COMPLETE, InputError, UsageError
from quire.evidence.catalog.box_text import box_of
from quire.output.place_crops import DPI, MARGIN, with_margin
from quire.system.atomic_files import write_files

EXAMPLES = """\b
Examples:
  quire crop invoice.pdf --page 1 --box 0.2,0.3,0.1,0.02 -o total.png
  quire crop invoice.pdf --page 2 --box 0,0,1,1 --margin 0 --dpi 100 > page.png
"""


def crop(
    file: Annotated[Path, Argument(metavar="FILE", help="A PDF or an image.", readable=False)],
    page: Annotated[int, Option(metavar="N", help="Number of the page, from 1.", min=1)],
    box: Annotated[str, Option(metavar="L,T,W,H", help="Left, top, width and height as fractions of the page.")],
    margin: Annotated[
        float, Option(metavar="N", help="Margin as a fraction of the page; 0.01.", min=0, max=1, show_default=False)
    ] = MARGIN,
    dpi: Annotated[int, Option(metavar="N", help="Resolution; 150.", min=20, max=600, show_default=False)] = DPI,
    output: Annotated[Path | None, Option("-o", "--output", metavar="FILE", help="PNG file; standard output.")] = None,
    password: options.Password = None,
    password_for: options.PasswordFor = None,
) -> int:
    """Cut the picture of a place out of a page, as PNG: the same place is always the same picture."""
    from quire.core.opened import DiskCopy
    from quire.reading.worker_rendering import draw

    area = with_margin(box_of(box), margin)
    if output is None and sys.stdout.isatty():
        raise UsageError("a picture is not shown on a terminal; name a file with -o FILE")
    passwords = settings_of({"password": password, "password_for": password_for}).passwords
    with Document(file, password=passwords.of(file.absolute())) as document, closing(DiskCopy(document)) as copy:
        if page > document.page_count:
            raise UsageError(f"{file.name} has {document.page_count} pages, and no page {page}")
        drawing = draw(copy.opened(), [page], RenderOptions(dpi=dpi), fit=True, box=area, threads=1)
        with closing(drawing) as drawn:
            image = next(drawn)
    if isinstance(image, InputError):
        raise image
    if output is not None:
        write_files({output: image.png})
    else:
        sys.stdout.buffer.write(image.png)
    return EXIT_COMPLETE

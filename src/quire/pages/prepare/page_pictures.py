"""The picture of a page, rendered by the reader of its document."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from quire.core.document import Reader, RenderOptions
from quire.core.errors import CorruptError, InputError
from quire.core.picture import Picture
from quire.pages.prepare.pixels import decoded, picture_of
from quire.pages.prepare.prepared import PrepareProfile

_FINEST_DPI = 2400  # no image states more: readers of images never enlarge
_LARGE_IMAGE = 4_000_000  # pixels; less than half of A4 at 300 dpi
_MOST_PIXELS = 16_000_000  # A2 at 200 dpi; larger sheets are rendered at a lower dpi
_FEWEST_PIXELS = 1000  # along the longer side: the page box of a small PDF is often an arbitrary one
_SMALL_PAGE_DPI = 600
_MOST_BYTES = 100_000_000  # of the PNG, which is decoded at once: the pixel limit is the one that matters


@runtime_checkable
class PictureReader(Protocol):
    """A reader that can return a page without encoding it, which would be decoded again at once."""

    def picture(self, number: int, options: RenderOptions) -> Picture | None:
        """The pixels that `render` encodes; None where only that knows the size. Raises the InputError of the page."""
        ...


def page_picture(reader: Reader, number: int, profile: PrepareProfile) -> Picture:
    """The displayed page as a picture: images at their own resolution up to `max_dpi`, others at `dpi`.

    Raises the InputError of a page that cannot be rendered, LimitError among them.
    """
    return drawn_page(reader, number, (_image_dpi if reader.name == "image" else _page_dpi)(reader, number, profile))


def drawn_page(reader: Reader, number: int, dpi: int) -> Picture:
    """The displayed page as a picture. Raises the InputError of a page that cannot be rendered."""
    options = RenderOptions(dpi=dpi, max_bytes=_MOST_BYTES)
    picture = reader.picture(number, options) if isinstance(reader, PictureReader) else None
    if picture is not None:
        return picture
    drawn = next(iter(reader.render([number], options)))
    if isinstance(drawn, InputError):
        raise drawn
    try:
        pixels = decoded(drawn.png)
    except ValueError as error:
        raise CorruptError(str(error), page=number) from error
    return picture_of(pixels, float(drawn.dpi))


def _image_dpi(reader: Reader, number: int, profile: PrepareProfile) -> int:
    """The image's own dpi, however high, unless it is large: the reader can decode a large JPEG at a reduced size.

    A small one is downsampled by `prepare`, which checks its type size first.
    """
    stated = reader.metadata().get("dpi", "")  # of the first page; the others of a TIFF are hardly ever finer
    if not stated.isdigit() or int(stated) <= profile.max_dpi:
        return _FINEST_DPI
    info = reader.info(number)
    pixels = info.width * info.height * (int(stated) / 72) ** 2
    return profile.dpi if pixels > _LARGE_IMAGE else _FINEST_DPI


def _page_dpi(reader: Reader, number: int, profile: PrepareProfile) -> int:
    info = reader.info(number)
    inches = max(info.width, 1.0) / 72, max(info.height, 1.0) / 72
    most = (_MOST_PIXELS / (inches[0] * inches[1])) ** 0.5
    least = min(_FEWEST_PIXELS / max(inches), _SMALL_PAGE_DPI)
    return max(8, int(min(max(profile.dpi, least), most)))

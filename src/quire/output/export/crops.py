"""Pictures cut out of the pages of a document: the one way to cut one, for every format."""

from __future__ import annotations

import io
from collections.abc import Callable
from math import ceil, floor
from typing import TYPE_CHECKING, TypeAlias

from quire.core.document import Reader, RenderOptions
from quire.core.errors import InputError
from quire.core.types import BBox

if TYPE_CHECKING:
    from PIL.Image import Image

Fractions: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height as fractions of the displayed page."""
Crop: TypeAlias = Callable[[int, Fractions, float], bytes]
"""The PNG of a part of a page: its number, the part, and how many pixels there are to a point."""
Render: TypeAlias = Callable[[int, RenderOptions], bytes]
"""The PNG of a page. Raises InputError for a page that cannot be rendered."""


def rendered_by(reader: Reader) -> Render:
    """Renders in this process."""

    def render(page: int, options: RenderOptions) -> bytes:
        (made,) = reader.render([page], options)
        if isinstance(made, InputError):
            raise made
        return made.png

    return render


class PageCrops:
    """Cuts pictures out of the pages of a document; the last page that was rendered is kept."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._page: tuple[int, float, Image] | None = None

    def __call__(self, page: int, part: Fractions, scale: float) -> bytes:
        picture = self._rendered(page, scale)
        box = BBox(*part).points(picture.size)
        edges = (
            floor(box[0]),
            floor(box[1]),
            max(ceil(box[2]), floor(box[0]) + 1),
            max(ceil(box[3]), floor(box[1]) + 1),
        )
        buffer = io.BytesIO()
        picture.crop(edges).save(buffer, "PNG")
        return buffer.getvalue()

    def _rendered(self, page: int, scale: float) -> Image:
        from PIL.Image import open as open_image

        if self._page is None or self._page[:2] != (page, scale):
            png = self._render(page, RenderOptions(dpi=round(72 * scale)))
            self._page = page, scale, open_image(io.BytesIO(png))
        return self._page[2]

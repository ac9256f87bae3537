"""Images as documents, through Pillow: PNG, JPEG, WebP and BMP with one page, TIFF with a page per frame.

The displayed page is the image after its EXIF orientation, and its size in points follows from the resolution
that the file states. This is often missing or wrong: a value that no scanner has, or the 72 and 96 that
programs write as a default. Then an image with the proportions of A4, Letter or Legal is assumed to be
a page of that paper (of A3 and so on where A4 would have more than 400 dpi), and any other to have
150 dpi.

Of an animation only the first frame is a page; previews inside a TIFF (NewSubfileType, TIFF 6.0, section 8) are
not pages. The pixel limit is checked against the size in the header, before anything is decoded.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import CorruptError, InputError, LimitError
from quire.core.pagetext import PageText
from quire.core.picture import Picture
from quire.core.types import OutlineEntry, PageInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

    Floats = NDArray[np.float64]

MAX_FRAMES = 10_000

_PLUGINS = {
    "image/png": "PIL.PngImagePlugin:PngImageFile",
    "image/jpeg": "PIL.JpegImagePlugin:JpegImageFile",
    "image/tiff": "PIL.TiffImagePlugin:TiffImageFile",
    "image/webp": "PIL.WebPImagePlugin:WebPImageFile",
    "image/bmp": "PIL.BmpImagePlugin:BmpImageFile",
}  # opened by class: `Image.open` would try every decoder and apply its own pixel limit

_SUBFILE_TYPE, _OLD_SUBFILE_TYPE, _ORIENTATION = 254, 255, 274
_BITS_PER_SAMPLE, _PHOTOMETRIC, _SAMPLE_FORMAT = 258, 262, 339
_WHITE_IS_ZERO = 0  # Pillow inverts it for 8 bits, not for more
_WHITES = (1.0, 255.0, 4095.0, 65535.0)
_ROWS = 256  # this many are converted at a time
_X_RESOLUTION, _Y_RESOLUTION, _RESOLUTION_UNIT = 282, 283, 296
_TURNED = {3: 180, 6: 90, 8: 270}  # EXIF orientation to degrees, clockwise; the others mirror the image
_PAPERS = ((595.276, 841.89), (612.0, 792.0), (612.0, 1008.0))  # A4, Letter, Legal
_SAME_PROPORTION = 0.012
_PAPER_PIXELS = 800  # an image whose longer side has fewer pixels is not the image of a sheet
_FINEST_DPI = 400.0
_UNKNOWN_DPI = 150.0
_PLACEHOLDERS = (72, 96)
_LONGEST_INCHES = 48.0  # A0 is 46.8 inches long
_LOWER = 0.75  # the dpi of a picture that is too large is multiplied by this or less


@dataclass(frozen=True, slots=True)
class _Frame:
    """The header's entry for one page; width, height and resolution are those of the displayed page."""

    index: int
    width: int
    height: int
    dpi: tuple[float, float]
    orientation: int

    @property
    def points(self) -> tuple[float, float]:
        return round(self.width * 72 / self.dpi[0], 3), round(self.height * 72 / self.dpi[1], 3)

    def pixels(self, dpi: float) -> tuple[int, int]:
        """The size of the page at `dpi`, with square pixels."""
        return (
            max(1, round(self.width * dpi / self.dpi[0])),
            max(1, round(self.height * dpi / self.dpi[1])),
        )


class ImageReader:
    """An image file, one decoded frame in memory at a time. One thread at a time; `threads` is not used."""

    name = "image"

    def __init__(self, document: Document) -> None:
        self._name = document.name
        self._document = document
        module, name = _PLUGINS[document.media_type].split(":")
        self._plugin = getattr(import_module(module), name)
        self._multiple = document.media_type == "image/tiff"
        self._image: ImageFile | None = None
        self._frames = self._list_frames()

    @property
    def page_count(self) -> int:
        return len(self._frames)

    def info(self, number: int) -> PageInfo:
        frame = self._frame(number)
        width, height = frame.points
        return PageInfo(number, width, height, _TURNED.get(frame.orientation, 0))

    def text(self, pages: Sequence[int], *, threads: int = 1) -> Iterator[bytes | InputError]:
        """No text, one picture over the whole page. The image is decoded, so that a damaged one is found here."""
        for number in pages:
            try:
                frame = self._frame(number)
                self._decode(frame, number, (1, 1), RenderOptions().max_pixels)
                yield _no_text(self.info(number))
            except InputError as error:
                yield error
            finally:
                self._release()

    def render(
        self, pages: Sequence[int], options: RenderOptions, *, threads: int = 1
    ) -> Iterator[PageImage | InputError]:
        """The page at the requested dpi, or at its own when that is lower: nothing is enlarged."""
        for number in pages:
            try:
                yield self._render(self._frame(number), number, options)
            except InputError as error:
                yield error
            finally:
                self._release()

    def picture(self, number: int, options: RenderOptions) -> Picture | None:
        """The page as `render` draws it, without encoding it; None for a large one, which may exceed the byte limit."""
        try:
            image, size, dpi = self._plain_at(self._frame(number), number, options)
            if 3 * size[0] * size[1] > options.max_bytes // 2:
                return None
            drawn = _resized(image, size)
            return Picture(*drawn.size, "L" if drawn.mode == "L" else "RGB", drawn.tobytes(), float(round(dpi)))
        finally:
            self._release()

    def outline(self) -> Sequence[OutlineEntry]:
        return ()

    def metadata(self) -> Mapping[str, str]:
        found = {"format": self._document.media_type.removeprefix("image/").upper()}
        first = self._frames[0]
        if isinstance(first, _Frame):
            found |= {"pixels": f"{first.width} x {first.height}", "dpi": f"{max(first.dpi):.0f}"}
        return found

    def close(self) -> None:
        if self._image is not None:
            self._image.close()
            self._image = None

    def _release(self) -> None:
        """Drop the decoded pixels; a TIFF stays open, since finding its last frame again means walking all."""
        if not self._multiple:
            self.close()

    def _opened(self) -> ImageFile:
        if self._image is None:
            self._image = self._plugin(self._document.open())
        assert self._image is not None
        return self._image

    def _damaged(self, error: Exception, page: int | None) -> InputError:
        if isinstance(error, InputError):
            return error
        self.close()  # the state of a decoder after an error must not be reused
        if type(error).__name__ == "DecompressionBombError":
            return LimitError(str(error), document=self._name, page=page)
        return CorruptError(f"the image is damaged ({error})", document=self._name, page=page)

    def _list_frames(self) -> list[_Frame | InputError]:
        try:
            image = self._opened()
            frames: list[_Frame | InputError] = [_described(image, 0)]
        except Exception as error:  # a decoder can raise any exception: struct.error, KeyError, ...
            raise self._damaged(error, None) from error
        if self._multiple:
            frames += self._further_frames(image)
        self._release()
        return frames

    def _further_frames(self, image: ImageFile) -> Iterator[_Frame | InputError]:
        index = 0
        number = 1
        while True:
            index += 1
            if index >= MAX_FRAMES:
                raise LimitError(f"has more than {MAX_FRAMES} frames", document=self._name)
            try:
                image.seek(index)
                if _is_preview(image):
                    continue
                number += 1
                yield _described(image, index)
            except EOFError:
                return
            except Exception as error:  # as above; the chain of frames ends at a damaged one
                yield self._damaged(error, number)
                return

    def _frame(self, number: int) -> _Frame:
        if not 1 <= number <= len(self._frames):
            raise InputError(f"there is no page {number}", document=self._name)
        frame = self._frames[number - 1]
        if isinstance(frame, InputError):
            raise frame
        return frame

    def _decode(self, frame: _Frame, number: int, least_size: tuple[int, int], max_pixels: int) -> Image:
        """The upright pixels, not smaller than `least_size`: JPEG is decoded at a reduced size if that is enough."""
        self._check(frame.width, frame.height, number, max_pixels)
        try:
            image = self._opened()
            if self._multiple:
                image.seek(frame.index)
            image.draft(None, least_size if frame.orientation < 5 else (least_size[1], least_size[0]))
            with warnings.catch_warnings():
                if frame.width * frame.height > _pillow_limit():
                    warnings.simplefilter("ignore")  # our own limit has been checked
                image.load()
            if not self._multiple:
                return _upright(image, frame.orientation)
            if image.size != (frame.width, frame.height):  # Pillow has already rotated it
                raise CorruptError(
                    f"the image has {image.width} x {image.height} pixels instead of {frame.width} x {frame.height}",
                    document=self._name,
                    page=number,
                )
            return image
        except Exception as error:  # as above
            raise self._damaged(error, number) from error

    def _check(self, width: int, height: int, number: int, max_pixels: int) -> None:
        if width * height > max_pixels:
            message = f"{width} x {height} pixels pass the limit of {max_pixels}"
            raise LimitError(message, document=self._name, page=number)

    def _render(self, frame: _Frame, number: int, options: RenderOptions) -> PageImage:
        started = time.perf_counter()
        image, size, dpi = self._plain_at(frame, number, options)
        while True:
            picture = _resized(image, size)
            png = _png(picture)
            if len(png) <= options.max_bytes or dpi <= 8:
                milliseconds = (time.perf_counter() - started) * 1e3
                return PageImage(number, png, *picture.size, round(dpi), picture.mode, milliseconds)
            dpi = max(8.0, dpi * min(_LOWER, math.sqrt(options.max_bytes / len(png))))
            size = frame.pixels(dpi)

    def _plain_at(self, frame: _Frame, number: int, options: RenderOptions) -> tuple[Image, tuple[int, int], float]:
        """The decoded page, at least as large as it is wanted, the wanted size and its dpi."""
        dpi = min(float(options.dpi), max(frame.dpi))
        size = frame.pixels(dpi)
        self._check(*size, number, options.max_pixels)
        return _plain(self._decode(frame, number, size, options.max_pixels), grey=options.grey), size, dpi


def open_images(document: Document) -> ImageReader:
    """Open an image file. Raises CorruptError when its header cannot be read."""
    return ImageReader(document)


def _described(image: ImageFile, index: int) -> _Frame:
    from PIL.Image import Image

    tiff = getattr(image, "tag_v2", None)  # of this frame; Pillow has already swapped its size
    tags = Image.getexif(image) if tiff is None else tiff  # that of a PNG would decode the image
    orientation = tags.get(_ORIENTATION, 1)
    orientation = orientation if orientation in range(1, 9) else 1
    dpi = _stated(None if tiff is not None else image.info.get("dpi"), tags)
    width, height = image.size
    if orientation >= 5:  # the stored rows are the displayed columns
        dpi = dpi[1], dpi[0]
        width, height = (width, height) if tiff is not None else (height, width)
    frame = _Frame(index, width, height, dpi, orientation)
    return replace(frame, dpi=_believed(frame))


def _stated(dpi: tuple[float, float] | None, tags: Mapping[int, Any]) -> tuple[float, float]:
    """The resolution that the file states, NaN when it states none."""
    x = tags.get(_X_RESOLUTION) or tags.get(_Y_RESOLUTION, math.nan)
    y = tags.get(_Y_RESOLUTION) or x
    per_inch = {2: 1.0, 3: 2.54}.get(tags.get(_RESOLUTION_UNIT, 2), math.nan)  # inch, centimetre
    try:
        return (float(x) * per_inch, float(y) * per_inch) if dpi is None else (float(dpi[0]), float(dpi[1]))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return math.nan, math.nan


def _believed(frame: _Frame) -> tuple[float, float]:
    """The stated resolution when it is plausible, otherwise the one that the module docstring describes."""
    x, y = frame.dpi
    if 50 <= x <= 2400 and 50 <= y <= 2400 and max(x, y) <= 4 * min(x, y) and round(x) not in _PLACEHOLDERS:
        inches = max(frame.width / x, frame.height / y)
        if inches <= _LONGEST_INCHES:
            return x, y
    short, long = sorted((frame.width, frame.height))
    if long >= _PAPER_PIXELS:
        for paper_short, paper_long in _PAPERS:
            if abs(long / short * paper_short / paper_long - 1) <= _SAME_PROPORTION:
                dpi = long * 72 / paper_long
                while dpi > _FINEST_DPI and (paper_short, paper_long) == _PAPERS[0]:
                    dpi /= math.sqrt(2)  # the next larger sheet of the A series
                return dpi, dpi
    return _UNKNOWN_DPI, _UNKNOWN_DPI


def _is_preview(image: ImageFile) -> bool:
    tags = getattr(image, "tag_v2", {})
    return bool(tags.get(_SUBFILE_TYPE, 0) & 1) or tags.get(_OLD_SUBFILE_TYPE) == 2


def _pillow_limit() -> float:
    from PIL import Image

    return Image.MAX_IMAGE_PIXELS or math.inf


def _upright(image: Image, orientation: int) -> Image:
    from PIL.Image import Transpose

    methods = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    method = methods.get(orientation)
    return image if method is None else image.transpose(method)


def _plain(image: Image, *, grey: bool) -> Image:
    """A new image with 8 bits per channel, on white: L, or RGB where there is colour and it is wanted."""
    from PIL import Image as images
    from PIL import ImageChops

    if image.mode == "F" or image.mode.startswith("I"):
        image = _to_8_bits(image)
    if image.has_transparency_data:
        seen = image.convert("RGBA")
        image = images.new("RGB", image.size, "white")
        image.paste(seen, mask=seen.getchannel("A"))
    if image.mode in ("1", "L") or grey:
        return image.convert("L")
    image = image.convert("RGB")
    red, green, blue = image.split()
    if ImageChops.difference(red, green).getbbox() is None and ImageChops.difference(red, blue).getbbox() is None:
        return red
    return image


def _to_8_bits(image: Image) -> Image:
    """Convert grey of 16 or 32 bits or floating point to 8 bits, by the values that occur.

    White is the highest value of the usual ranges (`_WHITES`) where the picture uses more than half of one, otherwise
    the highest that occurs; black is zero, or the lowest value if that is negative. NaN becomes white.
    """
    import numpy as np
    from PIL import Image as images

    tags = getattr(image, "tag_v2", {})
    unsigned = tags.get(_BITS_PER_SAMPLE) == (32,) and set(tags.get(_SAMPLE_FORMAT, (1,))) == {1}

    def rows() -> Iterator[tuple[int, Floats]]:
        for top in range(0, image.height, _ROWS):
            part = np.asarray(image.crop((0, top, image.width, min(image.height, top + _ROWS))))
            values = part.view(np.uint32) if unsigned else part
            yield top, values.astype(np.float64)

    low, high = 0.0, -math.inf
    for _, values in rows():
        finite = values[np.isfinite(values)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    if low >= 0:
        usual = next((white for white in _WHITES if white >= high), high)
        high = usual if high > usual / 2 else high
    inverted = tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO
    if high <= low:  # one value everywhere, or none
        return images.new("L", image.size, "black" if high == 0 and not inverted else "white")
    black, paper = (high, low) if inverted else (low, high)
    plain = images.new("L", image.size)
    for top, values in rows():
        finite = np.nan_to_num(values, nan=paper, posinf=high, neginf=low)
        grey = np.rint((finite - black) * (255 / (paper - black))).clip(0, 255).astype(np.uint8)
        plain.paste(images.fromarray(grey), (0, top))
    return plain


def _resized(image: Image, size: tuple[int, int]) -> Image:
    from PIL.Image import Resampling

    return image if image.size == size else image.resize(size, Resampling.LANCZOS, reducing_gap=3.0)


def _png(image: Image) -> bytes:
    """A PNG without profile, comments or date: equal pixels produce equal bytes."""
    image.info = {}
    buffer = BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _no_text(info: PageInfo) -> bytes:
    return replace(PageText.empty(info), images=[0.0, 0.0, info.width, info.height]).to_bytes()

"""Images as PDF stores them: JPEG unchanged, everything else lossless."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire.core.document import Document, PageImage, RenderOptions
from quire.core.errors import CorruptError, InputError
from quire.output.export._ahead import ahead

if TYPE_CHECKING:
    from PIL.Image import Image

_ORIENTATION = 0x0112
_LARGEST = RenderOptions(dpi=2400, max_bytes=1 << 31)  # its own resolution: nothing is enlarged
_COLOURS = {"1": 1, "L": 1, "RGB": 3, "CMYK": 4}
_SPACES = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}


@dataclass(frozen=True, slots=True)
class ImageObject:
    """An image object of a PDF, and the orientation (1 to 8, as in EXIF) in which it is displayed."""

    stream: Any
    orientation: int = 1


@dataclass(frozen=True, slots=True)
class _Packed:
    """Pixels as PDF stores them: compressed rows with PNG predictors."""

    data: bytes
    size: tuple[int, int]
    colours: int
    bits: int


def pictures(pikepdf: Any, file: Any, document: Document, *, threads: int) -> Iterator[ImageObject | InputError]:
    """The picture of each page for `file`, in order; the error instead for one that is damaged.

    Pixels are packed in `threads` threads; only the caller's thread uses `file`.
    """
    if document.media_type == "image/jpeg":
        yield _jpeg(pikepdf, file, document)
        return
    drawn = document.reader.render(range(1, document.page_count + 1), _LARGEST, threads=threads)
    for packed in ahead(_packed, drawn, threads=threads):
        yield packed if isinstance(packed, InputError) else _picture(pikepdf, file, packed)


def _packed(drawn: PageImage) -> _Packed:
    from PIL import Image

    image = _smallest(Image.open(io.BytesIO(drawn.png)))
    return _Packed(_png_data(image), image.size, _COLOURS[image.mode], 1 if image.mode == "1" else 8)


def _picture(pikepdf: Any, file: Any, packed: _Packed) -> ImageObject:
    width, _ = packed.size
    predicted = pikepdf.Dictionary(Predictor=15, Colors=packed.colours, BitsPerComponent=packed.bits, Columns=width)
    stream = _image(pikepdf, file, packed.data, packed.size, packed.colours)
    stream.BitsPerComponent = packed.bits
    stream.Filter, stream.DecodeParms = pikepdf.Name.FlateDecode, predicted
    return ImageObject(stream)


def _jpeg(pikepdf: Any, file: Any, document: Document) -> ImageObject | InputError:
    """The bytes of the file themselves."""
    from PIL import Image

    data = document.read_bytes()
    try:
        image = Image.open(io.BytesIO(data), formats=["JPEG"])
        orientation = image.getexif().get(_ORIENTATION, 1)
    except Exception as error:  # a decoder can raise any exception
        return CorruptError(f"the image is damaged ({error})", document=document.name)
    colours = _COLOURS[image.mode]
    stream = _image(pikepdf, file, data, image.size, colours)
    stream.Filter = pikepdf.Name.DCTDecode
    if image.mode == "CMYK" and "adobe" in image.info:
        stream.Decode = [1, 0] * 4  # Adobe's programs write it inverted
    return ImageObject(stream, orientation)


def _image(pikepdf: Any, file: Any, data: bytes, size: tuple[int, int], colours: int) -> Any:
    name = pikepdf.Name
    stream = file.make_stream(data, Type=name.XObject, Subtype=name.Image, Width=size[0], Height=size[1])
    stream.ColorSpace, stream.BitsPerComponent = name(_SPACES[colours]), 8
    return stream


def _smallest(image: Image) -> Image:
    """One bit per pixel where there is only black and white, otherwise grey or RGB."""
    if image.mode == "L" and {value for _, value in image.getcolors(2) or [(0, 1)]} <= {0, 255}:
        return image.convert("1")
    return image if image.mode in ("1", "L", "RGB") else image.convert("RGB")


def _png_data(image: Image) -> bytes:
    """The compressed rows of a PNG, which are identical to PDF's FlateDecode with PNG predictors."""
    target = io.BytesIO()
    image.save(target, "PNG")
    png = target.getvalue()
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return data

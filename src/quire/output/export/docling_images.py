"""The images of a DoclingDocument: pictures and pages, inside it or as files beside it. Runs in a worker process."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from quire.output.export.crops import Crop, Fractions

WHOLE_PAGE: Fractions = (0.0, 0.0, 1.0, 1.0)


class OutputOptions(TypedDict):
    """The output options of a request. `version` is the highest schema version that the caller reads.

    Without `titles`, the title of a PDF or a scan is a heading, as in docling, which knows none there.
    """

    formats: list[str]
    image_mode: Literal["placeholder", "embedded", "referenced"]
    images: bool
    page_images: bool
    images_scale: float
    page_break: str
    compact_tables: bool
    version: str | None
    titles: bool


def image_of(
    item: Mapping[str, Any], pages: Mapping[int, Mapping[str, Any]], crop: Crop | None, scale: float
) -> tuple[dict[str, Any], bytes] | None:
    """The image of an item and its content: the one inside the document, or one cut from its page."""
    own = item.get("image")
    data = _embedded((own or {}).get("uri"))
    if own and data:
        return {**own, "mimetype": data[0]}, data[1]
    place = next((p for p in item.get("prov", ()) if p.get("page_no") in pages), None)
    if place is None or crop is None:
        return None
    part = _fractions(place["bbox"], pages[place["page_no"]]["size"])
    return None if part is None else (_cut(scale), crop(place["page_no"], part, scale))


def with_images(
    document: Mapping[str, Any], options: OutputOptions, crop: Crop | None
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document with the images that were requested and no others, and the files that it refers to.

    An image that is anywhere but in the document itself is dropped: no file and no address of a document is opened.
    """
    images = _Images(document, options, crop)
    pictures = [{**item, "image": images.of_item(item)} for item in document.get("pictures", ())]
    tables = [{**item, "image": None} for item in document.get("tables", ())]
    pages = {number: {**page, "image": images.of_page(page)} for number, page in document.get("pages", {}).items()}
    return {**document, "pictures": pictures, "tables": tables, "pages": pages}, images.files


class _Images:
    def __init__(self, document: Mapping[str, Any], options: OutputOptions, crop: Crop | None) -> None:
        self.options, self.crop = options, crop
        self.scale = options["images_scale"]
        self.pages = {page["page_no"]: page for page in document.get("pages", {}).values()}
        self.files: dict[str, bytes] = {}
        self.pictures = 0

    def of_item(self, item: Mapping[str, Any]) -> dict[str, Any] | None:
        if not self.options["images"]:
            return None
        number, self.pictures = self.pictures, self.pictures + 1
        found = image_of(item, self.pages, self.crop, self.scale)
        return found and self.refer(*found, f"image_{number:06}")

    def of_page(self, page: Mapping[str, Any]) -> dict[str, Any] | None:
        if not self.options["page_images"] or self.crop is None:
            return None
        number = page["page_no"]
        return self.refer(_cut(self.scale), self.crop(number, WHOLE_PAGE, self.scale), f"page_{number:06}")

    def refer(self, image: dict[str, Any], content: bytes, name: str) -> dict[str, Any]:
        if "size" not in image:
            width, height = (int.from_bytes(content[start : start + 4]) for start in (16, 20))  # PNG, section 11.2.1
            image = {**image, "size": {"width": float(width), "height": float(height)}}
        if self.options["image_mode"] == "referenced":
            suffix = {"image/jpeg": ".jpg"}.get(image["mimetype"], f".{image['mimetype'].partition('/')[2]}")
            path = f"artifacts/{name}_{hashlib.sha256(content).hexdigest()}{suffix}"
            self.files[path] = content
            return {**image, "uri": path}
        return {**image, "uri": f"data:{image['mimetype']};base64,{base64.b64encode(content).decode()}"}


def _cut(scale: float) -> dict[str, Any]:
    return {"mimetype": "image/png", "dpi": round(72 * scale)}


def _embedded(uri: object) -> tuple[str, bytes] | None:
    """Media type and content of a data URI of an image."""
    if not isinstance(uri, str) or not uri.startswith("data:image/"):
        return None
    kind, _, text = uri.removeprefix("data:").partition(";base64,")
    if not text or kind not in ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/tiff"):
        return None
    try:
        return kind, base64.b64decode(text, validate=True)
    except ValueError:
        return None


def _fractions(box: Mapping[str, Any], size: Mapping[str, float]) -> Fractions | None:
    width, height = size["width"], size["height"]
    if width <= 0 or height <= 0:
        return None
    low, high = sorted((box["t"], box["b"]))
    top, bottom = (height - high, height - low) if box.get("coord_origin") == "BOTTOMLEFT" else (low, high)
    left, right = sorted((box["l"], box["r"]))
    left, right = (min(max(value / width, 0.0), 1.0) for value in (left, right))
    top, bottom = (min(max(value / height, 0.0), 1.0) for value in (top, bottom))
    return (left, top, right - left, bottom - top) if right > left and bottom > top else None

"""Makes the pictures of the page in the browser for the documentation: docs/images/web.png, extract.png and review.png.

Run it from the root of the repository, with the tools for development installed: python -m scripts.web_picture
With the font Inter (fonts-inter), the page looks as it does on most machines.
"""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import Browser, Page
from tests import bills
from tests.servers import chromium
from tests.servers.service import QuireServer

import quire
from quire.evidence.extract.extraction_json import extraction_json

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
ROWS = (("Rope", "10.00"), ("Lantern", "20.50"), ("Anchor", "113.50"))
EXTRACTED = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "title": "Invoice number"},
        "date": {"type": "string", "format": "date"},
        "total": {"type": "number"},
        "amount_due": {"type": "number"},
        "iban": {"type": "string"},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": {"article": {"type": "string"}, "price": {"type": "number"}}},
        },
    },
}
SIZE = {"width": 1360, "height": 850}
COLOURS = 256
"""Of the palette: enough for text, boxes and the chart, and a third of the size."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="quire-picture-") as folder:
        server = QuireServer(Path(folder))
        server.start()
        try:
            with quire.Client(server.url) as client:
                (document,) = client.submit(ROOT / "examples" / "sample.pdf").result()
                file = Path(folder) / "invoice.pdf"
                file.write_bytes(bills.bill(rows=ROWS))
                (invoice,) = client.submit(file).result()
            review = _open_review(server.url, invoice.id)
            with chromium.browsing() as browser:
                _write("web.png", _look(_page(browser), f"{server.url}/#/documents/{document.id}?page=2"))
                _write("extract.png", _extract(_page(browser), server.url, file))
                _write("review.png", _review(_page(browser), f"{server.url}/#/review/work?review={review}"))
        finally:
            server.stop()


def _page(browser: Browser) -> Page:
    context = browser.new_context(viewport=SIZE, device_scale_factor=1.5, color_scheme="light", reduced_motion="reduce")
    return context.new_page()


def _write(name: str, picture: bytes) -> None:
    IMAGES.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(IMAGES / name, optimize=True)
    print(f"{name}: {(IMAGES / name).stat().st_size / 1024:.0f} KB")


def _look(page: Page, url: str) -> bytes:
    """The second page, with its table selected."""
    page.goto(url)
    page.locator(".sheet[data-page='2']:not(.loading)[data-dpi]").wait_for(state="attached")
    page.locator(".sheet[data-page='2'] .box[data-kind=table]").click()
    page.locator(".frame img").nth(3).wait_for()
    page.mouse.move(600, 20)
    return page.screenshot()


def _extract(page: Page, server: str, file: Path) -> bytes:
    """The values of an invoice, with the second one chosen."""
    page.goto(f"{server}/#/extract")
    page.set_input_files("#picker", file)
    page.get_by_role("radio", name="JSON Schema").check()
    page.locator("#schema").fill(json.dumps(EXTRACTED))
    page.get_by_role("button", name="Extract", exact=True).click()
    page.locator(".value-row[data-path=date]").click()
    page.locator(".value-detail .crop[src]").wait_for()
    page.locator(".sheet[data-page='1']:not(.loading)[data-dpi]").wait_for(state="attached")
    return page.screenshot()


def _review(page: Page, url: str) -> bytes:
    """A conflict of two totals."""
    page.goto(f"{url}&field=total")
    page.locator(".side .crop[src]").nth(1).wait_for()
    page.locator(".sheet[data-page='1']:not(.loading)[data-dpi]").wait_for(state="attached")
    return page.screenshot()


def _open_review(server: str, document: str) -> str:
    def asked(path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{server}{path}", data, {"Content-Type": "application/json"})) as answer:
            return json.load(answer)

    words = bills.words_of((n, asked(f"/api/documents/{document}/pages/{n}?words=1")) for n in (1, 2))
    sha256 = asked(f"/api/documents/{document}")["sha256"]
    extraction = extraction_json(bills.bill_extraction(sha256, words, rows=ROWS))
    made = asked("/api/review", {"document": document, "schema": bills.SCHEMA, "extraction": extraction})
    return str(made["id"])


if __name__ == "__main__":
    main()

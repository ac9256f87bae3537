"""Makes the picture of the page in the browser for the documentation, from the sample: docs/images/web.png.

Run it from the root of the repository, with the tools for development installed: python -m scripts.web_picture
With the font Inter (fonts-inter), the page looks as it does on most machines.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from tests.servers import chromium
from tests.servers.service import QuireServer

import quire

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "images" / "web.png"
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
            picture = _look(f"{server.url}/#/documents/{document.id}?page=2")
        finally:
            server.stop()
    TARGET.parent.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1024:.0f} KB")


def _look(url: str) -> bytes:
    """The second page, with its table selected."""
    with chromium.browsing() as browser:
        context = browser.new_context(
            viewport=SIZE, device_scale_factor=1.5, color_scheme="light", reduced_motion="reduce"
        )
        page = context.new_page()
        page.goto(url)
        page.locator(".sheet[data-page='2']:not(.loading)[data-dpi]").wait_for(state="attached")
        page.locator(".sheet[data-page='2'] .box[data-kind=table]").click()
        page.locator(".frame img").nth(3).wait_for()
        page.mouse.move(600, 20)
        return page.screenshot()


if __name__ == "__main__":
    main()

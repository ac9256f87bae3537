"""Debian's Chromium, driven by Playwright. `scripts/system_packages.sh` installs it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def program() -> Path | None:
    found = shutil.which("chromium")
    return Path(found) if found else None


@contextmanager
def browsing() -> Iterator[Browser]:
    """The browser, closed whatever happens. Raises if it is not installed."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()

"""Debian's Chromium, driven by Playwright. `scripts/system_packages.sh` installs it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

AXE = Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def program() -> Path | None:
    found = shutil.which("chromium")
    return Path(found) if found else None


@contextmanager
def browsing() -> Iterator[Browser]:
    """The browser, closed whatever happens; missing, it fails tests where it is expected and skips them else.

    While it is open its thread has an event loop that runs: a fixture must end with its package or module.
    """
    if program() is None:
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_CHROMIUM") == "1" else pytest.skip
        missing("scripts/system_packages.sh installs Chromium, which is not here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def axe_script() -> str:
    """The script that finds faults of accessibility."""
    if not AXE.exists():
        missing = pytest.fail if os.environ.get("QUIRE_EXPECT_AXE") == "1" else pytest.skip
        missing("scripts/axe.sh fetches axe-core, which is not here")
    return AXE.read_text(encoding="utf-8")

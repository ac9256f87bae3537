"""A browser, a server with documents that were read, and pages that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests import documents
from tests.conftest import ROOT
from tests.servers import chromium
from tests.unit.service.api.conftest import TENANT, TENANT_HEADER, Serving, half_damaged, serving

__all__ = ["half_damaged"]

PATIENCE_MS = 60_000
MANY = 100

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium.browsing() as running:
        proxied = {TENANT_HEADER: TENANT}  # as a proxy adds it after a login
        running.new_context = partial(running.new_context, extra_http_headers=proxied)  # type: ignore[method-assign]
        yield running


@pytest.fixture(scope="package")
def axe() -> str:
    return chromium.axe_script()


@pytest.fixture(scope="package")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="package")
def server(folder) -> Iterator[Serving]:
    with serving(folder, learned=str(folder / "models")) as running:
        yield running


@pytest.fixture(scope="package")
def idle(tmp_path_factory) -> Iterator[Serving]:
    """A server whose runs wait: the test writes their events."""
    with serving(tmp_path_factory.mktemp("web-idle"), idle=True) as running:
        yield running


class Samples(NamedTuple):
    """Ids of documents that were read."""

    sample: str
    scan: str
    marked: str


@pytest.fixture(scope="package")
def samples(server) -> Samples:
    examples = ROOT / "examples"
    return Samples(
        server.read((examples / "sample.pdf").read_bytes(), "sample.pdf"),
        server.read((examples / "scan.png").read_bytes(), "scan.png"),
        server.read(documents.marked_pages(), "marked.pdf", options={"ocr": "never"}),
    )


@pytest.fixture(scope="package")
def many(server) -> str:
    """A document of many pages."""
    return server.read(documents.many_pages(MANY), "many.pdf")


@pytest.fixture
def context(browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(PATIENCE_MS)
    yield made
    made.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the console said. A test that expects something clears it."""
    return []


@pytest.fixture
def page(context, complaints) -> Iterator[Page]:
    """A page of the browser. The test fails if the console has errors, or something opened a dialog."""
    made = context.new_page()
    made.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    made.on("pageerror", lambda error: complaints.append(str(error)))
    made.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    yield made
    assert complaints == []


@pytest.fixture
def show(page, server) -> Callable[..., Page]:
    """Opens a document, at a page of it, and waits for its picture."""

    def open_(document: str, *, number: int = 1) -> Page:
        page.goto(f"{server.url}/#/documents/{document}?page={number}")
        drawn(page, number)
        return page

    return open_


def drawn(page: Page, number: int) -> None:
    """Wait for the picture of a page."""
    expect(page.locator(f".sheet[data-page='{number}']:not(.loading)[data-dpi]")).to_be_attached()

"""The page in the browser: how soon a document of 400 pages can be read in it, and how little of it is in the tree."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page
from tests.servers import chromium
from tests.servers.service import QuireServer

import quire
from benchmarks import corpus
from benchmarks.report import LeftOut, Options, Report, Table, goal

GOAL_S = 1.0
GOAL_ELEMENTS = 2000
MIDDLE, FAR = 200, 399
FIRST, AGAIN, INSIDE, JUMP = (
    "opened for the first time",
    "opened again",
    f"opened at page {MIDDLE}",
    f"from there to page {FAR}",
)
VIEWPORT = {"width": 1440, "height": 900}

# The picture of a page is drawn, its boxes lie on it, and its text stands beside it: how many milliseconds since the
# page was requested, or since `window.began`.
READABLE = """(number) => {
  const sheet = document.querySelector(`.sheet[data-page="${number}"]:not(.loading)[data-dpi]`);
  const text = document.querySelector(".panel .piece");
  const current = document.querySelector("#page")?.value === String(number);
  return sheet?.querySelector(".box") && text && current ? performance.now() - (window.began ?? 0) : false;
}"""
COUNT = "document.querySelectorAll('*').length"


def run(options: Options) -> Report:
    if chromium.program() is None:
        raise LeftOut("there is no chromium here: scripts/system_packages.sh installs it")
    path = corpus.pdfs(corpus.LONG)[0]
    times: dict[str, list[float]] = {name: [] for name in (FIRST, AGAIN, INSIDE, JUMP)}
    elements: list[int] = []
    quiet = os.getloadavg()[0] < (os.cpu_count() or 1)
    with chromium.browsing() as browser:
        _open(browser, "about:blank").close()  # the first page starts processes of the browser
        for _ in range(options.rounds(4, 1)):
            with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
                server = QuireServer(Path(folder))
                server.start()
                try:
                    _round(browser, server, path, times, elements)
                finally:
                    server.stop()
    rows = [
        [name, 1000 * min(taken), 1000 * median(taken), *goal(median(taken), GOAL_S, most=True, digits=1)]
        for name, taken in times.items()
    ]
    rows.append(["elements in the tree, most", max(elements), None, *_fewer(max(elements))])
    notes = [
        f"{corpus.shown(path)}, 400 pages, in Chromium, 1440 x 900. Until the picture of the page is drawn with "
        "its boxes and its text stands beside it. Each time in a fresh profile, so that nothing is in the cache of the "
        "browser. The first time, the server starts workers, and makes the views and the pictures that are asked for.",
        "The goals, in seconds, are for the median.",
    ]
    return Report(
        "The page in the browser",
        [Table(["what", "least, ms", "median, ms", "goal", "reached"], rows)],
        notes,
        {"s": times, "elements": elements},
        believable=quiet,
    )


def _round(
    browser: Browser, server: QuireServer, path: Path, times: dict[str, list[float]], elements: list[int]
) -> None:
    """Read the document on a new server, and open it there."""
    with quire.Client(server.url) as client:
        (document,) = client.submit(path).result()
    for name, number in ((FIRST, 1), *[(AGAIN, 1), (INSIDE, MIDDLE)] * 3):
        page = _open(browser, f"{server.url}/#/documents/{document.id}?page={number}")
        times[name].append(_readable(page, number))
        elements.append(page.evaluate(COUNT))
        if name == INSIDE:
            page.evaluate("window.began = performance.now()")
            page.fill("#page", str(FAR))
            page.keyboard.press("Enter")
            times[JUMP].append(_readable(page, FAR))
            elements.append(page.evaluate(COUNT))
        page.context.close()


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.goto(url)
    return page


def _readable(page: Page, number: int) -> float:
    return page.wait_for_function(READABLE, arg=number, timeout=60_000).json_value() / 1000


def _fewer(number: int) -> list[str]:
    return [f"≤ {GOAL_ELEMENTS}", "yes" if number <= GOAL_ELEMENTS else "no"]

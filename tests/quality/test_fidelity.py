"""Fidelity: every word that PDFium finds on a page is in the output once.

No formula has language in it, and no table is without columns: on golden pages, on the documents that ship with Quire,
and on those of other tests.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

import quire
from tests import documents
from tests.conftest import ROOT
from tests.quality.fidelity import faults_of, words_of_pages
from tests.quality.golden import written_families
from tests.quality.known_failures import known_failures, mended
from tests.quality.truth import PAGES

GATE = "fidelity"
SHIPPED = sorted([*(ROOT / "examples").rglob("*.pdf"), *(ROOT / "src" / "quire" / "flow" / "samples").glob("*.pdf")])
LEAST_BUILT, LEAST_SHIPPED = 40, 20
NOT_READ = {
    "many_pages",
    "many_rulings",
    "many_runs",
    "many_images",
    "huge_page",
    "zero_pages",
    "truncated",
    "encrypted",
}
"""Builders of documents that are long or cannot be opened."""


def builders() -> dict[str, Callable[[], bytes]]:
    """The builders of test documents that need no argument."""
    found = {}
    for name, build in inspect.getmembers(documents, inspect.isfunction):
        parameters = inspect.signature(build).parameters.values()
        ours = build.__module__ == documents.__name__ and build.__annotations__.get("return") == "bytes"
        if ours and name not in NOT_READ and all(one.default is not one.empty for one in parameters):
            found[name] = build
    return found


def faults_in(name: str, source: str | bytes, data: bytes) -> dict[str, list[str]]:
    """The faults of each page of a document, before what goes over pages is joined."""
    found = {}
    for page, words in zip(quire.stream(source, ocr="never"), words_of_pages(data), strict=True):
        if faults := faults_of(words, page.blocks):
            found[f"{name}-{page.info.number:02}"] = faults
    return found


def hold(name: str, found: dict[str, list[str]]) -> None:
    known = frozenset(page for page in known_failures()[GATE] if page.rpartition("-")[0] == name)
    new = [f"{page}: {'; '.join(faults)}" for page, faults in found.items() if page not in known]
    if new:
        pytest.fail("\n".join(new), pytrace=False)
    if gone := known - set(found):
        pytest.fail(mended(GATE, gone), pytrace=False)


@pytest.mark.parametrize("family", written_families())
def test_golden_pages_say_every_word_once(family: str) -> None:
    path = PAGES / f"{family}.pdf"
    hold(family, faults_in(family, str(path), path.read_bytes()))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_documents_that_ship_say_every_word_once(path: Path) -> None:
    hold(path.stem, faults_in(path.stem, str(path), path.read_bytes()))


@pytest.mark.parametrize("name", builders())
def test_documents_of_other_tests_say_every_word_once(name: str) -> None:
    data = builders()[name]()
    hold(name, faults_in(name, data, data))


def test_there_are_many_documents() -> None:
    assert len(builders()) >= LEAST_BUILT
    assert len(SHIPPED) >= LEAST_SHIPPED

"""The site that `make docs` builds: every page is in its navigation, and the API reference has every public name."""

from __future__ import annotations

import runpy
from collections.abc import Iterator

import pytest
import yaml

import quire
from tests.docs.pages import ROOT

SITE = runpy.run_path(str(ROOT / "scripts" / "site.py"))
CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def leaves(nav: object) -> Iterator[str]:
    """The pages of a navigation, in order."""
    match nav:
        case str():
            yield nav
        case list():
            yield from (page for part in nav for page in leaves(part))
        case dict():
            yield from leaves(list(nav.values()))


def test_the_navigation_has_every_page_once() -> None:
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert sorted(leaves(CONFIG["nav"])) == sorted(pages | {"reference/api.md"})


def test_the_api_reference_has_every_public_name() -> None:
    listed = SITE["_api"]().splitlines()
    assert [name for name in quire.__all__ if name != "__version__" and f"::: quire.{name}" not in listed] == []
    assert "::: quire.batch.run_stage" in listed


@pytest.mark.parametrize(
    ("page", "link", "written"),
    [
        ("docs/index.md", "../examples/scan.py", "project/examples/scan.py.md"),
        ("docs/guides/scans.md", "../../benchmarks/results", "../project/benchmarks/results/index.md"),
        ("docs/guides/scans.md", "engines.md", "engines.md"),
        ("README.md", "docs/guides/tables.md", "../guides/tables.md"),
    ],
)
def test_links_lead_to_the_page_of_their_file(page: str, link: str, written: str) -> None:
    assert SITE["_link"](page, link) == written

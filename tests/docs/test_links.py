"""Links between the pages, and from them to files of the project, lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, name_of, without_code

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_a_page_resolve(page: Path) -> None:
    assert [link for link in _LINK.findall(without_code(page)) if not _resolves(page, link)] == []


def test_every_page_of_the_documentation_is_reached_from_its_index() -> None:
    index = next(page for page in PAGES if name_of(page) == "docs/index.md")
    reached = {(index.parent / link.partition("#")[0]).resolve() for link in _LINK.findall(index.read_text())}
    listed = [page for page in PAGES if index.parent in page.parents and page != index]
    assert [name_of(page) for page in listed if page.resolve() not in reached] == []


def _resolves(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return True  # the outside world is not asked
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return False
    return not anchor or anchor in {_anchor(heading) for heading in _HEADING.findall(without_code(target))}


def _anchor(heading: str) -> str:
    """The name that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

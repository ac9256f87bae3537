"""The page on the architecture names what exists."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from tests.docs.pages import ROOT

TEXT = (ROOT / "docs" / "architecture.md").read_text()
WALKS = TEXT.partition("## A walk through the code")[2].partition("\n## ")[0]
DONE = TEXT.partition('### Who answers "is it done"?')[2].partition("\n## ")[0]
NAMES = sorted(set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", WALKS + DONE)))


def found(name: str) -> object:
    """What a dotted name below `quire` stands for."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: object = import_module(".".join(["quire", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            value = getattr(value, part)
        return value
    raise AttributeError(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_walks_exists(name):
    assert found(name) is not None


def test_there_are_six_walks_of_a_dozen_lines_or_fewer():
    walks = re.findall(r"^\*\*.*?(?=^\*\*|\Z)", WALKS, flags=re.M | re.S)
    assert len(walks) == 6
    assert all(len(re.findall(r"^\d+\. ", walk, flags=re.M)) <= 12 for walk in walks)
    assert len(NAMES) > 50


def test_the_tree_shows_every_shelf_and_nothing_else():
    tree = TEXT.partition("## The tree")[2].partition("```")[2].partition("```")[0]
    shown = set(re.findall(r"([a-z_]+)/(?=\s)", tree)) - {"quire"}
    package = ROOT / "src" / "quire"
    assert shown == {path.parent.name for path in package.glob("*/__init__.py")}


def test_every_place_for_something_new_exists():
    table = TEXT.partition("### Where does a new")[2].partition("\n### ")[0]
    places = set(re.findall(r"`((?!tests/|docs/)[a-z_]+(?:/[a-z_]+)+)/?`", table)) - {
        "docs/reference",
        "tests/runtime",
        "tests/quality",
    }
    package = ROOT / "src" / "quire"
    assert not {place for place in places if not any((package / f"{place}{end}").exists() for end in ("", ".py"))}

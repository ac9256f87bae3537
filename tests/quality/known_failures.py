"""Failures that are known: for each gate, the pages that fail it today, with the reason, in `known_failures.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("known_failures.toml")


@cache
def known_failures() -> dict[str, frozenset[str]]:
    """The pages by gate. A page that no longer fails must be taken out: the gates ask for both."""
    groups = tomllib.loads(FILE.read_text(encoding="utf-8"))["failure"]
    assert all(group["reason"] for group in groups)
    gates = {group["gate"] for group in groups}
    return {gate: frozenset(page for g in groups if g["gate"] == gate for page in g["pages"]) for gate in gates}


def mended(gate: str, pages: frozenset[str]) -> str:
    """The message about pages that do not fail any more."""
    return f"mended: take {', '.join(sorted(pages))} out of {FILE.name} ({gate})"

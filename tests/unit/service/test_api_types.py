"""The types that the page in the browser is checked against are those of the API."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.no_documents


def test_the_types_of_the_page_are_those_of_the_api():
    made = runpy.run_path(str(ROOT / "scripts" / "api_types.py"))["declarations"]()
    committed = (ROOT / "tests" / "web" / "api.d.ts").read_text()
    assert made == committed, "run scripts/api_types.py and commit what it writes"
    assert "blocks: Block[];" in made and "items: ReviewedItem[];" in made

"""Real engines on pages with hardly any text that were scanned upside down or sideways."""

from __future__ import annotations

import pytest

import quire
from tests import scans

pytestmark = pytest.mark.processes

AMOUNTS = ("1,250.00", "689.40", "1,939.40")
TURNS = (0, 90, 180, 270)


@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_three_amounts_are_read_however_their_page_lies(effort):
    sheet = scans.slip(AMOUNTS)
    result = quire.read(scans.scanned(*(sheet.turned(degrees) for degrees in TURNS)), effort=effort)
    assert [page.text.split() for page in result.pages] == [list(AMOUNTS)] * len(TURNS)
    assert not any(page.info.is_doubtful for page in result.pages)
    for page, degrees in zip(result.pages, TURNS, strict=True):
        [top] = [word.bbox.points((1, 1)) for block in page for word in block.words if word.text == AMOUNTS[0]]
        printed = sheet.turned(degrees).lines[0].box
        assert top == pytest.approx(printed, abs=0.03)

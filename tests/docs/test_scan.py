"""The scanned page that ships is the one that its script makes, and it reads as the pages say."""

from __future__ import annotations

import runpy
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

import quire
from tests.docs.pages import ROOT

pytestmark = pytest.mark.processes

SCAN = ROOT / "examples" / "scan.png"


def test_the_committed_scan_is_what_the_script_makes() -> None:
    scan: Callable[[], Image.Image] = runpy.run_path(str(ROOT / "scripts" / "make_scan.py"))["scan"]
    made = np.asarray(scan(), np.int16)
    with Image.open(SCAN) as shipped:
        differences = np.abs(made - np.asarray(shipped.convert("L"), np.int16))
    # Another PDFium draws the edges of letters a little differently.
    assert differences.mean() < 1, "run scripts/make_scan.py and commit what it writes"
    assert SCAN.stat().st_size < 60_000


def test_the_scan_is_read_with_its_table_and_its_redaction() -> None:
    result = quire.read(SCAN, redactions=True)
    assert result.status == "complete"
    assert result.blocks[0].text == "Delivery note 4711"
    assert [cell.text for cell in result.tables[0].table.cells if cell.row == 2] == ["Lamp oil, tins", "40", "212 kg"]
    assert [found.page for found in result.redactions] == [1]
    assert [attempt.engine for attempt in result.path[1]] == ["rapidocr"]

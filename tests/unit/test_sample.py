"""The sample that ships is the one that its script makes."""

from __future__ import annotations

import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_sample.py"


def test_the_committed_sample_is_what_the_script_makes(sample_path):
    made = runpy.run_path(str(SCRIPT))["sample"]()
    assert made == sample_path.read_bytes(), "run scripts/make_sample.py and commit what it writes"
    assert len(made) < 60_000

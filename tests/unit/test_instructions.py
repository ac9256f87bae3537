"""The work of each stage beside the record: a feature that makes one dearer is seen in its own commit."""

from __future__ import annotations

import pytest
from benchmarks.instructions import STAGES, LineCounter, counted, dearer, documents, python, record, work_through

from quire.pages import layout


@pytest.mark.processes
def test_no_stage_is_dearer_than_the_record_allows():
    known = record()
    if known["python"] != python():
        pytest.skip(f"lines are recorded for Python {known['python']}, and this is {python()}")
    dear = dearer(counted("lines"), known["lines"])
    assert not dear, f"{dear}; if it is worth it: python -m benchmarks instructions, and commit the record"


def test_a_layout_that_does_its_work_twice_is_named(monkeypatch):
    once, twice, page = LineCounter(), LineCounter(), documents()["key_values"]
    work_through(LineCounter(), "warm.pdf", page)
    assert work_through(once, "once.pdf", page) == 1
    laid_out = layout.page_blocks
    monkeypatch.setattr(layout, "page_blocks", lambda text: (laid_out(text), laid_out(text))[1])
    work_through(twice, "twice.pdf", page)
    assert dearer(once.counts, once.counts) == ""
    assert dearer(twice.counts, once.counts) == "layout by 100%"


def test_a_stage_may_become_a_little_dearer_and_much_cheaper():
    known = dict.fromkeys(STAGES, 1000)
    assert dearer({**known, "extract": 1090, "chunk": 10}, known) == ""
    assert dearer({**known, "extract": 1110, "chunk": 10}, known) == "extract by 11%"

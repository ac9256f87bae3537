"""Quarantine: what fails every time is skipped until it is released."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.database.quarantine import Quarantine, Quarantined

BROKEN = Quarantined("k1", "d1", "/in/broken.pdf", "input", "the file is damaged", 1, "run-1", at=5.0)


@pytest.fixture
def quarantine(either_database):
    return Quarantine(either_database)


def test_what_is_added_is_in_it(quarantine):
    quarantine.add(BROKEN)
    assert quarantine.entries() == [BROKEN]
    assert quarantine.find(["k1", "k2"]) == {"k1": BROKEN}


def test_attempts_are_counted_on(quarantine):
    quarantine.add(BROKEN)
    quarantine.add(replace(BROKEN, attempts=2, reason="still damaged", run="run-2", at=6.0))
    assert quarantine.entries() == [replace(BROKEN, attempts=3, reason="still damaged", run="run-2", at=6.0)]


def test_the_oldest_comes_first(quarantine):
    quarantine.add(replace(BROKEN, key="k2", at=9.0))
    quarantine.add(BROKEN)
    assert [entry.key for entry in quarantine.entries()] == ["k1", "k2"]


def test_released_work_is_tried_again(quarantine):
    quarantine.add(BROKEN)
    assert quarantine.release(["k1", "unknown"]) == 1
    assert quarantine.find(["k1"]) == {}


def test_everything_can_be_released(quarantine):
    for key in ("k1", "k2", "k3"):
        quarantine.add(replace(BROKEN, key=key))
    assert quarantine.clear() == 3
    assert quarantine.entries() == []


def test_the_time_is_noted(quarantine):
    quarantine.add(replace(BROKEN, at=0.0))
    assert quarantine.entries()[0].at > 1_000_000

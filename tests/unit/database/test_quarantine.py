"""Quarantine: what fails every time is not tried again until its reason has changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.core.errors import PasswordError
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


def test_a_file_that_was_replaced_has_no_old_entry(quarantine):
    quarantine.add(BROKEN)
    quarantine.add(replace(BROKEN, key="k2", document="d2"))
    assert [entry.key for entry in quarantine.entries()] == ["k2"]
    quarantine.succeeded("k3", "d3", BROKEN.source)
    assert quarantine.entries() == []


def test_success_with_other_settings_keeps_the_entry(quarantine):
    quarantine.add(BROKEN)
    quarantine.succeeded("k2", BROKEN.document, BROKEN.source)
    assert quarantine.entries() == [BROKEN]
    quarantine.succeeded("k1", BROKEN.document, BROKEN.source)
    assert quarantine.entries() == []


def test_an_encrypted_document_is_known_by_its_exit_code(quarantine):
    quarantine.add(replace(BROKEN, exit_code=PasswordError.exit_code))
    quarantine.add(replace(BROKEN, key="k2", source="/in/password.pdf", exit_code=5))
    assert [entry.locked for entry in quarantine.entries()] == [True, False]


def test_the_time_is_noted(quarantine):
    quarantine.add(replace(BROKEN, at=0.0))
    assert quarantine.entries()[0].at > 1_000_000

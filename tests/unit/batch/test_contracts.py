"""The values of a stage say what is wrong with them, and travel."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from quire.batch import (
    ItemFingerprint,
    ItemOutcome,
    StageContext,
    StageError,
    StageOptions,
    StageOutcome,
    StagePlan,
    WorkItem,
)
from quire.core.errors import UsageError

ITEM = WorkItem(
    "a",
    inputs={"pdf": Path("a.pdf")},
    outputs={"md": Path("a.md")},
    cfg_hash="1",
    metadata={"pages": 3},
    fingerprint=ItemFingerprint("abc", "1"),
)
ERROR = StageError("read", "a", "timeout", "too slow")
VALUES = [
    ITEM,
    StagePlan("read", (ITEM,)),
    StageOptions(),
    ERROR,
    ItemOutcome("failed", error=ERROR),
    StageOutcome(errors=(ERROR,)),
    StageContext("read", "run", StageOptions(), 1),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_frozen_and_picklable(value):
    assert pickle.loads(pickle.dumps(value)) == value
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, "other")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"policy": "fast"}, "policy is 'fast'; it must be one of io, cpu, gpu"),
        ({"schedule": "random"}, "schedule is 'random'; it must be one of fifo, sjf, ljf"),
        ({"workers": 0}, "workers is 0; it must be a whole number of at least 1"),
        ({"workers": True}, "workers is True"),
        ({"max_queue": -1}, "max_queue is -1; it must be a whole number of at least 0; 0 means no limit"),
        ({"retries": -1}, "retries is -1"),
        ({"error_budget": -1}, "at least 0; 0 means no limit"),
        ({"per_item_timeout_s": -1.0}, "per_item_timeout_s is -1.0"),
        ({"per_item_timeout_s": float("nan")}, "per_item_timeout_s is nan"),
        ({"retry_backoff_s": "1"}, "retry_backoff_s is '1'; it must be a number of seconds"),
    ],
)
def test_options_say_what_they_may_be(options, told):
    with pytest.raises(UsageError, match=told):
        StageOptions(**options)


def test_an_item_needs_a_name():
    with pytest.raises(UsageError, match="give every item a non-empty string"):
        WorkItem("")


def test_paths_of_an_item_have_names():
    with pytest.raises(UsageError, match="inputs of item a is not a mapping"):
        WorkItem("a", inputs=["a.pdf"])


def test_paths_of_an_item_may_be_texts():
    assert WorkItem("a", inputs={"pdf": "a.pdf"}).inputs == {"pdf": Path("a.pdf")}


def test_a_cost_that_cannot_be_compared_is_refused():
    with pytest.raises(UsageError, match="cost_hint of item a is nan"):
        WorkItem("a", cost_hint=float("nan"))


def test_two_items_of_one_name_are_refused():
    with pytest.raises(UsageError, match="two items of stage read have the id 'a'"):
        StagePlan("read", [WorkItem("a"), WorkItem("a")])


def test_a_plan_counts_its_items_if_it_can():
    assert StagePlan("read", [WorkItem("a"), WorkItem("b")]).total_items == 2
    assert StagePlan("read", iter([WorkItem("a")])).total_items is None


def test_unknown_status_is_refused():
    with pytest.raises(UsageError, match="status of an outcome is 'skip'; it must be one of ok, partial, skipped"):
        ItemOutcome("skip")


def test_an_error_says_whether_a_retry_is_of_use():
    assert ERROR.retryable
    assert not StageError("read", "a", "input", "no document").retryable


@pytest.mark.processes
def test_contracts_import_nothing_heavy():
    code = "import quire.batch.contracts, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"asyncio", "multiprocessing", "concurrent.futures", "sqlite3", "numpy"} & set(loaded)

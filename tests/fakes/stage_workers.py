"""Workers for `run_stage` that worker programs can import: well-behaved ones and others."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from quire.batch import ItemOutcome, StageError
from quire.core.errors import EngineError, InputError


def succeed(item):
    return {"worker": os.getpid()}


def write_outputs(item):
    for path in item.outputs.values():
        path.write_text(item.item_id)


def skip(item):
    return ItemOutcome("skipped", reason="nothing to do here")


def refuse(item):
    raise InputError("is no document", document=item.item_id)


def lose_connection(item):
    raise ConnectionError("the line went dead")


def fail_until_marked(item):
    """Transient on the first attempts: a file counts them."""
    marks = Path(item.metadata["marks"])
    with marks.open("a") as file:
        file.write(f"{item.item_id}\n")
    if marks.read_text().split().count(item.item_id) <= item.metadata.get("failures", 1):
        raise EngineError("echo", "not now")


def crash(item):
    os._exit(7)


def hang(item):
    while True:
        signal.pause()


def spin(item):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass


class Adder:
    """A worker with settings of its own."""

    def __init__(self, number):
        self.number = number

    def __call__(self, item):
        return {"sum": self.number + item.metadata["number"]}


def add(number, item):
    return {"sum": number + item.metadata["number"]}


def fail_with_manifest(item):
    error = StageError("read", item.item_id, "network", "refused", retryable=False)
    return ItemOutcome("failed", error=error, manifest={"pages": 3})

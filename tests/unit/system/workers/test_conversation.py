"""What the parent hears of a job."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from quire.system.workers import frames
from quire.system.workers.conversation import Assignment, converse
from quire.system.workers.frames import Frame
from quire.system.workers.job_errors import WorkerCrashed
from quire.system.workers.process import WorkerProcess


class Ending:
    """A worker that asks, speaks once more as soon as it has the beginning of the reply, and ends."""

    ready, gone, jobs = True, False, 0

    def __init__(self) -> None:
        said = {"kind": "partial", "payload": {"partial_text": "Sheet 2"}}
        self._sent = iter([Frame(frames.QUESTION, {"name": "place", "header": {}}), Frame(frames.EVENT, said)])

    def send(self, kind: bytes, header: object, data: bytes = b"", *, timeout_s: float) -> None:
        if kind == frames.REPLY:
            raise BrokenPipeError

    def receive(self, timeout_s: float) -> Frame:
        frame = next(cast(Iterator[Frame], self._sent), None)
        if frame is None:
            raise EOFError
        return frame

    def end(self, grace_s: float = 0.0) -> int:
        return 7

    def last_words(self) -> str:
        return ""


def test_the_last_words_of_a_worker_are_heard_though_it_ended_during_a_reply():
    heard = []
    job = Assignment("call", b"", 60, on_event=lambda *said: heard.append(said), on_request=lambda *asked: ({}, b""))
    with pytest.raises(WorkerCrashed, match="exit code 7"):
        converse(cast(WorkerProcess, Ending()), job, None)
    assert heard == [("partial", {"partial_text": "Sheet 2"})]

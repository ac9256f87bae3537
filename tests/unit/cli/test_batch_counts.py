"""The counts of a batch, and the lines that show them."""

from __future__ import annotations

import pytest

from quire.cli import display_numbers
from quire.cli.batch_counts import BatchCounts, counts_of
from quire.cli.batch_progress import counted, progress_line, summary
from quire.cli.batch_run import advice
from quire.core.events import Event, EventKind


class Told:
    """Events of a batch, one per second."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def tell(self, kind: EventKind, document: str | None = None, **payload: object) -> Told:
        number = len(self.events) + 1
        self.events.append(
            Event(f"{number}", "run", number, kind, "batch", document, payload=payload, at=float(number))
        )
        return self

    def batch(self, planned: int) -> Told:
        return self.tell("started", planned=planned)

    def document(self, name: str, status: str = "ok", duration_s: float = 2.0, **payload: object) -> Told:
        kind: EventKind = "failed" if status == "failed" else "hit" if status == "skipped" else "finished"
        return self.tell("started", name).tell(kind, name, status=status, duration_s=duration_s, **payload)

    @property
    def counts(self) -> BatchCounts:
        return counts_of(self.events)


def test_documents_are_counted_by_what_became_of_them():
    told = Told().batch(6).document("a").document("b", "partial").document("c", "failed", reason="broken")
    told.document("d", "skipped").tell("started", "e")
    counts = told.counts
    assert counted(counts) == "1 complete, 1 partial, 1 failed, 1 done before, 2 not done"
    assert [failure.line(name) for name, failure in counts.failures.items()] == ["c: broken"]
    assert list(counts.running) == ["e"]


def test_rate_and_time_left_are_of_documents_that_needed_work():
    counts = Told().batch(10).document("a", "skipped").document("b").document("c").counts
    assert counts.rate(counts.last) == pytest.approx(2 / 6)
    assert counts.left_s(counts.last) == pytest.approx(7 * 3)
    assert BatchCounts().left_s(0.0) is None


def test_a_run_that_continues_keeps_what_it_has_done():
    told = Told().batch(2).document("a").document("b", "failed").tell("failed", reason="SIGINT")
    assert told.counts.stopped == "SIGINT"
    told.batch(2).document("a", "skipped").document("b").tell("finished")
    assert (counted(told.counts), told.counts.failures) == ("2 complete", {})
    assert told.counts.ended and not told.counts.stopped


def test_a_line_of_progress_says_what_is_done_how_fast_and_how_long_it_takes():
    told = Told().batch(4).document("a", ledger={"pages": 3, "ok": 3}).document("b", "failed", reason="broken")
    line = " ".join(progress_line(told.counts, 5.0))
    assert line == "2/4 documents, 1 failed, 3 pages, 30.0 documents/min, 4.0 s left, p50 2.0 s, p95 2.0 s"


@pytest.mark.parametrize(
    ("payload", "next_"),
    [
        ({"category": "timeout"}, "`quire run -o out` retries 1 failed document"),
        ({"category": "config"}, "install or configure what 1 document needs, and run it again"),
        ({"category": "usage", "output_key": "k"}, "change the options: they do not fit 1 document"),
        ({"category": "input"}, "check the path and permissions of 1 document, and run it again"),
        ({"category": "input", "output_key": "k", "exit_code": 6}, "set the password (QUIRE_PASSWORD) of 1 encrypted"),
        ({"category": "input", "output_key": "k"}, "1 document cannot be read and is not retried"),
        (
            {"category": "input", "output_key": "k", "reason": "is gone since the run began; run it again"},
            "`quire run -o out` retries 1 failed document",
        ),
    ],
)
def test_the_advice_fits_the_reason(payload: dict[str, object], next_: str):
    told = Told().batch(1).document("a", "failed", **{"reason": "it failed", **payload})
    (line,) = advice(told.counts, remaining=0, where=" -o out")
    assert line.startswith(next_)


def test_the_summary_has_five_lines():
    told = Told().batch(2).document("a", ledger={"pages": 3, "ok": 2, "failed": 1}, calls={"made": 2, "reused": 1})
    lines = list(summary(told.document("b", "failed").counts, 75, ["quire run"]))
    assert [line.split()[0] for line in lines] == ["documents", "pages", "engines", "time", "next"]
    assert lines[1] == "pages      3: 2 ok, 1 failed"
    assert lines[2] == "engines    2 calls made, 1 answer reused"
    assert lines[3].startswith("time       75 s; a document took p50 2.0 s")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.44, "0.4 s"), (59.6, "60 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")]
)
def test_durations_are_said_as_people_do(seconds, said):
    assert display_numbers.duration(seconds) == said

"""What is said while a batch runs, where nobody watches a bar."""

from __future__ import annotations

import pytest

from quire.batch import Stop
from quire.cli.batch_progress import MOST_ALIKE, MOST_SHOWN, BatchProgress
from quire.core.events import Event


def begun(planned: int, *, quiet: bool = False) -> BatchProgress:
    progress = BatchProgress(quiet=quiet)
    progress(Event("0", "run", 0, "started", "document", payload={"planned": planned}))
    return progress


def fail(progress: BatchProgress, number: int, reason: str) -> None:
    payload = {"status": "failed", "reason": reason, "category": "input"}
    progress(Event(str(number), "run", number, "failed", "document", f"{number}.pdf", payload=payload))


def test_a_failure_is_told_when_it_happens_with_the_name_of_the_document_once(capsys):
    fail(begun(3), 1, "1.pdf: is damaged")
    assert capsys.readouterr().err == "quire: 1.pdf: is damaged\n"


def test_failures_for_the_same_reason_are_told_some_times(capsys):
    progress = begun(1000)
    for number in range(100):
        fail(progress, number, f"{number}.pdf: no server answers")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_ALIKE + 1
    assert (
        lines[-1]
        == "quire: more documents that fail for this reason are not shown here; `quire status` lists all of them"
    )


def test_many_different_failures_do_not_fill_the_screen(capsys):
    progress = begun(1000)
    for number in range(100):
        fail(progress, number, f"reason number {number}")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1] == "quire: further failures are not shown here; `quire status` lists all of them"


def test_progress_is_a_line_where_there_is_no_terminal_and_nothing_when_quiet(capsys):
    for quiet in (False, True):
        progress = begun(3, quiet=quiet)
        progress(Event("p", "run", 1, "progress", "document", payload={"planned": 3}))
    assert capsys.readouterr().err == "quire: 0/3 documents\n"


def test_a_file_that_is_kept_is_told_also_when_quiet(capsys):
    progress = begun(3, quiet=True)
    payload = {"status": "ok", "kept": ["1.md"]}
    progress(Event("1", "run", 1, "finished", "document", "1.pdf", payload=payload))
    assert capsys.readouterr().err == "quire: 1.pdf: 1.md was changed by hand and is kept\n"


def test_a_signal_before_the_first_document_interrupts_at_once():
    with pytest.raises(KeyboardInterrupt):
        BatchProgress().signalled(Stop())

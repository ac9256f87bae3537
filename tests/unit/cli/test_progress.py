"""The progress of a read, on a terminal."""

from __future__ import annotations

import pytest

from quire.cli import progress as progress_module
from quire.cli.batch_counts import BatchCounts
from quire.cli.batch_progress import under_way
from quire.cli.progress import ProgressBar, speed
from quire.core.events import Event


@pytest.fixture
def bar(monkeypatch) -> ProgressBar:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress_module, "PATIENCE_S", 0.0)
    with ProgressBar(2) as bar:
        yield bar


def tell(bar: ProgressBar, kind: str, stage: str, page: int | None = None, **payload: object) -> None:
    bar(Event(f"{stage}/{kind}/{page}", "run", 1, kind, stage, "d", page, payload=payload))


def shown(bar: ProgressBar) -> tuple[str, float, float | None]:
    (task,) = bar._bar.tasks
    return task.description, task.completed, task.total


def test_the_bar_is_there_before_the_first_page_is_done(bar):
    tell(bar, "started", "read", name="scan.pdf", pages=8)
    tell(bar, "started", "recognize", 1)
    assert shown(bar) == ("1/2 scan.pdf", 0, 8)


def test_a_page_counts_once_also_when_an_engine_failed_at_it(bar):
    tell(bar, "started", "read", name="scan.pdf", pages=8)
    tell(bar, "failed", "recognize", 1)
    tell(bar, "finished", "page-blocks", 1)
    tell(bar, "finished", "page-blocks", 2)
    assert shown(bar) == ("1/2 scan.pdf", 2, 8)
    tell(bar, "started", "read", name="next.pdf", pages=3)
    assert shown(bar) == ("2/2 next.pdf", 0, 3)


def test_the_time_left_is_that_of_all_pages_so_far():
    assert speed(0, 8, 16.0) == ""
    assert speed(2, 8, 20.0) == ", 6.0 pages/min, 60 s left"
    assert speed(8, 8, 4.0) == ", 2.0 pages/s"


def test_documents_in_progress_are_named():
    assert under_way(BatchCounts(running={"a.pdf": 1.0, "b.pdf": 2.0, "c.pdf": 3.0})) == ["· a.pdf, b.pdf and 1 more"]
    assert under_way(BatchCounts()) == []

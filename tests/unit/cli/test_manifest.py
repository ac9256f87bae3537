"""`quire manifest`: rows of a file or of a run, chosen by field and time."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quire.batch.manifest import ManifestWriter
from quire.cli.app import app
from quire.cli.manifest import filters_of, time_of
from quire.core.errors import UsageError
from quire.core.events import Event
from tests.unit.cli.batches import BROKEN, Desk

NOW = 1_800_000_000.0


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file with three rows, an hour apart; the last one failed."""
    path = tmp_path / "manifest.jsonl"
    with ManifestWriter(path) as write:
        for number, status in enumerate(("ok", "ok", "failed")):
            payload = {"status": status, "duration_s": 1.5, "attempts": 1 + number}
            payload |= {"reason": "broken"} if status == "failed" else {"output_path": "out/a.md"}
            kind = "failed" if status == "failed" else "finished"
            write(
                Event(
                    str(number),
                    "run",
                    number,
                    kind,
                    "document",
                    f"{number}.pdf",
                    payload=payload,
                    at=NOW + 3600 * number,
                )
            )
    return path


def manifest(*arguments: object, code: int = 0) -> list[str]:
    result = CliRunner().invoke(app, ["manifest", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def test_rows_are_shown_as_lines_that_say_what_became_of_a_document(rows):
    lines = manifest(rows)
    assert len(lines) == 3
    assert lines[2].endswith("failed       1.50 s  2.pdf  broken  after 3 attempts")


def test_rows_can_be_chosen_by_field_number_and_time(rows):
    assert [json.loads(line)["doc_id"] for line in manifest(rows, "--json", "--filter", "status=ok")] == [
        "0.pdf",
        "1.pdf",
    ]
    assert [json.loads(line)["doc_id"] for line in manifest(rows, "--json", "--tail", "1")] == ["2.pdf"]
    since = datetime.fromtimestamp(NOW + 3600, UTC).isoformat()
    assert len(manifest(rows, "--since", since)) == 2


def test_mistakes_are_explained(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "write FIELD=TEXT" in manifest(rows, "--filter", "failed", code=2)[0]
    assert "write a time like" in manifest(rows, "--since", "yesterday", code=2)[0]
    assert "name the output folder of the run with -o" in manifest(code=2)[0]


def test_a_time_is_of_the_calendar_or_so_long_ago():
    assert time_of("2h", NOW) == datetime.fromtimestamp(NOW - 7200, UTC)
    assert time_of("1.5d", NOW) == datetime.fromtimestamp(NOW - 129_600, UTC)
    assert time_of("2026-05-17T09:30:00+00:00", NOW) == datetime(2026, 5, 17, 9, 30, tzinfo=UTC)
    assert time_of(None, NOW) is None


def test_a_filter_may_contain_an_equals_sign():
    assert filters_of(["reason=a=b"]) == {"reason": "a=b"}
    with pytest.raises(UsageError):
        filters_of(["=failed"])


@pytest.mark.processes
def test_a_second_run_shows_what_became_of_the_documents_and_not_that_it_skipped_them(desk: Desk):
    desk.add("bad.pdf", BROKEN)
    desk.run(code=3)
    first = desk.quire("manifest", "-o", "out").stdout
    desk.run(code=3)
    again = desk.quire("manifest", "-o", "out").stdout
    assert {line for line in again.splitlines() if " ok " in line} == {
        line for line in first.splitlines() if " ok " in line
    }
    assert "in quarantine" in again and "done before" not in again
    assert desk.quire("manifest", "-o", "out", "--filter", "status=ok").stdout.count("\n") == 2

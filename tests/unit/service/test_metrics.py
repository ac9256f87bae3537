"""Figures: from events, for all processes, as Prometheus reads them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import closing

import pytest

from quire.core.event_metrics import metrics_of, sample
from quire.core.events import Event
from quire.database.metrics import all_metrics
from quire.database.runs import Runs
from quire.database.sqlite import SqliteDatabase
from quire.service.metrics import metrics_text, rendered
from quire.service.traffic import Traffic
from quire.store.files import FileStore

READ = [
    Event("1", "r", 1, "started", "read", "d", payload={"input_bytes": 100, "pages": 3}),
    Event("2", "r", 2, "finished", "native-text", "d", 1, payload={"ms": 20.0, "bytes": 10}),
    Event("3", "r", 3, "hit", "native-text", "d", 2),
    Event(
        "4", "r", 4, "attempt", "recognize", "d", 3, payload={"engine": "tesseract", "outcome": "timeout", "ms": 1e4}
    ),
    Event("5", "r", 5, "failed", "recognize", "d", 3, payload={"reason": "no engine", "ms": 1e4}),
    Event("6", "r", 6, "finished", "read", "d", payload={"ms": 500.0, "status": "partial", "ok": 2, "failed": 1}),
]


def test_events_add_to_figures():
    found = metrics_of(READ)
    assert found['quire_pages_total{outcome="ok"}'] == 2
    assert found['quire_pages_total{outcome="failed"}'] == 1
    assert found['quire_documents_total{status="partial"}'] == 1
    assert found['quire_ocr_attempts_total{engine="tesseract",outcome="timeout"}'] == 1
    assert found['quire_ocr_seconds_sum{engine="tesseract"}'] == 10
    assert found['quire_cache_hits_total{stage="native-text"}'] == 1
    assert found['quire_stage_seconds_sum{stage="native-text"}'] == 0.02
    assert found["quire_input_bytes_total"] == 100


def test_attempts_of_runners_and_the_evidence_of_answers_are_counted():
    usage = {"input_tokens": 100, "output_tokens": 7, "cost": 0.5}
    attempt = {"role": "solver", "runner": "program:/home/ada/secret.sh", "outcome": "refused", "usage": usage}
    coverage = {"leaves": 9, "returned": 6, "found": 4, "not_found": 3}
    found = metrics_of(
        [
            Event("1", "r", 1, "attempt", "solve", payload=attempt),
            Event("2", "r", 2, "attempt", "solve", "d", payload={"engine": "language model"}),
            Event("3", "r", 3, "finished", "solve", payload={"phase": "finish", "coverage": coverage}),
        ]
    )
    assert found == {
        'quire_runner_attempts_total{role="solver",runner="program",outcome="refused"}': 1,
        'quire_runner_tokens_total{role="solver",runner="program",kind="input"}': 100,
        'quire_runner_tokens_total{role="solver",runner="program",kind="output"}': 7,
        'quire_runner_cost_dollars_total{role="solver",runner="program"}': 0.5,
        'quire_evidence_leaves_total{status="supported"}': 4,
        'quire_evidence_leaves_total{status="unsupported"}': 2,
        'quire_evidence_leaves_total{status="not_found"}': 3,
    }


def test_stages_and_items_of_users_are_not_counted():
    item = Event("1", "r", 1, "hit", "document", "d", payload={"attempts": 0, "status": "skipped"})
    assert not metrics_of([item, Event("2", "r", 2, "finished", "invoices", "d", payload={"ms": 1})])


def test_a_label_cannot_break_out_of_its_quotes():
    assert sample("f", engine='a"} 1\n') == 'f{engine="a\\"} 1\\n"}'


def test_an_event_that_is_stored_again_counts_once_and_a_forgotten_run_still_does(tmp_path):
    with closing(SqliteDatabase(tmp_path / "facts")) as database:
        runs = Runs(database)
        for key in ("one", "two"):
            run, _ = runs.begin("task", {}, key=key)
            runs.append(run, READ)
            runs.append(run, READ)
            runs.finish(run, "finished", result={})
            runs.finish(run, "failed", error="late")
        before = all_metrics(database)
        assert before['quire_pages_total{outcome="ok"}'] == 4
        assert before['quire_runs_total{flow="task",state="finished"}'] == 2
        assert 'quire_runs_total{flow="task",state="failed"}' not in before
        for key in ("one", "two"):
            runs.forget(runs.begin("task", {}, key=key)[0])
        assert all_metrics(database) == before
        assert database.rows("SELECT count(*) FROM figures WHERE run <> ''") == [(0,)]


def test_the_text_is_what_prometheus_reads(tmp_path):
    traffic = Traffic()
    traffic.began()
    traffic.began()
    traffic.ended("GET", "/health", 200, ms=7.5, received=0, sent=15)
    with FileStore(tmp_path) as store:
        run, _ = Runs(store.database).begin("task", {}, key="one")
        Runs(store.database).append(run, READ)
        text = metrics_text(store, traffic)
    lines = text.splitlines()
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    line = re.compile(r'[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [0-9.e+-]+')
    assert not [one for one in lines if not one.startswith("#") and not line.fullmatch(one)]
    assert 'quire_tasks{state="waiting"} 1' in lines
    assert "http_server_active_requests 1" in lines
    bucket = 'http_server_duration_milliseconds_bucket{http_method="GET",http_route="/health",http_status_code="200"'
    assert [one for one in lines if one.startswith(bucket)][:2] == [f'{bucket},le="5"}} 0', f'{bucket},le="10"}} 1']
    assert {"process_resident_memory_bytes", "process_cpu_seconds_total", "python_info"} <= set(families)


def test_a_figure_without_a_description_is_left_out():
    assert rendered([("surprise", 1.0), ("quire_input_bytes_total", 2.0)]).endswith("\nquire_input_bytes_total 2\n")


@pytest.mark.processes
def test_processes_of_a_server_add_up_and_outlive_each_other(tmp_path):
    own = Traffic(tmp_path)
    own.began()
    own.ended("GET", "/health", 200, ms=1, received=0, sent=1)
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    other = tmp_path / f"{int(ended.stdout)}.json"
    own.share()
    (mine,) = tmp_path.glob("*.json")
    other.write_text(json.dumps({**json.loads(mine.read_text()), "active": 5}))
    found = dict(own.samples())
    labels = '{http_method="GET",http_route="/health",http_status_code="200"}'
    assert found[f"http_server_duration_milliseconds_count{labels}"] == 2
    assert found["http_server_active_requests"] == 0, "requests of a process that has ended are over"
    assert len(own.processes()) == 1

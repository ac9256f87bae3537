"""`/metrics`: what the database counts for all processes and replicas, and what this server sees of HTTP.

Metrics that begin with `quire_` come from the events of runs, which all replicas share: each replica answers with the
same numbers. The others are about the processes of this server.
"""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import quire
from quire.core.event_metrics import sample
from quire.database.metrics import all_metrics
from quire.database.runs import Runs
from quire.service.service import FLOW
from quire.service.traffic import FAMILIES, Traffic
from quire.store.artifacts import ArtifactStore

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
STATES = {"waiting": "waiting", "running": "running", "interrupted": "running"}

_HELP: Mapping[str, tuple[str, str]] = {
    "quire_info": ("gauge", "Version of Quire."),
    "quire_tasks": ("gauge", "Tasks that wait, and that run."),
    "quire_oldest_waiting_seconds": ("gauge", "How long the oldest waiting task has waited."),
    "quire_runs_total": (
        "counter",
        "Runs that have ended, by workflow and end; those of requests are of the flow task.",
    ),
    "quire_run_seconds": ("summary", "Seconds from the submission of a run to its end."),
    "quire_documents_total": ("counter", "Documents that were read, complete or partial."),
    "quire_pages_total": ("counter", "Pages of documents that were read, by outcome."),
    "quire_input_bytes_total": ("counter", "Bytes of documents that were read."),
    "quire_artifact_bytes_total": ("counter", "Bytes that stages have written to the store."),
    "quire_stage_seconds": ("summary", "Seconds of the stages of a read."),
    "quire_stage_failures_total": ("counter", "Failures of stages, mostly pages."),
    "quire_cache_hits_total": ("counter", "Results that were in the store already, by stage."),
    "quire_ocr_attempts_total": ("counter", "Attempts of OCR engines at pages, by outcome."),
    "quire_ocr_seconds": ("summary", "Seconds of these attempts."),
    "quire_runner_attempts_total": ("counter", "Attempts of runners at solves, by role and outcome."),
    "quire_runner_tokens_total": ("counter", "Tokens of these attempts, as far as they are known."),
    "quire_runner_cost_dollars_total": ("counter", "US dollars of these attempts, as far as they are known."),
    "quire_evidence_leaves_total": ("counter", "Values that solves were asked for, by what supports them."),
    "thread_restarts_total": (
        "counter",
        "Restarts of threads and tasks of the processes that answer requests, after an error.",
    ),
    "http_server_active_requests": ("gauge", "Requests in progress."),
    "http_server_duration_milliseconds": ("histogram", "Time to answer a request."),
    "http_server_request_size_bytes": ("histogram", "Size of the bodies of requests."),
    "http_server_response_size_bytes": ("histogram", "Size of the bodies of responses."),
    "process_virtual_memory_bytes": ("gauge", "Virtual memory of the processes that answer requests."),
    "process_resident_memory_bytes": ("gauge", "Resident memory of the processes that answer requests."),
    "process_cpu_seconds_total": ("counter", "CPU time of the processes that answer requests."),
    "process_start_time_seconds": ("gauge", "When the oldest of these processes started, in seconds since 1970."),
    "process_open_fds": ("gauge", "Open file descriptors."),
    "process_max_fds": ("gauge", "Largest number of open file descriptors of a process."),
    "python_info": ("gauge", "Version of Python."),
    "target_info": ("gauge", "Name of the service."),
}
"""The type and description of each family."""


def metrics_text(store: ArtifactStore, traffic: Traffic) -> str:
    """All metrics as Prometheus reads them. Blocks."""
    metrics = [*_about(), *_queue(Runs(store.database)), *all_metrics(store.database).items()]
    return rendered([*metrics, *traffic.samples(), *_processes(traffic.processes())])


def rendered(samples: Iterable[tuple[str, float]]) -> str:
    """Samples as text, grouped by family."""
    families: dict[str, list[str]] = {}
    for name, value in samples:
        families.setdefault(family_of(name), []).append(f"{name} {value:.15g}")
    lines: list[str] = []
    for family, (kind, text) in _HELP.items():
        if family in families:
            lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}", *families[family]]
    return "\n".join(lines) + "\n"


def family_of(name: str) -> str:
    """The family of a sample: a histogram and a summary have several samples."""
    bare = name.partition("{")[0]
    short = bare.removesuffix("_sum").removesuffix("_count").removesuffix("_bucket")
    return short if short in FAMILIES or short in _HELP else bare


def _about() -> Iterator[tuple[str, float]]:
    yield sample("quire_info", version=quire.__version__), 1
    yield sample("python_info", implementation=platform.python_implementation(), version=platform.python_version()), 1
    yield sample("target_info", service_name="quire"), 1


def _queue(runs: Runs) -> Iterator[tuple[str, float]]:
    found = runs.queue(FLOW)
    for state in ("waiting", "running"):
        yield sample("quire_tasks", state=state), sum(found[one][0] for one in found if STATES.get(one) == state)
    yield "quire_oldest_waiting_seconds", max(0.0, time.time() - found["waiting"][1]) if "waiting" in found else 0


def _processes(pids: Iterable[int]) -> Iterator[tuple[str, float]]:
    """Sums over processes, from /proc; nothing where there is none."""
    ticks, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    virtual = resident = cpu = descriptors = 0.0
    started: list[float] = []
    with suppress(OSError, StopIteration):
        booted = next(float(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if "btime" in line)
        for pid in pids:
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
                descriptors += len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208 - names only
                cpu += (int(fields[11]) + int(fields[12])) / ticks
                started.append(booted + int(fields[19]) / ticks)
                virtual, resident = virtual + int(fields[20]), resident + int(fields[21]) * page
    if not started:
        return
    yield "process_virtual_memory_bytes", virtual
    yield "process_resident_memory_bytes", resident
    yield "process_cpu_seconds_total", cpu
    yield "process_start_time_seconds", min(started)
    yield "process_open_fds", descriptors
    yield "process_max_fds", resource.getrlimit(resource.RLIMIT_NOFILE)[0]

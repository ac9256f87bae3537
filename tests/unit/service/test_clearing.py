"""Clearing tasks: by age and tenant, however many there are, and past those that cannot be removed."""

from __future__ import annotations

import time

import pytest

from quire.core.errors import RunError
from quire.durable.worker_workflows import workflows_on
from quire.runtime.local import LocalRuntime
from quire.service import service as service_module
from quire.service.service import FLOW, Service
from quire.service.settings import ServiceSettings
from quire.store.files import FileStore

pytestmark = pytest.mark.processes  # a service asks Tesseract for its languages


class Elsewhere:
    """A runtime on another server, where one run cannot be removed."""

    def __init__(self, service: Service, stuck: str) -> None:
        self._service, self._stuck = service, stuck
        self.asked: list[str] = []

    def forget(self, run: str) -> None:
        self.asked.append(run)
        if run == self._stuck:
            raise RunError("the server does not answer", category="network")
        self._service.runs.forget(run)


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.setattr(service_module, "CLEARED", 3)
    with FileStore(tmp_path) as store, LocalRuntime(store.database, workflows_on(store)) as runtime:
        yield Service(ServiceSettings(port=0, search="none"), store, runtime)


def ended(service: Service, count: int, *, age_s: float = 100.0, tenant: str = "", type: str = "convert") -> list[str]:
    found = []
    for _ in range(count):
        run, _ = service.runs.begin(FLOW, {"tenant": tenant, "type": type})
        service.runs.finish(run, "finished", result={})
        then = time.time() - age_s
        service.store.database.change("UPDATE runs SET finished = ? WHERE run = ?", (then, run))
        found.append(run)
    return found


def left(service: Service) -> set[str]:
    return {run.run for run in service.runs.list(limit=1000)}


def test_old_tasks_are_cleared_behind_any_number_of_others(service):
    old = ended(service, 7)
    kept = ended(service, 4, age_s=0.0) + ended(service, 4, tenant="other") + ended(service, 4, type="read")
    kept += [service.runs.begin(FLOW, {"tenant": "", "type": "convert"})[0]]
    service.clear("", 50.0)
    assert left(service) == {*kept} and not left(service) & {*old}


def test_a_task_that_cannot_be_forgotten_stays_and_the_others_go(service, monkeypatch):
    runs = ended(service, 8)
    away = Elsewhere(service, sorted(runs)[1])
    monkeypatch.setattr(service, "runtime", away)
    service.clear("", 50.0)
    assert left(service) == {sorted(runs)[1]}
    assert sorted(away.asked) == sorted(runs), "each is asked for once"

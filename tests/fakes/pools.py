"""A pool without worker programs: jobs run in threads here. For tests that start processes by the hundred."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from threading import local

from quire.system.workers import Job, WorkerReply, shared
from quire.system.workers.conversation import OnEvent, OnRequest
from quire.system.workers.job import Kept, Work
from quire.system.workers.pool import Lane


@dataclass(frozen=True)
class HereLine:
    """A line to the parent that does not leave the process; what is said passes through JSON all the same."""

    on_event: OnEvent | None
    on_request: OnRequest | None

    def tell(self, kind: str, payload: Mapping[str, object]) -> None:
        if self.on_event is not None:
            self.on_event(kind, json.loads(json.dumps(payload)))

    def ask(self, name: str, header: Mapping[str, object], data: bytes) -> tuple[Mapping[str, object], bytes]:
        assert self.on_request is not None
        return self.on_request(name, json.loads(json.dumps(header)), data)


class PoolHere:
    """As far as reads need one. Nothing that hangs or crashes is survived."""

    closed = False

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._threads = ThreadPoolExecutor(workers, "quire-worker")
        self._own = local()

    def submit(
        self,
        job: Job,
        *,
        timeout_s: float,
        renew_s: float | None = None,
        on_event: OnEvent | None = None,
        on_request: OnRequest | None = None,
        lane: Lane = Lane.LONG,
        share: str = "",
    ) -> Future[WorkerReply]:
        pickled = pickle.dumps(job.arguments)
        return self._threads.submit(self._do, job.call, pickled, timeout_s, HereLine(on_event, on_request))

    def cancel(self, futures: Iterable[Future[WorkerReply]]) -> None:
        for future in futures:
            future.cancel()

    def close(self) -> None:
        self._threads.shutdown(cancel_futures=True)

    def _do(self, call: str, pickled: bytes, timeout_s: float, line: HereLine) -> WorkerReply:
        kept: Kept = self._own.__dict__.setdefault("kept", Kept())
        module, _, function = call.partition(":")
        given = getattr(import_module(module), function)(pickle.loads(pickled), Work(line, kept, timeout_s))
        kept.trim()
        header, data = given if isinstance(given, tuple) else ({}, given)
        return WorkerReply(json.loads(json.dumps(header)), data, 0.0)


def work_here(workers: int) -> None:
    """From now on this process has no worker programs."""
    shared._pools[os.getpid()] = PoolHere(workers)  # type: ignore[assignment]

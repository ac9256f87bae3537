"""A run on a server."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any

from quire.client.connection import RETRY, ArrivingResponse, Server, quoted
from quire.client.reports import RunReport
from quire.client.server_documents import ClientDocument
from quire.core.errors import RunCancelled, RunError
from quire.core.events import Event
from quire.core.types import PageResult
from quire.net.transport import HttpError

SILENCE_S = 60.0
"""A server that sends nothing for so long, not even a heartbeat, is gone."""


class ClientRun:
    """A run on a server. Its methods block."""

    def __init__(self, server: Server, report: RunReport) -> None:
        self._server = server
        self._report = report

    @property
    def id(self) -> str:
        return self._report.id

    def report(self) -> RunReport:
        """The state of the run, as the server reports it now."""
        if not self._report.ended:
            self._report = RunReport.of(self._server.get(self._path).json())
        return self._report

    @property
    def documents(self) -> tuple[ClientDocument, ...]:
        """Its documents, as of the last report."""
        return tuple(ClientDocument(self._server, report) for report in self._report.documents)

    def events(self, *, after: int = 0, timeout_s: float | None = None) -> Iterator[Event]:
        """The events after a sequence number, until the end of the run, or until the time is over; reconnects when the
        connection is lost."""
        failures, until = 0, math.inf if timeout_s is None else time.monotonic() + timeout_s
        while True:
            failures += 1  # until something arrives
            try:
                for kind, data in self._messages(after, until):
                    failures = 0
                    if kind == "end":
                        self._report = RunReport.of(data)
                        return
                    event = _event(data)
                    after = event.sequence
                    yield event
                lost = HttpError("the server cannot be reached: it closes the connection", passing=True)
            except HttpError as error:
                lost = error
            if time.monotonic() >= until:
                return
            if failures == RETRY.attempts or not lost.passing:
                raise self._server.unreachable(lost) from lost
            time.sleep(RETRY.pause_s(failures or 1, 0))

    def wait(self, *, timeout_s: float | None = None) -> RunReport:
        """The report at the end. Raises TimeoutError if it runs longer."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        pause_s = 0.05
        while not self.report().ended:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"run {self.id} is {self._report.state} after {timeout_s:g} s")
            time.sleep(pause_s if left is None else min(pause_s, left))
            pause_s = min(2 * pause_s, 2.0)
        return self._report

    def result(self, *, timeout_s: float | None = None) -> tuple[ClientDocument, ...]:
        """Its documents, at the end. Raises RunCancelled, RunError when none could be read, or TimeoutError."""
        report = self.wait(timeout_s=timeout_s)
        if report.state == "cancelled":
            raise RunCancelled(f"run {self.id} was cancelled")
        failed = [one for one in report.documents if one.state == "failed"]
        if report.state == "failed" or (failed and len(failed) == len(report.documents)):
            first = failed[0] if failed else None
            message = report.error or (f"{first.name}: {first.error}" if first else "failed")
            raise RunError(message, category=report.category or (first and first.category) or "runtime")
        return self.documents

    def pages(self, *, words: bool = False) -> Iterator[PageResult]:
        """The pages of all its documents that could be read, at the end, one request each."""
        for document in self.result():
            if document.report.state == "finished":
                yield from document.pages(words=words)

    def cancel(self) -> RunReport:
        """Cancel it. What was read is kept; a run that has ended stays as it is."""
        self._report = RunReport.of(self._server.send("DELETE", self._path).json())
        return self._report

    def __repr__(self) -> str:
        return f"<ClientRun {self.id}: {self._report.state}>"

    @property
    def _path(self) -> str:
        return f"/api/runs/{quoted(self.id)}"

    def _messages(self, after: int, until: float) -> Iterator[tuple[str, Any]]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        with self._server.open(f"{self._path}/events", headers, silence_s=SILENCE_S, until=until) as response:
            yield from _messages(response)


def _messages(response: ArrivingResponse) -> Iterator[tuple[str, Any]]:
    """The kind and data of each message of a stream (WHATWG HTML, server-sent events)."""
    kind, data = "", b""
    while line := response.readline():
        text = line.rstrip(b"\r\n")
        if not text:
            if data:
                yield kind, json.loads(data)
            kind, data = "", b""
        elif text.startswith(b"event:"):
            kind = text[6:].strip().decode()
        elif text.startswith(b"data:"):
            data += text[5:].strip()


def _event(row: dict[str, Any]) -> Event:
    names = ("id", "run", "sequence", "kind", "stage", "document", "page", "key", "payload", "at")
    return Event(**{name: row[name] for name in names if name in row})

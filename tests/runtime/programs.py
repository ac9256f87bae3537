"""Another process that has opened the runtime, as if it were here: its verbs, and ways to end it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock, Thread

from quire.core import errors
from quire.core.context import Json, RunStatus
from quire.core.events import Event
from tests.runtime.opening import Setting
from tests.runtime.tracking import PATIENCE_S

ROOT = Path(__file__).parents[2]


class ProgramEnded(Exception):
    """The process was gone before it answered."""


class Program:
    """`python -m tests.runtime.worker`, spoken to over pipes. Several threads may ask at once."""

    def __init__(self, setting: Setting, environment: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "tests.runtime.worker", json.dumps(setting.to_json())]
        self._numbers = count(1)
        self._lock = Lock()
        self._ready: Future[Json] = Future()
        self._asked = {0: self._ready}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ready(self) -> Program:
        """Wait until it has opened the runtime."""
        self._ready.result(PATIENCE_S)
        return self

    def ask(self, verb: str, *arguments: Json, **options: Json) -> Future[Json]:
        """Begin to ask; several answers can be waited for at once."""
        answer: Future[Json] = Future()
        with self._lock:
            number = next(self._numbers)
            self._asked[number] = answer
            assert self._process.stdin is not None
            request = {"id": number, "verb": verb, "arguments": arguments, "options": options}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        return answer

    def submit(self, flow: str, inputs: Json, *, key: str | None = None) -> str:
        return self.ask("submit", flow, inputs, key=key).result(PATIENCE_S)

    def status(self, run: str) -> RunStatus:
        return RunStatus(**self.ask("status", run).result(PATIENCE_S))

    def events(self, run: str, *, after: int = 0) -> Iterator[Event]:
        return iter([Event(**event) for event in self.ask("events", run, after).result(PATIENCE_S)])

    def result(self, run: str, *, timeout_s: float | None = None) -> Json:
        return self.ask("result", run, timeout_s=timeout_s).result(PATIENCE_S)

    def cancel(self, run: str) -> None:
        self.ask("cancel", run).result(PATIENCE_S)

    def forget(self, run: str) -> None:
        self.ask("forget", run).result(PATIENCE_S)

    def send(self, run: str, name: str, value: Json) -> None:
        self.ask("send", run, name, value).result(PATIENCE_S)

    def pause(self, run: str) -> None:
        self.ask("pause", run).result(PATIENCE_S)

    def kill(self) -> None:
        """As a power cut does it."""
        self._process.kill()
        self.wait()

    def stop(self) -> None:
        """It does nothing more, and does not notice."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOWAIT)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> int:
        """Ask it to end, and wait until it has; its exit code."""
        with self._lock:
            assert self._process.stdin is not None
            self._process.stdin.close()
        return self.wait()

    def wait(self) -> int:
        code = self._process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):  # the reader is gone
                pipe.close()
        return code

    def end(self) -> None:
        """At the end of a test, whatever state it is in."""
        if self._process.poll() is None:
            self._process.kill()
        self.wait()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            answer = self._asked.pop(told["id"])
            if "error" in told:
                answer.set_exception(_raised(told))
            else:
                answer.set_result(told["answer"])
        for answer in list(self._asked.values()):
            answer.set_exception(ProgramEnded(f"process {self.pid} ended"))


def _raised(told: Json) -> Exception:
    """The error as the program said it."""
    name, message = told["error"], told["message"]
    if name == "RunError":
        return errors.RunError(message, category=told["category"])
    if name == "TimeoutError":
        return TimeoutError(message)
    kind = getattr(errors, name, None)
    return kind(message) if isinstance(kind, type) else RuntimeError(f"{name}: {message}")

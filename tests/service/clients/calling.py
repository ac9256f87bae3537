"""A client in its own process, which makes the calls that a test asks for."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from typing import Any, Self

PROGRAMS = Path(__file__).parent / "programs"
DEADLINE_S = 120.0
"""A call that takes longer ends the process."""


class ClientRefused(Exception):
    """The client raised an exception; `kind` is its name."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


class ClientProgram:
    """Started with the first call, ended by `stop`, or as a context. Not thread-safe."""

    def __init__(self, command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> None:
        self._command, self._folder, self._environment = command, folder, environment
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def call(self, name: str, /, **arguments: Any) -> Any:
        """What the function of the program returned. Raises ClientRefused when it raised."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"name": name, "arguments": arguments}, default=str) + "\n")
        process.stdin.flush()
        with ExitStack() as after:
            timer = Timer(DEADLINE_S, process.kill)
            timer.start()
            after.callback(timer.cancel)
            line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the client ended during {name}: {self._log.read_text(errors='replace')[-3000:]}")
        answer = json.loads(line)
        if "error" in answer:
            raise ClientRefused(answer["error"], answer["message"])
        return answer["value"]

    def stop(self) -> None:
        if self._process is not None:
            self._process.stdin.close()  # type: ignore[union-attr]
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(30)
            self._process.stdout.close()  # type: ignore[union-attr]

    @property
    def _log(self) -> Path:
        return self._folder / "client.log"

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [str(part) for part in self._command],
                    cwd=self._folder,
                    env=self._environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        return self._process

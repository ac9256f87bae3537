"""A program that answers: a JSON request a line on its standard input, a JSON answer a line on its standard output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

Answer = dict[str, Any]


class Program:
    """The asking side. `ask` gives an empty answer when the program has ended."""

    def __init__(self, arguments: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.pid = self._process.pid

    def ask(self, request: Mapping[str, object]) -> Answer:
        self.tell(request)
        return self.answer()

    def tell(self, request: Mapping[str, object]) -> None:
        """Ask, and take the answer later."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()

    def answer(self) -> Answer:
        """The next line, for programs that speak first."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else {}

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._process.communicate()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def serve(answer: Callable[[Answer], Mapping[str, object]]) -> None:
    """The answering side, in the program itself: until its standard input ends."""
    for line in sys.stdin:
        say(answer(json.loads(line)))


def say(told: Mapping[str, object]) -> None:
    """Tell whoever started this program."""
    print(json.dumps(told, default=float), flush=True)

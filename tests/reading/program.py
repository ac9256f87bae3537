"""The program of the ways, seen from the tests, and what it tells in a form in which ways can be compared."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.core.context import Json

ROOT = Path(__file__).parents[2]
STAGES = ("read", "native-text", "recognize", "recognised-text", "page-blocks", "document")
"""The stages of a read. Batches and flows tell more, of their own."""

Told = tuple[str, str, str | None, Mapping[str, Json]]
"""Of an event: stage, kind, key, payload without times."""


class Program:
    """One that reads what it is asked to; it lives as long as nothing kills it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "tests.reading.ways"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment, cwd=ROOT, **pipes)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, way: str, case: str, path: Path, folder: Path, *more: str) -> None:
        self._process.stdin.write(json.dumps([way, case, str(path), str(folder), *more]) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Json:
        """What came of it; None when the program died."""
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@dataclass(frozen=True)
class Reading:
    """What one way gave for one case, and what the engines were asked meanwhile."""

    told: Json
    asked: tuple[str, ...]

    @property
    def survived(self) -> bool:
        """Whether the program that called it lived on."""
        return self.told is not None

    @property
    def failed(self) -> Json:
        """The error that ended it: `error`, `message` and `category`."""
        return {name: self.told[name] for name in ("error", "message", "category") if name in self.told}

    @property
    def questions(self) -> list[str]:
        """Who was asked about which sheet."""
        return sorted(line for line in self.asked if line[-1:].isdecimal() and not line.startswith("holds "))

    @property
    def ledger(self) -> Sequence[Json]:
        """What became of each page: number, size, rotation, status, reason."""
        return self.told["result"]["document"]["pages"]

    @property
    def statuses(self) -> str:
        return " ".join(page["status"] for page in self.ledger) if self.told.get("result") else ""

    @property
    def blocks(self) -> Sequence[Json]:
        return self.told["result"]["blocks"]

    @property
    def trace(self) -> dict[int, list[tuple[str, str, str]]]:
        """The attempts of each page as the result has them."""
        return {
            one["page"]: [(a["engine"], a["outcome"], a["reason"]) for a in one["attempts"]]
            for one in self.told["result"].get("trace", ())
        }

    @property
    def attempts(self) -> dict[int, list[tuple[str, str, str]]]:
        """The same as the events tell it."""
        found: dict[int, list[tuple[str, str, str]]] = {}
        for event in self.told["events"]:
            if (event["stage"], event["kind"]) == ("recognize", "attempt"):
                said = tuple(event["payload"][name] for name in ("engine", "outcome", "reason"))
                found.setdefault(event["page"], []).append(said)
        return found

    @property
    def events(self) -> dict[int | None, list[Told]]:
        """The events of each page in their order, and under None those of the document."""
        runs = {event["run"] for event in self.told["events"] if event["stage"] == "read"}  # not that of a batch itself
        found: dict[int | None, list[Told]] = {}
        for event in self.told["events"]:
            payload = {name: value for name, value in event["payload"].items() if not _is_time(name)}
            if event["stage"] in STAGES and event["run"] in runs:
                found.setdefault(event["page"], []).append((event["stage"], event["kind"], event["key"], payload))
        return found


def _is_time(name: str) -> bool:
    return name == "at" or name == "ms" or name.endswith("_ms")

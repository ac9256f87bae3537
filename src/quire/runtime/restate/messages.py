"""Payloads between callers, the Restate server and workers: requests, results and failures, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from quire.core.context import Json
from quire.core.errors import CATEGORIES, Category, RunError, category_of, exit_code_of
from quire.core.events import reason_of
from quire.runtime.workflow_guards import dumps

CANCELLED = 409
"""The code with which Restate ends a cancelled invocation."""
FAILED = 500


@dataclass(frozen=True, slots=True)
class Request:
    """A request for a workflow. `root` says that the workflow is the run itself, not only a part of it."""

    key: str
    run: str
    argument: Json
    root: bool = False

    def encode(self) -> bytes:
        """Raises TypeError or ValueError for an argument that cannot be serialised as JSON."""
        return dumps({"key": self.key, "run": self.run, "root": self.root, "argument": self.argument})

    @classmethod
    def decode(cls, data: bytes) -> Request:
        payload = json.loads(data)
        return cls(payload["key"], payload["run"], payload["argument"], payload.get("root", False))


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a step or a workflow failed. `run` is the run in which it failed."""

    message: str
    category: Category = "runtime"
    run: str = ""
    cancelled: bool = False
    exit_code: int | None = None

    @classmethod
    def of(cls, error: BaseException, run: str = "") -> RunFailure:
        return cls(reason_of(error), category_of(error), run, exit_code=exit_code_of(error))

    @classmethod
    def decode(cls, message: str, code: int) -> RunFailure:
        """From the message of Restate: an encoded RunFailure, or Restate's own text."""
        try:
            payload = json.loads(message)
            failure = cls(
                payload["message"], payload["category"], payload["run"], payload["cancelled"], payload.get("exit_code")
            )
        except (ValueError, TypeError, KeyError):
            return cls(message, "runtime", cancelled=code == CANCELLED)
        return failure if failure.category in CATEGORIES else cls(failure.message, "unknown", failure.run)

    def encode(self) -> str:
        return dumps(asdict(self)).decode()

    def error(self) -> RunError:
        return RunError(self.message, category=self.category, exit_code=self.exit_code)

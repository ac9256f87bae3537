"""What travels between callers, the Restate server and workers: requests, results and failures, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from quire.context import MAX_RESULT, Json
from quire.errors import CATEGORIES, Category, RunError, category_of, exit_code_of
from quire.events import reason_of

CANCELLED = 409
"""The code with which Restate ends what was cancelled."""
FAILED = 500


@dataclass(frozen=True, slots=True)
class Request:
    """A workflow asked for. `root` says that the run is this one, and not only what it is a part of."""

    key: str
    run: str
    argument: Json
    root: bool = False

    def encode(self) -> bytes:
        """Raises TypeError or ValueError for an argument that is no JSON."""
        return _dumps({"key": self.key, "run": self.run, "root": self.root, "argument": self.argument})

    @classmethod
    def decode(cls, data: bytes) -> Request:
        told = json.loads(data)
        return cls(told["key"], told["run"], told["argument"], told.get("root", False))


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a step or a workflow gave nothing. `run` is the one that tried."""

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
        """From what Restate says: text of ours, or its own."""
        try:
            told = json.loads(message)
            failure = cls(told["message"], told["category"], told["run"], told["cancelled"], told.get("exit_code"))
        except (ValueError, TypeError, KeyError):
            return cls(message, "runtime", cancelled=code == CANCELLED)
        return failure if failure.category in CATEGORIES else cls(failure.message, "unknown", failure.run)

    def encode(self) -> str:
        return _dumps(asdict(self)).decode()

    def error(self) -> RunError:
        return RunError(self.message, category=self.category, exit_code=self.exit_code)


def encode_result(name: str, result: Json) -> bytes:
    """Raises RunError for a result that is no JSON, or so large that it belongs into the store."""
    try:
        data = _dumps(result)
    except (TypeError, ValueError) as error:
        raise RunError(f"{name} gives something that JSON cannot say: {error}") from error
    if len(data) > MAX_RESULT:
        raise RunError(
            f"{name} gives {len(data):,} bytes; at most {MAX_RESULT // 1024} KiB ({MAX_RESULT:,} bytes) are allowed: "
            "save it in the store and give its key"
        )
    return data


def _dumps(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

"""Errors between the parent and a worker, and how the error of a job is serialised over the pipe.

Only names, messages and numbers cross it: the worker parses untrusted bytes, so nothing from it is unpickled, and its
messages are truncated and cleaned before they are printed.
"""

from __future__ import annotations

from collections.abc import Mapping

from quire.core import errors
from quire.core.errors import EngineError, InputError, QuireError

MAX_MESSAGE = 2000
MAX_TRACE = 8000


class WorkerError(QuireError):
    """A worker process did not answer. The job is lost; the pool continues with a new worker."""

    exit_code = 10


class WorkerTimeout(WorkerError):
    """The job passed its deadline and was killed with everything it had started."""

    category = "timeout"


class WorkerCrashed(WorkerError):
    """The worker ended, or sent invalid messages, during a job. `code` is its exit code, negative for a signal."""

    category = "transient"

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class WorkerOutOfMemory(WorkerError):
    """The job needed more memory than a worker may have."""


class JobFailed(QuireError):
    """The job raised something that is not a QuireError. `kind` is the name of the exception's type."""

    category = "unknown"

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind


def describe(error: BaseException) -> dict[str, object]:
    """An exception as JSON. Runs in the worker, or in the parent for a request that failed."""
    import traceback  # imported lazily, so that workers start faster

    described: dict[str, object] = {"type": _known_type(error), "kind": type(error).__name__, "message": _text(error)}
    described["trace"] = "".join(traceback.format_exception(error))[-MAX_TRACE:]
    if isinstance(error, InputError):
        described |= {"document": error.document, "page": error.page}
    if isinstance(error, EngineError):
        described["engine"] = error.engine
    return described


def rebuilt(described: Mapping[str, object]) -> QuireError:
    """The exception from `describe`: a QuireError as itself, anything else as JobFailed."""
    message = clean(described.get("message"))
    error = _rebuilt(described, message)
    if trace := clean(described.get("trace"), MAX_TRACE):
        error.add_note(trace)
    return error


def clean(words: object, most: int = MAX_MESSAGE) -> str:
    """Text from a worker, truncated and without control characters that a terminal would interpret."""
    text = words if isinstance(words, str) else ""
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text[:most])


def _rebuilt(described: Mapping[str, object], message: str) -> QuireError:
    kind = _FAMILY.get(str(described.get("type")))
    if kind is None:
        return JobFailed(clean(described.get("kind"), 200) or "Exception", message)
    if issubclass(kind, InputError):
        document, page = described.get("document"), described.get("page")
        return kind(
            message,
            document=clean(document) if isinstance(document, str) else None,
            page=page if isinstance(page, int) else None,
        )
    if issubclass(kind, EngineError):
        engine = clean(described.get("engine"), 200)
        return kind(engine, message.removeprefix(f"{engine}: "))
    return kind(message)


_FAMILY: dict[str, type[QuireError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, QuireError)
} | {"WorkerOutOfMemory": WorkerOutOfMemory}


def _known_type(error: BaseException) -> str | None:
    """The nearest QuireError type that the parent knows: a plugin's subclass is sent as its base class."""
    if isinstance(error, MemoryError):
        return "WorkerOutOfMemory"
    return next((kind.__name__ for kind in type(error).__mro__ if _FAMILY.get(kind.__name__) is kind), None)


def _text(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"the job needed more memory than a worker may have {error}".strip()
    try:
        # str() of an InputError starts with its document and page; both are sent as separate fields.
        return str(error.args[0] if isinstance(error, InputError) and error.args else error)[:MAX_MESSAGE]
    except Exception as unprintable:
        return f"(a message that cannot be printed: {type(unprintable).__name__})"

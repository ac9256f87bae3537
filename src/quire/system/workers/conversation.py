"""One job from the parent's side: send it, answer its requests, enforce its deadline and memory limit."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quire.core.errors import QuireError, UsageError
from quire.system.workers import frames
from quire.system.workers.frames import BrokenFrame, Frame
from quire.system.workers.job_errors import (
    WorkerCrashed,
    WorkerError,
    WorkerOutOfMemory,
    WorkerTimeout,
    clean,
    describe,
    rebuilt,
)
from quire.system.workers.process import START_S, WorkerProcess

_LOOK_EVERY_S = 0.1
_GRACE_S = 0.5
_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory")

OnEvent = Callable[[str, Mapping[str, object]], None]
"""Called with the kind and the payload of an event, in the thread that supervises the worker."""
OnRequest = Callable[[str, Mapping[str, object], bytes], tuple[Mapping[str, object], bytes]]
"""Called with the name, the header and the data of a request; returns header and data of the response."""


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """The result of a job. `ms` is how long it took in the worker."""

    header: Mapping[str, object]
    data: bytes
    ms: float


@dataclass(frozen=True, slots=True)
class Assignment:
    """A job ready to be sent, with its callbacks."""

    call: str
    pickled: bytes
    timeout_s: float
    on_event: OnEvent | None = None
    on_request: OnRequest | None = None
    renew_s: float | None = None


def converse(worker: WorkerProcess, job: Assignment, memory_limit: int | None) -> WorkerReply:
    """Run a job: returns its result or raises its error. Afterwards the worker is idle, or ended: see `worker.gone`."""
    try:
        outcome = _converse(worker, job, memory_limit)
    except (EOFError, ConnectionError):
        raise _crash(worker) from None
    except BrokenFrame as broken:
        worker.end()
        raise WorkerCrashed(f"the worker sent {broken}") from None
    except TimeoutError:
        worker.end()
        raise WorkerTimeout(f"no answer within {job.renew_s or job.timeout_s:g} s") from None
    except _ListenerFailed as failed:
        worker.end()
        raise failed.error from None
    except BaseException:
        worker.end()
        raise
    if isinstance(outcome, WorkerReply):
        return outcome
    if isinstance(outcome, WorkerError):
        worker.end()
    raise outcome


class _ListenerFailed(Exception):
    """A callback raised `error` while the job continues."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _converse(worker: WorkerProcess, job: Assignment, memory_limit: int | None) -> WorkerReply | QuireError:
    if not worker.ready:
        _begin(worker, memory_limit)
    started = time.monotonic()
    deadline = started + job.timeout_s
    if worker.jobs:
        worker.forget_words()
    worker.jobs += 1
    header = {"call": job.call, "timeout_s": job.timeout_s}
    worker.send(frames.JOB, header, job.pickled, timeout_s=job.timeout_s)
    look_at = started + _LOOK_EVERY_S
    while True:
        now = time.monotonic()
        if now >= deadline:
            raise TimeoutError
        if memory_limit and now >= look_at:
            look_at = now + _LOOK_EVERY_S
            _check_memory(worker, memory_limit)
        until = min(deadline, look_at) if memory_limit else deadline
        frame = worker.receive(until - now)
        if frame is None:
            continue
        match frame.kind:
            case frames.ANSWER:
                return WorkerReply(frame.header, frame.data, (time.monotonic() - started) * 1000)
            case frames.FAILURE:
                return rebuilt(frame.header)
            case frames.EVENT:
                _tell(job.on_event, frame)
                deadline = _renewed(deadline, job)
            case frames.QUESTION:
                begun_at = time.monotonic()
                kind, reply, data = _reply(job.on_request, frame)
                deadline += time.monotonic() - begun_at  # time spent in the parent does not count
                deadline = _renewed(deadline, job)
                with contextlib.suppress(ConnectionError):  # it has ended; what it said before is still to be read
                    worker.send(kind, reply, data, timeout_s=deadline - time.monotonic())
            case _:
                raise BrokenFrame(f"a message of the unknown kind {frame.kind!r}")


def _renewed(deadline: float, job: Assignment) -> float:
    return deadline if job.renew_s is None else time.monotonic() + job.renew_s


def _begin(worker: WorkerProcess, memory_limit: int | None) -> None:
    if not worker.begun:
        worker.begin(memory_limit)
    until = time.monotonic() + START_S
    while (frame := worker.receive(until - time.monotonic())) is None:
        if time.monotonic() >= until:
            raise WorkerTimeout(f"the worker did not start within {START_S:g} s")
    if frame.kind != frames.READY:
        raise BrokenFrame("something other than its ready message")
    worker.ready = True


def _tell(listener: OnEvent | None, frame: Frame) -> None:
    payload = frame.header.get("payload")
    if not isinstance(payload, dict):
        raise BrokenFrame("an event without payload")
    if listener is None:
        return
    try:
        listener(clean(frame.header.get("kind"), 100), payload)
    except Exception as error:
        raise _ListenerFailed(error) from error


def _reply(listener: OnRequest | None, frame: Frame) -> tuple[bytes, Mapping[str, object], bytes]:
    name, header = clean(frame.header.get("name"), 100), frame.header.get("header")
    if not isinstance(header, dict):
        raise BrokenFrame("a request without header")
    try:
        if listener is None:
            raise UsageError(f"the job requests {name!r}, but no on_request callback was given")
        return frames.REPLY, *listener(name, header, frame.data)
    except QuireError as error:
        return frames.REFUSAL, describe(error), b""
    except Exception as error:
        raise _ListenerFailed(error) from error


def _check_memory(worker: WorkerProcess, limit: int) -> None:
    held = worker.resident()
    if held > limit:
        raise WorkerOutOfMemory(f"the job used {held >> 20} MB of memory; a worker may have {limit >> 20} MB")


def _crash(worker: WorkerProcess) -> WorkerError:
    """Why the worker ended, as far as its exit code and the last line of its standard error show."""
    code = worker.end(_GRACE_S)
    words = worker.last_words()
    if any(sign in words for sign in _OUT_OF_MEMORY):
        return WorkerOutOfMemory(f"the job needed more memory than a worker may have ({words})")
    if code is None:
        how = "ended"
    elif code < 0:
        how = f"was killed by {_signal_name(-code)}"
    else:
        how = f"ended with exit code {code}"
    hint = " (the kernel does that when the machine is out of memory)" if code == -signal.SIGKILL else ""
    return WorkerCrashed(f"the worker {how}{hint}{': ' + words if words else ''}", code=code)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"

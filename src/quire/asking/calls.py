"""Where a question is asked: in a thread of this process, or in a worker process. Both have a deadline."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import Thread

from quire.asking.places import POLL_S, Check, Costly, Slot, TooSlow
from quire.errors import EngineError

GRACE_S = 2.0
"""What a question in a thread gets beyond its time limit: most of those that wait for the network watch it themselves,
and know better what went wrong."""


class Crashed(EngineError):
    """The worker process that was asked ended, or ran out of memory."""


def runs_here(who: Costly) -> bool:
    """Whether it is asked in a thread of this process: it waits for the network, or only this process knows it.

    A class of the user's own script does not exist in a worker, and a lambda cannot be sent to one.
    """
    if who.policy == "io":
        return True
    try:
        return b"__main__" in pickle.dumps(who)
    except Exception:  # of foreign code: pickle itself says nothing about what may go wrong
        return True


def within(who: Costly, call: Callable[[], bytes], place: Slot, check: Check) -> bytes:
    """The answer of a call in a thread of its own, within the time limit.

    A thread cannot be killed: past the limit it is left behind, and gives its place back when it returns.
    """
    answer: Future[bytes] = Future()
    context = copy_context()

    def run() -> None:
        try:
            made = context.run(call)
        except Exception as error:
            place.release()
            answer.set_exception(error)
        except BaseException as error:  # SystemExit of a library ends the question, not the program
            place.release()
            answer.set_exception(EngineError(who.name, f"{type(error).__name__}: {error}"))
        else:
            place.release()
            answer.set_result(made)

    try:
        Thread(target=run, name=f"quire-{who.name}", daemon=True).start()
    except RuntimeError as error:  # the system has no more threads
        place.release()
        raise EngineError(who.name, f"cannot be asked: {error}") from error
    until = time.monotonic() + who.timeout_s + GRACE_S
    try:
        while not wait([answer], min(POLL_S, max(0.0, until - time.monotonic()))).done:
            check()
            if time.monotonic() >= until:
                raise TooSlow(who.name, f"no answer within {who.timeout_s:g} s")
    except BaseException:
        place.leave(until)
        raise
    return answer.result()

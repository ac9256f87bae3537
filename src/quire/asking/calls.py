"""Calls of a request: in a thread of this process, or in a worker process. Both have a deadline."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextvars import copy_context
from threading import Thread

from quire.asking.slots import POLL_S, Check, Slot, TooSlow
from quire.core.engine import Costly
from quire.core.errors import EngineError

GRACE_S = 2.0
"""Grace period of a request in a thread after its timeout: most network clients enforce the timeout themselves, and
report better what went wrong."""


class Crashed(EngineError):
    """The worker process of a request crashed, or ran out of memory."""


def runs_here(who: Costly) -> bool:
    """Whether it runs in a thread of this process: it waits for the network, or cannot be pickled.

    A class of the user's script does not exist in a worker, and a lambda cannot be sent to one.
    """
    if who.policy == "io":
        return True
    try:
        return b"__main__" in pickle.dumps(who)
    except Exception:  # third-party code may raise anything while it is pickled
        return True


def within(who: Costly, call: Callable[[], bytes], place: Slot, check: Check) -> bytes:
    """The answer of a call in a separate thread, within the timeout.

    A thread cannot be killed: after the timeout it is abandoned, and releases its slot when it returns.
    """
    answer: Future[bytes] = Future()
    context = copy_context()

    def run() -> None:
        try:
            made = context.run(call)
        except Exception as error:
            place.release()
            answer.set_exception(error)
        except BaseException as error:  # SystemExit of a library ends the request, not the program
            place.release()
            answer.set_exception(EngineError(who.name, f"{type(error).__name__}: {error}"))
        else:
            place.release()
            answer.set_result(made)

    try:
        Thread(target=run, name=f"quire-{who.name}", daemon=True).start()
    except RuntimeError as error:  # the system has run out of threads
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

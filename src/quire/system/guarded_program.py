"""The start of a supervised program: its guard splits off, limits are set, and the program takes over.

`supervised_program` starts it as a process of its own. It imports little, so that it starts quickly.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from quire.system.workers.guard import split_off_guard

NOT_STARTED = 127
"""The exit code of a program that cannot be executed, as in a shell."""


def main() -> None:
    """Runs in the main thread. Arguments: the leash, the parent, its scratch folder, the largest file, the command."""
    leash, parent, folder, file_bytes = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    command = sys.argv[5:]
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    split_off_guard(leash, None, parent, folder)
    os.setsid()
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, file_bytes)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {error.strerror}\n".encode(errors="replace"))
    os._exit(NOT_STARTED)


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (least, least))

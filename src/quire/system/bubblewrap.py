"""Bubblewrap (`bwrap`): a program in namespaces of its own, that can write to the given folders and nowhere else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_PROBE_TIMEOUT_S = 20.0
_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-cgroup-try", "--cap-drop", "ALL")
_SYSTEM = ("--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run")
"""`/run` has the sockets of other programs, such as that of Docker; a read-only mount does not close them."""
_NEEDED_OF_RUN = ("/run/systemd/resolve", "/run/current-system")
"""Where the names of hosts are looked up, and the programs of NixOS."""


def bubblewrap() -> str | None:
    """The path of a `bwrap` that works here; None where it is not installed, or may not make namespaces."""
    path = shutil.which("bwrap")
    return path if path and _works(path) else None


def wrapped(
    command: Sequence[str],
    path: str,
    *,
    folder: Path,
    readable: Sequence[Path],
    writable: Sequence[Path],
    temporary: Path,
    network: bool,
) -> list[str]:
    """The command in `folder`, inside of bubblewrap: everything is read-only but `writable`.

    `/tmp` is the folder `temporary`; files of the real one are there only if they are `readable`.
    """
    arguments = [path, *_NAMESPACES, *([] if network else ["--unshare-net"]), *_SYSTEM]
    for place in _NEEDED_OF_RUN:
        arguments += ["--ro-bind-try", place, place]
    arguments += ["--bind", str(temporary), "/tmp"]
    for one in (folder, *readable):
        arguments += ["--ro-bind", str(one), str(one)]
    for one in writable:
        arguments += ["--bind", str(one), str(one)]
    return [*arguments, "--chdir", str(folder), "--", *command]


@cache
def _works(path: str) -> bool:
    """Containers often forbid it."""
    try:
        ran = subprocess.run(
            [path, *_NAMESPACES, "--unshare-net", *_SYSTEM, "--", "true"], capture_output=True, timeout=_PROBE_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0

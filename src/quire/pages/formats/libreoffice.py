"""LibreOffice as a supervised program: one conversion in a folder of its own, with limits and without network.

Every conversion has its own profile, so several run side by side, and nothing of one document reaches the next.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from quire.core.errors import ConfigurationError, CorruptError, LimitError
from quire.system.child_environment import child_environment

Isolation = Literal["namespaces", "settings"]

TIMEOUT_S = 120.0
_SHARE = 0.6
"""Of the time that is left: the document is still to be read from what was made."""
MEMORY_BYTES = 4 << 30
"""Address space of each process; a small document takes 1 GB of it, and 220 MB of memory."""
OUTPUT_BYTES = 1 << 30
_PROBE_TIMEOUT_S = 60.0
_COMPLAINT_BYTES = 1 << 20

_OPTIONS = (
    "--headless",
    "--invisible",
    "--norestore",
    "--nologo",
    "--nolockcheck",
    "--nodefault",
    "--nofirststartwizard",
)
_NAMESPACES = ("--map-root-user", "--net", "--pid", "--fork", "--kill-child")
"""No network but an unconfigured loopback; a process that leaves the process group still ends with its namespace."""

# Units of dash and bash: 1 KB of address space, 512 or 1,024 bytes of a file.
_LIMITED = f'ulimit -c 0; ulimit -v {MEMORY_BYTES >> 10}; ulimit -f {OUTPUT_BYTES >> 10}; exec "$@"'

_SETTINGS: dict[str, dict[str, bool | int | str]] = {
    "Office.Common/Security/Scripting": {
        "MacroSecurityLevel": 3,
        "DisableMacrosExecution": True,
        "BlockUntrustedRefererLinks": True,
        "DisableActiveContent": True,
    },
    "Office.Writer/Content/Update": {"Link": 0, "Field": False, "Chart": False},
    "Office.Calc/Content/Update": {"Link": 1},
    "Inet/Settings": {"ooInetProxyType": 2, "ooInetHTTPProxyName": "127.0.0.1", "ooInetHTTPProxyPort": 9},
}
"""Macros never run, links are never updated, and what asks for the network all the same meets a closed port."""


def version() -> str | None:
    """The version of the installed LibreOffice, for keys of what it made; None where it is not installed."""
    path = _path()
    return _version(path) if path else None


def isolation() -> Isolation:
    """The way documents are kept off the network: by Linux namespaces, or where these are forbidden, by settings."""
    unshare = shutil.which("unshare")
    return "namespaces" if unshare and _may_unshare(unshare) else "settings"


def convert(
    data: bytes,
    *,
    suffix: str,
    to: str,
    name: str,
    filter_options: str = "",
    opened_as: str = "",
    until: float | None = None,
) -> bytes:
    """A document of the format of `suffix`, converted by LibreOffice to the format `to`.

    `name` stands for the document in errors; `opened_as` is the filter that opens it, if its suffix does not say so.
    Runs in the calling thread; other calls may run at the same time. Raises ConfigurationError where LibreOffice is
    not installed, CorruptError for a document that it cannot open, and LimitError after `TIMEOUT_S` seconds, or
    well before `until` on the clock of `time.monotonic`: then all its processes have been killed.
    """
    path = _path()
    if path is None:
        raise ConfigurationError(
            f"{name}: LibreOffice is needed for this and not installed; on Debian or Ubuntu: "
            "apt install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui"
        )
    timeout_s = TIMEOUT_S if until is None else min(TIMEOUT_S, max(1.0, _SHARE * (until - time.monotonic())))
    with tempfile.TemporaryDirectory(prefix="quire-libreoffice-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        copy = folder / f"document.{_plain(suffix)}"
        copy.write_bytes(data)
        out = folder / "out"
        kind = f"{to}:{filter_options}" if filter_options else to
        _write_profile(folder / "profile")
        command = [path, f"-env:UserInstallation={(folder / 'profile').as_uri()}", *_OPTIONS]
        if opened_as:
            command.append(f"--infilter={opened_as}")
        complaint = _run([*command, "--convert-to", kind, "--outdir", str(out), str(copy)], folder, timeout_s, name)
        try:
            return (out / f"document.{to}").read_bytes()
        except FileNotFoundError:
            reason = complaint.strip().splitlines()[-1:] or ["no message"]
            raise CorruptError(
                f"LibreOffice cannot open it as {_plain(suffix)} ({reason[0]}): "
                "open it in an office program and save it again, or send a PDF of it",
                document=name,
            ) from None


def _run(command: Sequence[str], folder: Path, timeout_s: float, name: str) -> str:
    """Run it in a process group of its own until it ends or its time is up; returns what it wrote to its stderr."""
    guarded = ["/bin/sh", "-c", _LIMITED, "sh", *command]
    if isolation() == "namespaces":
        guarded = ["unshare", *_NAMESPACES, "--", *guarded]
    with (folder / "stderr").open("w+b") as complaints:
        try:
            child = subprocess.Popen(
                guarded,
                env=_environment(folder),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                start_new_session=True,
            )
        except OSError as error:
            raise ConfigurationError(f"{name}: LibreOffice cannot be started: {error}") from error
        try:
            child.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise LimitError(
                f"LibreOffice did not finish within {timeout_s:.0f} s: split the document, or send a PDF of it",
                document=name,
            ) from error
        finally:  # also when it ended by itself: it may have left a child behind
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        complaints.seek(0)
        text = complaints.read(_COMPLAINT_BYTES).decode(errors="replace")
    return text if child.returncode == 0 else f"{text}\nexit code {child.returncode}"


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of ours: the program sees documents of strangers."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "SAL_USE_VCLPLUGIN": "svp",
    }


def _write_profile(profile: Path) -> None:
    (profile / "user").mkdir(parents=True)
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{key}" oor:op="fuse">'
        f"<value>{str(value).lower() if isinstance(value, bool) else value}</value></prop></item>"
        for path, values in _SETTINGS.items()
        for key, value in values.items()
    )
    (profile / "user" / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"{items}</oor:items>"
    )


def _path() -> str | None:
    return shutil.which("soffice") or shutil.which("libreoffice")


@cache
def _version(path: str) -> str | None:
    try:
        ran = subprocess.run(
            [path, "--version"],
            env=child_environment(os.environ),
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigurationError(f"{path} --version does not work: {error}") from error
    found = re.search(r"\d+(\.\d+)+", ran.stdout)
    return found[0] if found else None


@cache
def _may_unshare(path: str) -> bool:
    """Containers often forbid it."""
    try:
        ran = subprocess.run([path, *_NAMESPACES, "--", "true"], capture_output=True, timeout=_PROBE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0


def _plain(suffix: str) -> str:
    """`docx` of `.docx`; it becomes a part of a file name, so nothing but letters and digits."""
    return re.sub(r"[^a-z0-9]", "", suffix.lower())

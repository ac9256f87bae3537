"""Jobs for the worker pool: well-behaved ones and every way to misbehave. They run in worker programs."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from quire.core.errors import CorruptError, EngineError, LimitError, StoreError
from quire.reading import page_jobs

HOLD = "trap '' TERM; echo here; exec sleep 1000"
HOLD_AND_LEAVE = f"({HOLD}) &"


def double(number, work):
    return {"number": 2 * number, "worker": os.getpid()}, b""


def guard(_, work):
    """The process that watches over this worker."""
    return {"worker": os.getpid(), "guard": os.getppid()}, b""


def environment(_, work):
    return dict(os.environ), b""


def some_bytes(count, work):
    return bytes(count)


def count_aloud(count, work):
    for number in range(count):
        work.emit("progress", {"number": number})
    return b""


def ask(name, work):
    header, data = work.request(name, {"wanted": name}, b"question")
    return dict(header), data


def ask_and_forgive(name, work):
    try:
        work.request(name, {})
    except StoreError as error:
        return {"met": str(error)}, b""
    return b""


def ask_slowly(times, work):
    """Asks again and again, with a second of work before each question."""
    for _ in range(times):
        time.sleep(1.0)
        work.request("more", {})
    return b""


EARLIER = []


def remember(_, work):
    EARLIER.append(work)
    return b""


def speak_for_others(_, work):
    refused = []
    for earlier in EARLIER:
        try:
            earlier.emit("late", {})
        except RuntimeError as error:
            refused.append(str(error))
    return {"refused": refused}, b""


def print_much(lines, work):
    for _ in range(lines):
        print("a library that prints to standard output", "." * 1000)
    os.write(1, b"and one that does it natively\n")
    return {"printed": lines}, b""


class Thing:
    """Something heavy that stays loaded."""

    made, closed = 0, []

    def __init__(self, name, farewell=None):
        Thing.made += 1
        self.name = name
        self.farewell = farewell

    def close(self):
        Thing.closed.append(self.name)
        if self.farewell:
            Path(self.farewell).write_text(str(self.name))


def keep(names, work):
    for name in names:
        assert work.kept(name, lambda name=name: Thing(name)).name == name
    return {"made": Thing.made, "closed": list(Thing.closed)}, b""


def keep_with_farewell(path, work):
    work.kept("thing", lambda: Thing("goodbye", path))
    return b""


# What goes wrong by itself.


class UnprintableError(Exception):
    def __init__(self):
        super().__init__(threading.Lock(), lambda: None)

    def __str__(self):
        raise RuntimeError("not even this works")


class OurLimitError(LimitError):
    """As a plugin might define it."""


ERRORS = {
    "plain": lambda: ValueError("no such thing"),
    "unprintable": UnprintableError,
    "exit": lambda: SystemExit(3),
    "corrupt": lambda: CorruptError("the bytes are no document", document="a.pdf", page=7),
    "engine": lambda: EngineError("tesseract", "it has no languages"),
    "special": lambda: OurLimitError("too many pixels", page=2),
    "escape": lambda: ValueError("\x1b]0;owned\x07" + "long" * 5000),
    "broken pipe": lambda: BrokenPipeError("of the engine, not ours"),
}


def fail(name, work):
    raise ERRORS[name]()


def crash(how, work):
    print("these were my last words", file=sys.stderr, flush=True)
    if how == "segfault":
        ctypes.string_at(0)
    elif how == "abort":
        os.abort()
    os._exit(7)


def grumble(text, work):
    """Writes to standard error, and goes on."""
    print(text, file=sys.stderr, flush=True)
    return {}, b""


def leave(code, work):
    """Ends the worker without a word."""
    os._exit(code)


def perhaps_crash(number, work):
    return crash("segfault", work) if number < 0 else double(number, work)


def eat(megabytes_at_a_time, work):
    """Never enough memory."""
    eaten = []
    while True:
        eaten.append(b"x" * (megabytes_at_a_time << 20))


def eat_in_a_child(_, work):
    code = "from tests.fakes.jobs import eat\neat(20, None)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment)
    return b""


# What only a hostile worker does.


def say(raw, work):
    """Bytes that are no message, past the door."""
    os.write(int(sys.argv[1]), raw)
    signal.pause()


def hang_up(_, work):
    os.close(int(sys.argv[1]))
    signal.pause()


# What never ends.


def hang(how, work):
    """Ignore SIGTERM while holding children: a plain one, one in a session of its own, one that lost its parent."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Path(tempfile.gettempdir(), "left-behind").write_text("a temporary file")
    children = [_child(HOLD), _child(HOLD, start_new_session=True)]
    orphan = _child(HOLD_AND_LEAVE, start_new_session=True)
    orphan.wait()
    pids = [os.getpid(), *(child.pid for child in children), *_pids_in_session(orphan.pid)]
    work.emit("holding", {"pids": pids, "guard": os.getppid(), "folder": tempfile.gettempdir()})
    if how == "with the interpreter lock":
        ctypes.PyDLL(None).pause()
    while True:
        signal.pause()


def _child(script, **options):
    child = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, **options)
    child.stdout.readline()  # it is running, and deaf to SIGTERM
    return child


def _pids_in_session(session):
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [pid for pid in pids if _session(pid) == session]


def _session(pid):
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def read_group_dying(group, work):
    """Reads pages as usual up to page 3, on which the worker dies."""
    _read_before(group, work, 3)
    if 3 in group.pages:
        os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def read_group_dying_otherwise(group, work):
    _read_before(group, work, 3)
    if 3 in group.pages:
        os.kill(os.getpid(), signal.SIGBUS)
    return b""


def read_group_hanging(group, work):
    """Reads pages as usual up to page 3, which never ends."""
    _read_before(group, work, 3)
    if 3 in group.pages:
        threading.Event().wait()
    return b""


def read_group_killed_once(group, work):
    """Reads pages as usual; the worker is killed on page 7 the first time."""
    mark = group.source.path.with_suffix(".killed")
    if 7 in group.pages and not mark.exists():
        mark.touch()
        _read_before(group, work, 7)
        os.kill(os.getpid(), signal.SIGKILL)
    return page_jobs.read_group(group, work)


def read_group_mixed_up(group, work):
    """Hands over the pages in another order than they were asked for."""
    return page_jobs.read_group(replace(group, pages=tuple(reversed(group.pages))), work)


def _read_before(group, work, page):
    pages = group.pages[: group.pages.index(page)] if page in group.pages else group.pages
    page_jobs.read_group(replace(group, pages=pages), work)

"""Any program under a guard: its output line by line, and the end of everything that it has started."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from quire.core.errors import ConfigurationError, too_few_descriptors
from quire.system.child_environment import child_environment
from quire.system.workers.environment import import_path
from quire.system.workers.leash import Leash, connected

_PROGRAM = "import quire.system.guarded_program as g; g.main()"
_CHUNK = 1 << 16
_LONGEST_WAIT_S = 3600.0
"""The system counts milliseconds in 32 bits."""
_COMMON = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH")


class ProgramLine(NamedTuple):
    """A line that a program has written, without its end. `cut` counts the bytes that are left out of it."""

    stream: Literal["stdout", "stderr"]
    text: str
    cut: int = 0


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """Bounds of what a program writes. Output beyond them is read and counted, and not kept."""

    line_bytes: int = 256 << 10
    stream_lines: int = 200_000
    stream_bytes: int = 64 << 20
    """Of each of its two streams, without what is cut from long lines."""
    file_bytes: int = 1 << 30
    """Of each file that it writes: a longer one ends it with SIGXFSZ."""


def program_environment(parent: Mapping[str, str], *, home: str, allowed: Sequence[str] = ()) -> dict[str, str]:
    """The environment of a program that is not trusted: nothing of the parent but the language, and allowed names."""
    names = {*_COMMON, *allowed}
    kept = {name: value for name, value in parent.items() if name in names or name.startswith("LC_")}
    return child_environment(kept) | {"HOME": home, "TMPDIR": home}


class SupervisedProgram:
    """A running program in a session of its own, without standard input. Ends with the `with` block, at the latest.

    A guard, which outlives a `kill -9` of this process, ends all that the program has started, whatever session it is
    in and whatever signals it ignores. Not thread-safe.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        scratch: Path,
        environment: Mapping[str, str],
        limits: ProgramLimits | None = None,
    ) -> None:
        """Start it in `folder`. `scratch` is a folder for its temporary files, which the guard removes with it.

        Raises ConfigurationError if not even the guard can be started.
        """
        limits = limits or ProgramLimits()
        with ExitStack() as unused, ExitStack() as passed:
            try:
                ours, leash = connected(unused, passed)
                arguments = [str(leash.fileno()), str(os.getpid()), str(scratch), str(limits.file_bytes), *command]
                places = [os.path.abspath(place) for place in import_path() if place]  # noqa: PTH100
                setup = f"import sys; sys.path[:0] = {places!r}; {_PROGRAM}"
                guard = subprocess.Popen(
                    # -I: neither the environment nor the folder of the program decides what its guard imports.
                    [sys.executable, "-I", "-c", setup, *arguments],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[leash.fileno()],
                    start_new_session=True,
                    env=dict(environment),
                )
            except OSError as error:
                raise too_few_descriptors(error) or ConfigurationError(f"{command[0]}: {error}") from error
            unused.pop_all()
        assert guard.stdout is not None and guard.stderr is not None
        self._leash = Leash(ours, guard, str(scratch))
        self._pipes = {"stdout": guard.stdout, "stderr": guard.stderr}
        self._streams = {
            guard.stdout.fileno(): _Lines("stdout", limits),
            guard.stderr.fileno(): _Lines("stderr", limits),
        }
        self._code: int | None = None

    @property
    def dropped(self) -> int:
        """The bytes of output that were not kept."""
        return sum(one.dropped for one in self._streams.values())

    def lines(self, until: float) -> Iterator[ProgramLine]:
        """What it writes, as it arrives, until it has ended and everything below it.

        Raises TimeoutError at `until` on the clock of `time.monotonic`; then it still runs.
        """
        poll = select.poll()
        for number in self._streams:
            os.set_blocking(number, False)
            poll.register(number, select.POLLIN)
        poll.register(self._leash.fileno(), select.POLLIN)
        ended = False
        while not ended:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            ready = {number for number, _ in poll.poll(min(left, _LONGEST_WAIT_S) * 1000)}
            ended = self._leash.fileno() in ready
            for number, stream in self._streams.items():
                if not (ended or number in ready):
                    continue
                chunk = _read(number)
                while chunk:
                    yield from stream.feed(chunk)
                    chunk = _read(number) if ended else None  # what it wrote last
                if chunk == b"" and not ended:  # closed by the program: it would stay readable for ever
                    poll.unregister(number)
        for stream in self._streams.values():
            yield from stream.rest()

    def end(self) -> int | None:
        """Kill what still runs, and wait. Returns the exit code, negative for a signal; None if it is not known."""
        if not self._leash.gone:
            self._code = self._leash.end()
            for pipe in self._pipes.values():
                pipe.close()
        return self._code

    def __enter__(self) -> SupervisedProgram:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


def _read(number: int) -> bytes | None:
    """The next bytes of a pipe, none at its end; None where there are none now."""
    try:
        return os.read(number, _CHUNK)
    except BlockingIOError:
        return None


class _Lines:
    """The lines of one stream. It never holds more than one line, and of that only what is kept."""

    def __init__(self, name: Literal["stdout", "stderr"], limits: ProgramLimits) -> None:
        self._name, self._limits = name, limits
        self._kept = bytearray()
        self._cut = 0
        self._lines = 0
        self._bytes = 0
        self.dropped = 0

    def feed(self, chunk: bytes) -> Iterator[ProgramLine]:
        if self._bytes > self._limits.stream_bytes or self._lines > self._limits.stream_lines:
            self.dropped += len(chunk)
            return
        *whole, begun = chunk.split(b"\n")
        for part in whole:
            self._add(part)
            yield self._line()
        self._add(begun)

    def rest(self) -> Iterator[ProgramLine]:
        """The last line, if it does not end."""
        if self._kept or self._cut:
            yield self._line()

    def _add(self, part: bytes) -> None:
        room = self._limits.line_bytes - len(self._kept)
        self._kept += part[:room]
        self._cut += max(0, len(part) - room)

    def _line(self) -> ProgramLine:
        made = ProgramLine(self._name, self._kept.decode("utf-8", "replace").rstrip("\r"), self._cut)
        self.dropped += self._cut
        self._lines += 1
        self._bytes += len(self._kept) + 1
        self._kept.clear()
        self._cut = 0
        return made

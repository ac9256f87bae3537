"""The program `tesseract`: its path, its data, and running it with a timeout."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from subprocess import PIPE

from quire.core.errors import ConfigurationError, EngineError
from quire.core.hashing import hash_file
from quire.system.child_environment import child_environment

OLDEST = 5
_LISTED = re.compile(r'^List of available languages in "(.*)" \(\d+\):$')
_PROBE_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class TesseractProgram:
    """An installed Tesseract: its version, its folder of traineddata and the names in it."""

    path: str
    version: str
    folder: Path
    traineddata: tuple[str, ...]

    def identity(self, names: Sequence[str]) -> str:
        """A short fingerprint of program and data."""
        digests = [_digest(path, path.stat().st_mtime_ns) for path in map(self._file, names)]
        return f"{self.version} {' '.join(f'{n}:{d}' for n, d in zip(names, digests, strict=True))}"

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.traineddata"

    def run(self, picture: bytes, arguments: Sequence[str], timeout_s: float) -> bytes:
        """The output of the program for a picture on its standard input; no temporary files.

        The child stays in the process group of its parent, so that it is killed with the parent.
        """
        command = [self.path, "-", "-", *arguments]
        # Its threads are counter-productive: 60 s instead of 10 s for five pages on a busy machine.
        environment = child_environment(os.environ) | {"OMP_THREAD_LIMIT": "1"}
        try:
            with subprocess.Popen(command, env=environment, stdin=PIPE, stdout=PIPE, stderr=PIPE) as child:
                try:
                    answer, complaint = child.communicate(picture, timeout=timeout_s)
                except BaseException:
                    child.kill()
                    raise
        except subprocess.TimeoutExpired as error:
            raise EngineError("tesseract", f"no answer within {timeout_s:g} s") from error
        except OSError as error:
            raise EngineError("tesseract", f"{self.path} cannot be run: {error}") from error
        if child.returncode:
            raise EngineError("tesseract", _reason(child.returncode, complaint))
        return answer

    def script_of(self, picture: bytes, dpi: int, timeout_s: float) -> str | None:
        """The script of a page in Tesseract's terms (`Latin`, `Cyrillic`); None when unknown."""
        if not self._file("osd").exists():
            return None
        try:
            output = self.run(picture, ["--psm", "0", "-l", "osd", *resolution(dpi)], timeout_s)
        except EngineError:  # too few characters
            return None
        found = re.search(r"^Script: (\w+)$", output.decode(errors="replace"), re.MULTILINE)
        return found[1] if found else None


def resolution(dpi: int) -> list[str]:
    """The option for a known resolution; with 0 Tesseract estimates it by the letters."""
    return ["--dpi", str(dpi)] if dpi else []


def find() -> TesseractProgram:
    """The program on the search path. Raises ConfigurationError when it is missing or too old."""
    path = shutil.which("tesseract")
    if path is None:
        raise ConfigurationError("Tesseract is not installed; on Debian or Ubuntu: apt install tesseract-ocr")
    return _probe(path, os.environ.get("TESSDATA_PREFIX", ""))


@cache
def _probe(path: str, prefix: str) -> TesseractProgram:
    """`prefix` is only part of the cache key: the program reads it from the environment."""
    version = _output_of(path, "--version").split("\n")[0].removeprefix("tesseract ").strip()
    if not re.match(r"\d", version) or int(version.split(".")[0]) < OLDEST:
        raise ConfigurationError(f"{path} is version {version!r}; Tesseract {OLDEST} or later is needed")
    head, *names = _output_of(path, "--list-langs").splitlines() or [""]
    listed = _LISTED.match(head)
    if listed is None:
        raise ConfigurationError(f"{path} does not report the folder of its data: {head!r}")
    return TesseractProgram(path, version, Path(listed[1]), tuple(sorted(name for name in names if name != "osd")))


def _output_of(path: str, option: str) -> str:
    try:
        ran = subprocess.run(
            [path, option],
            env=child_environment(os.environ),
            capture_output=True,
            text=True,
            timeout=_PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigurationError(f"{path} {option} does not work: {error}") from error
    return ran.stdout or ran.stderr


@cache
def _digest(path: Path, changed_ns: int) -> str:
    return hash_file(path).digest[:12]


def _reason(code: int, complaint: bytes) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    lines = complaint.decode(errors="replace").strip().splitlines()
    return f"exit code {code}: {lines[-1] if lines else 'no message'}"

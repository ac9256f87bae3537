"""Traineddata for Tesseract in `.venv-bench/tessdata`: the system's own files, and those of packages that it lacks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.harness import VENV
from benchmarks.report import LeftOut
from quire.pages.recognize.languages import resolve

FOLDER = VENV / "tessdata"
LANGUAGES = ("fr", "de", "de-fraktur", "en", "cs", "da", "sk", "hi", "ar", "ru")
"""Those of the sets whose truth names a language."""


def set_up(languages: Iterable[str] = LANGUAGES) -> None:
    """Fill the folder: nothing on the system changes. Without apt only the system's own files are there."""
    if not shutil.which("tesseract"):
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=True, env=_plain())
    found = re.search(r'languages in "(.*)"', listed.stdout + listed.stderr)
    if found:
        _add(Path(found[1]))
    wanted = [resolve(code) for code in languages]
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return
    for language in wanted:
        if language.traineddata[0] not in available():
            with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
                subprocess.run(["apt-get", "download", "-q", language.package], cwd=folder, check=False)
                for package in Path(folder).glob("*.deb"):
                    subprocess.run(["dpkg-deb", "-x", package, Path(folder, "unpacked")], check=True)
                for data in Path(folder).rglob("tessdata"):
                    _add(data)


def available() -> frozenset[str]:
    """The names of the files in the folder."""
    names = (path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.traineddata"))
    return frozenset(name.removesuffix(".traineddata") for name in names)


def use() -> None:
    """Let Tesseract, ours and the plain one, take its data from the folder, in this process and its children."""
    if not available():
        raise LeftOut("there is no .venv-bench/tessdata: `python -m benchmarks --setup` makes it")
    os.environ["TESSDATA_PREFIX"] = str(FOLDER)


def _add(source: Path) -> None:
    shutil.copytree(source, FOLDER, dirs_exist_ok=True)


def _plain() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "TESSDATA_PREFIX"}

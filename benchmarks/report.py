"""What a benchmark hands back: tables in Markdown, the samples behind them in JSON, and where they were measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).with_name("results")
PACKAGES = ("quire-documents", "quire-native", "pypdfium2", "pillow", "onnxruntime", "opencv-python-headless")


class LeftOut(Exception):
    """Something that this benchmark needs is not here. The message says what."""


@dataclass(frozen=True)
class Options:
    """What the command line asks of every benchmark."""

    quick: bool = False
    peers: bool = False
    chunks: int | None = None

    @property
    def flags(self) -> str:
        """As they are written on the command line."""
        chunks = f" --chunks {self.chunks}" if self.chunks else ""
        return f"{' --quick' if self.quick else ''}{' --peers' if self.peers else ''}{chunks}"

    def rounds(self, many: int, few: int = 2) -> int:
        return few if self.quick else many


@dataclass(frozen=True)
class Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    title: str = ""

    def markdown(self) -> str:
        lines = [f"**{self.title}**", ""] if self.title else []
        lines.append(f"| {' | '.join(self.columns)} |")
        lines.append("| --- " * len(self.columns) + "|")
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in self.rows]
        return "\n".join(lines)


@dataclass
class Report:
    """`data` holds the samples; `notes` are sentences below the tables, among them what was left out.

    What is not `believable`, because the machine was busy, is shown but not kept. One that has `failed` is kept, and
    the command ends with 1.
    """

    title: str
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    data: dict[str, object] = field(default_factory=dict)
    believable: bool = True
    failed: bool = False

    def markdown(self) -> str:
        notes = "\n".join(f"- {note}" for note in [*self.notes, measured_on(), reader()])
        return "\n\n".join([f"# {self.title}", *(table.markdown() for table in self.tables), notes]) + "\n"

    def save(self, name: str, folder: Path = RESULTS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(self.markdown())
        tables = [{"title": t.title, "columns": t.columns, "rows": t.rows} for t in self.tables]
        about = {"title": self.title, "machine": machine(), "packages": packages(), "notes": self.notes}
        tree = {**about, "tables": tables, "data": self.data}
        (folder / f"{name}.json").write_text(json.dumps(tree, indent=1) + "\n")


def goal(value: float | None, limit: float, *, most: bool = False, digits: int = 2) -> list[str]:
    """Two cells: what is asked for, and whether it is reached. `most`: the limit is an upper one."""
    asked = f"{'≤' if most else '≥'} {limit:.{digits}f}"
    if value is None:
        return [asked, "–"]
    return [asked, "yes" if (value <= limit if most else value >= limit) else "no"]


def machine() -> Mapping[str, object]:
    """Cores, processor and system: what a reader needs to judge a number, and nothing that names a host."""
    return {"cores": os.cpu_count(), "cpu": _cpu(), "os": _system()}


def packages() -> Mapping[str, str]:
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    if commit := _git("rev-parse", "--short", "HEAD"):
        found["quire-documents"] += (
            f" at {commit}{' with changes' if _git('status', '--porcelain', 'src', 'native') else ''}"
        )
    return found


def measured_on() -> str:
    where, load = machine(), os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    versions = ", ".join(f"{name} {number}" for name, number in packages().items())
    return f"Measured on {where['cores']} cores, {where['cpu']}, {where['os']}; {versions}; load average {load:.1f}."


def reader() -> str:
    from quire.pages.render.pdf import native_available

    if native_available():
        return "PDFs were read by the compiled crate."
    return "**The native crate is missing**: these are figures of the pure-Python path, one thread, Pillow's encoder."


def _git(*arguments: str) -> str:
    try:
        asked = subprocess.run(["git", *arguments], cwd=RESULTS.parent.parent, capture_output=True, text=True)
    except OSError:
        return ""
    return asked.stdout.strip()


def _cell(value: object) -> str:
    match value:
        case None:
            return "–"
        case float():
            return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
        case _:
            return str(value)


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"

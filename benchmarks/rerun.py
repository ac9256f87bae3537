"""`quire run` over a folder the first time against the second, and with another format: what is done again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks import clock, corpus
from benchmarks.quirecommand import quire
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.database.runs import Runs
from quire.store.files import FileStore

GOAL, WORKERS = 50.0, 2
MANY = {corpus.DPBENCH: 10, corpus.PAPERS: 4, corpus.RECEIPTS: 40, corpus.SCAN: 1}
FEW = {corpus.DPBENCH: 4, corpus.PAPERS: 1, corpus.RECEIPTS: 4}


@dataclass(frozen=True)
class Done:
    """One command: its times, and what happened meanwhile."""

    sample: clock.Sample
    documents: int
    skipped: int
    pages: int
    calls: int


def run(options: Options) -> Report:
    sets = FEW if options.quick else MANY
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        source, output = Path(place, "in"), Path(place, "out")
        count = _fill(source, sets)
        first = _run(source, output, "md")
        again = [_run(source, output, "md") for _ in range(options.rounds(5, 2))]
        other = _run(source, output, "md", "json")
        verified = _run(source, output, "md", "json", more=["--verify-hash"])
    second = min(again, key=lambda done: done.sample.wall)
    times = {name: first.sample.wall / done.sample.wall for name, done in (("second", second), ("verified", verified))}
    # A few documents are read nearly as fast as the program starts.
    asked = [None, None] if options.quick else goal(times["second"], GOAL, digits=0)
    rows = [
        _row("first", first, None),
        _row("second", second, times["second"], asked),
        _row("another format as well", other, first.sample.wall / other.sample.wall),
        _row("the same, `--verify-hash`", verified, times["verified"]),
    ]
    wrong = [done for done in (*again, verified) if done.skipped != count]
    if wrong or first.skipped:
        raise LeftOut(f"{count} documents should have been done once and then skipped: {first}, {again}, {verified}")
    columns = ["run", "wall, s", "CPU, s", "documents", "skipped", "pages read", "engine calls", "times", "goal"]
    told = ", ".join(f"{many} of {name}" for name, many in sets.items())
    notes = [
        f"`quire run` of a folder with {count} documents ({told}) to Markdown with {WORKERS} workers, its start "
        "included, on a store in the output folder; times are against the first. The second is the least of several.",
        "Pages read and engine calls are counted in the events of the runs. With JSON beside Markdown every document "
        "is written again, and none read.",
        clock.quietness({"rerun": {"all": [done.sample for done in (first, *again, other, verified)]}}),
    ]
    data = {"first_s": first.sample.wall, "second_s": [done.sample.wall for done in again]}
    return Report("Second run", [Table([*columns, "reached"], rows)], notes, data, first.sample.quiet)


def _row(name: str, done: Done, times: float | None, asked: Sequence[str | None] = (None, None)) -> list[object]:
    cells = [done.sample.wall, done.sample.cpu, done.documents, done.skipped, done.pages, done.calls]
    return [name, *cells, times, *asked]


def _fill(folder: Path, sets: dict[str, int]) -> int:
    """Copies, so that nobody trusts the times of the originals."""
    folder.mkdir()
    copied = 0
    for name, many in sets.items():
        paths = corpus.pictures(name) if name == corpus.RECEIPTS else corpus.pdfs(name)
        for path in paths[:many]:
            shutil.copy(path, folder / f"{name}-{path.name}")
            copied += 1
    return copied


def _run(source: Path, output: Path, *formats: str, more: Sequence[str] = ()) -> Done:
    chosen = [part for name in formats for part in ("--to", name)]
    before = _runs(output)
    told, sample = quire("run", source, "-o", output, "--workers", str(WORKERS), "--quiet", *chosen, *more)
    pages, calls = _counted(output, _runs(output) - before)
    return Done(sample, told["succeeded"], told["skipped"], pages, calls)


def _runs(output: Path) -> set[str]:
    """The runs of documents that the store knows."""
    if not (output / ".quire").exists():
        return set()
    with closing(FileStore(output / ".quire")) as store:
        return {status.run for status in Runs(store.database).list(flow="flow", limit=100_000)}


def _counted(output: Path, runs: set[str]) -> tuple[int, int]:
    """Pages that were read, and calls of engines, in the events of some runs."""
    with closing(FileStore(output / ".quire")) as store:
        events = [event for run in runs for event in Runs(store.database).events(run)]
    read = [event for event in events if event.stage == "page-blocks" and event.kind == "finished"]
    calls = [e for e in events if e.kind == "attempt" and e.payload.get("outcome") not in ("hit", "similar")]
    return len(read), len(calls)

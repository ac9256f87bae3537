"""`quire plan` of 10,000 documents that have not changed since they were done, and of the same ones read again."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from tests import documents

from benchmarks import clock
from benchmarks.quirecommand import quire
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.core.keys import digest_bytes
from quire.database.outputs import Output, OutputFile, Outputs
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.plan import plan_batch
from quire.store.files import FileStore

GOAL_S = 5.0
MANY, FEW = 10_000, 1_000
REALLY_RUN = 20
"""Documents that `quire run` does; for the others what it would have recorded is recorded."""
IN_A_FOLDER, SIZE = 100, 4_000
YESTERDAY = 24 * 3600


def run(options: Options) -> Report:
    many = FEW if options.quick else MANY
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        source, output = Path(place, "in"), Path(place, "out")
        _fill(source, many)
        quire("run", source, "-o", output, "--limit", str(REALLY_RUN), "--quiet")
        first = _planned(source, output, {"done": REALLY_RUN, "missing": many - REALLY_RUN})
        _record(source, output)
        again = [_planned(source, output, {"done": many}) for _ in range(options.rounds(5, 2))]
        verified = _planned(source, output, {"done": many}, "--verify-hash")
    least = min(again, key=lambda sample: sample.wall)
    rows = [
        _row("nothing known: every file is read", first),
        _row("nothing changed", least, goal(least.wall, GOAL_S, most=True, digits=0)),
        _row("nothing changed, `--verify-hash`: sources and outputs are read", verified),
    ]
    notes = [
        f"`quire plan --json` over {many:,} PDFs of {SIZE:,} bytes in folders of {IN_A_FOLDER}, its start included; "
        "the least of several. Their bytes are in the system's cache.",
        f"`quire run` did {REALLY_RUN} of them; for the others the same records were written through "
        "`quire.database.outputs`, with a Markdown file each. Every plan is checked: all of them are done.",
        clock.quietness({"plan": {"again": again}}),
    ]
    data = {"again_s": [round(sample.wall, 3) for sample in again], "documents": many}
    return Report("Plan", [Table(["plan", "wall, s", "CPU, s", "goal", "reached"], rows)], notes, data)


def _row(name: str, sample: clock.Sample, asked: Sequence[str | None] = (None, None)) -> list[object]:
    return [name, sample.wall, sample.cpu, *asked]


def _fill(folder: Path, many: int) -> None:
    """PDFs that differ, last changed yesterday: files that were just written are not trusted."""
    page = documents.one_page("BT /F1 12 Tf 72 720 Td (A document of many) Tj ET")
    then = time.time() - YESTERDAY
    for number in range(many):
        path = folder / f"{number // IN_A_FOLDER:03d}" / f"{number:05d}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((page + b"%% %d " % number).ljust(SIZE, b".") + b"\n")
        os.utime(path, (then, then))


def _planned(source: Path, output: Path, expected: Mapping[str, int], *more: str) -> clock.Sample:
    told, sample = quire("plan", source, "-o", output, *more)
    if told["counts"] != expected:
        raise LeftOut(f"the plan says {told['counts']} where it should say {expected}")
    return sample


def _record(source: Path, output: Path) -> None:
    """What `quire run` records of a document, for all that are missing."""
    with closing(FileStore(output / ".quire")) as store:
        plan = plan_batch(BatchRequest((str(source),), str(output)), store.database)
        missing = [document for document in plan.documents if document.state == "missing"]
        made = []
        for document in missing:
            path, content = Path(f"{document.place}.md"), f"{document.name}\n".encode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            file = OutputFile(str(path), len(content), digest_bytes(content))
            settings = {**plan.asked.settings, "failed_pages": 0}
            place, original = str(document.place), str(document.path)
            made.append(Output(place, document.key, document.document, original, settings, (file,)))
        Outputs(store.database).record(made)

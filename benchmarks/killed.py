"""A durable read of 170 scanned pages killed at many of its crash points: what is done twice, and what comes out."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests import scans
from tests.runtime.crashing import Survey, Survived, survey

from benchmarks.report import LeftOut, Options, Report, Table, goal

PAGES, STEP = 170, 47
QUICK_PAGES, QUICK_STEP = 12, 41
LANES = 2
MEMORY = Path("/dev/shm")
"""Where waiting for a disk takes no time; what survives a kill is the same."""


def run(options: Options) -> Report:
    pages, step = (QUICK_PAGES, QUICK_STEP) if options.quick else (PAGES, STEP)
    with tempfile.TemporaryDirectory(prefix="quire-bench-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        document = Path(folder, "scan.pdf")
        document.write_bytes(scans.numbered_scans(pages))
        begun = time.monotonic()
        found = survey(document, Path(folder), lanes=LANES, step=step)
        seconds = time.monotonic() - begun
    if not found.crashes:
        raise LeftOut("the read was over before its first crash point")
    crashes = found.crashes
    points = crashes[-1].at + step // 2
    rows = [
        ["crash points met", len(crashes), None, None],
        [
            "finished by the next process",
            _finished(found, pages),
            *goal(_finished(found, pages), len(crashes), digits=0),
        ],
        ["output identical to an undisturbed read", _same(found), *goal(_same(found), len(crashes), digits=0)],
        ["recorded calls that were repeated", _again(found), *goal(_again(found), 0, most=True, digits=0)],
        ["calls of one page, at most", _most(found), *goal(_most(found), 2, most=True, digits=0)],
        ["calls in flight that were repeated", sum(crash.repeated for crash in crashes), None, None],
        ["of them in one crash, at most", max(crash.repeated for crash in crashes), None, None],
        ["repeated and not told as a takeover", _silent(found), *goal(_silent(found), 0, most=True, digits=0)],
    ]
    notes = [
        f"{pages} scanned pages, an engine that notes every call, the workflow `document` on the local runtime: "
        f"`kill -9` at boundary 1, {1 + step}, {1 + 2 * step} … of about {points}, that is {points // pages} for each "
        "page, before and after every transaction and every object that is written. Each time another process finishes "
        "the run.",
        "`tests/runtime/test_crash_points.py` meets every one of them with 6 pages.",
        f"{len(crashes)} crashes took {seconds:.0f} s, {LANES} at a time.",
    ]
    data = {"points": points, "met": [crash.at for crash in crashes], "seconds": round(seconds)}
    return Report("Killed", [Table(["what", "count", "goal", "reached"], rows)], notes, data)


def _finished(found: Survey, pages: int) -> int:
    return sum(crash.status == "complete" and len(crash.calls) == pages for crash in found.crashes)


def _same(found: Survey) -> int:
    return sum(crash.output == found.undisturbed for crash in found.crashes)


def _again(found: Survey) -> int:
    """Calls that were repeated although their answers were recorded: more than were in flight."""
    return sum(max(0, crash.repeated - _in_flight(crash)) for crash in found.crashes)


def _in_flight(crash: Survived) -> int:
    return sum(crash.calls_before.values()) - crash.recorded


def _most(found: Survey) -> int:
    return max(max(crash.calls.values()) for crash in found.crashes)


def _silent(found: Survey) -> int:
    return sum(max(0, crash.repeated - crash.takeovers) for crash in found.crashes)

"""147 difficult files: no crash, no hang past 20 s, no memory past 2 GB, page counts right."""

from __future__ import annotations

from benchmarks import harness
from benchmarks.report import Options, Report, Table

SET = "robustness"
COLUMNS = (
    "good",
    "safe",
    "pages_right",
    "ok",
    "error",
    "crash",
    "hang",
    "memory",
    "traceback",
    "slowest_seconds",
    "peak_rss_mb",
)


def run(options: Options) -> Report:
    mine = harness.score("quire", [SET], limit=30 if options.quick else None)[SET]
    metrics = {**mine["metrics"], "n": mine["n"]}
    rows = [_row("**Quire**", metrics)]
    rows += [_row(system, values) for system, values in harness.recorded().get(SET, {}).items()]
    report = Report("Robustness", [Table(["system", "n", *COLUMNS], rows)], data={"quire": mine})
    bad = [item for item in mine["items"] if not item["good"]]
    if bad:
        cells = [[i["id"], i["category"], i["status"], i["pages"], i["expected"], i["error"]] for i in bad]
        report.tables.append(Table(["file", "kind", "status", "pages", "expected", "message"], cells, title="Not good"))
    report.notes = [
        "Each file in a process of its own, ended after 20 s or at 2000 MB. Good: the right page count where three "
        "readers agree on it, a typed error where a password is unknown, no accident elsewhere.",
        "Rows of others are recorded in `../shared/score/results.md`. Those run in a forked process, Quire through "
        "its command line, so that its seconds and memory include the start of the program.",
    ]
    return report


def _row(system: str, values: dict) -> list[object]:
    whole = ("n", "ok", "error", "crash", "hang", "memory", "traceback", "peak_rss_mb")
    numbers = {key: int(v) if key in whole and v is not None else v for key, v in values.items()}
    return [system, numbers.get("n"), *(numbers.get(name) for name in COLUMNS)]

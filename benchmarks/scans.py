"""Quality and CPU of recognised pages by profile, one worker, models loaded, beside the goals and the others' figures.

The scores are those of `../shared/score`; the others' rows are what `../shared/score/results.md` records, what was
published, or, with `--peers`, measured here.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from benchmarks import harness
from benchmarks.clock import Sample
from benchmarks.reader import Reader
from benchmarks.report import LeftOut, Options, Report, Table
from benchmarks.scoring import Item, Judge, Row

CPU = "CPU s/page"
PROFILES = ("balanced", "accurate", "fast")
SYSTEMS = ("tesseract", "rapidocr")
PEER_ITEMS = 5

Values = dict[str, float]


@dataclass(frozen=True)
class Goals:
    """What is shown of a set: measures, what is asked of them by profile, and what others published."""

    measures: tuple[str, ...]
    asked: dict[str, Values]
    profiles: tuple[str, ...] = PROFILES
    published: dict[str, Values] = field(default_factory=dict)


SETS = {
    "receipts-sroie": Goals(
        ("cer", "wer", "bag_f1"),
        {"balanced": {"cer": 0.085, "wer": 0.23, CPU: 0.9}, "accurate": {"cer": 0.075, "wer": 0.20}},
        published={
            "Surya2": {"cer": 0.191, "wer": 0.274},
            "PaddleOCR": {"cer": 0.204, "wer": 0.326},
            "docling": {"cer": 0.591, "wer": 0.760},
        },
    ),
    "forms-funsd": Goals(
        ("bag_f1", "exact_recall", "exact_precision", "located_f1"),
        {
            "balanced": {"bag_f1": 0.76, "exact_recall": 0.64, "exact_precision": 0.70, CPU: 1.3},
            "accurate": {"bag_f1": 0.79, "exact_recall": 0.71, "exact_precision": 0.75},
        },
        published={
            "docTR": {"exact_recall": 0.734, "exact_precision": 0.761},
            "AWS Textract": {"exact_recall": 0.781, "exact_precision": 0.830},
            "Azure": {"exact_recall": 0.794, "exact_precision": 0.859},
        },
    ),
    "long-scan": Goals(("bag_f1", "exact_f1", "located_f1"), {"balanced": {"bag_f1": 0.80, CPU: 3.0}}),
    "scans-misc": Goals(("cer", "wer", "bag_f1"), {"balanced": {"cer": 0.25, "bag_f1": 0.82}}),
    "newspapers-onb": Goals(("cer", "wer", "bag_f1"), {"balanced": {"cer": 0.25}}, profiles=("balanced",)),
    "pages-omnidoc": Goals(("nid", "cer", "overall", "teds", "mhs"), {"balanced": {"nid": 0.72}}),
}
"""Order as in the reports. `bag_f1` is the order-free word F1, `exact` are words located and right."""
LOWER = {"cer", "wer", CPU}  # the less, the better
QUICK_ITEMS, QUICK_PAGES, QUICK_PROFILES = 3, 10, "receipts-sroie"


@dataclass
class Readings:
    """What one profile made of a set: scores and times by item."""

    rows: dict[str, Row] = field(default_factory=dict)
    samples: dict[str, Sample] = field(default_factory=dict)
    incomplete: list[str] = field(default_factory=list)


def run(options: Options) -> Report:
    report = Report("Scans")
    known = harness.recorded() if harness.SCORE.exists() else {}
    here = harness.measured(SYSTEMS, tuple(SETS), limit=PEER_ITEMS) if options.peers else {}
    with Judge() as judge:
        for name, goals in SETS.items():
            try:
                items = chosen(judge.items(name), quick=options.quick)
            except LeftOut as reason:
                report.notes.append(f"Left out: {reason}.")
                continue
            profiles = goals.profiles[:1] if options.quick and name != QUICK_PROFILES else goals.profiles
            readings = _read(judge, name, items, profiles)
            report.data[name] = {profile: _data(judge, name, items, reading) for profile, reading in readings.items()}
            rows = [row for profile in profiles for row in _goal_rows(profile, goals, report.data[name][profile])]
            measured = {f"{peer} (here)": harness.flat(runs[name]) for peer, runs in here.items() if name in runs}
            published = {f"{peer} (published)": values for peer, values in goals.published.items()}
            others = {**measured, **known.get(name, {}), **published}
            rows += [_row(peer, goals, values) for peer, values in others.items()]
            report.tables.append(Table(["system", "n", *goals.measures, CPU, "reached"], rows, title=name))
            report.notes += [
                f"{name}, {profile}, not read completely: {', '.join(each.incomplete)}."
                for profile, each in readings.items()
                if each.incomplete
            ]
    if not report.tables:
        raise LeftOut("none of the scanned sets is beside the repository")
    report.notes += [
        "`quire.read` with `workers=1` and no store, in one program for each profile, models loaded by a page before; "
        "they take the documents in turns. CPU is that of the program, its worker and what that runs (Tesseract).",
        "n is the number of documents; `long-scan` is the PDF of 50 pages. `cer` and `wer`: the less, the better.",
        "Rows of others are recorded in `../shared/score/results.md`, many on fewer documents; published ones are on "
        "the whole test sets. Their CPU was taken on another day: compare it within a run (`--peers`).",
        f"Over all of it other programs took {_others(report.data):.0%} of the processors' time: "
        "the more, the dearer a CPU second.",
    ]
    return report


def chosen(items: Sequence[Item], *, quick: bool) -> list[Item]:
    """All items, without the short extract of a long document that is in the set, too; few and short ones if quick."""
    if quick:
        return [item for item in items if item.pages <= QUICK_PAGES][:: max(1, len(items) // QUICK_ITEMS)][:QUICK_ITEMS]
    most = max(item.pages for item in items)
    return [item for item in items if item.pages == most]


def _read(judge: Judge, name: str, items: Sequence[Item], profiles: Sequence[str]) -> dict[str, Readings]:
    """Each profile in a program with a worker of its own, which has its models loaded; they take the items in turns."""
    found = {profile: Readings() for profile in profiles}
    warm: set[tuple[str, str]] = set()
    with ExitStack() as stack:
        readers = {profile: stack.enter_context(Reader(1, profile)) for profile in profiles}
        for turn, item in enumerate(items):
            for profile in profiles[:: -1 if turn % 2 else 1]:
                if (profile, item.lang) not in warm:
                    readers[profile].read(item.path, lang=item.lang, pages="1")
                    warm.add((profile, item.lang))
                reading = readers[profile].read(item.path, lang=item.lang, export=True)
                found[profile].samples[item.id] = reading.sample
                found[profile].rows[item.id] = judge.score(name, item, reading.tree, reading.markdown)
                if reading.status != "complete":
                    found[profile].incomplete.append(f"{item.id} ({reading.status})")
            print(f"{name}: {turn + 1} of {len(items)}", file=sys.stderr, flush=True)
    return found


def _goal_rows(profile: str, goals: Goals, run: dict) -> list[list[object]]:
    asked, values = goals.asked.get(profile), run["metrics"]
    mine = _row(f"**Quire, {profile}**", goals, {**values, "n": len(run["items"])})
    if not asked:
        return [mine]
    missed = [m for m, limit in asked.items() if (values[m] > limit if m in LOWER else values[m] < limit)]
    mine[-1] = f"not {', '.join(missed)}" if missed else "yes"
    return [_row(f"goal, {profile}", goals, asked), mine]


def _row(system: str, goals: Goals, values: Values) -> list[object]:
    count = values.get("n")
    return [system, int(count) if count else None, *map(values.get, goals.measures), values.get(CPU), None]


def _data(judge: Judge, name: str, documents: Sequence[Item], reading: Readings) -> dict[str, object]:
    items = {
        name: {
            "cpu_s": round(sample.cpu, 3),
            "wall_s": round(sample.wall, 3),
            "others_s": round(sample.others, 3),
            "scores": _rounded(reading.rows[name]),
        }
        for name, sample in reading.samples.items()
    }
    pages = sum(document.pages for document in documents)
    cpu = sum(sample.cpu for sample in reading.samples.values()) / pages
    metrics = {**judge.summary(name, list(reading.rows.values())), CPU: cpu}
    return {"pages": pages, "metrics": _rounded(metrics), "items": items}


def _rounded(values: Row) -> Row:
    """Without the measures that say nothing of a document, such as TEDS where it has no table."""
    return {key: round(value, 5) for key, value in values.items() if value is not None}


def _others(data: dict) -> float:
    items = [item for runs in data.values() for run in runs.values() for item in run["items"].values()]
    return sum(item["others_s"] for item in items) / (2 * sum(item["wall_s"] for item in items))

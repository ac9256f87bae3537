"""Text, structure, tables and facts of a document, scored beside the peers' recorded figures.

The scores are those of `../shared/score`; a peer's row is what `../shared/score/results.md` records, or, with
`--peers`, measured here.
"""

from __future__ import annotations

from benchmarks import harness
from benchmarks.report import Options, Report, Table

SETS: dict[str, dict[str, float | None]] = {
    "digital-arxiv-text": {"similarity": 0.98},
    "digital-dpbench": {"overall": 0.955, "nid": None, "mhs": 0.92, "teds": None},
    "tables-icdar2013": {"f1": 0.985, "teds": 0.93},
    "tables-latex": {"f1": 0.96, "teds": None},
    "page-facts": {"passed": 0.85, "present": None, "absent": None, "order": None, "table": None},
    "pages-source": {"overall": 0.93, "nid": 0.975, "teds": 0.90, "mhs": 0.88},
    "tables-jats": {"f1": 0.88, "teds": 0.85},
    "tables-latex-more": {"f1": 0.95, "teds": None},
    "headings-jats": {"f1": 0.80, "recall": None, "precision": None},
    "page-facts-jats": {"passed": 0.99, "present": None, "order": None, "table": 0.95},
    "formulas-latex": {"display_exact": 0.80, "inline_exact": 0.70},
    "formulas-latex-more": {"display_exact": 0.80, "inline_exact": 0.70},
    "pages-arabic": {"overall": 0.75, "nid": None},
    "long-digital": {"pages_right": 1.0, "characters": None},
}
"""Measures by set, with what is asked for."""
QUICK = ("digital-dpbench", "page-facts")
PEER_ITEMS = 5  # per set: some take seconds a page


def run(options: Options) -> Report:
    names = QUICK if options.quick else tuple(SETS)
    mine = harness.score("quire", names)
    known = harness.recorded()
    here = harness.measured(harness.SYSTEMS, names, limit=PEER_ITEMS) if options.peers else {}
    report = Report("Quality", data={"quire": harness.brief(mine), "peers here": here})
    report.tables = [_folds(mine, known)]
    report.tables += [_table(name, mine.get(name), known.get(name, {}), here) for name in names]
    report.notes.append("Rows of others are recorded in `../shared/score/results.md`; n is the number of documents.")
    if here:
        report.notes.append(f"Rows with “here” were measured in this run, on at most {PEER_ITEMS} documents a set.")
    report.notes.append(
        "Halves: documents with even and with odd index in order of names; rules are tuned on the first."
    )
    report.notes.append("CPU is per page; that of Quire includes the start of the program for every document.")
    return report


def _folds(mine: dict[str, harness.Scores], known: dict[str, dict[str, dict[str, float]]]) -> Table:
    """Every measure that has a goal, over the documents that rules were tuned on, the others and all of them."""
    rows: list[list[object]] = []
    for name, run in mine.items():
        halves = [values for _, values in _halves(run)] or [{}, {}]
        for measure, goal in SETS[name].items():
            if goal is not None:
                found = [values.get(measure) for values in (*halves, harness.flat(run))]
                rows.append([name, measure, goal, *found, _best(known.get(name, {}), measure)])
    return Table(["set", "measure", "goal", "tuned", "untuned", "all", "best peer"], rows, title="all sets")


def _best(others: dict[str, dict[str, float]], measure: str) -> str | None:
    """The highest figure of a peer, with its name."""
    found = [(values[measure], system) for system, values in others.items() if measure in values]
    return "{:.3f} {}".format(*max(found)) if found else None


def _table(name: str, mine: harness.Scores | None, others: dict, here: dict) -> Table:
    measures = SETS[name]
    rows = [["goal", None, *measures.values(), None]]
    if mine:
        rows.append(_row("**Quire**", measures, harness.flat(mine)))
        rows += [_row(f"Quire, {half} half", measures, values) for half, values in _halves(mine)]
    rows += [
        _row(f"{system} (here)", measures, harness.flat(runs[name])) for system, runs in here.items() if name in runs
    ]
    rows += [_row(system, measures, values) for system, values in others.items()]
    return Table(["system", "n", *measures, "CPU s/page"], rows, title=name)


def _halves(run: harness.Scores) -> list[tuple[str, dict[str, float]]]:
    """Means over the documents that rules may be tuned on, and over the others."""
    items = run.get("items")
    scores = [item["scores"] for item in items] if isinstance(items, list) else []
    if len(scores) < 2:
        return []
    return [(name, _means(scores[start::2])) for start, name in enumerate(("tuned", "untuned"))]


def _means(scores: list[dict]) -> dict[str, float]:
    """The mean of each measure; of tests called `kind:id` the share that passed, by kind and over all."""
    found: dict[str, list[float]] = {}
    for name, value in ((name, value) for score in scores for name, value in score.items()):
        if isinstance(value, int | float):
            kind, _, test = name.partition(":")
            for key in (kind, "passed") if test else (name,):
                found.setdefault(key, []).append(float(value))
    means = {name: sum(values) / len(values) for name, values in found.items()}
    counts = [sum(found.get(name, [])) for name in ("correct", "expected", "predicted")]
    if counts[1] and "predicted" in found:  # headings: one score over all documents
        correct, expected, predicted = counts
        recall, precision = correct / expected, correct / predicted if predicted else 0.0
        f1 = 2 * correct / (expected + predicted)
        means |= {"recall": recall, "precision": precision, "f1": f1}
    return {**means, "n": float(len(scores))}


def _row(system: str, measures: dict, values: dict) -> list[object]:
    count = values.get("n")
    return [system, int(count) if count else None, *map(values.get, measures), values.get("CPU s/page")]

"""The report of an evaluation as one HTML file, without scripts and without anything from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from quire.core.types import shortened
from quire.solving.evaluation.grades import OUTCOMES
from quire.solving.evaluation.page_parts import rate, table
from quire.solving.evaluation.process_page import process_baseline, process_part, process_summary

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """\
:root { color-scheme: light dark; --line: #c9ced6; --soft: #eef1f5; --good: #1a7f37; --bad: #c62828; --dim: #566070; }
@media (prefers-color-scheme: dark) { :root { --line: #3a4453; --soft: #232b36; --good: #56d364; --bad: #ff8a80;
  --dim: #a3adba; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; }
th { background: var(--soft); } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.right, .absent { color: var(--good); } .wrong, .missing, .invented { color: var(--bad); } .dim { color: var(--dim); }
summary { cursor: pointer; padding: .3rem 0; } code { font-size: .85em; overflow-wrap: anywhere; }
"""
_SCORE_HEADS = ("value F1", "page F1", "box F1", "right", "absent", "wrong", "missing", "invented", "no evidence")


def report_page(report: Mapping[str, Any]) -> bytes:
    """One self-contained file: the scores, what differs from a baseline, and the cells of every fixture."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<title>Evaluation</title><style>{_STYLE}</style><h1>Evaluation</h1>",
        f"<p class=dim>{escape(', '.join(report['extractors']))} · <code>{escape(report['key'])}</code></p>",
        *_scores(report),
        *process_summary(report),
        *(_baseline(report["baseline"]) if "baseline" in report else ()),
        *(_failures(report["failures"]) if report["failures"] else ()),
        "<h2>Fixtures</h2>",
        *(part for one in report["fixtures"] for part in _fixture(one)),
        *(part for one in report.get("runs", ()) for part in _run(one)),
        "</html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "xmlcharrefreplace")


def _scores(report: Mapping[str, Any]) -> Iterator[str]:
    rows = [(family or "(no family)", one) for family, one in report["families"].items()]
    yield table(
        ("", "fixtures", *_SCORE_HEADS),
        [
            (name, str(one["fixtures"]), *_numbers(one))
            for name, one in (*(rows if len(rows) > 1 else ()), ("all", report["overall"]))
        ],
        numbers=True,
    )
    coverage = report["overall"]["coverage"]
    yield (
        f"<p>{coverage['leaves']} values asked for: {coverage['returned']} returned, {coverage['cited']} cited, "
        f"{coverage['found']} supported by the document ({rate(coverage['share'])} of those asked for, "
        f"{rate(coverage['share_of_returned'])} of those returned), {coverage['crop_verified']} read again in their "
        f"picture, {coverage['not_found']} not found.</p>"
    )


def _numbers(one: Mapping[str, Any]) -> list[str]:
    outcomes = one["outcomes"]
    counts = (str(outcomes.get(name, 0)) for name in (*OUTCOMES, "without_evidence"))
    return [*(rate(one[name]["f1"]) for name in ("value", "page", "box")), *counts]


def _baseline(baseline: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2>Against the baseline</h2><p class=dim><code>{escape(baseline['key'])}</code></p>"
    yield table(
        ("", "before", "now"),
        [(f"{name} F1", rate(one["before"]), rate(one["after"])) for name, one in baseline["scores"].items()],
        numbers=True,
    )
    yield from process_baseline(baseline)
    if baseline["changed"]:
        rows = [[one[name] for name in ("fixture", "path", "before", "after")] for one in baseline["changed"]]
        yield table(("fixture", "value", "before", "now"), rows)
    for name, text in (
        ("other_versions", "Fixtures of another version"),
        ("only_before", "Only in the baseline"),
        ("only_after", "Not in the baseline"),
    ):
        if baseline[name]:
            yield f"<p>{text}: {escape(', '.join(baseline[name]))}</p>"


def _failures(failures: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "<h2>Without an output</h2>"
    yield table(("fixture", "reason"), [(one["fixture"], one["reason"]) for one in failures])
    for one in failures:
        yield from (f"<h3>{escape(one['fixture'])}</h3>", *process_part(one)) if "process" in one else ()


def _fixture(one: Mapping[str, Any]) -> Iterator[str]:
    wrong = sum(one["outcomes"][name] for name in ("wrong", "missing", "invented"))
    title = f"{escape(one['name'])} <span class=dim>value F1 {rate(one['value']['f1'])}, {wrong} to look at</span>"
    rows = [
        (
            cell["expected_path"] or cell["path"],
            cell["outcome"],
            _value(cell["expected"]),
            _value(cell["value"]),
            cell["status"],
            "" if cell["page"] is None else f"{cell['page']}{_place(cell)}",
            shortened(cell["quote"]),
        )
        for cell in one["cells"]
    ]
    cells = table(("value", "outcome", "expected", "returned", "evidence", "page", "quote"), rows)
    process = "".join(process_part(one)) if "process" in one else ""
    yield f"<details{' open' if wrong else ''}><summary>{title}</summary>{cells}{process}</details>"


def _run(one: Mapping[str, Any]) -> Iterator[str]:
    """A run without a fixture: how it came about."""
    yield f"<details><summary>{escape(one['name'])} <span class=dim>without a fixture</span></summary>"
    yield from process_part(one)
    yield "</details>"


def _place(cell: Mapping[str, Any]) -> str:
    wrong = [name for name in ("page", "box") if cell[f"{name}_right"] is False]
    return f" ({' and '.join(wrong)} wrong)" if wrong and cell["outcome"] == "right" else ""


def _value(value: object) -> str:
    return "–" if value is None else shortened(str(value), 120)

"""Peak memory of reading a document of 400 pages against reading its first 20, each in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks import corpus
from benchmarks.report import Options, Report, Table, goal

GOAL_MB = 150.0
PROGRAM = """
import sys, quire
result = quire.read(sys.argv[1], pages=sys.argv[2] or None)
if result.status != "complete":
    sys.exit(f"the read was {result.status}")
if sys.argv[3]:
    result.to_markdown(), result.to_json()
try:
    status = open("/proc/self/status").read()
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
print(len(result.pages), peak)
"""


def run(options: Options) -> Report:
    path = corpus.pdfs(corpus.LONG)[0]
    rows, data = [], {}
    for what, export in (("read", ""), ("read, Markdown and JSON", "yes")):
        few = [_peak(path, "1-20", export) for _ in range(options.rounds(3, 1))]
        all_ = [_peak(path, "", export) for _ in range(options.rounds(3, 1))]
        more = max(mb for _, mb in all_) - min(mb for _, mb in few)
        rows.append([what, few[0][0], min(mb for _, mb in few), all_[0][0], max(mb for _, mb in all_), more])
        rows[-1] += goal(more, GOAL_MB, most=True, digits=0)
        data[what] = {"few_mb": [mb for _, mb in few], "all_mb": [mb for _, mb in all_]}
    columns = ["work", "pages", "peak, MB", "pages", "peak, MB", "more, MB", "goal", "reached"]
    notes = ["Largest resident set of the whole process, Python and PDFium included; the worst of several runs."]
    return Report("Memory", [Table(columns, rows)], notes, data)


def _peak(path: Path, pages: str, export: str) -> tuple[int, float]:
    arguments = [sys.executable, "-c", PROGRAM, str(path), pages, export]
    count, peak = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
    return int(count), round(float(peak), 1)

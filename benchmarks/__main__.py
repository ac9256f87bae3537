"""`python -m benchmarks [NAME…]`: run benchmarks, print their tables, keep them in `benchmarks/results`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib import import_module

from benchmarks import harness, tessdata
from benchmarks.report import LeftOut, Options, Report

NAMES = (
    *("quality", "headings", "generated", "kinds", "statements", "fields", "characters", "robust", "speed", "readers"),
    *("instructions", "stageversions"),
    *("threads", "render", "surfaces", "cold", "heartbeat", "memory", "office", "scans", "scantables", "workers"),
    *("scanmemory", "scanlanguages", "scanformulas", "scanstart"),
    *(
        "journal",
        "restatecost",
        "durablebeat",
        "itemsmemory",
        "rerun",
        "plan",
        "killed",
        "throughput",
        "sharing",
        "fairness",
    ),
    *("serve", "webpage", "embed", "retrieval", "search", "indexing", "evidence", "extraction"),
    *(
        "reliability",
        "agreements",
        "formfields",
        "leaves",
        "drawings",
        "grounding",
        "families",
        "workspace",
        "review",
        "solve",
    ),
)


def main() -> int:
    options = _arguments()
    if options.list:
        for name in NAMES:
            print(f"{name:10} {_module(name).__doc__.splitlines()[0]}")
        return 0
    if options.setup:
        harness.set_up()
        tessdata.set_up()
        return 0
    asked = Options(quick=options.quick, peers=options.peers, chunks=options.chunks)
    names = options.names or list(NAMES)
    if len(names) == 1:
        return _one(names[0], asked)
    # Each in a fresh process: none inherits the heap, the threads or the fate of another.
    return max(
        subprocess.run([sys.executable, "-m", "benchmarks", name, *asked.flags.split()]).returncode for name in names
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Quire beside its peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(NAMES)}; all when none is named")
    parser.add_argument("--list", action="store_true", help="say what each benchmark measures")
    parser.add_argument(
        "--setup", action="store_true", help="make .venv-bench: the harness, the peers, Tesseract's data"
    )
    parser.add_argument("--quick", action="store_true", help="few documents and rounds; nothing is saved")
    parser.add_argument("--peers", action="store_true", help="run the peers that are installed here, too")
    parser.add_argument("--chunks", type=int, metavar="N", help="of `search`: chunks in the index; 100,000")
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return options


def _one(name: str, options: Options) -> int:
    try:
        report: Report = _module(name).run(options)
    except LeftOut as reason:
        print(f"# {name}: left out\n\n- {reason}\n", flush=True)
        return 0
    report.notes.append(f"Measured by `python -m benchmarks {name}{options.flags}`.")
    print(report.markdown(), flush=True)
    if not report.believable:
        print(f"- {name} is not kept: the machine was busy", flush=True)
    elif not options.quick:
        report.save(name)
    return int(report.failed)


def _module(name: str):
    return import_module(f"benchmarks.{name}")


if __name__ == "__main__":
    sys.exit(main())

"""What Quire reads on the golden pages today: committed blocks, and a floor for each score."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from difflib import unified_diff
from itertools import islice

from tests.quality.dump import dumped
from tests.quality.reading import SCANS, read_blocks
from tests.quality.scores import Tally, tallies
from tests.quality.truth import PAGES, documents_of, families

WRITE = "python -m tests.quality --write"
FLOORS = PAGES / "floors.json"
ALL = "all"
SHOWN = 60  # lines of a difference
SLACK, SLACK_OF_SCANS = 0.002, 0.03  # below the score: OCR differs a little between machines
CLEARLY = 0.01  # above the floor

Floors = dict[str, dict[str, float]]


def golden_lines(family: str) -> list[str]:
    """The blocks of all documents of a family, each under its name."""
    return [line for one in documents_of(family) for line in (f"== {one.name}", *dumped(read_blocks(one)))]


def committed_lines(family: str) -> list[str]:
    path = PAGES / f"{family}.blocks.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def difference(family: str) -> list[str]:
    """The lines that a change of the code has changed, and those around them."""
    return [
        line.rstrip()
        for line in unified_diff(committed_lines(family), golden_lines(family), "committed", "now", n=1, lineterm="")
    ]


def shown(lines: list[str]) -> str:
    more = f"\n... {len(lines) - SHOWN} lines more" if len(lines) > SHOWN else ""
    return "\n".join(islice(lines, SHOWN)) + more


def written_families() -> list[str]:
    """Those whose text is in the file: their blocks are the same on every machine."""
    return [family for family in families() if family != SCANS]


def scores_of(*named: str) -> dict[str, float]:
    """The scores over all documents of some families. What none of them should have is no score."""
    total: defaultdict[str, Tally] = defaultdict(Tally)
    for family in named:
        for document in documents_of(family):
            for name, tally in tallies(document, read_blocks(document)).items():
                total[name] += tally
    return {name: tally.f1 for name, tally in total.items() if tally.wanted}


def floors() -> Floors:
    known: Floors = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {}
    return known


def below(scores: dict[str, float], least: dict[str, float]) -> list[str]:
    """The scores that have fallen below their floors."""
    return [
        f"{name}: {scores.get(name, 0.0):.4f} is below the floor {floor}"
        for name, floor in least.items()
        if scores.get(name, 0.0) < floor
    ]


def clearly_above(scores: dict[str, float], least: dict[str, float]) -> list[str]:
    """The scores whose floors can be raised."""
    return [
        f"{name}: {score:.4f} is clearly above the floor {least.get(name)}"
        for name, score in scores.items()
        if score > least.get(name, -1.0) + CLEARLY
    ]


def raised(scores: dict[str, float], least: dict[str, float], slack: float) -> dict[str, float]:
    """The floors just below the scores; none is lowered."""
    near = {name: max(0.0, math.floor(1000 * (score - slack)) / 1000) for name, score in sorted(scores.items())}
    return {name: max(floor, least.get(name, 0.0)) for name, floor in near.items()}


def write() -> None:
    """Write the blocks anew, and raise the floors."""
    known = floors()
    for family in families():
        if family != SCANS:
            lines = golden_lines(family)
            (PAGES / f"{family}.blocks.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        slack = SLACK_OF_SCANS if family == SCANS else SLACK
        known[family] = raised(scores_of(family), known.get(family, {}), slack)
    known[ALL] = raised(scores_of(*written_families()), known.get(ALL, {}), SLACK)
    FLOORS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")

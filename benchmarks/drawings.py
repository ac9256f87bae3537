"""Drawings: the tags written on the sheets of `pid-drawings` that are found, and found tags that are not there.

The sheet with a text layer has lists of tags from the database of its plant: a listed tag that is written on the sheet
must be found, a found tag must be listed; a line counts by its number. The pictures have the texts of the sheet from
the exchange file: their tags are what the same grammar makes of those texts, so these rows measure the reading alone;
the share of all texts of at least three characters that were read needs no grammar. Tags are compared without spaces,
each once; nozzles are left out. The picture of one sheet is also a PDF, which is left out.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.corpus import CORPUS
from benchmarks.report import LeftOut, Options, Report, Table, goal
from quire.pipelines.domains import drawings
from quire.pipelines.domains.drawings.grammar import TagText, stacked_tag, tag_of

SET = "pid-drawings"
GOAL = 0.85
SHORTEST = 3


def run(options: Options) -> Report:
    truths = sorted((CORPUS / SET / "truth").glob("*.json"))
    if not truths:
        raise LeftOut(f"there is no ../shared/corpus/{SET} beside the repository")
    report = Report("Tags of drawings")
    rows: list[list[object]] = []
    halves: dict[str, list[tuple[int, int, int]]] = {"even": [], "odd": []}
    for number, path in enumerate(truths):
        if options.quick and number % 2:
            continue
        row, counts = _sheet(path, report)
        half = "odd" if number % 2 else "even"
        halves[half].append(counts)
        rows.append([path.stem, half, *row])
    for name, listed in (*halves.items(), ("all", [one for half in halves.values() for one in half])):
        if listed:
            right, wanted, found = (sum(column) for column in zip(*listed, strict=True))
            rows.append([name, "", wanted, found, *_rates(right, wanted, found), "", ""])
    columns = ["sheet", "half", "tags", "found", "recall", "precision", "texts read", "s"]
    report.tables = [Table(columns, rows)]
    everything = [one for half in halves.values() for one in half]
    right, wanted, found = (sum(column) for column in zip(*everything, strict=True))
    reached = [["recall", right / max(wanted, 1)], ["precision", right / max(found, 1)]]
    report.tables.append(
        Table(["all sheets", "", "goal", "reached"], [[n, f"{v:.3f}", *goal(v, GOAL)] for n, v in reached])
    )
    report.data = {"goal": GOAL}
    return report


def _sheet(path: Path, report: Report) -> tuple[list[object], tuple[int, int, int]]:
    truth: Mapping[str, Any] = json.loads(path.read_text())
    source = CORPUS / SET / (truth["file"] if "file" in truth else truth["files"][0])
    begin = time.perf_counter()
    drawing = drawings.read(source, cache=os.environ.get("QUIRE_STORE"))
    seconds = time.perf_counter() - begin
    tags = [tag for tag in drawing.tags if tag.kind != "nozzle"]
    if "file" in truth:
        written, listed = _listed(truth, "equipment", "instruments", "valves_and_fittings", "lines")
        found = {_key(tag.number if tag.kind == "line" else tag.text) for tag in tags}
        read = ""
    else:
        strings = [box["text"] for box in truth["boxes"]] if "boxes" in truth else truth["texts"]
        written = listed = {_key(tag.text) for tag in _tags_of(truth) if tag.kind != "nozzle"}
        found = {_key(tag.text) for tag in tags}
        read = _share_read(strings, [text.text for sheet in drawing.sheets for text in sheet.texts])
    right = len(written & found)
    report.notes.append(f"{path.stem}: missing {sorted(written - found)}, wrong {sorted(found - listed)}")
    correct = len(found & listed)
    counts = right, len(written), len(found)
    return [len(written), len(found), *_rates(right, len(written), len(found), correct), read, f"{seconds:.1f}"], counts


def _rates(right: int, wanted: int, found: int, correct: int | None = None) -> list[str]:
    good = right if correct is None else correct
    return [f"{right / wanted:.3f}" if wanted else "–", f"{good / found:.3f}" if found else "–"]


def _listed(truth: Mapping[str, Any], *lists: str) -> tuple[set[str], set[str]]:
    rows = [row for name in lists for row in truth[name] if "tag" in row]
    written = {_key(row["tag"]) for row in rows if row.get("tag_is_written_on_drawing")}
    return written, {_key(row["tag"]) for row in rows}


def _tags_of(truth: Mapping[str, Any]) -> Iterable[TagText]:
    """The tags of the texts of a sheet. Letters and their number are two lines of a text, or two texts in a row."""
    if "texts" in truth:
        lines = [[text] for text in truth["texts"]]
        pairs = [stacked_tag(first, second) for first, second in pairwise(truth["texts"])]
    else:
        lines = [[" ".join(line.split()) for line in box["text"].split("\r")] for box in truth["boxes"]]
        pairs = [stacked_tag(first, second) for text in lines for first, second in pairwise(text)]
    return [tag for tag in (*(tag_of(line) for text in lines for line in text), *pairs) if tag is not None]


def _share_read(strings: Sequence[str], read: Sequence[str]) -> str:
    everything = "\n".join(_key(text) for text in read)
    wanted = [_key(part) for text in strings for part in text.split("\r")]
    long = [part for part in wanted if len(part) >= SHORTEST]
    return f"{sum(part in everything for part in long) / max(len(long), 1):.3f}"


def _key(text: str) -> str:
    return "".join(text.split()).upper()

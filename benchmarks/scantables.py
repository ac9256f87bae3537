"""Cells of scanned tables: Quire's layout against ruling detection alone and the model slanet-1m alone.

All of them get the same recognised words. `slanet-1m` reads a table, but does not find one: it is given the regions
of the truth, which nobody has in life, and once more those that Quire found.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pypdfium2

import quire
from benchmarks import clock, corpus, family
from benchmarks.report import LeftOut, Options, Report, Table
from benchmarks.scoring import Grid, Item, Judge, Row
from benchmarks.slanet import Slanet
from benchmarks.tablecells import Box, Place, Placed, filled, within
from quire.core.picture import Picture
from quire.core.types import BBox
from quire.pages.detect.rulings import find_rulings
from quire.pages.prepare import Prepared, PrepareProfile, page_picture, prepare
from quire.pages.prepare.pixels import pixels_of
from quire.pipelines.detect.lattice import RulingLine, grids

DPI = 200
NEAR_INCHES = 0.04  # rules nearer than this are one
IMAGES, PAGES = "tables-images", "tables-icdar2013"
QUIRE, RULINGS, SLANET, BOTH = "**Quire**", "rulings alone", "slanet-1m, true regions", "slanet-1m, Quire's regions"
MEASURES = ("f1", "recall", "precision", "micro_f1", "teds", "tables_found")
QUICK_ITEMS = 3

Cells = list[dict[str, object]]


@dataclass(frozen=True)
class Scan:
    """A picture of one page, and where its tables truly are (fractions of it)."""

    path: Path
    page: int
    regions: tuple[BBox, ...]


@dataclass(frozen=True)
class Seen:
    """A page as Quire read it, with the prepared picture and the words in its pixels."""

    result: quire.DocumentResult
    picture: Picture
    prepared: Prepared
    words: list[Placed]

    def box(self, place: BBox) -> Box:
        return self.prepared.from_page(place).points(self.picture.size)


def run(options: Options) -> Report:
    systems: dict[str, Callable[[Scan, Seen], list[Cells]]] = {QUIRE: _quire, RULINGS: _ruled}
    report = Report("Scanned tables")
    try:
        model = Slanet()
        systems |= {SLANET: partial(_slanet, model, true=True), BOTH: partial(_slanet, model, true=False)}
    except LeftOut as reason:
        report.notes.append(f"Left out: {reason}.")
    with Judge() as judge:
        for name, scans_of in ((IMAGES, _image), (PAGES, _pages)):
            try:
                items = judge.items(name)
            except LeftOut as reason:
                report.notes.append(f"Left out: {reason}.")
                continue
            items = corpus.spread(items, QUICK_ITEMS) if options.quick else items
            rows, cpu, incomplete = _measure(judge, name, items, scans_of, systems)
            report.notes += [f"{name}, not read completely: {', '.join(incomplete)}."] if incomplete else []
            report.data[name] = {"scores": rows, "cpu_s_per_page": cpu}
            report.tables += _tables(judge, name, rows, cpu)
    report.notes += [
        f"{PAGES}: the pages that hold a table, drawn at {DPI} dpi, read as pictures; {IMAGES}: as they are (72 dpi). "
        "Profile `balanced`. Relations of adjacent cells as in the harness; a table that is none lowers precision.",
        "All get the words that Quire recognised. CPU is that of the whole read for Quire, and of finding cells alone "
        "for the others. No ruled grid: the documents in which ruling detection alone has no relation right.",
    ]
    return report


def _measure(judge: Judge, name: str, items: Sequence[Item], scans_of, systems):
    rows: dict[str, dict[str, Row]] = {system: {} for system in systems}
    cpu, pages, incomplete = dict.fromkeys(systems, 0.0), 0, []
    for number, item in enumerate(items, 1):
        tables: dict[str, list[Grid]] = {system: [] for system in systems}
        for scan in scans_of(item):
            result, sample = clock.timed(partial(quire.read, scan.path, workers=1), cpu=family.cpu_seconds)
            cpu[QUIRE] += sample.cpu
            incomplete += [f"{item.id} page {scan.page}"] if result.status != "complete" else []
            seen = _seen(scan, result)
            pages += 1
            for system, find in systems.items():
                found, sample = clock.timed(partial(find, scan, seen))
                cpu[system] += sample.cpu
                tables[system] += [{"cells": cells, "page": scan.page} for cells in found]
        for system, found in tables.items():
            rows[system][item.id] = judge.score_tables(name, item, found)
        print(f"{name}: {number} of {len(items)}", file=sys.stderr, flush=True)
    return rows, {system: round(seconds / max(1, pages), 4) for system, seconds in cpu.items()}, incomplete


def _tables(judge: Judge, name: str, rows: dict[str, dict[str, Row]], cpu: dict[str, float]) -> Iterator[Table]:
    unruled = [item for item, row in rows[RULINGS].items() if not row["correct"]]
    groups = {name: list(rows[RULINGS])}
    if 0 < len(unruled) < len(groups[name]):
        groups[f"{name}, no ruled grid"] = unruled
    for title, chosen in groups.items():
        listed = []
        for system, scores in rows.items():
            metrics = judge.summary(name, [scores[item] for item in chosen])
            listed.append([system, len(chosen), *map(metrics.get, MEASURES), cpu[system]])
        yield Table(["system", "n", *MEASURES, "CPU s/page"], listed, title=title)
    each = [[item, *(rows[system][item]["f1"] for system in rows)] for item in groups[name]]
    yield Table(["document", *rows], each, title=f"{name}, F1 by document")


def _image(item: Item) -> Iterator[Scan]:
    yield Scan(item.path, 1, (BBox(0, 0, 1, 1),))


def _pages(item: Item) -> Iterator[Scan]:
    """Each page with a table, drawn as a picture that exists until the next is asked for."""
    truth = json.loads((corpus.CORPUS / PAGES / "truth" / f"{item.id}.json").read_text())
    regions: dict[int, list[dict]] = {}
    for region in (region for table in truth["truths"][0]["tables"] for region in table["regions"]):
        regions.setdefault(region["page"], []).append(region)
    document = pypdfium2.PdfDocument(item.path)
    try:
        for number, listed in sorted(regions.items()):
            page = document[number - 1]
            with tempfile.NamedTemporaryFile(prefix="quire-bench-", suffix=".png") as file:
                page.render(scale=DPI / 72).to_pil().save(file.name, dpi=(DPI, DPI))
                yield Scan(Path(file.name), number, tuple(_region(each, page.get_size()) for each in listed))
    finally:
        document.close()


def _region(truth: dict, size: tuple[float, float]) -> BBox:
    """Where a table is on the displayed page; those of turned pages are told in points from the bottom."""
    if "region" in truth:
        return BBox(**truth["region"])
    left, bottom, right, top = truth["region_pdf_points"]
    return BBox.of_points((left, size[1] - top, right, size[1] - bottom), size)


def _seen(scan: Scan, result: quire.DocumentResult) -> Seen:
    with quire.Document(scan.path) as document:
        picture, prepared = prepare(page_picture(document.reader, 1, PrepareProfile()), PrepareProfile())
    words = [
        Placed(word.text, prepared.from_page(word.bbox).points(picture.size))
        for block in result.blocks
        for word in block.words
    ]
    return Seen(result, picture, prepared, words)


def _quire(scan: Scan, seen: Seen) -> list[Cells]:
    tree = json.loads(seen.result.to_json())
    return [block["table"]["cells"] for block in tree["blocks"] if block.get("table")]


def _ruled(scan: Scan, seen: Seen) -> list[Cells]:
    """The grids of crossing rules, with the words that stand in their cells."""
    rules = find_rulings(pixels_of(seen.picture), seen.picture.dpi)
    rows = [RulingLine(rule.y0, rule.x0, rule.x1) for rule in rules if rule.y0 == rule.y1]
    columns = [RulingLine(rule.x0, rule.y0, rule.y1) for rule in rules if rule.y0 != rule.y1]
    found = []
    for cells in grids(rows, columns, max(2.0, NEAR_INCHES * seen.picture.dpi)):
        places = [Place(cell.grid, cell.box) for cell in cells]
        lefts, tops, rights, bottoms = zip(*(place.box for place in places), strict=True)
        found.append(filled(places, within(seen.words, (min(lefts), min(tops), max(rights), max(bottoms)))))
    return found


def _slanet(model: Slanet, scan: Scan, seen: Seen, *, true: bool) -> list[Cells]:
    regions = scan.regions if true else [block.bbox for block in seen.result.tables]
    pixels, found = pixels_of(seen.picture), []
    for region in regions:
        box = seen.box(region)
        left, top, right, bottom = (max(0, round(value)) for value in box)
        cells = model.cells(pixels[top : max(bottom, top + 1), left : max(right, left + 1)])
        moved = [
            Place(cell.grid, (cell.box[0] + left, cell.box[1] + top, cell.box[2] + left, cell.box[3] + top))
            for cell in cells
        ]
        found.append(filled(moved, within(seen.words, box)))
    return found

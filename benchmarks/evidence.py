"""Evidence: gold values that the check of proposals accuses wrongly, and wrong proposals that it lets pass.

The gold values are those of `receipts-sroie`, `adbuy-forms`, `contracts-nda`, `invoices` and `extract-json`. Each is
proposed with the cell or block that has it, found here by its letters or by the ways a date and an amount are printed;
a value of which no such place is found is not in the text (by OCR, or because the truth says it in other words), and
counts apart. An accusation is a findable value that is not found there. Each that is found is then made wrong
in every way (`mutations`). `QUIRE_STORE` may name a store in which the documents were read before.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import quire
from benchmarks.corpus import CORPUS
from benchmarks.fields import _dates, _forms
from benchmarks.mutations import mutations
from benchmarks.report import LeftOut, Options, Report, Table
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.records import EvidenceRecord, SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.values import Proposal
from quire.evidence.extract.verification import checked

MOST_ACCUSED = 0.01
UNPRINTED = ("scale", "unit", "array_index")
"""Leaves of `extract-json` that say what the figures are multiplied by, which no document prints as a number."""
MOST_VALUES = 200
"""Of a document with a thousand leaves: every sixth or so."""
MOST_CHANGED = 15
"""Values of a document that are made wrong: the first ones."""
MONTHS = 12
WORDED = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 12: "twelve", 24: "twenty-four"}
AROUND = 24
"""Characters on each side of a short value in its quote."""
KINDS: Mapping[str, Mapping[str, str]] = {
    "receipts-sroie": {"company": "name", "date": "date", "address": "address", "total": "amount"},
    "adbuy-forms": {
        "contract_num": "code",
        "advertiser": "name",
        "gross_amount": "amount",
        "flight_from": "date",
        "flight_to": "date",
    },
    "contracts-nda": {"party": "name", "jurisdiction": "text", "effective_date": "date", "term": "duration"},
    "invoices": {
        "issuer": "name",
        "date": "date",
        "invoice_number": "code",
        "amount": "amount",
        "currency": "currency",
    },
}


class Gold(NamedTuple):
    path: Path
    leaf: LeafSpec
    value: Any


def run(options: Options) -> Report:
    report = Report("Evidence: false accusations and wrong proposals")
    rows: list[list[object]] = []
    found: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for name in (*KINDS, "extract-json"):
        try:
            listed = list(_json_values() if name == "extract-json" else _field_values(name))
        except LeftOut as reason:
            report.notes.append(str(reason))
            continue
        rows.append(_measured(name, listed[: 12 if options.quick else None], found, missed, report))
    total = [sum(int(str(row[column])) for row in rows) for column in range(1, 5)]
    rows.append(["all", *total, _share(total[2], total[1]), ""])
    columns = ["set", "gold values", "in the text", "accused", "not in the text", "share accused", "ms per value"]
    changed = [[name, found[name], missed[name], _share(found[name] - missed[name], found[name])] for name in found]
    changed.append(["all", found.total(), missed.total(), _share(found.total() - missed.total(), found.total())])
    report.tables = [
        Table(columns, rows, "Gold values"),
        Table(["mutation", "proposals", "missed", "share found"], changed, "Mutations of those that are found"),
    ]
    report.data = {"goal": MOST_ACCUSED}
    return report


def _measured(name: str, listed: list[Gold], found: Counter[str], missed: Counter[str], report: Report) -> list[object]:
    store = quire.FileStore(os.environ["QUIRE_STORE"]) if "QUIRE_STORE" in os.environ else None
    there = accused = absent = 0
    spent, path, catalog = 0.0, Path(), None
    changed: Counter[Path] = Counter()
    for gold in listed:
        if catalog is None or gold.path != path:
            path, catalog = gold.path, catalog_of(quire.read(str(gold.path), store=store)._export)
        proposal = _cited(gold, catalog)
        if proposal is None:
            absent += 1
            continue
        begin = time.process_time()
        evidence = checked(proposal, gold.leaf, catalog)
        spent += time.process_time() - begin
        there += 1
        if evidence.status != "found":
            accused += 1
            report.notes.append(f"{path.name}: {gold.leaf.path} {gold.value!r}: {evidence.status}, {evidence.reason}")
            continue
        changed[path] += 1
        for kind, wrong, version in mutations(proposal, catalog) if changed[path] <= MOST_CHANGED else ():
            found[kind] += 1
            status = checked(wrong, gold.leaf, catalog, version=version).status
            if status == "found" or (kind.startswith("value") and status != "unverified"):
                missed[kind] += 1
                report.notes.append(
                    f"missed: {path.name}: {gold.leaf.path} {wrong.value!r} for {gold.value!r} ({kind})"
                )
    return [name, len(listed), there, accused, absent, _share(accused, there), f"{1000 * spent / max(there, 1):.2f}"]


def _cited(gold: Gold, catalog: SourceCatalog) -> Proposal | None:
    """The gold value with the smallest record that has it, and what stands there."""
    forms = sorted(_printed(gold.value), key=len, reverse=True)
    patterns = [(letters, pattern) for form in forms if (letters := _letters(form)) and (pattern := _pattern(form))]
    holding: list[tuple[EvidenceRecord, re.Match[str]]] = []
    for record in catalog.records:
        if record.level != "chunk":
            there = _letters(record.text)
            found = (pattern.search(record.text) for letters, pattern in patterns if letters in there)
            holding += [(record, match) for match in islice(filter(None, found), 1)]
    if not holding:
        return None
    record, match = min(holding, key=lambda one: len(one[0].text))
    begin, end = max(0, match.start() - AROUND), match.end() + AROUND
    quote = record.text[begin:end] if len(match[0]) < AROUND else match[0]
    first = quote.find(" ") + 1 if begin and len(match[0]) < AROUND and quote.find(" ") < AROUND else 0
    return Proposal(gold.leaf.path, gold.value, (record.id,), quote[first:], 1.0, "gold")


@cache
def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


@cache
def _pattern(form: str) -> re.Pattern[str] | None:
    """A text with anything but letters and digits between its letters, or in its numbers: 1.5 is not 15."""
    number = r"\d+" if re.search(r"[^\W\d_]", form) else r"\d+(?:[.,]\d+)*"
    if not (words := re.findall(rf"{number}|[^\W\d_]", form)):
        return None
    sign = r"[-−–(]\s?[$€£]?\s?" if form.startswith("-") else r"(?<![-−–(])" if re.fullmatch(r"[\d.,]+", form) else ""
    before = (r"(?<!\d)(?<!\d[.,])" if form[:1].isdigit() else r"(?<!\w)") + sign
    return re.compile(before + r"[\W_]*".join(map(re.escape, words)) + r"(?!\w|[.,]\d)", re.IGNORECASE)


def _printed(value: object) -> set[str]:
    """How a value may be printed: in its letters; a date with the day or the month first; an amount in any groups."""
    text = str(value)
    found = {"".join(text.split()).casefold()}
    if match := re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})", text):
        first, second, year = map(int, match.groups())
        for month, day in ((first, second), (second, first)):
            if month <= MONTHS:
                found.update(_dates(date(year % 100 + 2000, month, day)))
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        found.update(_forms(text))
    elif re.fullmatch(r"-?[$€£]?\s?[\d,]+(\.\d+)?", text):
        plain, sign = float(re.sub(r"[^\d.]", "", text)), "-" if text.startswith("-") else ""
        found = {
            f"{sign}{written}"
            for places in range(4)
            if round(plain, places) == plain
            for written in (f"{plain:,.{places}f}", f"{plain:.{places}f}", f"{plain:.{places}f}".replace(".", ","))
        }
    elif match := re.fullmatch(r"(\d+) (years?|months?|days?)", text):
        number, unit = match.groups()
        words = WORDED.get(int(number), number)
        found.update(f"{words}{between}{unit.rstrip('s')}{end}" for between in ("", number) for end in ("", "s"))
    return found


def _field_values(name: str) -> Iterator[Gold]:
    folder = CORPUS / name
    if not folder.exists():
        raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
    schema = ExtractSchema.of(
        {"type": "object", "properties": {key: {"x-quire": {"kind": kind}} for key, kind in KINDS[name].items()}}
    )
    for file, fields in _truths(folder):
        for key in KINDS[name]:
            given = fields.get(key)
            leaf = schema.leaf(key)
            assert leaf is not None
            for value in given if isinstance(given, list) else [given]:
                if value not in (None, ""):
                    yield Gold(folder / file, leaf, value)


def _truths(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if (folder / "truth.jsonl").exists():
        for row in map(json.loads, (folder / "truth.jsonl").read_text().splitlines()):
            yield row["file"], row["fields"]
        return
    for file in sorted((folder / "truth").glob("*.json")):
        truth = json.loads(file.read_text())
        truth = truth[0] if isinstance(truth, list) else truth
        yield truth.get("file", f"pdf/{file.stem}.pdf"), truth.get("fields", truth)


def _json_values() -> Iterator[Gold]:
    folder = CORPUS / "extract-json"
    if not folder.exists():
        raise LeftOut("there is no ../shared/corpus/extract-json beside the repository")
    for file in sorted(folder.glob("*/*.gold.json")):
        schema = ExtractSchema.of(json.loads((file.parent / "schema.json").read_text()))
        path = file.with_name(file.name.replace(".gold.json", ".pdf"))
        values = [
            Gold(path, leaf, value)
            for place, value in _leaves(json.loads(file.read_text()), "")
            if (leaf := schema.leaf(place)) is not None and leaf.name not in UNPRINTED
        ]
        yield from values[:: 1 + len(values) // MOST_VALUES]


def _leaves(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _leaves(value, f"{path}[{index}]")
    elif tree is not None and tree != "":
        yield path, tree


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else "-"

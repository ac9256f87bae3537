"""Invoices and order forms: every value that the text has must be together with its label.

The values are those of `invoices` and `adbuy-forms`, as labelled there. A value counts when it and one of the labels of
its kind (`LABELS`) are in the text of the document; names and addresses, which are printed without a label, do not
count. The values of an item of an invoice count with the name of the item as their label. A value is right when one
place has both: a block or a cell of at most 200 characters, the row of a table, or a cell and the header cells above.
It is a pair when it is the value of a field with that label, or a cell with the label in another one of its row or in
a header cell above.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import quire
from benchmarks.corpus import CORPUS, pdfs
from benchmarks.report import Options, Report, Table
from quire.core.types import Block
from quire.core.types import Table as Grid

GOAL = 0.9
LONGEST = 200  # characters: a longer block or cell says nothing about what belongs together
_NUMBER = ("number", "nummer", "no", "nr", "#", "n°")
_DATES = ("flight dates", "flight", "contract dates", "order flight", "period", "schedule dates", "dates")
LABELS: Mapping[str, Sequence[str]] = {
    "invoice_number": [*(f"invoice {n}" for n in _NUMBER), "factuurnummer", "rechnungsnr", "facture n°", "invoice"],
    "date": ["invoice date", "factuurdatum", "rechnungsdatum", "date", "facture n°"],
    "date_due": ["due date", "date limite", "prélèvement à partir du"],
    "amount": ["total", "totaal", "balance due", "amount due", "somme à payer", "montant du prélèvement"],
    "amount_untaxed": ["subtotal", "exclusief btw", "total", "ht"],
    "amount_tax": ["tax", "btw", "tva"],
    "vat": ["vat", "btw", "ustid", "tva"],
    "iban": ["iban", "bank account"],
    "bic": ["bic", "swift"],
    "siren": ["rcs"],
    "incoterm": ["incoterm"],
    "payment_reference": ["payment"],
    "customer_order_free_ref": ["reference"],
    "partner_coc": ["kvk"],
    "line_number": ["numéro de ligne"],
    "client_id": ["id.client"],
    "contract_num": [
        *(f"{what} {n}" for what in ("contract", "order", "invoice") for n in _NUMBER),
        *("order / rev", "contract / revision", "contract", "invoice"),
    ],
    "advertiser": ["advertiser", "name"],
    "gross_amount": ["gross total", "gross amount", "gross", "totals", "total", "amount"],
    "flight_from": _DATES,
    "flight_to": _DATES,
}
_MONTHS = (
    ("january", "januar", "januari", "janvier"),
    ("february", "februar", "februari", "février"),
    ("march", "märz", "maart", "mars"),
    ("april", "april", "april", "avril"),
    ("may", "mai", "mei", "mai"),
    ("june", "juni", "juni", "juin"),
    ("july", "juli", "juli", "juillet"),
    ("august", "august", "augustus", "août"),
    ("september", "september", "september", "septembre"),
    ("october", "oktober", "oktober", "octobre"),
    ("november", "november", "november", "novembre"),
    ("december", "dezember", "december", "décembre"),
)


class Value(NamedTuple):
    """A value of a document: its kind, how it may be printed, and the labels of which one must stand with it."""

    name: str
    forms: frozenset[str]
    labels: frozenset[str]


class Document(NamedTuple):
    path: Path
    values: list[Value]


def run(options: Options) -> Report:
    report = Report("Fields of invoices and order forms")
    rows: list[list[object]] = []
    totals = [0, 0, 0]
    for name, documents in (("invoices", invoices()), ("adbuy-forms", forms())):
        for half, label in enumerate(("tuned", "untuned")):
            found = right = paired = 0
            for document in documents[half::2][: 2 if options.quick else None]:
                blocks = quire.read(str(document.path)).blocks
                places = [place for block in blocks for place in _places_of(block)]
                pairs = [pair for block in blocks for pair in _pairs_of(block)]
                for value in document.values:
                    verdict = _is_together(value, places)
                    if verdict is None:
                        continue
                    found += 1
                    right += verdict
                    paired += _is_pair(value, pairs)
                    if not verdict:
                        report.notes.append(f"{document.path.name}: {value.name} is not together with its label")
            rows.append([name, label, *_shares(found, right, paired)])
            totals = [total + count for total, count in zip(totals, (found, right, paired), strict=True)]
    rows.append(["both", "all", *_shares(*totals)])
    columns = ["set", "documents", "values in the text", "with their label", "share", "as a pair", "share"]
    report.tables = [Table(columns, rows)]
    report.data = {"goal": GOAL}
    return report


def _shares(found: int, right: int, paired: int) -> list[object]:
    shares = [f"{count / found:.3f}" if found else "-" for count in (right, paired)]
    return [found, right, shares[0], paired, shares[1]]


def invoices() -> list[Document]:
    """The invoices with their values; those of items too."""
    documents = []
    for path in pdfs("invoices"):
        truth = json.loads((CORPUS / "invoices" / "truth" / f"{path.stem}.json").read_text())[0]
        values = [Value(name, _forms(truth[name]), frozenset(LABELS[name])) for name in LABELS if truth.get(name)]
        values += [value for item in truth.get("lines", truth.get("line_items", ())) for value in _item(item)]
        documents.append(Document(path, values))
    return documents


def forms() -> list[Document]:
    """The order forms with their values."""
    pdfs("adbuy-forms")
    lines = (CORPUS / "adbuy-forms" / "truth.jsonl").read_text().splitlines()
    documents = []
    for row in map(json.loads, lines):
        values = [Value(name, _forms(text), frozenset(LABELS[name])) for name, text in row["fields"].items()]
        documents.append(Document(CORPUS / "adbuy-forms" / row["file"], values))
    return sorted(documents)


def _item(item: Mapping[str, Any]) -> Iterator[Value]:
    """The numbers of an item, which belong into its row."""
    name = str(item.get("name") or item.get("desc") or "").split("\n")[0]
    for key in ("price_unit", "price_subtotal", "price", "pos"):
        if name and item.get(key):
            yield Value(f"{key} of {name}", _forms(item[key]), frozenset([_plain(name)]))


def _forms(value: object) -> frozenset[str]:
    """How a value may be printed, without spaces."""
    text = str(value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return frozenset(_dates(date.fromisoformat(text)))
    if match := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2,4})", text):
        month, day, year = map(int, match.groups())
        return frozenset(_dates(date(year % 100 + 2000, month, day)) if year > 9 else [text])
    if isinstance(value, float) or re.fullmatch(r"\d+\.\d+", text):
        amount = f"{float(text):,.2f}"
        return frozenset({amount, amount.replace(",", ""), amount.replace(",", "").replace(".", ",")})
    return frozenset({_plain(text)})


def _dates(day: date) -> Iterator[str]:
    for d, m in ((f"{day.day}", f"{day.month}"), (f"{day.day:02}", f"{day.month:02}")):
        for y in (f"{day.year}", f"{day.year % 100:02}"):
            yield from (f"{m}/{d}/{y}", f"{d}.{m}.{y}", f"{d}/{m}/{y}")
        for name in _MONTHS[day.month - 1]:
            yield from (f"{name}{d},{day.year}", f"{name[:3]}{d},{day.year}", f"{d}{name}{day.year}")
            yield f"{d}.{name}{day.year}"


def _is_together(value: Value, places: Sequence[str]) -> bool | None:
    """Whether one place has a value and its label; None if the document does not have both."""
    holding = [place for place in places if any(_has(place, form) for form in value.forms)]
    if not holding or not any(_has(place, label) for place in places for label in value.labels):
        return None
    return any(_has(place, label) for place in holding for label in value.labels)


def _has(place: str, text: str) -> bool:
    """Whether a place has a text, with or without spaces, and not as a part of a longer number."""
    return _pattern(_plain(text)).search(place) is not None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    before = r"(?<!\d)" if text[0].isdigit() else ""
    after = r"(?!\d)" if text[-1].isdigit() else ""
    return re.compile(before + r"\s*".join(map(re.escape, text)) + after)


def _is_pair(value: Value, pairs: Sequence[tuple[str, str]]) -> bool:
    return any(
        any(_has(shown, form) for form in value.forms) and any(_has(name, label) for label in value.labels)
        for name, shown in pairs
    )


def _pairs_of(block: Block) -> Iterator[tuple[str, str]]:
    """The labels and values of a block: those of a field, or of each cell with what names it."""
    if block.field is not None:
        yield block.field.label.casefold(), block.field.value.casefold()
    if block.table is None:
        return
    short = [cell for cell in block.table.cells if 0 < len(cell.text) <= LONGEST]
    for cell in short:
        beside = [
            c for c in short if c is not cell and c.row < cell.row + cell.row_span and cell.row < c.row + c.row_span
        ]
        above = [c for c in short if c.header and c.row < cell.row and _over(c.column, c.column_span, cell)]
        yield " ".join(c.text for c in (*beside, *above)).casefold(), cell.text.casefold()


def _places_of(block: Block) -> Iterator[str]:
    """The texts of a block that are each in one place."""
    if block.table is None:
        yield from _pieces(block.text)
        return
    for cell in block.table.cells:
        yield from _pieces(cell.text)
    yield from _rows(block.table)


def _pieces(text: str) -> Iterator[str]:
    """The text, or its single lines where it is too long to be one place."""
    text = text.casefold()
    yield from [text] if len(text) <= LONGEST else text.splitlines()


def _rows(table: Grid) -> Iterator[str]:
    short = [cell for cell in table.cells if len(cell.text) <= LONGEST]
    for number in range(table.rows):
        yield " ".join(cell.text for cell in short if cell.row <= number < cell.row + cell.row_span).casefold()
    for cell in short:
        heads = [c.text for c in short if c.header and c.row < cell.row and _over(c.column, c.column_span, cell)]
        if heads and not cell.header:
            yield " ".join([*heads, cell.text]).casefold()


def _over(column: int, span: int, cell: quire.Cell) -> bool:
    return column < cell.column + cell.column_span and cell.column < column + span


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()

"""Documents that are made here, each with a schema, and the answers of the offline runner to them."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

import quire
from quire.core.context import Json
from quire.core.document import Document
from quire.evidence.catalog.builder import catalog_of
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.offline import OfflineExtractor
from quire.evidence.extract.schema import ExtractSchema
from quire.evidence.extract.value_paths import with_value
from quire.evidence.extract.values import Extraction
from quire.solving.answers import ClaimedAnswer, claimed_files, verified_answer
from quire.solving.joined_catalog import JoinedCatalog
from quire.solving.runners.offline_runner import OfflineRunner
from tests.documents import Pen, Piece, drawn, placed
from tests.rawpdf import page_with_font, string
from tests.unit.evidence.catalog.documents import GRID, invoice_pdf

NUMBER, WHOLE, TEXT = {"type": "number"}, {"type": "integer"}, {"type": "string"}
DATE, FLAG = {"type": "string", "format": "date"}, {"type": "boolean"}
Schema = dict[str, Any]


def schema(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def rows(**properties: Schema) -> Schema:
    return {"type": "array", "items": schema(**properties)}


INVOICE = schema(
    invoice_number=TEXT,
    date=DATE,
    net=NUMBER,
    vat=NUMBER,
    total=NUMBER,
    currency={"type": "string", "enum": ["EUR", "USD"]},
    items=rows(article=TEXT, quantity=WHOLE, price=NUMBER, amount=NUMBER),
)
CONTRACT = schema(
    effective_date=DATE,
    governing_law=TEXT,
    term={"type": "string", "x-quire": {"kind": "duration"}},
    insured={**FLAG, "description": "whether the goods are insured"},
    claims=NUMBER,
    interest={**NUMBER, "x-quire": {"kind": "percentage"}},
)
FIGURES = (
    ("", "2031", "2030"),
    ("Harbour dues", "1,240", "1,115"),
    ("Pilotage", "685", "702"),
    ("Storage", "415", "398"),
    ("Total revenue", "2,340", "2,215"),
)
REPORT = schema(
    office=TEXT,
    audited=FLAG,
    revenue=NUMBER,
    figures=rows(line=TEXT, this_year=NUMBER, last_year=NUMBER),
)
SCAN_LINES = ("HARBOUR SUPPLY LTD", "Invoice number: HS 4471", "Date: 14.06.2031", "Total: 186.40 EUR")
SCAN = schema(invoice_number=TEXT, date=DATE, total=NUMBER)


def report_pdf(*, total: str = "2,340") -> bytes:
    """A report with a table of figures."""
    table = [*FIGURES[:-1], ("Total revenue", total, "2,215")]

    def draw(canvas: Canvas) -> None:
        pen = Pen(canvas)
        pen.heading("Annual report of the harbour")
        pen.text("The figures below are those of the Easthaven harbour office. They were not audited.")
        pen.table(table, GRID, [160, 80, 80])

    return drawn(draw)


def japanese_pdf() -> bytes:
    font = "HeiseiKakuGo-W5"
    pdfmetrics.registerFont(UnicodeCIDFont(font))
    lines = ("請求書", "請求番号: 2031-0417", "発行日: 2031-03-12", "合計: 67,548 円")
    return placed([Piece(72, 90 + 30 * at, line, 12, font) for at, line in enumerate(lines)])


JAPANESE = schema(
    number={**TEXT, "x-quire": {"aliases": ["請求番号"], "kind": "code"}},
    issued={**DATE, "x-quire": {"aliases": ["発行日"]}},
    total={**NUMBER, "x-quire": {"aliases": ["合計"], "kind": "amount"}},
)


def read(data: bytes, name: str) -> SourceCatalog:
    return catalog_of(quire.read(Document(data, name=name))._export)


def joined(*documents: tuple[bytes, str]) -> JoinedCatalog:
    return JoinedCatalog([read(*one) for one in documents])


def offline_answer(asked: Schema, documents: JoinedCatalog) -> Extraction:
    """The verified answer of the offline runner."""
    schema_ = ExtractSchema.of(asked)
    runner, found = OfflineRunner(), OfflineExtractor().propose(documents.whole, schema_)
    values: Json = {}
    cited: dict[str, dict[str, Json]] = {}
    for one in found:
        values = with_value(values, one.path, one.value)
        line = {"records": list(one.records), "quote": one.quote, "confidence": one.confidence, "label": one.label}
        cited[one.path] = {**line, "extractor": one.extractor, "signs": dict(one.signs)}
    return answer_of(values, cited, asked, documents, runner=runner.name, signed=True)


def answer_of(
    values: Json,
    cited: dict[str, dict[str, Json]],
    asked: Schema,
    documents: JoinedCatalog,
    *,
    runner: str = "agent",
    signed: bool = False,
) -> Extraction:
    """The verified answer from the claims of a runner."""
    claimed = ClaimedAnswer.of(claimed_files(values, cited), runner, signed=signed)
    return verified_answer(claimed, ExtractSchema.of(asked), documents, runner, "1")


def report_answer(documents: JoinedCatalog) -> Extraction:
    """The figures of the report, as an agent cites them: each by its cell."""
    catalog = documents.catalogs[0]
    table = next(block for block in catalog.blocks if block.table is not None)
    text = next(record.id for record in catalog.records if record.level == "block" and "audited" in record.text)
    short = f"{documents.shorts[0]}/" if documents.shorts[0] else ""
    values: Json = {"office": "Easthaven harbour office", "audited": False, "figures": []}
    cited: dict[str, dict[str, Json]] = {
        "office": {"record": f"{short}{text}", "quote": "Easthaven harbour office"},
        "audited": {"record": f"{short}{text}", "quote": "They were not audited."},
        "revenue": {"record": f"{short}{table.id}:r4c1"},
    }
    for row, line in enumerate(FIGURES[1:4], start=1):
        for column, name in enumerate(("line", "this_year", "last_year")):
            path = f"figures[{row - 1}].{name}"
            text_of = line[column]
            values = with_value(values, path, int(text_of.replace(",", "")) if column else text_of)
            cited[path] = {"record": f"{short}{table.id}:r{row}c{column}", "quote": text_of}
    total = next(cell.text for cell in table.table.cells if (cell.row, cell.column) == (4, 1)) if table.table else ""
    cited["revenue"]["quote"] = total
    return answer_of(with_value(values, "revenue", int(total.replace(",", ""))), cited, REPORT, documents)


def contract_answer(documents: JoinedCatalog) -> Extraction:
    """What the terms of the invoice say, as an agent cites it: by sentences."""
    records = documents.whole.records
    terms = next(one.id for one in records if one.level == "block" and "Delaware" in one.text)
    late = next(one.id for one in records if one.level == "block" and "interest" in one.text)
    values = {
        "effective_date": "2031-05-05",
        "governing_law": "State of Delaware",
        "term": "3 years",
        "insured": False,
        "claims": 1_500_000,
        "interest": 4.5,
    }
    quotes = {
        "effective_date": "made as of the 5th day of May, 2031",
        "governing_law": "governed by the laws of the State of Delaware",
        "term": "for a period of three (3) years",
        "insured": "The goods are not insured during carriage.",
        "claims": "Claims of up to $1.5 million",
        "interest": "interest of 4.5 % per year",
    }
    cited = {path: {"record": late if path == "interest" else terms, "quote": text} for path, text in quotes.items()}
    return answer_of(values, cited, CONTRACT, documents)


ARABIC = schema(total={**NUMBER, "x-quire": {"kind": "amount"}}, place=TEXT)


def arabic_pdf() -> bytes:
    """Two lines from right to left: the name of a port, and a total whose digits are read from left to right."""
    lines = ("ميناء الخليج الشرقي", "المجموع 67548")
    letters = sorted({letter for line in lines for letter in line} - {" "})
    code_of = {letter: 65 + at for at, letter in enumerate(letters)} | {" ": 32}
    content = []
    for at, line in enumerate(lines):
        seen = re.sub(r"\d+", lambda digits: digits[0][::-1], line)[::-1]
        shown = bytes(code_of[letter] for letter in seen)
        content.append(f"BT /F1 14 Tf 300 {760 - 60 * at} Td {string(shown)} Tj ET")
    return page_with_font(" ".join(content), {code: letter for letter, code in code_of.items()})


def arabic_answer(documents: JoinedCatalog) -> Extraction:
    records = [one for one in documents.whole.records if one.level == "block"]
    total = next(one for one in records if "67548" in one.text)
    port = next(one for one in records if "الخليج" in one.text)
    cited = {
        "total": {"record": total.id, "quote": "المجموع 67548"},
        "place": {"record": port.id, "quote": "ميناء الخليج الشرقي"},
    }
    return answer_of({"total": 67548, "place": "ميناء الخليج الشرقي"}, cited, ARABIC, documents)


@cache
def invoice() -> JoinedCatalog:
    return joined((invoice_pdf(), "invoice.pdf"))


@cache
def report() -> JoinedCatalog:
    return joined((report_pdf(), "report.pdf"))


@cache
def two_documents() -> JoinedCatalog:
    return joined((report_pdf(), "report.pdf"), (invoice_pdf(), "invoice.pdf"))


@cache
def japanese() -> JoinedCatalog:
    return joined((japanese_pdf(), "seikyusho.pdf"))

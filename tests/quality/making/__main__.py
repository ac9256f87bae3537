"""Make the golden pages: `python -m tests.quality.making [FAMILY ...]`, with Chromium and LibreOffice installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from tests.quality.making import form_families as forms
from tests.quality.making import prose_families as prose
from tests.quality.making import table_families as tables
from tests.quality.making.office import print_office
from tests.quality.making.placed_families import place_cjk, place_standard, place_statements
from tests.quality.making.printing import Fill, print_family
from tests.quality.making.scans import scan_pages
from tests.quality.truth import GoldenDocument
from tests.servers.chromium import browsing

PRINTED: dict[str, list[Fill]] = {
    "articles": [prose.article] * 7,
    "bibliographies": [prose.bibliography] * 5,
    "code": [prose.code] * 6,
    "columns": [prose.two_columns] * 8,
    "contents": [prose.contents] * 5,
    "contracts": [prose.contract] * 6,
    "formulas": [prose.formulas] * 6,
    "forms-boxed": [forms.boxed_form] * 6,
    "forms-ruled": [forms.ruled_form] * 6,
    "forms-unruled": [forms.unruled_form] * 6,
    "headings": [prose.headings] * 12,
    "invoices": [forms.invoice] * 8,
    "languages": [partial(prose.in_language, language=name) for name in ("de", "fr", "es", "pl") * 2],
    "letters": [prose.letter] * 7,
    "lists": [prose.lists] * 8,
    "manuals": [prose.manual] * 6,
    "margins": [prose.margins] * 14,
    "newspapers": [prose.newspaper] * 6,
    "notes": [prose.notes] * 8,
    "receipts": [forms.receipt] * 6,
    "reports": [prose.report] * 8,
    "resumes": [prose.resume] * 5,
    "scripts": [partial(prose.in_language, language=name) for name in ("ru", "el", "ar", "he", "hi")],
    "slides": [prose.slide] * 6,
    "statements": [tables.statement] * 8,
    "tables-of-texts": [tables.of_texts] * 6,
    "tables-partly-ruled": [tables.partly_ruled] * 8,
    "tables-ruled": [tables.ruled] * 6,
    "tables-spanning": [tables.spanning] * 8,
    "tables-unruled": [tables.unruled] * 8,
}
OTHERS: dict[str, Callable[[], list[GoldenDocument]]] = {
    "cjk": place_cjk,
    "office": print_office,
    "standard": place_standard,
    "statements-times": place_statements,
    "scans": scan_pages,
}


def main(wanted: list[str]) -> None:
    with browsing() as browser:
        page = browser.new_page()
        for family, fills in PRINTED.items():
            if not wanted or family in wanted:
                print(f"{family}: {len(print_family(page, family, fills))} pages", flush=True)
    for family, make in OTHERS.items():
        if not wanted or family in wanted:
            print(f"{family}: {make()[-1].last} pages", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

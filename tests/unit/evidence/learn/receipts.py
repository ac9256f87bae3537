"""The receipts of the guide, read once, as samples."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import quire
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.learn.samples import Sample

SCRIPT = Path(__file__).parents[4] / "scripts" / "make_receipts.py"
FIELDS = ["shop", "date", "total", "ticket"]


@cache
def receipts() -> list[Any]:
    return runpy.run_path(str(SCRIPT))["receipts"]()  # type: ignore[no-any-return]


@cache
def catalog(number: int) -> SourceCatalog:
    one = receipts()[number]
    return quire.read(quire.Document.from_bytes(one.content, name=one.name)).catalog()


def values(number: int) -> dict[str, str]:
    return {name: receipts()[number].values[name] for name in FIELDS}


@cache
def sample(number: int) -> Sample:
    return Sample.of(catalog(number), FIELDS, values(number))

"""An extraction with every status, from a bill whose text is hostile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

import quire
from quire.evidence.extract.values import Extraction
from quire.output.export.crops import Crop, PageCrops, rendered_by
from tests.unit.evidence.extract.bills import LINES, Failing, Saying, bill

PAYLOAD = "<img src=x onerror=alert(1)>\"'</style><script>alert(2)</script>"
FORMULA = "=HYPERLINK('http://evil.example')"


@dataclass(frozen=True)
class Reported:
    extraction: Extraction
    crop: Crop


@pytest.fixture(scope="session")
def reported() -> Iterator[Reported]:
    result = quire.read(bill((*LINES, f"Note: {PAYLOAD}", f"Code: {FORMULA}")))
    names = ("total", "number", "note", "code", "wrong", "iban", PAYLOAD)
    properties = {name: {"type": "number" if name in ("total", "wrong") else "string"} for name in names}
    said = [
        ("total", 1250.0, "1,250.00"),
        ("number", "INV-2041", "INV-2041"),
        ("note", PAYLOAD, PAYLOAD),
        ("code", FORMULA, FORMULA),
        ("wrong", 77, "1,250.00"),
    ]
    second = Saying([("total", 1350.0, "1,350.00")], name=PAYLOAD)
    extraction = result.extract({"properties": properties}, extractors=[Saying(said), second, Failing()])
    sure = {
        path: replace(one, probability=0.97) if one.status == "found" else one
        for path, one in extraction.evidence.items()
    }
    extraction = replace(extraction, evidence=sure)
    with result.reopened() as document:
        yield Reported(extraction, PageCrops(rendered_by(document.reader)))

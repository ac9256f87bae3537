"""Places read again: text layers that lie, engines that hang and crash, and crops that are never read twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import quire
from quire.core.errors import UsageError
from tests import documents, scans
from tests.fakes.engines import BadEngine, ColumnEngine, calls, held
from tests.unit.evidence.extract.bills import bill
from tests.unit.system.workers.watching import living

pytestmark = pytest.mark.processes

FIELDS = "invoice number, invoice date, seller"
SLIP = ("Invoice number: INV-2041", "Total: EUR 900.00", "Seller: Harbour Supplies Ltd")


@pytest.fixture
def log(tmp_path):
    return tmp_path / "calls"


@pytest.fixture
def document():
    return bill(last=())


def test_a_text_layer_that_lies_about_what_is_painted_is_found_out(tesseract):
    lying = documents.overpainted("Total: EUR 100.00", "Total: EUR 900.00")
    assert quire.extract(lying, fields="total").values == {"total": "EUR 100.00"}
    found = quire.extract(lying, fields="total", reread="tesseract")
    total = found["total"]
    assert (found.values["total"], total.status, total.crop_verified) == ("EUR 100.00", "found", False)
    assert "900.00" in total.reason
    assert total.reason.endswith("(tesseract)")
    assert "900.00" in str(total.alternatives[0].value)
    assert total.confidence["total"] < 0.5
    honest = documents.overpainted("Total: EUR 900.00", "Total: EUR 900.00")
    assert quire.extract(honest, fields="total", reread="tesseract")["total"].crop_verified


def test_a_scan_is_read_again_by_another_engine_and_not_by_the_same(tesseract, log):
    sheet = scans.slip(SLIP)
    edges = [[round(1000 * side) for side in one.box[:3]] for one in sheet.lines]
    misread = tuple((text.replace("900", "800"), *place) for text, place in zip(SLIP, edges, strict=True))
    engine = ColumnEngine(lines=misread, height=50, log=log)
    result = quire.read(scans.scanned(sheet), engines=engine)
    found = quire.extract(result, fields="total, seller", reread="tesseract")
    assert found["seller"].crop_verified
    assert found.values["total"] == "EUR 800.00"
    assert "900.00' (tesseract)" in found["total"].reason
    same = quire.extract(result, fields="total, seller", reread=engine)
    assert same.coverage.crop_verified == 0
    assert "column has read the text of the document too" in same["total"].reason
    assert len(calls(log)) == 1, "the page itself"


def test_an_engine_that_hangs_is_ended_and_asked_about_nothing_else(document, log):
    bad = BadEngine(how="hang", log=log, timeout_s=2.0, max_concurrency=1)
    found = quire.extract(document, fields=FIELDS, reread=bad)
    assert found.coverage.found == 3
    assert found.coverage.crop_verified == 0
    assert len(calls(log)) == 1
    assert living(held(log)) == []
    assert "no answer within 2 s" in found["invoice_number"].reason
    assert found["seller"].reason.endswith("bad did not answer in time and was not asked again")
    assert found.failures[0].reason.startswith("3 of 3 places were not read again: ")


def test_an_engine_that_crashes_costs_the_check_and_not_the_values(document, tmp_path, log):
    bad = BadEngine(how="exit", log=log, mended=tmp_path / "mended")
    options = {"fields": FIELDS, "reread": bad, "store": tmp_path / "store"}
    found = quire.extract(document, **options)
    assert found.values["seller"] == "Harbour Supplies Ltd"
    assert "exit code 7" in found["seller"].reason
    (tmp_path / "mended").touch()
    again = quire.extract(document, **options)
    assert again.failures == ()
    assert "the picture reads" in again["seller"].reason


def test_a_stored_answer_that_cannot_be_understood_is_asked_for_again(document, tmp_path, log):
    bad = BadEngine(how="half", log=log, mended=tmp_path / "mended")
    options = {"fields": "seller", "reread": bad, "store": tmp_path / "store"}
    assert quire.extract(document, **options).failures
    (tmp_path / "mended").touch()
    assert quire.extract(document, **options).failures == ()
    assert quire.extract(document, **options)["seller"].picture_differs
    assert len(calls(log)) == 2


def test_two_extractions_at_once_pay_once_and_later_ones_nothing(document, tmp_path, log):
    engine, begin = ColumnEngine(lines=(("INV-2041", 0, 0, 1000),), log=log), Barrier(2)
    with quire.FileStore(tmp_path / "store") as store:

        def one(fields: str) -> quire.Extraction:
            result = quire.read(document, store=store)
            begin.wait(30)
            return quire.extract(result, fields=fields, reread=engine, store=store)

        with ThreadPoolExecutor(2) as threads:
            first, second = threads.map(one, (FIELDS, FIELDS))
        assert first == second
        assert first["invoice_number"].crop_verified
        assert len(calls(log)) == 3
        begin = Barrier(1)
        assert one(FIELDS) == first
        assert one("invoice number, total")["invoice_number"].crop_verified
        assert len(calls(log)) == 4, "only the place of the total is new"


def test_what_cannot_work_is_refused_before_the_document_is_read(tmp_path):
    with pytest.raises(UsageError, match="there is no engine 'magic'"):
        quire.extract(tmp_path / "absent.pdf", fields="total", reread="magic")

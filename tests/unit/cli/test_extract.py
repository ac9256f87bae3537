"""`quire extract`, `quire catalog` and `quire crop` as people meet them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from PIL import Image
from pyarrow import parquet

from tests.fakes.chat_server import answers, chat_server, cited, text_of
from tests.fakes.vision_server import refuses
from tests.unit.cli.batches import Desk
from tests.unit.cli.test_cli import quire
from tests.unit.evidence.extract.bills import bill

pytestmark = pytest.mark.processes

FIELDS = "invoice number, invoice date, total, iban"


@pytest.fixture
def invoice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path)
    desk.add("bill.pdf", bill())
    return desk


def test_one_document_is_printed_as_json_and_nothing_else_is_on_standard_output(invoice):
    run = quire("extract", "in/bill.pdf", "--fields", FIELDS, cwd=invoice.folder)
    assert run.returncode == 0
    found = json.loads(run.stdout)
    assert found["values"]["invoice_number"] == "INV-2041"
    assert found["values"]["iban"] is None
    assert found["evidence"]["invoice_number"]["status"] == "found"
    assert found["not_found"][0]["pages"] == [1, 2]


def test_a_folder_becomes_reports_and_a_second_run_does_nothing(invoice):
    invoice.add("sub/second.pdf", bill(("Invoice number: B-9",), ()))
    command = ("extract", "in", "--fields", FIELDS, "-o", "out", "--to", "json", "--to", "csv", "--to", "html")
    assert "2 complete" in invoice.quire(*command).stdout
    assert invoice.written == [
        f"{stem}.extracted.{format}" for stem in ("bill", "sub/second") for format in ("csv", "html", "json")
    ]
    assert json.loads((invoice.out / "sub/second.extracted.json").read_bytes())["values"]["invoice_number"] == "B-9"
    assert "2 done before" in invoice.quire(*command).stdout
    assert "2 done before" in invoice.quire("run", "-o", "out").stdout
    plan = invoice.quire("plan", "in", "-o", "out", "--flow", "extract", "--fields", "total")
    assert "fields was invoice number, invoice date, total, iban and is total" in plan.stdout


def test_a_language_model_is_asked_for_what_the_rules_do_not_find(invoice, monkeypatch):
    said = answers(seller_name=cited("p1-b3", "Seller: Harbour Supplies Ltd", "Harbour Supplies Ltd"), iban=None)
    with chat_server({"": [said]}) as server:
        monkeypatch.setenv("QUIRE_LLM_URL", server.url)
        monkeypatch.setenv("QUIRE_LLM_MODEL", "small")
        command = ("extract", "in/bill.pdf", "--fields", "invoice number, iban", "--extractor", "fallback")
        for _ in range(2):
            found = json.loads(invoice.quire(*command, "--store", "store").stdout)
        assert found["values"]["invoice_number"] == "INV-2041"
        assert found["extractors"][0].startswith("fallback(offline,language model small) ")
        (request,) = server.requests
        assert ("- iban (" in text_of(request), "- invoice_number (" in text_of(request)) == (True, False)
    monkeypatch.delenv("QUIRE_LLM_URL")
    assert "QUIRE_LLM_URL is missing" in invoice.quire(*command, code=4).stderr
    monkeypatch.delenv("QUIRE_LLM_MODEL")
    assert "there is no language model; set QUIRE_LLM_URL" in invoice.quire(*command, code=4).stderr


def test_an_extractor_that_failed_in_a_folder_is_asked_again(invoice, monkeypatch):
    said = answers(iban=cited("p1-b3", "Harbour Supplies Ltd", "Harbour Supplies Ltd"))
    with chat_server({"": [refuses(403, "no credit is left")]}) as server:
        monkeypatch.setenv("QUIRE_LLM_URL", server.url)
        monkeypatch.setenv("QUIRE_LLM_MODEL", "small")
        command = ("extract", "in", "--fields", "invoice number, iban", "--extractor", "fallback", "-o", "out")
        failed = invoice.quire(*command, code=3).stdout
        assert failed.startswith("documents  1 partial\n")
        assert "retries failed parts of documents" in failed
        assert "no credit is left" in (invoice.out / "bill.extracted.json").read_text()
        server.behaviours[""][:] = [said]
        assert "1 complete" in invoice.quire(*command).stdout
        found = json.loads((invoice.out / "bill.extracted.json").read_bytes())
        assert (found["values"]["iban"], found["failures"]) == ("Harbour Supplies Ltd", [])
        assert "1 done before" in invoice.quire(*command).stdout
        assert len(server.requests) == 2


def test_places_are_read_again_by_another_engine(invoice):
    invoice.add("echo.pdf", bill(("Invoice number: INV-2041", "Seller: echo"), ()))
    command = ("extract", "in/echo.pdf", "--fields", "invoice number, seller", "--reread", "echo")
    found = json.loads(invoice.quire(*command).stdout)
    assert (found["reread"], found["coverage"]["crop_verified"]) == ("echo 1", 1)
    assert found["evidence"]["seller"]["crop_verified"]
    assert found["evidence"]["invoice_number"]["reason"] == "the picture reads 'echo' (echo)"
    said = invoice.quire(*command, "-o", "out", "--to", "csv").stdout
    assert "1 complete" in said
    assert "engines    2 calls made, 0 answers reused" in said
    head, *lines = csv.reader((invoice.out / "echo.extracted.csv").read_text().splitlines())
    assert {line[0]: line[head.index("crop_verified")] for line in lines} == {"invoice_number": "", "seller": "yes"}
    assert "POST /api/extract" in invoice.quire(*command, "--server", "http://127.0.0.1:1", code=2).stderr


def test_values_below_a_confidence_are_left_out(invoice):
    text = invoice.quire("extract", "in/bill.pdf", "--fields", FIELDS, "--min-confidence", "1").stdout
    assert set(json.loads(text)["values"].values()) == {None}


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ([], 2, "nothing is asked for"),
        (["--fields", "total", "--schema", "s.json"], 2, "give one of them"),
        (["--schema", "absent.json"], 2, "the schema absent.json cannot be read: No such file or directory"),
        (["--schema", "list.json"], 2, "is a JSON list, not an object"),
        (["--schema", "broken.json"], 2, "is no JSON"),
        (["--schema", "deep.json"], 2, "is no JSON"),
        (["--schema", "loop.json"], 2, "refers to itself"),
        (["--fields", "total", "--to", "md"], 2, "there is no report 'md'; choose from json, csv, xlsx, html"),
        (["--fields", "total", "--to", "xlsx"], 2, "a workbook is not printed"),
        (["--fields", "total", "--extractor", "magic"], 2, "there is no extractor 'magic'"),
        (["--fields", "total", "--reread", "magic"], 2, "there is no engine 'magic'"),
        (["--fields", "total", "in/bill.pdf"], 2, "several documents need a folder for their files: -o DIR"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(invoice, options, code, said):
    files = {"s": '{"properties": {"a": {}}}', "list": "[]", "broken": "{", "loop": '{"allOf": [{"$ref": "#"}]}'}
    for name, text in {**files, "deep": '{"a":' * 100_000}.items():
        Path(f"{name}.json").write_text(text)
    result = invoice.quire("extract", "in/bill.pdf", *options, code=code)
    assert (result.stdout, said in result.stderr) == ("", True), result.stderr


def test_a_missing_file_has_the_exit_code_of_input(invoice):
    assert "no such file" in invoice.quire("extract", "in/absent.pdf", "--fields", "total", code=5).stderr
    assert "no such file" in invoice.quire("extract", "in/no.pdf", "--fields", "a", "-o", "out", code=5).stderr


def test_the_catalog_is_lines_of_json_or_parquet(invoice):
    lines = [json.loads(line) for line in invoice.quire("catalog", "in/bill.pdf").stdout.splitlines()]
    assert {"chunk", "block"} <= {line["level"] for line in lines}
    assert [line["page_number"] for line in lines if line["text"] == "Total: EUR 1,350.00"] == [2]
    invoice.quire("catalog", "in", "-o", "out", "--to", "parquet")
    table = parquet.read_table(invoice.out / "bill.catalog.parquet")
    assert table["chunk_id"].to_pylist() == [line["chunk_id"] for line in lines]
    assert set(table["catalog_version"].to_pylist()) == {lines[0]["catalog_version"]}


def test_a_crop_is_a_picture_of_the_place(invoice):
    run = invoice.quire("crop", "in/bill.pdf", "--page", "2", "--box", "0.1,0.1,0.2,0.05", "--margin", "0")
    assert Image.open(io.BytesIO(run.stdout_bytes)).size == (248, 88)
    invoice.quire("crop", "in/bill.pdf", "--page", "2", "--box", "0.1,0.1,0.2,0.05", "--margin", "0", "-o", "c.png")
    assert Path("c.png").read_bytes() == run.stdout_bytes
    assert "no page 9" in invoice.quire("crop", "in/bill.pdf", "--page", "9", "--box", "0,0,1,1", code=2).stderr
    assert "four numbers" in invoice.quire("crop", "in/bill.pdf", "--page", "1", "--box", "a", code=2).stderr

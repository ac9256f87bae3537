"""`quire embed` as people meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from quire.cli.app import command_line
from quire.core.errors import ConfigurationError, UsageError
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.batch_workflow import run_batch
from quire.durable.runtimes import local_runtime
from quire.store.files import FileStore
from tests import documents
from tests.fakes.onnx_models import SIZE, make_model
from tests.unit.cli.test_cli import quire


@pytest.fixture
def report(saved) -> Path:
    return saved(documents.simple(3))


@pytest.mark.processes
def test_command_and_flow_write_the_same_files_and_no_vector_into_the_journal(report, tmp_path):
    model = make_model(tmp_path / "tiny", longest=256)
    run = quire(
        *("embed", report.parent, "-o", tmp_path / "a", "--to", "parquet", "--embedder", model),
        *("--family", "dense,lexical", "--store", tmp_path / "a" / "store"),
    )
    assert run.returncode == 0, run.stderr
    inputs = {"embedders": [str(model)], "families": ["dense", "lexical"]}
    with FileStore(tmp_path / "store") as store, local_runtime(store, workers=1) as runtime:
        request = BatchRequest((str(report.parent),), str(tmp_path / "b"), flow="embed", inputs=inputs)
        assert run_batch(request, runtime)[1].succeeded == 1
        tables = ("SELECT argument, result FROM invocations", "SELECT * FROM events")
        journal = "".join(str(row) for table in tables for row in store.database.rows(table))
    assert ".dense.parquet" in journal
    assert "weights" not in journal
    assert len(journal) < 20_000
    for name in ("report.dense.parquet", "report.lexical.parquet"):
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "a" / name).read_bytes()
    table = parquet.read_table(tmp_path / "a" / "report.dense.parquet")
    assert table.schema.field("vector").type.list_size == SIZE
    [dense, lexical] = json.loads(quire("inspect", tmp_path / "b", "--json").stdout)["datasets"]
    assert (dense["model"], dense["dim"], dense["rows"], lexical["model"]) == ("tiny", SIZE, table.num_rows, "bm25")


@pytest.mark.processes
def test_vectors_go_to_standard_output_one_line_each(report, tmp_path):
    model = make_model(tmp_path / "tiny", longest=16)
    run = quire("embed", report, "--embedder", model, "--family", "lexical,dense")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    half = len(lines) // 2
    assert [line["index"] for line in lines] == [*range(half), *range(half)]
    assert [line["family"] for line in lines] == ["dense"] * half + ["lexical"] * half
    assert all(len(line["terms"]) == len(line["weights"]) for line in lines[half:])
    assert all(len(line["vector"]) == SIZE for line in lines[:half])
    assert "tiny takes 16 tokens and cuts off the rest of a chunk, which may have 256" in run.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--to", "parquet"], "give an output folder with -o DIR"),
        (["--to", "csv"], "choose from parquet, jsonl"),
        (["--family", "sparse"], "no embedder gives sparse vectors"),
        (["--family", "lexical", "--b", "2"], "BM25 takes"),
        (["--tokenizer", "acme/absent"], "nothing is downloaded"),
        (["--embedder", "openai:m@https://models.example", "--offline"], "needs models.example, and offline mode"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(options, said, monkeypatch):
    monkeypatch.setenv("QUIRE_OFFLINE", "0")
    run = CliRunner().invoke(command_line("embed"), ["embed", "absent.pdf", *options])
    assert run.exit_code in (UsageError.exit_code, ConfigurationError.exit_code) and said in run.stderr

"""`quire chunk` as people meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests import documents
from tests.unit.cli.test_cli import quire

pytestmark = pytest.mark.processes


@pytest.fixture
def report(saved) -> Path:
    return saved(documents.simple(3))


def test_chunks_go_to_standard_output_one_line_each(report):
    run = quire("chunk", report, "--max-tokens", "40", "--raw-text")
    assert run.returncode == 0
    assert "read 3 pages" in run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert all(line["tokens"] <= 40 and line["text"].endswith(line["raw_text"]) for line in lines)
    assert sorted({page for line in lines for page in line["pages"]}) == [1, 2, 3]
    assert [line["index"] for line in lines] == list(range(len(lines)))


def test_a_folder_becomes_parquet_files_that_are_equal_in_two_runs(report, tmp_path):
    (report.parent / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    contents = []
    for out in (tmp_path / "a", tmp_path / "b"):
        run = quire("chunk", report.parent, "-o", out, "--to", "parquet", "--chunker", "hierarchical")
        assert run.returncode == 3
        assert "broken.pdf:" in run.stderr
        contents.append((out / "report.chunks.parquet").read_bytes())
    assert contents[0] == contents[1]
    table = parquet.read_table(tmp_path / "a" / "report.chunks.parquet")
    assert table["meta"][0]["source"].as_py() == "report.pdf"
    assert set(table["tokens"].to_pylist()) == {None}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tokenizer", "acme/absent"], "nothing is downloaded"),
        (["--to", "parquet"], "give an output folder with -o DIR"),
        (["--to", "csv"], "choose from jsonl, parquet"),
        (["--chunker", "semantic"], "choose from hybrid, hierarchical"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_read(report, options, said):
    run = quire("chunk", report, *options)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr

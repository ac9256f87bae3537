"""Vectors as files, read back by what people use."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import polars
import pytest
from pyarrow import parquet

from quire.core.errors import InputError, UsageError
from quire.retrieval.embed.codec import SparseVector
from quire.retrieval.embed.dataset import ModelOfVectors, VectorFile
from quire.retrieval.embed.dataset_report import inspect_vectors
from quire.retrieval.embed.families import choose_families, quiet_asker
from quire.store.temporary import TemporaryStore
from tests.fakes.onnx_models import make_model

ROWS = [
    {"doc_id": "d" * 64, "chunk_id": f"c{number}", "index": number, "pages": [1, number + 1], "text": f"ferry {number}"}
    for number in range(3)
]
DENSE = ModelOfVectors("dense", "tiny", 2, "s" * 64)


def dense(rows=ROWS):
    return VectorFile(DENSE, rows, np.array([[0.6, 0.8], [1, 0], [0, 1]], np.float32)[: len(rows)])


@pytest.fixture
def saved_file(tmp_path):
    path = tmp_path / "a.dense.parquet"
    path.write_bytes(dense().parquet("quire 1"))
    return path


def test_dense_vectors_are_lists_of_a_fixed_size_with_the_model_in_the_footer(saved_file):
    table = parquet.read_table(saved_file)
    assert str(table.schema.field("vector").type) == "fixed_size_list<element: float>[2]"
    assert table.schema.metadata == {
        b"quire.schema_version": b"quire-vectors/1",
        b"quire.family": b"dense",
        b"quire.model": b"tiny",
        b"quire.dim": b"2",
        b"quire.normalised": b"l2",
        b"quire.cfg_hash": b"s" * 64,
        b"quire.created_by": b"quire 1",
    }
    assert parquet.ParquetFile(saved_file).metadata.row_group(0).column(0).compression == "ZSTD"
    assert saved_file.read_bytes() == dense().parquet("quire 1")


def test_duckdb_polars_and_pandas_read_the_same_vectors(saved_file):
    [(nearest,)] = duckdb.execute(
        "SELECT chunk_id FROM read_parquet(?) ORDER BY list_inner_product(vector, [0.0, 1.0]) DESC LIMIT 1",
        [str(saved_file)],
    ).fetchall()
    assert nearest == "c2"
    assert polars.read_parquet(saved_file)["vector"].to_numpy().shape == (3, 2)
    assert parquet.read_table(saved_file).to_pandas()["vector"].iloc[1].tolist() == [1, 0]


def test_sparse_files_have_numbers_and_lexical_ones_words(tmp_path):
    sparse = VectorFile(
        ModelOfVectors("sparse", "splade", 30522, "s"), ROWS[:1], [SparseVector(("7", "3"), (1.5, 0.5))]
    )
    lexical = VectorFile(ModelOfVectors("lexical", "bm25", 0, "s"), ROWS[:1], [SparseVector(("ferry",), (0.25,))])
    for file in (sparse, lexical):
        (tmp_path / f"a.{file.made_by.family}.parquet").write_bytes(file.parquet("quire 1"))
    assert parquet.read_table(tmp_path / "a.sparse.parquet").select(["indices", "weights"]).to_pylist() == [
        {"indices": [7, 3], "weights": [1.5, 0.5]}
    ]
    assert json.loads(lexical.jsonl())["terms"] == ["ferry"]
    lexical_report, sparse_report = inspect_vectors(tmp_path)
    assert (lexical_report["model"], lexical_report["terms"], lexical_report["rows"]) == ("bm25", 1, 1)
    assert sparse_report["entries"] == {"min": 2, "mean": 2, "max": 2}
    assert sparse_report["sparsity"] == pytest.approx(1 - 2 / 30522, abs=1e-6)


def test_a_dataset_is_inspected_over_all_its_files(saved_file, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.dense.parquet").write_bytes(dense([{**ROWS[0], "doc_id": "e"}]).parquet("quire 1"))
    [report] = inspect_vectors(tmp_path)
    assert {name: report[name] for name in ("files", "rows", "documents", "dim", "model")} == {
        "files": 2,
        "rows": 4,
        "documents": 2,
        "dim": 2,
        "model": "tiny",
    }
    assert report["norms"]["min"] == pytest.approx(1) == report["norms"]["max"]


def test_files_of_others_and_cut_off_ones_are_no_dataset(saved_file, tmp_path):
    (tmp_path / "cut.parquet").write_bytes(saved_file.read_bytes()[:200])
    with pytest.raises(InputError, match="no complete Parquet file"):
        inspect_vectors(tmp_path / "cut.parquet")
    polars.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    with pytest.raises(InputError, match="not one of Quire"):
        inspect_vectors(tmp_path / "other.parquet")


def test_no_chunks_are_an_empty_file_of_the_same_shape():
    empty = VectorFile(DENSE, [], np.empty((0, 2), np.float32))
    assert empty.jsonl() == b""
    assert empty.parquet("quire 1")


def test_text_that_utf8_cannot_encode_is_replaced():
    file = VectorFile(DENSE, [{**ROWS[0], "text": "a\ud800b"}], np.ones((1, 2), np.float32))
    assert json.loads(file.jsonl())["text"] == "a?b"
    assert file.parquet("quire 1")


@pytest.mark.processes
def test_families_come_from_the_embedders_that_are_named(tmp_path):
    dense_model, sparse_model = make_model(tmp_path / "a"), make_model(tmp_path / "b", sparse=True)
    chosen = choose_families([str(sparse_model), str(dense_model)])
    assert chosen.wanted == ("dense", "sparse")
    made = list(chosen.files(ROWS, quiet_asker(TemporaryStore(), "d")))
    assert [len(file.vectors) for file in made] == [3, 3]
    assert all(file.parquet("quire 1") for file in made)
    with pytest.raises(UsageError, match="second embedder of dense"):
        choose_families([str(dense_model), str(dense_model)])
    with pytest.raises(UsageError, match="no embedder gives sparse vectors"):
        choose_families([str(dense_model)], ["sparse"])
    with pytest.raises(UsageError, match="choose from dense, sparse, lexical"):
        choose_families([], ["bm25"])

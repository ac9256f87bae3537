"""Tiny models in folders as hubs lay them out: a table of vectors for each word, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.pages.recognize.pix2tex.onnx_file import OnnxGraph

WORDS = ("[PAD]", "[UNK]", "ferry", "boat", "winter", "timetable", "fuel")
SIZE = 4


def table(columns: int = SIZE) -> NDArray[np.float32]:
    """A row for each word, some numbers below 0."""
    numbers = np.arange(len(WORDS) * columns, dtype=np.float32).reshape(len(WORDS), columns)
    return np.sin(numbers).astype(np.float32)


def make_reranker(folder: Path, *, numbers: int = 1) -> Path:
    """A cross-encoder: the sum of the first column of `table` over the tokens of the passage, less that of the query;
    `numbers` times."""
    make_model(folder, longest=64)
    graph = OnnxGraph("tiny")
    ids = graph.input("input_ids", np.int64, ["texts", "tokens"])
    graph.input("attention_mask", np.int64, ["texts", "tokens"])
    types = graph.input("token_type_ids", np.int64, ["texts", "tokens"])
    known = table()[:, :1]
    known[0] = 0  # padding
    rows = graph.add("Gather", graph.constant(known), ids, axis=0)
    signs = graph.add("Gather", graph.constant(np.array([[-1], [1]], np.float32)), types, axis=0)
    weighed = graph.add("Transpose", graph.add("Mul", rows, signs), perm=(0, 2, 1))
    summed = graph.add("ReduceSum", weighed, graph.integers(2), keepdims=0)
    graph.output("logits", graph.add("Concat", *[summed] * numbers, axis=1), ["texts", numbers])
    (folder / "model.onnx").write_bytes(graph.to_bytes())
    return folder


def make_model(folder: Path, *, sparse: bool = False, pooling: str = "mean", longest: int = 16) -> Path:
    """A sentence model, or a masked language model: its output for a token is a row of `table`."""
    columns = len(WORDS) if sparse else SIZE
    graph = OnnxGraph("tiny")
    ids = graph.input("input_ids", np.int64, ["texts", "tokens"])
    graph.input("attention_mask", np.int64, ["texts", "tokens"])
    rows = graph.add("Gather", graph.constant(table(columns)), ids, axis=0)
    graph.output("last_hidden_state", rows, ["texts", "tokens", columns])
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(graph.to_bytes())
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    kind = {"architectures": ["BertForMaskedLM"], "vocab_size": len(WORDS)} if sparse else {"hidden_size": SIZE}
    (folder / "config.json").write_text(json.dumps({**kind, "max_position_embeddings": longest}))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": pooling == "cls"}))
    return folder

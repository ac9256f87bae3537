"""Rerankers on this machine: a cross-encoder in a folder, which reads a query and a passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quire.core.errors import EngineError
from quire.net.models import find_model
from quire.retrieval.embed.codec import encode_scores
from quire.retrieval.embed.onnx_folder import BERT_UNCASED, FolderModel, FolderProfile, described, outputs, pair_ids

MS_MARCO = "ms-marco-minilm-l12-v2"
MAX_TOKENS = 256
"""Of a query and a passage together: the time grows with them, and a chunk is not longer."""


@dataclass(frozen=True, slots=True)
class CrossEncoderProfile(FolderProfile):
    """The settings that decide the scores of a cross-encoder."""


@dataclass(frozen=True, slots=True)
class CrossEncoder(FolderModel[CrossEncoderProfile]):
    """A model with one number as its output."""

    batch: int = 6
    timeout_s: float = 60.0

    def rerank(self, query: str, texts: Sequence[str]) -> bytes:
        profile = self.profile
        numbers = pair_ids(self.folder, profile.tokenizer, profile.max_tokens)
        pairs = [numbers(query, text) for text in texts]
        found = np.empty(len(pairs), np.float32)
        ids, types = [ids for ids, _ in pairs], [types for _, types in pairs]
        for rows, output, _ in outputs(self.path, ids, types):
            if output.size != len(rows):
                raise EngineError(self.name, f"its output {output.shape} is not one number for each passage")
            found[rows] = output.reshape(-1)
        return encode_scores(found)


def default_reranker() -> CrossEncoder:
    """ms-marco-MiniLM-L-12-v2. Raises ConfigurationError with how to get it when it is not here."""
    found = find_model(MS_MARCO, "model.onnx")
    profile = CrossEncoderProfile(found.digest("model.onnx"), BERT_UNCASED, MAX_TOKENS)
    return CrossEncoder(MS_MARCO, str(found.path), "model.onnx", profile)


def folder_reranker(folder: Path) -> CrossEncoder:
    """A cross-encoder by its folder. Raises ConfigurationError when something needed is missing there."""
    file, found = described(folder)
    profile = CrossEncoderProfile(found.model, found.tokenizer, min(found.max_tokens, MAX_TOKENS))
    return CrossEncoder(folder.name, str(folder), file, profile)

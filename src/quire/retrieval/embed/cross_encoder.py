"""Rerankers on this machine: a cross-encoder in a folder, which reads a query and a passage together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quire.core.engine import Policy
from quire.core.errors import EngineError
from quire.core.keys import Profile
from quire.net.models import find_model
from quire.net.models.folders import ModelFolder
from quire.retrieval.embed.codec import encode_scores
from quire.retrieval.embed.onnx_folder import BERT_UNCASED, longest_input, model_file, outputs, pair_ids

MS_MARCO = "ms-marco-minilm-l12-v2"
MAX_TOKENS = 256
"""Of a query and a passage together: the time grows with them, and a chunk is not longer."""


@dataclass(frozen=True, slots=True)
class CrossEncoderProfile(Profile):
    """What decides the scores."""

    model: str
    """sha256 of the model's file."""
    tokenizer: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class CrossEncoder:
    """A model with one number as its output."""

    name: str
    folder: str
    file: str
    profile: CrossEncoderProfile
    version: str = "1"
    batch: int = 6
    policy: Policy = "cpu"
    timeout_s: float = 60.0
    max_concurrency: int = 64

    @property
    def max_tokens(self) -> int:
        return self.profile.max_tokens

    def rerank(self, query: str, texts: Sequence[str]) -> bytes:
        profile = self.profile
        numbers = pair_ids(self.folder, profile.tokenizer, profile.max_tokens)
        pairs = [numbers(query, text) for text in texts]
        found = np.empty(len(pairs), np.float32)
        ids, types = [ids for ids, _ in pairs], [types for _, types in pairs]
        for rows, output, _ in outputs(f"{self.folder}/{self.file}", ids, types):
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
    file = model_file(folder)
    found = ModelFolder(folder, {})
    longest = min(longest_input(folder), MAX_TOKENS)
    profile = CrossEncoderProfile(found.digest(file), found.digest("tokenizer.json"), longest)
    return CrossEncoder(folder.name, str(folder), file, profile)

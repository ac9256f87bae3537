"""Sentence models on this machine: a folder with `model.onnx` and its tokenizer, on onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from quire.core.embedder import TextRole, VectorFamily
from quire.core.errors import ConfigurationError, EngineError
from quire.net.models import find_model
from quire.retrieval.embed.codec import encode_dense, normalised
from quire.retrieval.embed.onnx_folder import (
    BERT_UNCASED,
    FolderModel,
    FolderProfile,
    described,
    outputs,
    session,
    settings_in,
    token_ids,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

MINILM = "all-minilm-l6-v2"

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class LocalModelProfile(FolderProfile):
    """The settings that decide the vectors of a sentence model."""

    pooling: Pooling
    passage_prefix: str = ""
    query_prefix: str = ""


@dataclass(frozen=True, slots=True)
class LocalEmbedder(FolderModel[LocalModelProfile]):
    """A sentence model in a folder."""

    dimension: int = 0
    family: VectorFamily = "dense"

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        profile = self.profile
        prefix = profile.query_prefix if role == "query" else profile.passage_prefix
        numbers = token_ids(self.folder, profile.tokenizer, profile.max_tokens)
        ids = [numbers(prefix + text) for text in texts]
        found = np.empty((len(ids), self.dimension), np.float32)
        for rows, output, mask in outputs(self.path, ids):
            vectors = self._pooled(output, mask)
            if vectors.shape[1] != self.dimension:
                reason = f"its vectors have {vectors.shape[1]} dimensions instead of {self.dimension}"
                raise EngineError(self.name, reason)
            found[rows] = vectors
        return encode_dense(normalised(found))

    def _pooled(self, output: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if output.ndim == 2:  # pooled by the model itself
            return output
        if self.profile.pooling == "cls":
            first: NDArray[np.float32] = output[:, 0]
            return first
        weights = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (output * weights).sum(1) / weights.sum(1)
        return mean


def default_embedder() -> LocalEmbedder:
    """all-MiniLM-L6-v2. Raises ConfigurationError with how to get it when it is not here."""
    found = find_model(MINILM, "model.onnx")
    profile = LocalModelProfile(found.digest("model.onnx"), BERT_UNCASED, 256, "mean")
    return LocalEmbedder(MINILM, str(found.path), "model.onnx", profile, dimension=384)


def folder_embedder(folder: Path) -> LocalEmbedder:
    """A sentence model by its folder. Raises ConfigurationError when something needed is missing there."""
    file, found = described(folder)
    prompts = settings_in(folder / "config_sentence_transformers.json").get("prompts") or {}
    pooled = settings_in(folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token")
    profile = LocalModelProfile(
        found.model,
        found.tokenizer,
        found.max_tokens,
        "cls" if pooled else "mean",
        str(prompts.get("passage") or prompts.get("document") or ""),
        str(prompts.get("query") or ""),
    )
    size = settings_in(folder / "config.json").get("hidden_size")
    size = size or session(f"{folder}/{file}").get_outputs()[0].shape[-1]
    if not isinstance(size, int):
        raise ConfigurationError(f"{folder} does not say how many dimensions its vectors have: config.json is missing")
    return LocalEmbedder(folder.name, str(folder), file, profile, dimension=size)

"""Learned sparse models on this machine (SPLADE): a masked language model says which words a text is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quire.core.embedder import TextRole, VectorFamily
from quire.core.errors import ConfigurationError, EngineError
from quire.retrieval.embed.codec import SparseVector, encode_sparse, pruned
from quire.retrieval.embed.onnx_folder import FolderModel, FolderProfile, described, outputs, settings_in, token_ids

TOP = 128
"""Words of a vector that are kept, unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class SparseModelProfile(FolderProfile):
    """The settings that decide the vectors of a sparse model."""

    top: int = TOP


@dataclass(frozen=True, slots=True)
class SparseLocalEmbedder(FolderModel[SparseModelProfile]):
    """A masked language model in a folder: log(1 + relu) of its scores, the largest of all tokens for each word."""

    dimension: int = 0
    family: VectorFamily = "sparse"

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        profile = self.profile
        numbers = token_ids(self.folder, profile.tokenizer, profile.max_tokens)
        found: dict[int, SparseVector] = {}
        for rows, output, mask in outputs(self.path, [numbers(text) for text in texts]):
            if output.ndim != 3 or output.shape[2] != self.dimension:
                raise EngineError(
                    self.name, f"its output {output.shape} is no score for each of {self.dimension} words"
                )
            scores = (np.log1p(np.maximum(output, 0)) * mask[:, :, None]).max(1)
            for row, weights in zip(rows, scores, strict=True):
                words = {str(number): round(float(weights[number]), 6) for number in np.flatnonzero(weights > 0)}
                found[row] = pruned(words, profile.top)
        return encode_sparse([found[number] for number in range(len(texts))])


def is_sparse(folder: Path) -> bool:
    """Whether the files of a folder say that its model is a masked language model."""
    named = settings_in(folder / "config.json").get("architectures") or ()
    return any(str(name).endswith("ForMaskedLM") for name in named)


def sparse_embedder(folder: Path, *, top: int = TOP) -> SparseLocalEmbedder:
    """A sparse model by its folder. Raises ConfigurationError when something needed is missing there."""
    file, found = described(folder)
    profile = SparseModelProfile(found.model, found.tokenizer, found.max_tokens, top)
    size = settings_in(folder / "config.json").get("vocab_size")
    if not isinstance(size, int):
        raise ConfigurationError(f"{folder}/config.json does not say how many words the model knows: vocab_size")
    return SparseLocalEmbedder(folder.name, str(folder), file, profile, dimension=size)

"""Learned sparse models on this machine (SPLADE): a masked language model says which words a text is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quire.core.embedder import TextRole, VectorFamily
from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import Profile
from quire.net.models.folders import ModelFolder
from quire.retrieval.embed.codec import SparseVector, encode_sparse, pruned
from quire.retrieval.embed.onnx_folder import longest_input, model_file, outputs, settings_in, token_ids

TOP = 128
"""Words of a vector that are kept, unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class SparseModelProfile(Profile):
    """What decides the vectors."""

    model: str
    tokenizer: str
    max_tokens: int
    top: int = TOP


@dataclass(frozen=True, slots=True)
class SparseLocalEmbedder:
    """A masked language model in a folder: log(1 + relu) of its scores, the largest of all tokens for each word."""

    name: str
    folder: str
    file: str
    dimension: int
    profile: SparseModelProfile
    version: str = "1"
    family: VectorFamily = "sparse"
    batch: int = 32
    policy: Policy = "cpu"
    timeout_s: float = 300.0
    max_concurrency: int = 64

    @property
    def max_tokens(self) -> int:
        return self.profile.max_tokens

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        profile = self.profile
        numbers = token_ids(self.folder, profile.tokenizer, profile.max_tokens)
        found: dict[int, SparseVector] = {}
        for rows, output, mask in outputs(f"{self.folder}/{self.file}", [numbers(text) for text in texts]):
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
    file = model_file(folder)
    found = ModelFolder(folder, {})
    profile = SparseModelProfile(found.digest(file), found.digest("tokenizer.json"), longest_input(folder), top)
    size = settings_in(folder / "config.json").get("vocab_size")
    if not isinstance(size, int):
        raise ConfigurationError(f"{folder}/config.json does not say how many words the model knows: vocab_size")
    return SparseLocalEmbedder(folder.name, str(folder), file, size, profile)

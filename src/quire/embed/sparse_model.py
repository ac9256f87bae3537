"""Learned sparse models on this machine (SPLADE): a masked language model says which words a text is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from quire.embed.codec import SparseVector, encode_sparse, pruned
from quire.embed.onnx_folder import longest_input, model_file, outputs, settings_in, token_ids, vocabulary
from quire.embedder import TextRole, VectorFamily
from quire.engine import Policy
from quire.errors import EngineError
from quire.keys import Profile
from quire.models.folders import ModelFolder

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
        profile, words = self.profile, _words(self.folder)
        numbers = token_ids(self.folder, profile.tokenizer, profile.max_tokens)
        found: dict[int, SparseVector] = {}
        for rows, output, mask in outputs(f"{self.folder}/{self.file}", [numbers(text) for text in texts]):
            if output.ndim != 3 or output.shape[2] > len(words):
                raise EngineError(self.name, f"its output {output.shape} is no score for each of {len(words)} words")
            scores = np.log1p(np.maximum(output, 0)) * mask[:, :, None]
            for row, weights in zip(rows, scores.max(1), strict=True):
                named = {words[number]: round(float(weights[number]), 6) for number in np.flatnonzero(weights > 0)}
                found[row] = pruned(named, profile.top)
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
    return SparseLocalEmbedder(folder.name, str(folder), file, len(_words(str(folder))), profile)


@lru_cache(maxsize=2)
def _words(folder: str) -> list[str]:
    """The vocabulary of the model, by number."""
    known: dict[str, int] = vocabulary(folder).get_vocab(with_added_tokens=True)
    words = [""] * (max(known.values(), default=-1) + 1)
    for word, number in known.items():
        words[number] = word
    return words

"""Sentence models on this machine: a folder with `model.onnx` and its tokenizer, on onnxruntime."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from quire.chunk.tokenizers import bert_uncased_ids
from quire.embed.codec import encode_dense, normalised
from quire.embedder import TextRole, VectorFamily
from quire.engine import Policy
from quire.errors import ConfigurationError, EngineError, install_advice
from quire.keys import Profile
from quire.models import find_model
from quire.models.folders import ModelFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray

MINILM = "all-minilm-l6-v2"
_FILES = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_TOGETHER = 16
"""Texts in one run of the model: sorted by length, so that little of it is padding."""

Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class LocalModelProfile(Profile):
    """What decides the vectors."""

    model: str
    """sha256 of the model's file."""
    tokenizer: str
    max_tokens: int
    pooling: Pooling
    passage_prefix: str = ""
    query_prefix: str = ""


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """A sentence model in a folder, as hubs lay it out or as `quire models fetch` made it."""

    name: str
    folder: str
    file: str
    dimension: int
    profile: LocalModelProfile
    version: str = "1"
    family: VectorFamily = "dense"
    batch: int = 64
    policy: Policy = "cpu"
    timeout_s: float = 300.0
    max_concurrency: int = 64

    @property
    def max_tokens(self) -> int:
        return self.profile.max_tokens

    def embed(self, texts: Sequence[str], role: TextRole) -> bytes:
        profile = self.profile
        prefix = profile.query_prefix if role == "query" else profile.passage_prefix
        ids = [_ids(self.folder, profile)(prefix + text) for text in texts]
        order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
        found = np.empty((len(ids), self.dimension), np.float32)
        for begin in range(0, len(order), _TOGETHER):
            rows = order[begin : begin + _TOGETHER]
            found[rows] = self._run([ids[row] for row in rows])
        return encode_dense(normalised(found))

    def _run(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        longest = max(map(len, ids))
        tokens = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.int64)
        for row, known in enumerate(ids):
            tokens[row, : len(known)] = known
            mask[row, : len(known)] = 1
        session = _session(f"{self.folder}/{self.file}")
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        wanted = {one.name for one in session.get_inputs()}
        output = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        if output.ndim == 2:  # pooled by the model itself
            return self._checked(output)
        if self.profile.pooling == "cls":
            return self._checked(output[:, 0])
        weights = mask[:, :, None].astype(np.float32)
        return self._checked((output * weights).sum(1) / weights.sum(1))

    def _checked(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        if vectors.shape[1] != self.dimension:
            raise EngineError(self.name, f"its vectors have {vectors.shape[1]} dimensions instead of {self.dimension}")
        return vectors


def default_embedder() -> LocalEmbedder:
    """all-MiniLM-L6-v2. Raises ConfigurationError with how to get it when it is not here."""
    found = find_model(MINILM, "model.onnx")
    profile = LocalModelProfile(found.digest("model.onnx"), "bert-uncased", 256, "mean")
    return LocalEmbedder(MINILM, str(found.path), "model.onnx", 384, profile)


def folder_embedder(folder: Path) -> LocalEmbedder:
    """A model by its folder. Raises ConfigurationError when something needed is missing there."""
    file = next((name for name in _FILES if (folder / name).is_file()), None)
    if file is None or not (folder / "tokenizer.json").is_file():
        missing = "model.onnx" if file is None else "tokenizer.json"
        raise ConfigurationError(f"{folder} has no {missing}: give the folder of a sentence model in ONNX format")
    found = ModelFolder(folder, {})
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    said = _json(folder / "sentence_bert_config.json").get("max_seq_length") or _json(folder / "config.json").get(
        "max_position_embeddings"
    )
    longest = min(said, 8192) if isinstance(said, int) and said > 2 else 512
    pooled = _json(folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token")
    profile = LocalModelProfile(
        found.digest(file),
        found.digest("tokenizer.json"),
        longest,
        "cls" if pooled else "mean",
        str(prompts.get("passage") or prompts.get("document") or ""),
        str(prompts.get("query") or ""),
    )
    size = _json(folder / "config.json").get("hidden_size") or _session(f"{folder}/{file}").get_outputs()[0].shape[-1]
    if not isinstance(size, int):
        raise ConfigurationError(f"{folder} does not say how many dimensions its vectors have: config.json is missing")
    return LocalEmbedder(folder.name, str(folder), file, size, profile)


@lru_cache(maxsize=4)
def _session(path: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has many
        raise ConfigurationError(f"{path} cannot be loaded: {error}") from error


@lru_cache(maxsize=4)
def _ids(folder: str, profile: LocalModelProfile) -> Callable[[str], Sequence[int]]:
    """The numbers of the tokens of a text, with those that mark its ends, cut to what the model takes."""
    if profile.tokenizer == "bert-uncased":
        return bert_uncased_ids(profile.max_tokens)
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigurationError(f"tokenizers from files need a package: {install_advice('chunks')}") from error
    loaded = Tokenizer.from_file(f"{folder}/tokenizer.json")
    loaded.no_padding()
    loaded.enable_truncation(profile.max_tokens)
    return lambda text: loaded.encode(text).ids


def _json(path: Path) -> dict[str, Any]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}

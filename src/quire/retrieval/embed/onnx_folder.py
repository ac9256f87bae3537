"""A model in a folder, as hubs lay it out or as `quire models fetch` made it: its files, and how it is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from quire.core.engine import Policy
from quire.core.errors import ConfigurationError, install_advice
from quire.core.keys import Profile
from quire.net.models.folders import ModelFolder
from quire.retrieval.chunk.tokenizers import bert_uncased_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray

BERT_UNCASED = "bert-uncased"
"""The tokenizer that is part of the installation."""
_FILES = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
_TOKENS = 512
"""Tokens in one run of the model. More of them do not fit into the cache of a core: with 4,096 a text takes twice as
long."""


@dataclass(frozen=True, slots=True)
class FolderProfile(Profile):
    """The settings that decide the output of a model in a folder."""

    model: str
    """sha256 of the model's file."""
    tokenizer: str
    max_tokens: int


ProfileT = TypeVar("ProfileT", bound=FolderProfile)


@dataclass(frozen=True, slots=True)
class FolderModel(Generic[ProfileT]):
    """A model in a folder, which runs in a worker process."""

    name: str
    folder: str
    file: str
    profile: ProfileT
    version: str = "1"
    batch: int = 32
    policy: Policy = "cpu"
    timeout_s: float = 300.0
    max_concurrency: int = 64

    @property
    def max_tokens(self) -> int:
        return self.profile.max_tokens

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.file}"


def described(folder: Path) -> tuple[str, FolderProfile]:
    """The name of the model in a folder, and its profile. Raises ConfigurationError when something is missing."""
    file, found = model_file(folder), ModelFolder(folder, {})
    return file, FolderProfile(found.digest(file), found.digest("tokenizer.json"), longest_input(folder))


def model_file(folder: Path) -> str:
    """The name of the model in its folder. Raises ConfigurationError when it or its tokenizer is missing there."""
    file = next((name for name in _FILES if (folder / name).is_file()), None)
    if file is None or not (folder / "tokenizer.json").is_file():
        missing = "model.onnx" if file is None else "tokenizer.json"
        raise ConfigurationError(f"{folder} has no {missing}: give the folder of a model in ONNX format")
    return file


def longest_input(folder: Path) -> int:
    """The tokens that the model takes, as the files beside it say."""
    tokens = settings_in(folder / "sentence_bert_config.json").get("max_seq_length") or settings_in(
        folder / "config.json"
    ).get("max_position_embeddings")
    return min(tokens, 8192) if isinstance(tokens, int) and tokens > 2 else 512


def settings_in(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty when there is none."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


@lru_cache(maxsize=4)
def session(path: str) -> Any:
    """The model on onnxruntime, on one thread."""
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
def token_ids(folder: str, tokenizer: str, max_tokens: int) -> Callable[[str], Sequence[int]]:
    """The numbers of the tokens of a text, with those that mark its ends, cut to what the model takes."""
    if tokenizer == BERT_UNCASED:
        return bert_uncased_ids(max_tokens)
    loaded = _loaded(folder, max_tokens)
    return lambda text: loaded.encode(text).ids


@lru_cache(maxsize=4)
def pair_ids(folder: str, tokenizer: str, max_tokens: int) -> Callable[[str, str], tuple[Sequence[int], Sequence[int]]]:
    """As `token_ids`, for a query and a text together; and of each token which of the two it is of, 0 or 1."""
    if tokenizer == BERT_UNCASED:
        first, second = bert_uncased_ids(max_tokens // 2), bert_uncased_ids(max_tokens)

        def paired(query: str, text: str) -> tuple[Sequence[int], Sequence[int]]:
            query_ids = first(query)
            text_ids = second(text)[1:-1][: max_tokens - len(query_ids) - 1]
            return [*query_ids, *text_ids, query_ids[-1]], [0] * len(query_ids) + [1] * (len(text_ids) + 1)

        return paired
    loaded = _loaded(folder, max_tokens)

    def encoded(query: str, text: str) -> tuple[Sequence[int], Sequence[int]]:
        found = loaded.encode(query, text)
        return found.ids, found.type_ids

    return encoded


def _loaded(folder: str, max_tokens: int) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ConfigurationError(f"tokenizers from files need a package: {install_advice('chunks')}") from error
    loaded = Tokenizer.from_file(f"{folder}/tokenizer.json")
    loaded.no_padding()
    loaded.enable_truncation(max_tokens)
    return loaded


def outputs(
    path: str, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] = ()
) -> Iterator[tuple[list[int], NDArray[np.float32], NDArray[np.int64]]]:
    """Runs the model over texts of about the same length at a time: which texts, its output, and the mask.

    `types` say which text of a pair a token is of; without them there is one text.
    """
    model = session(path)
    names = {one.name for one in model.get_inputs()}
    for rows in _by_length(ids):
        longest = max(len(ids[row]) for row in rows)
        tokens = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros((len(rows), longest), np.int64)
        kinds = np.zeros((len(rows), longest), np.int64)
        for at, row in enumerate(rows):
            tokens[at, : len(ids[row])] = ids[row]
            mask[at, : len(ids[row])] = 1
            if types:
                kinds[at, : len(ids[row])] = types[row]
        inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": kinds}
        yield rows, model.run(None, {name: value for name, value in inputs.items() if name in names})[0], mask


def _by_length(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The numbers of texts that run together: the shortest first, so that little of a run is padding."""
    rows: list[int] = []
    for row in sorted(range(len(ids)), key=lambda number: len(ids[number])):
        if rows and (len(rows) + 1) * len(ids[row]) > _TOKENS:
            yield rows
            rows = []
        rows.append(row)
    if rows:
        yield rows

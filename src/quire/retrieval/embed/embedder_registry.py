"""Embedders and rerankers by what a user writes: a name, the path of a folder, or the address of a server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from quire.core.embedder import Embedder, Reranker
from quire.core.errors import ConfigurationError, UsageError
from quire.net.model_server import ModelServer
from quire.net.models import MODELS, models_folder
from quire.retrieval.embed.cross_encoder import MS_MARCO, default_reranker, folder_reranker
from quire.retrieval.embed.fallback import FallbackEmbedder
from quire.retrieval.embed.local_model import MINILM, default_embedder, folder_embedder
from quire.retrieval.embed.sparse_model import TOP, is_sparse, sparse_embedder

NONE = "none"
AUTO = "auto"
DEFAULT = MINILM
SERVED = ("openai:", "tei:")
BY_MODEL = "served:"
"""Before the model of a server in the name that an index has of it: the address may change."""


def chosen_embedder(named: str = AUTO) -> Embedder | None:
    """As `find_embedder`; for `auto` the default model if it is here, else none."""
    if named != AUTO:
        return find_embedder(named)
    try:
        return default_embedder()
    except ConfigurationError:
        return None


def find_embedder(named: str = DEFAULT) -> Embedder | None:
    """The embedder of that name, folder or server; None for `none`, which means an index of words alone.

    Servers take their settings from the environment, `QUIRE_EMBED_KEY` and others, and are asked what model they have.
    Raises ConfigurationError for a model that is not here, with how to get it; UsageError for what is none; EngineError
    for a server that does not answer.
    """
    if named == NONE:
        return None
    if named == MINILM:
        return default_embedder()
    if named.startswith(SERVED):
        return _with_fallback(named, os.environ)
    if named.startswith(BY_MODEL):
        return _with_fallback(_at_home(named.removeprefix(BY_MODEL), os.environ), os.environ)
    for folder in (Path(named).expanduser(), models_folder() / named):
        if folder.is_dir():
            top = _number(os.environ, "QUIRE_EMBED_TOP", TOP)
            return sparse_embedder(folder, top=top) if is_sparse(folder) else folder_embedder(folder)
    known = ", ".join([*(name for name in MODELS if name == MINILM), NONE])
    raise UsageError(
        f"there is no embedder {named!r}; choose from {known}, or give the folder of a model, openai:MODEL@URL or "
        "tei:URL"
    )


def _at_home(model: str, environment: Mapping[str, str]) -> str:
    """A model of a server that only its name is known of, on the server of this user."""
    if not environment.get("QUIRE_EMBED_URL"):
        raise UsageError(
            f"the model {model} is on a server, and it is not said which: name it with --embedder openai:{model}@URL "
            "or --embedder tei:URL, or set QUIRE_EMBED_URL"
        )
    return f"openai:{model}"


def find_reranker(named: str = MS_MARCO) -> Reranker | None:
    """The reranker of that name, folder or TEI server; None for `none`.

    A server takes its key from `QUIRE_RERANK_KEY`, and is asked what model it has. Raises as `find_embedder`.
    """
    if named == NONE:
        return None
    if named == MS_MARCO:
        return default_reranker()
    if named.startswith(("tei:", "http://", "https://")):
        return _reranker_at(named.removeprefix("tei:"), os.environ.get("QUIRE_RERANK_KEY") or None)
    for folder in (Path(named).expanduser(), models_folder() / named):
        if folder.is_dir():
            return folder_reranker(folder)
    raise UsageError(
        f"there is no reranker {named!r}; choose {MS_MARCO} or {NONE}, or give the folder of a model or the URL of a "
        "TEI server"
    )


@lru_cache(maxsize=4)
def _reranker_at(url: str, key: str | None) -> Reranker:
    """The reranker of a server, which is asked once in this process what it has."""
    from quire.retrieval.embed.served import tei_reranker

    return tei_reranker(ModelServer(url, key, model=f"the reranker {url}"))


def _with_fallback(named: str, environment: Mapping[str, str]) -> Embedder:
    first = _served(named, "QUIRE_EMBED_KEY", environment)
    other = environment.get("QUIRE_EMBED_FALLBACK")
    if not other:
        return first
    if not other.startswith(SERVED):
        raise ConfigurationError(f"QUIRE_EMBED_FALLBACK is {other!r}; it must be openai:MODEL@URL or tei:URL")
    return FallbackEmbedder(first, _served(other, "QUIRE_EMBED_FALLBACK_KEY", environment))


def _served(named: str, key: str, environment: Mapping[str, str]) -> Embedder:
    """The embedder of a server. Its key, in the variable `key`, goes to no other host than the one of
    `QUIRE_EMBED_URL`, where that is set: a flow of someone else may name any."""
    kind, _, rest = named.partition(":")
    model, at, url = rest.rpartition("@") if kind == "openai" else ("", "@", rest)
    if kind == "openai" and not at:
        model, url = rest, environment.get("QUIRE_EMBED_URL", "")
    if not url or (kind == "openai" and not model):
        raise UsageError(f"{named!r} does not say which server has which model: write openai:MODEL@URL or tei:URL")
    home = environment.get("QUIRE_EMBED_URL")
    strange = key == "QUIRE_EMBED_KEY" and home and urlsplit(home).netloc != urlsplit(url).netloc
    secret = None if strange else environment.get(key) or None
    return _described(
        kind,
        model,
        ModelServer(url, secret, model=f"the embedder {named}"),
        environment.get("QUIRE_EMBED_PASSAGE_PREFIX", ""),
        environment.get("QUIRE_EMBED_QUERY_PREFIX", ""),
        _number(environment, "QUIRE_EMBED_DIMENSION", 0),
        _number(environment, "QUIRE_EMBED_TOP", TOP),
    )


@lru_cache(maxsize=8)
def _described(
    kind: str, model: str, server: ModelServer, passage: str, query: str, dimension: int, top: int
) -> Embedder:
    """The embedder of a server, which is asked once in this process what it has."""
    from quire.retrieval.embed.served import Prefixes, openai_embedder, tei_embedder

    prefixes = Prefixes(passage, query)
    if kind == "tei":
        return tei_embedder(server, prefixes, top=top)
    return openai_embedder(server, model, prefixes, dimension=dimension)


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, "").strip()
    if not text:
        return default
    if not text.isdigit() or int(text) < 1:
        raise ConfigurationError(f"{name} is {text!r}; it must be a whole number from 1")
    return int(text)

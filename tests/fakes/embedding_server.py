"""A server of embeddings on this machine, over real HTTP: what it answers when it behaves. How servers misbehave is in
`vision_server`."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fakes.embedders import hashed
from tests.fakes.vision_server import Behaviour, Exchange, FakeVision, vision_server


@contextmanager
def embedding_server(*behaviours: Behaviour) -> Iterator[FakeVision]:
    """The server; `url` ends with /v1, as for OpenAI."""
    with vision_server(*behaviours) as server:
        yield server


def tei_url(server: FakeVision) -> str:
    return server.url.removesuffix("/v1")


def embeds(dimension: int = 8, *, as_base64: bool = True, backwards: bool = False) -> Behaviour:
    """Answers like `/v1/embeddings`, with a vector of the words of each text."""

    def answer(exchange: Exchange) -> None:
        texts = exchange.fake.requests[-1].body["input"]
        data = [
            {"object": "embedding", "index": number, "embedding": _encoded(text, dimension, as_base64=as_base64)}
            for number, text in enumerate(texts)
        ]
        exchange.respond(json.dumps({"object": "list", "data": data[::-1] if backwards else data}).encode())

    return answer


def tei(*, pooling: str = "mean", dimension: int = 8, most: int = 32, model: str = "acme/small") -> Behaviour:
    """Answers like text-embeddings-inference: `/info`, `/embed`, `/embed_sparse`."""

    def answer(exchange: Exchange) -> None:
        request = exchange.fake.requests[-1]
        if request.path == "/info":
            info = {"model_id": model, "model_type": {"embedding": {"pooling": pooling}}}
            exchange.respond(json.dumps({**info, "max_client_batch_size": most, "max_input_length": 384}).encode())
            return
        texts = request.body["inputs"]
        if request.path == "/embed":
            found: object = [hashed(text, dimension).tolist() for text in texts]
        else:
            found = [[{"index": at, "value": 1.5 / (1 + at)} for at in range(len(text.split()))] for text in texts]
        exchange.respond(json.dumps(found).encode())

    return answer


def reranks(*, model: str = "acme/reranker", most: int = 32) -> Behaviour:
    """Answers like text-embeddings-inference with a reranker: the best texts are those with the most words of the
    query, and come first."""

    def answer(exchange: Exchange) -> None:
        request = exchange.fake.requests[-1]
        if request.path == "/info":
            info = {"model_id": model, "model_type": {"reranker": {}}, "max_client_batch_size": most}
            exchange.respond(json.dumps(info).encode())
            return
        wanted = set(request.body["query"].lower().split())
        scores = [len(wanted & set(text.lower().split())) - 1.5 for text in request.body["texts"]]
        ranked = sorted(enumerate(scores), key=lambda pair: -pair[1])
        exchange.respond(json.dumps([{"index": number, "score": score} for number, score in ranked]).encode())

    return answer


def _encoded(text: str, dimension: int, *, as_base64: bool) -> object:
    vector = hashed(text, dimension)
    return base64.b64encode(vector.astype("<f4").tobytes()).decode() if as_base64 else vector.tolist()

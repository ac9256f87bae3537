"""Embedders on servers that are busy, break off, lie or hang."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quire.core.errors import ConfigurationError, EngineError, UsageError
from quire.retrieval.embed.batches import dense_vectors, sparse_vectors
from quire.retrieval.embed.codec import decode_dense, normalised
from quire.retrieval.embed.embedder_registry import _described, find_embedder
from quire.retrieval.embed.families import quiet_asker
from quire.store.temporary import TemporaryStore
from tests.fakes.embedders import hashed
from tests.fakes.embedding_server import embedding_server, embeds, tei, tei_url
from tests.fakes.vision_server import breaks_off, hangs, refuses, repeats_the_key, sends

KEY = "sk-secret"
TEXTS = [f"chunk {number} about ferries" for number in range(100)]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("URL", "FALLBACK", "FALLBACK_KEY", "DIMENSION", "TOP", "PASSAGE_PREFIX", "QUERY_PREFIX"):
        monkeypatch.delenv(f"QUIRE_EMBED_{name}", raising=False)
    monkeypatch.delenv("QUIRE_OFFLINE", raising=False)
    monkeypatch.setenv("QUIRE_EMBED_KEY", KEY)
    _described.cache_clear()


def expected(texts, dimension=8):
    return normalised(np.stack([hashed(text, dimension) for text in texts]))


def vectors_of(texts, embedder, store=None):
    return dense_vectors(texts, embedder, quiet_asker(store or TemporaryStore(), "d"))


@pytest.mark.parametrize("options", [{}, {"as_base64": False}, {"backwards": True}])
def test_vectors_come_in_the_order_of_the_texts_however_the_server_writes_them(options):
    with embedding_server(embeds(**options)) as server:
        embedder = find_embedder(f"openai:small@{server.url}")
        assert np.allclose(vectors_of(TEXTS, embedder), expected(TEXTS), atol=1e-3)
        assert (embedder.dimension, embedder.name) == (8, "served:small")
        assert {request.path for request in server.requests} == {"/v1/embeddings"}
        assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}
        assert sorted(len(request.body["input"]) for request in server.requests) == [1, 36, 64]


def test_a_busy_server_is_sent_the_failed_batch_again_and_no_other():
    with embedding_server(embeds()) as server:
        embedder = replace(find_embedder(f"openai:small@{server.url}"), max_concurrency=1)
        server.requests.clear()
        server.behaviours[:] = [embeds(), refuses(429, "slow down", Retry_After="0"), embeds()]
        assert np.allclose(vectors_of(TEXTS, embedder), expected(TEXTS), atol=1e-3)
        assert [len(request.body["input"]) for request in server.requests] == [64, 36, 36]


@pytest.mark.parametrize("fault", [breaks_off, refuses(502, "bad gateway", Retry_After="0")])
def test_half_an_answer_is_asked_for_again(fault):
    with embedding_server(embeds()) as server:
        embedder = find_embedder(f"openai:small@{server.url}")
        server.behaviours[:] = [fault, embeds()]
        assert len(vectors_of(TEXTS[:3], embedder)) == 3


def test_batches_that_were_embedded_before_a_failure_are_not_embedded_again():
    store = TemporaryStore()
    with embedding_server(embeds()) as server:
        embedder = replace(find_embedder(f"openai:small@{server.url}"), max_concurrency=1)
        server.behaviours[:] = [embeds(), refuses(400, "no")]
        with pytest.raises(EngineError, match="answered 400"):
            vectors_of(TEXTS, embedder, store)
        server.requests.clear()
        server.behaviours[:] = [embeds()]
        assert len(vectors_of(TEXTS, embedder, store)) == len(TEXTS)
        assert [len(request.body["input"]) for request in server.requests] == [36]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (embeds(dimension=5), "vectors of 5 dimensions instead of 8"),
        (sends(b'{"data": []}'), "gave 0 vectors for 2 texts"),
        (sends(b'{"data": [{"embedding": "%%%"}, {"embedding": "?"}]}'), "no vectors"),
        (sends(b'{"data": [{"embedding": [1, "x"]}, {"embedding": [1, 2]}]}'), "no vectors"),
        (sends(b"<html>"), "not JSON"),
    ],
)
def test_an_answer_that_does_not_fit_is_an_error_and_is_not_stored(wrong, said):
    store = TemporaryStore()
    with embedding_server(embeds()) as server:
        embedder = find_embedder(f"openai:small@{server.url}")
        server.behaviours[:] = [wrong]
        with pytest.raises(EngineError, match=said):
            vectors_of(TEXTS[:2], embedder, store)
        server.behaviours[:] = [embeds()]
        assert len(vectors_of(TEXTS[:2], embedder, store)) == 2


def test_a_server_that_quotes_the_key_does_not_get_it_into_a_message():
    with (
        embedding_server(repeats_the_key) as server,
        pytest.raises(EngineError, match=r"invalid key: Bearer \*\*\*") as caught,
    ):
        find_embedder(f"openai:small@{server.url}")
    assert KEY not in str(caught.value)


def test_the_fallback_answers_while_the_first_server_hangs(monkeypatch):
    with embedding_server(embeds()) as first, embedding_server(embeds()) as second:
        monkeypatch.setenv("QUIRE_EMBED_FALLBACK", f"openai:small@{second.url}")
        embedder = find_embedder(f"openai:small@{first.url}")
        first.behaviours[:] = [hangs]
        hasty = replace(embedder, first=replace(embedder.first, timeout_s=0.2))
        first.requests.clear()
        assert np.allclose(decode_dense(hasty.embed(TEXTS[:3], "passage")), expected(TEXTS[:3]), atol=1e-3)
        hasty.embed(TEXTS[3:6], "passage")
        assert len(first.requests) == 1, "a server that has just failed is left alone for a while"


@pytest.mark.parametrize(
    ("name", "dimension", "said"),
    [("small", 5, "have 5 dimensions instead of 8"), ("other", 8, "another server of the same model")],
)
def test_a_fallback_of_another_model_is_refused_before_anything_is_embedded(monkeypatch, name, dimension, said):
    with embedding_server(embeds()) as first, embedding_server(embeds(dimension)) as second:
        monkeypatch.setenv("QUIRE_EMBED_FALLBACK", f"openai:{name}@{second.url}")
        with pytest.raises(ConfigurationError, match=said):
            find_embedder(f"openai:small@{first.url}")


def test_another_server_with_the_same_model_finds_the_vectors_of_the_first():
    store = TemporaryStore()
    with embedding_server(embeds()) as first, embedding_server(embeds()) as second:
        vectors_of(TEXTS[:5], find_embedder(f"openai:small@{first.url}"), store)
        other = find_embedder(f"openai:small@{second.url}")
        second.requests.clear()
        vectors_of(TEXTS[:5], other, store)
        assert not second.requests


def test_shorter_vectors_are_asked_for_and_prefixes_sent(monkeypatch):
    monkeypatch.setenv("QUIRE_EMBED_DIMENSION", "4")
    monkeypatch.setenv("QUIRE_EMBED_QUERY_PREFIX", "query: ")
    with embedding_server(embeds(dimension=4)) as server:
        embedder = find_embedder(f"openai:small@{server.url}")
        assert decode_dense(embedder.embed(["where"], "query")).shape == (1, 4)
        [request] = server.requests
        assert (request.body["dimensions"], request.body["input"]) == (4, ["query: where"])


def test_a_key_goes_to_the_server_that_it_is_for_and_to_no_other(monkeypatch):
    with embedding_server(embeds()) as home, embedding_server(embeds()) as strange:
        monkeypatch.setenv("QUIRE_EMBED_FALLBACK", f"openai:small@{strange.url}")
        find_embedder(f"openai:small@{home.url}")
        monkeypatch.delenv("QUIRE_EMBED_FALLBACK")
        monkeypatch.setenv("QUIRE_EMBED_URL", home.url)
        find_embedder(f"openai:other@{strange.url}")
        find_embedder("openai:third")
        assert [request.headers.get("Authorization") for request in strange.requests] == [None, None]
        assert [request.headers.get("Authorization") for request in home.requests] == [f"Bearer {KEY}"] * 2


def test_tei_says_what_its_model_is():
    with embedding_server(tei(most=16)) as server:
        embedder = find_embedder(f"tei:{tei_url(server)}")
        assert (embedder.family, embedder.dimension, embedder.batch, embedder.max_tokens) == ("dense", 8, 16, 384)
        assert np.allclose(vectors_of(TEXTS[:20], embedder), expected(TEXTS[:20]), atol=1e-3)
        assert server.requests[-1].body["truncate"] is True


def test_sparse_vectors_of_tei_keep_the_largest_weights(monkeypatch):
    monkeypatch.setenv("QUIRE_EMBED_TOP", "2")
    with embedding_server(tei(pooling="splade")) as server:
        embedder = find_embedder(f"tei:{tei_url(server)}")
        assert (embedder.family, embedder.dimension) == ("sparse", 0)
        [one, two] = sparse_vectors(["a b c", "a"], embedder, quiet_asker(TemporaryStore(), "d"))
        assert one == (("0", "1"), (1.5, 0.75))
        assert two == (("0",), (1.5,))


def test_a_server_that_is_no_tei_is_named():
    with embedding_server(sends(b"[]")) as server, pytest.raises(ConfigurationError, match="does not answer like TEI"):
        find_embedder(f"tei:{tei_url(server)}")


def test_offline_mode_says_which_server_would_have_been_needed(monkeypatch):
    monkeypatch.setenv("QUIRE_OFFLINE", "1")
    with pytest.raises(
        ConfigurationError, match=r"openai:small@https://embeddings\.example/v1 needs embeddings\.example"
    ):
        find_embedder("openai:small@https://embeddings.example/v1")
    with embedding_server(embeds()) as server:
        assert find_embedder(f"openai:small@{server.url}").dimension == 8, "a server of this machine is no network"


@pytest.mark.parametrize("named", ["openai:small", "openai:@http://127.0.0.1:1", "tei:"])
def test_a_name_without_model_or_server_is_refused(named):
    with pytest.raises(UsageError, match="openai:MODEL@URL"):
        find_embedder(named)


def test_settings_of_servers_are_checked(monkeypatch):
    monkeypatch.setenv("QUIRE_EMBED_DIMENSION", "many")
    with pytest.raises(ConfigurationError, match="QUIRE_EMBED_DIMENSION is 'many'"):
        find_embedder("openai:small@http://127.0.0.1:1")
    monkeypatch.setenv("QUIRE_EMBED_DIMENSION", "8")
    monkeypatch.setenv("QUIRE_EMBED_FALLBACK", "all-minilm-l6-v2")
    with pytest.raises(ConfigurationError, match="QUIRE_EMBED_FALLBACK"):
        find_embedder("openai:small@http://127.0.0.1:1")

"""Rerankers: cross-encoders in folders, and servers that are busy, lie or have another model."""

from __future__ import annotations

import json

import pytest

from quire.core.errors import ConfigurationError, EngineError, UsageError
from quire.retrieval.embed.batches import relevances
from quire.retrieval.embed.embedder_registry import _reranker_at, find_reranker
from quire.retrieval.embed.families import quiet_asker
from quire.retrieval.embed.onnx_folder import BERT_UNCASED, pair_ids
from quire.store.temporary import TemporaryStore
from tests.fakes.embedding_server import embedding_server, reranks, tei, tei_url
from tests.fakes.onnx_models import WORDS, make_reranker, table
from tests.fakes.vision_server import refuses, sends

TEXTS = [f"passage {number} about ferries" for number in range(9)]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.delenv("QUIRE_OFFLINE", raising=False)
    monkeypatch.setenv("QUIRE_RERANK_KEY", "sk-secret")
    _reranker_at.cache_clear()


def asked(reranker, query, texts):
    return relevances(query, texts, reranker, quiet_asker(TemporaryStore(), ""))


@pytest.mark.processes
def test_a_cross_encoder_reads_the_query_and_each_passage_together(tmp_path):
    reranker = find_reranker(str(make_reranker(tmp_path / "model")))
    known = {word: float(row[0]) for word, row in zip(WORDS, table(), strict=True)}
    texts = ["ferry", "winter timetable fuel", *["boat fuel boat"] * 9]
    expected = [sum(known[word] for word in text.split()) - known["ferry"] - known["winter"] for text in texts]
    assert asked(reranker, "ferry winter", texts) == pytest.approx(expected, abs=1e-4)


def test_a_model_with_two_numbers_for_a_passage_is_refused(tmp_path):
    reranker = find_reranker(str(make_reranker(tmp_path / "model", numbers=2)))
    with pytest.raises(EngineError, match="is not one number for each passage"):
        reranker.rerank("ferry", ["boat", "fuel"])


@pytest.mark.parametrize(("query", "text"), [("who?", "nobody " * 400), ("why " * 400, "because " * 400), ("", "")])
def test_a_pair_is_cut_to_what_the_model_takes_and_has_its_marks(query, text):
    ids, types = pair_ids("", BERT_UNCASED, 64)(query, text)
    separator = ids[-1]
    assert len(ids) == len(types) <= 64
    assert list(ids).count(separator) == 2
    assert types == [0] * (list(ids).index(separator) + 1) + [1] * (len(ids) - list(ids).index(separator) - 1)


def test_scores_of_a_server_come_in_the_order_of_the_texts():
    with embedding_server(reranks(most=4)) as server:
        reranker = find_reranker(f"tei:{tei_url(server)}")
        assert (reranker.name, reranker.batch) == ("served:acme/reranker", 4)
        assert asked(reranker, "passage 7", TEXTS) == [0.5 if number == 7 else -0.5 for number in range(9)]
        sent = [request for request in server.requests if request.path == "/rerank"]
        assert sorted(len(request.body["texts"]) for request in sent) == [1, 4, 4]
        assert {request.headers["Authorization"] for request in server.requests} == {"Bearer sk-secret"}
        assert find_reranker(tei_url(server)) == reranker, "a URL alone is that of TEI"


def test_a_busy_server_is_asked_again():
    with embedding_server(reranks(), refuses(429, "slow down", Retry_After="0"), reranks()) as server:
        assert len(asked(find_reranker(tei_url(server)), "passage", TEXTS)) == len(TEXTS)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        [{"index": 0, "score": 1}],
        [{"index": 5, "score": 1}, {"index": 1, "score": 1}],
        [{"index": 0, "score": 1}, {"index": 1, "score": float("nan")}],
        [1, 2],
        {"scores": []},
        None,
    ],
)
def test_an_answer_that_is_no_scores_is_an_error(answer):
    with (
        embedding_server(reranks(), sends(json.dumps(answer).encode())) as server,
        pytest.raises(EngineError, match="gave something that is no scores"),
    ):
        asked(find_reranker(tei_url(server)), "passage", TEXTS[:2])


def test_a_server_of_embeddings_is_no_reranker():
    with embedding_server(tei()) as server, pytest.raises(ConfigurationError, match="acme/small, which is no reranker"):
        find_reranker(tei_url(server))


def test_an_unknown_reranker_says_what_can_be_given(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIRE_MODELS", str(tmp_path))
    with pytest.raises(UsageError, match="give the folder of a model or the URL of a TEI server"):
        find_reranker("nothing")
    with pytest.raises(ConfigurationError, match="quire models fetch ms-marco-minilm-l12-v2"):
        find_reranker()
    assert find_reranker("none") is None


def test_offline_mode_refuses_a_reranker_elsewhere(monkeypatch):
    monkeypatch.setenv("QUIRE_OFFLINE", "1")
    with pytest.raises(ConfigurationError, match=r"needs rerank\.example"):
        find_reranker("https://rerank.example")

"""Models in folders, on a network of one table."""

from __future__ import annotations

import numpy as np
import pytest

from quire.core.errors import ConfigurationError, UsageError
from quire.retrieval.embed import embed_texts, term_weights
from quire.retrieval.embed.codec import decode_dense, decode_sparse, normalised
from quire.retrieval.embed.embedder_registry import find_embedder
from tests.fakes.onnx_models import SIZE, WORDS, make_model, table


def rows_of(text, columns=SIZE):
    return table(columns)[[WORDS.index(word) for word in text.split()]]


def test_a_vector_is_the_mean_of_the_tokens_whatever_is_embedded_beside_it(tmp_path):
    embedder = find_embedder(str(make_model(tmp_path / "model")))
    texts = ["ferry", "winter timetable fuel boat ferry", "boat fuel"]
    together = decode_dense(embedder.embed(texts, "passage"))
    alone = [decode_dense(embedder.embed([text], "passage"))[0] for text in texts]
    assert np.allclose(together, normalised(np.stack([rows_of(text).mean(0) for text in texts])), atol=1e-3)
    assert np.array_equal(together, np.stack(alone))


def test_pooling_and_length_are_those_of_the_folder(tmp_path):
    embedder = find_embedder(str(make_model(tmp_path / "model", pooling="cls", longest=3)))
    assert embedder.max_tokens == 3
    [vector] = decode_dense(embedder.embed(["fuel boat ferry winter"], "passage"))
    assert np.allclose(vector, normalised(rows_of("fuel"))[0], atol=1e-3)


def test_another_model_in_the_same_folder_has_other_keys(tmp_path):
    first = find_embedder(str(make_model(tmp_path / "a" / "model")))
    second = find_embedder(str(make_model(tmp_path / "b" / "model", pooling="cls")))
    assert first.name == second.name
    assert first.profile.digest() != second.profile.digest()


def test_many_texts_of_all_lengths_keep_their_order(tmp_path):
    embedder = find_embedder(str(make_model(tmp_path / "model", longest=400)))
    texts = [" ".join(["ferry", *["boat"] * (number * 37 % 300)]) for number in range(40)]
    found = decode_dense(embedder.embed(texts, "passage"))
    assert np.allclose(found, normalised(np.stack([rows_of(text).mean(0) for text in texts])), atol=1e-3)


def test_a_masked_language_model_gives_weights_of_words(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIRE_EMBED_TOP", "3")
    embedder = find_embedder(str(make_model(tmp_path / "splade", sparse=True)))
    assert (embedder.family, embedder.dimension) == ("sparse", len(WORDS))
    for text, vector in zip(
        ["ferry winter", "boat"], decode_sparse(embedder.embed(["ferry winter", "boat"], "passage")), strict=True
    ):
        weights = np.log1p(np.maximum(rows_of(text, len(WORDS)), 0)).max(0)
        best = np.argsort(-weights, kind="stable")[:3]
        assert vector.terms == tuple(str(number) for number in best if weights[number] > 0)
        assert np.allclose(vector.weights, weights[[int(term) for term in vector.terms]], atol=1e-5)


def test_a_folder_without_a_tokenizer_says_what_is_missing(tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ConfigurationError, match=r"has no tokenizer\.json"):
        find_embedder(str(folder))


def test_a_broken_model_is_an_error_that_names_its_file(tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ConfigurationError, match=r"model\.onnx cannot be loaded"):
        find_embedder(str(folder)).embed(["ferry"], "passage")


def test_an_unknown_embedder_says_what_can_be_given(tmp_path, monkeypatch):
    monkeypatch.setenv("QUIRE_MODELS", str(tmp_path))
    with pytest.raises(UsageError, match=r"give the folder of a model, openai:MODEL@URL or tei:URL"):
        find_embedder("nothing")
    with pytest.raises(ConfigurationError, match="quire models fetch all-minilm-l6-v2"):
        find_embedder()
    assert find_embedder("none") is None


@pytest.mark.processes
def test_texts_and_queries_are_embedded_from_python(tmp_path):
    model = str(make_model(tmp_path / "model"))
    passages, queries = embed_texts(["ferry", "boat fuel"], model), embed_texts(["ferry"], model, role="query")
    assert passages.shape == (2, SIZE)
    assert np.allclose(queries[0], passages[0])
    with pytest.raises(UsageError, match="gives no dense vectors"):
        embed_texts(["ferry"], str(make_model(tmp_path / "splade", sparse=True)))
    assert list(term_weights(["the boats", "the ferry"])[0]) == ["boat", "the"]

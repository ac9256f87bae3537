"""Batches of texts: each embedded once, stored, and found again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from quire.core.errors import EngineError, UsageError
from quire.retrieval.embed.batches import dense_vectors
from quire.retrieval.embed.codec import normalised
from quire.retrieval.embed.families import quiet_asker
from quire.retrieval.search.backend import IndexProfile, check_embedder, embedder_version
from quire.store.files import FileStore
from quire.store.temporary import TemporaryStore
from tests.fakes.embedders import HashedSlowly, HashedWords, KilledOnce, hashed

TEXTS = [f"chunk {number} about ferries" for number in range(10)]
EXPECTED = normalised(np.stack([hashed(text, 8) for text in TEXTS]))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def test_the_second_run_embeds_only_what_is_new(tmp_path):
    calls = tmp_path / "calls"
    embedder = HashedWords(str(calls))
    with FileStore(tmp_path / "store") as store:
        assert np.allclose(dense_vectors(TEXTS, embedder, quiet_asker(store, "a")), EXPECTED, atol=1e-3)
    with FileStore(tmp_path / "store") as store:
        dense_vectors([*TEXTS[:8], "another"], embedder, quiet_asker(store, "b"))
    assert sorted(lines(calls)) == ["1", "2", "4", "4"]


def test_the_same_batch_asked_for_twice_at_once_is_embedded_once(tmp_path):
    calls, may, begun = tmp_path / "calls", Event(), Event()
    embedder = HashedSlowly(str(calls), may=may, begun=begun)
    store = TemporaryStore()
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(dense_vectors, TEXTS[:3], embedder, quiet_asker(store, "a"))
        assert begun.wait(60)
        waits = Event()
        second = threads.submit(dense_vectors, TEXTS[:3], embedder, quiet_asker(store, "b", waits.set))
        assert waits.wait(60)
        may.set()
        assert np.array_equal(first.result(60), second.result(60))
    assert lines(calls) == ["3"]


@pytest.mark.processes
def test_a_worker_that_is_killed_while_it_embeds_loses_only_its_batch(tmp_path):
    calls = tmp_path / "calls"
    embedder = KilledOnce(str(calls), marker=str(tmp_path / "killed"))
    with FileStore(tmp_path / "store") as store:
        found = dense_vectors(TEXTS, embedder, quiet_asker(store, "a"))
    assert np.allclose(found, EXPECTED, atol=1e-3)
    assert sorted(lines(calls)) in (["2", "4", "4", "4"], ["2", "2", "4", "4"])


def test_vectors_of_another_size_are_an_error_and_no_row_is_given():
    class Wrong(HashedWords):
        def embed(self, texts, role):
            return replace(HashedWords(), dimension=3).embed(texts, role)

    with pytest.raises(EngineError, match="gave vectors of 3 dimensions; 8 were expected"):
        dense_vectors(TEXTS, Wrong(), quiet_asker(TemporaryStore(), "a"))


def test_no_texts_are_no_vectors():
    assert dense_vectors([], HashedWords(), quiet_asker(TemporaryStore(), "a")).shape == (0, 8)


PROFILE = IndexProfile("c", "1", "hashed", embedder_version(HashedWords()), 8)


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        (HashedWords(dimension=5), "gives vectors of 5 dimensions, the index has 8"),
        (HashedWords(name="other"), "the index has vectors of hashed, and those of other"),
        (HashedWords(version="2"), "with its settings do not compare"),
        (HashedWords(family="sparse"), "an index takes dense ones"),
        (None, "name that embedder"),
    ],
)
def test_an_embedder_that_does_not_fit_an_index_is_refused_before_it_is_asked(embedder, said):
    with pytest.raises(UsageError, match=said):
        check_embedder(PROFILE, embedder)
    check_embedder(PROFILE, HashedWords())
    check_embedder(IndexProfile("c", "1"), None)

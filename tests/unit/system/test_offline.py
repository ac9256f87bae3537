"""Offline mode: what would need the network says so, and does not try."""

from __future__ import annotations

import pytest

from quire import recognize
from quire.core.errors import ConfigurationError, FetchError
from quire.net.fetching import fetch
from quire.net.models import MODELS
from quire.net.models.download import fetch_model
from quire.system.offline import refusal


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("QUIRE_OFFLINE", "1")


def test_a_document_by_url_is_not_fetched():
    with pytest.raises(FetchError, match=r"needs documents\.example, and offline mode") as caught:
        fetch("https://user:secret@documents.example/report.pdf")
    assert "secret" not in str(caught.value)


def test_a_model_is_not_fetched_and_its_package_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"needs the package dev\.langchain4j.*copy .* from a machine"):
        fetch_model(MODELS["all-minilm-l6-v2"], tmp_path, print)
    assert not list(tmp_path.iterdir())


def test_a_vision_model_elsewhere_is_refused_and_one_here_is_not():
    with pytest.raises(ConfigurationError, match=r"the vision model needs models\.example:8000"):
        recognize.vision("http://models.example:8000/v1", "model")
    assert recognize.vision("http://127.0.0.1:8000/v1", "model")


@pytest.mark.parametrize("off", ["", "0", "false", "no"])
def test_offline_mode_can_be_switched_off(monkeypatch, off):
    monkeypatch.setenv("QUIRE_OFFLINE", off)
    assert refusal("it", "https://models.example") is None


def test_a_malformed_url_is_refused_without_quoting_it():
    assert (
        refusal("it", "http://secret@[x/") == "it needs a server, and offline mode (QUIRE_OFFLINE) forbids the network"
    )

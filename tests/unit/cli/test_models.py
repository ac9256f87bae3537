"""`quire models` as people meet it."""

from __future__ import annotations

import json

import pytest

from quire.cli import models
from quire.core.errors import UsageError


def test_models_are_listed_with_purpose_licence_and_how_to_get_them(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("QUIRE_MODELS", str(tmp_path))
    assert models.list_() == 0
    listed = capsys.readouterr().out
    assert "formulas on scanned pages as LaTeX (pix2tex)\n" in listed
    assert "MIT, 96 MB to download; not here; `quire models fetch formulas`" in listed
    models.list_(as_json=True)
    [first, *_] = json.loads(capsys.readouterr().out)["models"]
    assert (first["name"], first["path"], first["present"]) == ("formulas", str(tmp_path / "formulas"), False)


def test_an_unknown_model_is_an_error_that_names_the_known_ones():
    with pytest.raises(UsageError, match="there is no model 'equations'; choose from formulas, "):
        models.fetch("equations")

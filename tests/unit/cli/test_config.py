"""`quire config show` as people meet it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quire.cli.app import app


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quire.toml").write_text('[quire]\nto = ["md", "json"]\n[preset.night]\nworkers = 8\n')
    monkeypatch.setenv("QUIRE_FACTS", "postgresql://quire:secret@db/facts")
    monkeypatch.setenv("QUIRE_PASSWORD", "swordfish")
    monkeypatch.setenv("QUIRE_PASSWORD_FOR", "*.pdf=marlin")

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["config", "show", *arguments])
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_every_value_can_tell_where_it_comes_from(show, tmp_path):
    lines = {line.split(" = ")[0]: line for line in show("--annotate-source", "--preset", "night").splitlines()}
    assert lines["workers"].endswith(f"# {tmp_path / 'quire.toml'}:4 [preset.night]")
    assert lines["facts"].endswith("# environment, QUIRE_FACTS")
    assert lines["preset"].endswith("# --preset")
    assert lines["retries"].endswith("# default")


def test_passwords_are_hidden_unless_asked_for(show):
    assert "secret" not in show() and "swordfish" not in show() and "marlin" not in show()
    assert 'password_for = ["*.pdf=***"]' in show()
    assert "secret" in show("--no-redact") and "swordfish" in show("--no-redact")


def test_what_is_shown_as_toml_can_be_read_again(show):
    assert tomllib.loads(show())["quire"]["to"] == ["md", "json"]
    assert tomllib.loads(show("--annotate-source"))["quire"]["retries"] == 2


def test_what_is_shown_as_json_and_as_variables(show):
    assert json.loads(show("--format", "json", "--annotate-source"))["retries"] == {"value": 2, "source": "default"}
    assert json.loads(show("--format", "json"))["to"] == ["md", "json"]
    assert "QUIRE_TO=md,json" in show("--format", "env").splitlines()


def test_an_unknown_format_is_refused(show):
    assert "choose from toml, json, env" in show("--format", "yaml", code=2)

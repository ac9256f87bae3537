"""Engines by name: those of this package and those of others come through the same door."""

from __future__ import annotations

import pytest

from quire.core.errors import ConfigurationError, UsageError
from quire.pages.recognize import engine_registry as registry


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a third-party package with these entry points."""

    def install(points: str) -> None:
        information = tmp_path / "stranger-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
        (information / "entry_points.txt").write_text(f"[quire.engines]\n{points}\n")
        monkeypatch.syspath_prepend(tmp_path)

    return install


def test_the_engines_of_this_package_are_there():
    assert {"echo", "rapidocr", "tesseract", "vision"} <= set(registry.names())
    assert registry.make("echo").name == "echo"


def test_an_engine_of_another_package_is_found_and_told_what_is_wanted(installed, monkeypatch, tmp_path):
    installed("stranger = tests.fakes.engines:plugin")
    monkeypatch.setenv("FAKE_ENGINE", f"raise 0 {tmp_path}")
    assert "stranger" in registry.names()
    assert registry.make("stranger", effort="fast", languages=["de"]).name == "stranger"


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"no engine 'nobody'; choose from .*echo.*rapidocr"):
        registry.make("nobody")


@pytest.mark.parametrize("point", ["broken = nowhere.at.all:engine", "broken = tests.fakes.engines:missing"])
def test_an_engine_whose_package_is_broken_says_so(installed, point):
    installed(point)
    with pytest.raises(ConfigurationError, match="the engine broken cannot be loaded"):
        registry.make("broken")

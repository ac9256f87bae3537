"""What the key of a step contains."""

from __future__ import annotations

import pytest

from quire.durable.flows.components import EXPORT
from quire.durable.flows.flow import PassingStore
from quire.durable.flows.making import Making
from quire.durable.flows.resolving import Values
from quire.flow.components import Files
from quire.flow.definition import Literal, Step
from tests.fakes.formats import OtherPackage


class Exports:
    """A step that exports, in some formats, and counts how often it really does."""

    def __init__(self) -> None:
        self.store = PassingStore()
        self.made = 0

    def run(self, *formats: str):
        step = Step("files", "export", {"document": Literal("d"), "formats": Literal(list(formats))})
        return Making(step, EXPORT, Values(self.store, None, {"export": self._export}, {}, {})).whole()

    def _export(self, document, formats, *, words, trace, figures, images):
        self.made += 1
        return Files({f".{name}": b"content" for name in formats})


@pytest.fixture
def exports():
    exports = Exports()
    yield exports
    exports.store.close()


def test_a_new_version_of_a_format_of_another_package_is_written_again(exports, tmp_path, monkeypatch):
    package = OtherPackage(tmp_path, monkeypatch)
    assert "hit" not in exports.run("md", "outline")
    assert exports.run("md", "outline")["hit"]
    package.update("2")
    assert "hit" not in exports.run("md", "outline")
    assert exports.made == 2


def test_another_package_changes_no_key_of_built_in_formats(exports, tmp_path, monkeypatch):
    before = exports.run("md", "json")["key"]
    OtherPackage(tmp_path, monkeypatch).update("2")
    assert exports.run("md", "json")["key"] == before
    # Stores hold artifacts under this key: another one would make all of them again.
    assert before == "97ab471f11e59b194f63513a503759224c907d1554a2cc86e4308207f163a428"


def test_a_format_that_does_not_exist_is_left_to_the_export(exports):
    exports.run("nonsense")
    assert exports.made == 1

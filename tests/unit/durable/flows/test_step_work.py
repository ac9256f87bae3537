"""What the key of a step contains, and what is not kept under it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from quire.core.keys import digest_of
from quire.durable.extracts.extract_request import extractor_versions
from quire.durable.flows.components import EXPORT, EXTRACT
from quire.durable.flows.domains import DRAWING
from quire.durable.flows.references import Values
from quire.durable.flows.step_work import Making
from quire.durable.inline.flow_call import PassingStore
from quire.evidence.learn.model import LearnedModel
from quire.flow.components import Files, component, component_of
from quire.flow.definition import Literal, Step
from quire.store.files import FileStore
from tests.fakes.formats import OtherPackage


class Exports:
    """A step that exports, in some formats, and counts how often it really does."""

    def __init__(self) -> None:
        self.store = PassingStore()
        self.made = 0

    def run(self, *formats: str):
        step = Step("files", "export", {"document": Literal("d"), "formats": Literal(list(formats))})
        values = Values(self.store, None, {"export": self._export}, {}, {})
        return Making(step, EXPORT, values).whole(lambda event: None)

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


def test_a_format_that_does_not_exist_is_left_to_the_export(exports):
    exports.run("nonsense")
    assert exports.made == 1


@pytest.mark.parametrize("returns", [False, True])
def test_values_of_a_model_that_is_learnt_again_meanwhile_are_not_kept_as_those_of_the_old(tmp_path, returns):
    file = tmp_path / "receipts.model"
    old, new = (LearnedModel((digest_of(of),), {}, ()) for of in ("some samples", "others"))
    old.save(file)
    step = Step("found", "extract", {"document": Literal("d")}, {"extractors": Literal([f"learned:{file}"])})

    def extract(document, **_):
        new.save(file)
        made = {"extractors": [*extractor_versions([f"learned:{file}"]).values()], "failures": []}
        if returns:
            old.save(file)
        return made

    store = PassingStore()
    making = Making(step, EXTRACT, Values(store, None, {"extract": extract}, {}, {}))
    assert "hit" not in making.whole(lambda event: None)
    old.save(file)
    assert "hit" not in making.whole(lambda event: None)
    store.close()


def test_a_drawing_that_was_not_read_whole_is_read_again():
    read = iter([{"sheets": [{"unread": 2}, {}]}, {"sheets": [{}, {}]}])
    store = PassingStore()
    values = Values(store, None, {"drawing": lambda source, pages: next(read)}, {}, {})
    making = Making(Step("read", "drawing", {"source": Literal("d")}), DRAWING, values)
    assert making.whole(lambda event: None)["failed"] == 2
    assert "hit" not in (whole := making.whole(lambda event: None))
    assert making.whole(lambda event: None)["digest"] == whole["digest"]
    store.close()


def test_two_runs_that_need_a_drawing_at_once_read_it_once(tmp_path, monkeypatch):
    read, second_came = [], Event()

    def drawing(source, pages):
        read.append(source)
        assert len(read) > 1 or second_came.wait(60)
        return {"sheets": []}

    with FileStore(tmp_path) as store, ThreadPoolExecutor(2) as runs:
        claim = store.claim

        def watched(key):
            got = claim(key)
            if got is None:
                second_came.set()
            return got

        monkeypatch.setattr(store, "claim", watched)
        step = Step("read", "drawing", {"source": Literal("d")})
        making = Making(step, DRAWING, Values(store, None, {"drawing": drawing}, {}, {}))
        made = [run.result(60) for run in [runs.submit(making.whole, lambda event: None) for _ in range(2)]]
    assert len(read) == 1
    assert sorted(one.get("hit", False) for one in made) == [False, True]


@component(version="1")
def _two_files(text: str) -> Files:
    """Two files."""
    return Files({".a": text.encode(), ".b": b"other"})


def test_files_are_as_durable_as_the_result_that_names_them(tmp_path):
    step = Step("files", "two_files", {"text": Literal("content")})
    with FileStore(tmp_path) as store, FileStore(tmp_path) as after:  # of the process that goes on after a crash
        made = Making(step, component_of(_two_files, "two_files"), Values(store, None, {}, {}, {})).whole(
            lambda event: None
        )
        files = json.loads(after.load(made["digest"]))
        assert [after.load(file["digest"]) for file in files] == [b"content", b"other"]

"""Flows as durable runs: every step is an artifact, made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml

from quire.core.context import Json
from quire.core.errors import RunError, UsageError
from quire.core.events import Event
from quire.durable.flows.workflow import flow_argument, flow_output
from quire.durable.inline.flow_call import PassingStore
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import keep_source
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.flow.component_registry import ComponentRegistry
from quire.flow.flow_files import parse_flow
from quire.runtime.local import LocalRuntime, inline
from tests import documents
from tests.fakes import flow_components
from tests.fakes.flow_components import CALLS, FAILING, busy, refusing

PAGES = 3
FAKES = "tests.fakes.flow_components"
DOCUMENT = {"id": "document", "component": "read", "input": {"source": {"$input": "source"}}}


class Desk:
    """A runtime over a store, and a document of some pages."""

    def __init__(self, runtime: LocalRuntime, store: PassingStore, source: Path) -> None:
        self.runtime, self.store, self.source = runtime, store, source
        self.events: list[Event] = []

    def run(self, *steps: Json, output: Json, inputs: Json = None, **more: Json) -> Json:
        definition = {
            "name": "f",
            "inputs": {"source": {"type": "document"}, **(inputs or {})},
            "steps": list(steps),
            "output": output,
        }
        registry = ComponentRegistry(import_paths=True)
        flow = parse_flow(yaml.safe_dump(definition), "f.yaml", registry)
        self.last = self.runtime.submit("flow", flow_argument(flow, {"source": self._source(), **more}))
        result = self.runtime.result(self.last, timeout_s=60)
        return flow_output(self.store, result)

    def _source(self) -> Json:
        return str(self.source) if isinstance(self.source, Path) else self.source

    def told(self, kind: str) -> list[str]:
        """The steps of the last run of which such an event tells."""
        events = [event for event in self.runtime.events(self.last) if event.stage == "step" and event.kind == kind]
        return [str(event.payload["step"]) for event in events]


@pytest.fixture(params=[False, True], ids=["plain", "replayed"])
def desk(request, saved) -> Iterator[Desk]:
    flow_components.reset()
    store = PassingStore()
    known = workflows_on(store, workers=1, import_paths=True)
    with inline(known, pools=pools_for(1), replay_always=request.param) as runtime:
        yield Desk(runtime, store, saved(documents.simple(PAGES)))
    store.close()


def step(id: str, component: str, on_error: Json = None, options: Json = None, **given: Json) -> Json:
    name = component if component in ("read", "export", "pages", "render") else f"{FAKES}:{component}"
    made = {"id": id, "component": name, "input": given}
    return {**made, **({"on_error": on_error} if on_error else {}), **({"options": options} if options else {})}


@pytest.mark.processes
def test_a_document_is_read_and_exported(desk):
    files = step("files", "export", document={"$step": "document"}, formats=["md", "txt"])
    output = desk.run(files, DOCUMENT, output={"files": {"$step": "files"}, "read": {"$step": "document"}})
    assert [file["name"] for file in output["files"]] == [".md", ".txt"]
    assert output["read"]["status"] == "complete"
    assert desk.store.load(output["files"][0]["digest"]).startswith(b"#")


@pytest.mark.processes
def test_a_page_component_runs_for_each_page_and_a_document_component_gathers(desk):
    output = desk.run(
        DOCUMENT,
        step("captions", "caption", page={"$step": "document"}),
        step("louder", "louder", caption={"$step": "captions"}),
        step("all", "contents", document={"$step": "document"}, captions={"$step": "louder"}),
        output={"$step": "all"},
    )
    assert output["pages"] == PAGES
    assert len(output["titles"]) == PAGES
    assert all(title.endswith("!") for title in output["titles"])
    assert CALLS["caption"] == CALLS["louder"] == PAGES
    assert CALLS["contents"] == 1


@pytest.mark.processes
def test_a_path_goes_into_what_each_page_gave(desk):
    captions = step("captions", "caption", page={"$step": "document"})
    output = desk.run(DOCUMENT, captions, output={"numbers": {"$step": "captions", "path": "number"}})
    assert output["numbers"] == [1, 2, 3]


@pytest.mark.processes
def test_a_region_component_runs_for_each_block(desk):
    output = desk.run(
        DOCUMENT,
        step("lengths", "length", block={"$step": "document"}),
        step("doubled", "doubled", length={"$step": "lengths"}),
        output={"once": {"$step": "lengths"}, "twice": {"$step": "doubled"}},
    )
    assert len(output["once"]) == PAGES
    assert output["twice"] == [[2 * length for length in page] for page in output["once"]]
    assert CALLS["length"] == sum(map(len, output["once"]))


@pytest.mark.processes
def test_a_second_run_is_look_ups(desk):
    steps = (
        DOCUMENT,
        step("captions", "caption", page={"$step": "document"}),
        step("all", "contents", document={"$step": "document"}, captions={"$step": "captions"}),
    )
    first = desk.run(*steps, output={"$step": "all"})
    before = dict(CALLS)
    assert desk.run(*steps, output={"$step": "all"}) == first
    assert before == CALLS
    assert desk.told("hit") == ["captions", "all"]


@pytest.mark.processes
def test_changing_the_options_of_a_step_redoes_it_and_what_depends_on_it_and_nothing_else(desk):
    def steps(words: int) -> list[Json]:
        return [
            DOCUMENT,
            step("lengths", "length", block={"$step": "document"}),
            step("captions", "caption", page={"$step": "document"}, options={"words": words}),
            step("all", "contents", document={"$step": "document"}, captions={"$step": "captions"}),
            step("sizes", "echo", value={"$step": "lengths"}),
        ]

    desk.run(*steps(2), output={"$step": "all"})
    before = CALLS.copy()
    desk.run(*steps(3), output={"$step": "all"})
    made = CALLS - before
    assert made["caption"] == PAGES
    assert made["contents"] == 1
    assert not made["length"] and not made["echo"]
    assert desk.told("hit") == ["lengths", "sizes"]


def test_a_step_that_gives_the_same_again_redoes_nothing_after_it(desk):
    def steps(tag: str) -> list[Json]:
        return [step("one", "echo", value=5, options={"tag": tag}), step("two", "later", value={"$step": "one"})]

    desk.run(*steps("a"), output={"$step": "two"})
    desk.run(*steps("b"), output={"$step": "two"})
    assert CALLS["echoa"] == CALLS["echob"] == CALLS["later"] == 1


@pytest.mark.processes
def test_saying_what_is_the_default_redoes_nothing(desk):
    desk.run(DOCUMENT, step("c", "caption", page={"$step": "document"}), output={"$step": "c"})
    again = step("c", "caption", page={"$step": "document"}, options={"words": 2})
    desk.run(DOCUMENT, again, output={"$step": "c"})
    assert CALLS["caption"] == PAGES


def test_an_optional_input_that_is_not_given_is_left_out(desk):
    inputs = {"tag": {"type": "string", "optional": True}, "value": {"type": "integer", "optional": True}}
    one = step("one", "echo", value={"$input": "value"}, options={"tag": {"$input": "tag"}})
    output = {"one": {"$step": "one"}, "tag": {"$input": "tag"}, "list": [{"$input": "value"}, 1]}
    assert desk.run(one, output=output, inputs=inputs) == {"one": None, "list": [1]}
    assert desk.run(one, output=output, inputs=inputs, value=7, tag="x") == {"one": 7, "tag": "x", "list": [7, 1]}
    assert CALLS["echox"] == 1


def test_bytes_and_files_are_artifacts_of_their_own(desk):
    output = desk.run(
        step("raw", "raw", value="hello"),
        step("size", "size", data={"$step": "raw"}),
        step("chart", "chart", value="1,2"),
        output={"size": {"$step": "size"}, "raw": {"$step": "raw"}, "chart": {"$step": "chart"}},
    )
    assert output["size"] == 5
    assert desk.store.load(output["raw"]["$bytes"]) == b"hello"
    assert [file["name"] for file in output["chart"]] == [".svg", "data.txt"]
    assert desk.store.load(output["chart"][1]["digest"]) == b"1,2"


def test_an_asynchronous_component_is_awaited(desk):
    assert desk.run(step("one", "later", value=1), output={"$step": "one"}) == 2


def test_a_literal_is_taken_as_it_stands(desk):
    one = step("one", "echo", value={"$literal": {"$step": "two"}})
    assert desk.run(one, output={"$step": "one"}) == {"$step": "two"}


@pytest.mark.processes
def test_an_error_that_passes_is_tried_again(desk):
    FAILING["caption/2"] = busy(1)
    output = desk.run(DOCUMENT, step("c", "caption", page={"$step": "document"}), output={"$step": "c"})
    assert len(output) == PAGES
    assert CALLS["caption/1"] == 1
    assert CALLS["caption/2"] == 2


@pytest.mark.processes
def test_a_failed_step_ends_the_flow_and_says_which_page(desk):
    FAILING["caption/2"] = refusing()
    with pytest.raises(RunError, match="step 'c', page 2: cannot be described") as caught:
        desk.run(DOCUMENT, step("c", "caption", page={"$step": "document"}), output={"$step": "c"})
    assert caught.value.category == "input"
    assert CALLS["caption/2"] == 1
    assert desk.told("failed") == ["c"]


@pytest.mark.processes
def test_pages_that_were_made_before_a_failure_are_not_made_again(desk):
    FAILING["caption/3"] = refusing(1)
    captions = step("c", "caption", page={"$step": "document"})
    with pytest.raises(RunError):
        desk.run(DOCUMENT, captions, output={"$step": "c"})
    desk.run(DOCUMENT, captions, output={"$step": "c"})
    assert [CALLS[f"caption/{page}"] for page in (1, 2, 3)] == [1, 1, 2]


@pytest.mark.processes
def test_a_page_that_is_skipped_is_nothing_in_the_list_and_tried_again_by_the_next_run(desk):
    FAILING["caption/2"] = refusing(1)
    steps = (
        DOCUMENT,
        step("c", "caption", on_error="skip", page={"$step": "document"}),
        step("loud", "louder", caption={"$step": "c"}),
    )
    first = desk.run(*steps, output={"c": {"$step": "c", "path": "number"}, "loud": {"$step": "loud"}})
    assert first["c"] == [1, None, 3]
    assert [title is None for title in first["loud"]] == [False, True, False]
    assert [event.page for event in desk.runtime.events(desk.last) if event.kind == "failed"] == [2, 2]
    again = desk.run(*steps, output={"c": {"$step": "c", "path": "number"}, "loud": {"$step": "loud"}})
    assert again["c"] == [1, 2, 3]
    assert CALLS["caption/1"] == 1 and CALLS["caption/2"] == 2


@pytest.mark.processes
def test_a_page_that_stays_busy_is_skipped_after_its_attempts(desk):
    FAILING["caption/2"] = busy(100)
    captions = step("c", "caption", on_error="skip", page={"$step": "document"})
    assert desk.run(DOCUMENT, captions, output={"$step": "c", "path": "number"}) == [1, None, 3]
    assert CALLS["caption/2"] == 3


@pytest.mark.processes
def test_a_value_can_stand_for_a_page_that_failed(desk):
    FAILING["caption/2"] = refusing()
    captions = step("c", "caption", on_error={"use": {"title": "?", "number": 0}}, page={"$step": "document"})
    assert desk.run(DOCUMENT, captions, output={"$step": "c", "path": "number"}) == [1, 0, 3]


def test_what_needs_a_skipped_step_is_skipped_and_what_can_do_without_is_not(desk):
    FAILING["later"] = refusing()
    output = desk.run(
        step("a", "later", on_error="skip", value=1),
        step("b", "later", value={"$step": "a"}),
        step("c", "echo", value={"$step": "b"}),
        output={"b": {"$step": "b"}, "c": {"$step": "c"}, "all": [{"$step": "a"}, 1]},
    )
    assert output == {"c": None, "all": [1]}
    assert CALLS["later"] == 1
    assert desk.told("progress") == ["b"]


def test_a_value_can_stand_for_a_step_that_is_skipped(desk):
    FAILING["later"] = refusing()
    steps = (
        step("a", "later", on_error="skip", value=1),
        step("b", "later", on_error={"use": 5}, value={"$step": "a"}),
    )
    assert desk.run(*steps, output={"$step": "b"}) == 5


def test_a_value_can_stand_for_a_step_that_failed(desk):
    FAILING["later"] = refusing()
    steps = (step("a", "later", on_error={"use": 41}, value=1), step("b", "echo", value={"$step": "a"}))
    assert desk.run(*steps, output={"$step": "b"}) == 41


def test_steps_that_do_not_need_each_other_all_come_to_an_end_before_the_first_error_is_told(desk):
    FAILING["later"] = refusing()
    with pytest.raises(RunError, match="step 'a': cannot be described"):
        desk.run(step("a", "later", value=1), step("b", "echo", value=2), output={"$step": "b"})
    assert CALLS["echo"] == 1
    assert desk.told("finished") == ["b"]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([step("a", "unsayable", value=1)], "step 'a': .*unsayable returned something other than JSON or bytes"),
        (
            [step("a", "echo", value={"x": 1}), step("b", "echo", value={"$step": "a", "path": "y.z"})],
            r"step 'b': step 'a' returned nothing at 'y\.z': 'y' does not exist",
        ),
        ([step("a", "size", data=3)], "the input 'data' of step 'a' is 3, not the bytes of a step"),
    ],
)
def test_a_step_that_cannot_be_done_is_told(desk, steps, message):
    with pytest.raises((RunError, UsageError), match=message):
        desk.run(*steps, output={"$step": steps[-1]["id"]})


@pytest.mark.parametrize("text", ["x" * 100_000, "ж" * 16_000], ids=["long", "not ascii"])
def test_an_output_that_is_too_large_for_a_journal_is_in_the_store(desk, text):
    assert (
        desk.run(
            step("a", "echo", value={"$input": "text"}), output={"$step": "a"}, inputs={"text": "string"}, text=text
        )
        == text
    )


@pytest.mark.processes
def test_a_document_of_another_name_is_another_document_for_its_exports(desk, tmp_path):
    files = step("files", "export", document={"$step": "document"}, formats=["json"])
    first = desk.run(DOCUMENT, files, output={"$step": "files"})
    desk.source = desk.source.rename(tmp_path / "other.pdf")
    second = desk.run(DOCUMENT, files, output={"$step": "files"})
    assert b'"other.pdf"' in desk.store.load(second[0]["digest"])
    assert first != second


@pytest.mark.processes
def test_what_a_document_is_like_is_told_page_by_page(desk):
    kind = step("kind", "pages", document={"$step": "document"})
    output = desk.run(DOCUMENT, kind, output={"$step": "kind"})
    assert output["page_count"] == output["text_pages"] == PAGES
    assert output["has_text_layer"] and not output["needing_recognition"]
    assert output["pages"][0] == {"page": 1, "kind": "text"}


def test_inputs_that_do_not_fit_end_the_run(desk):
    with pytest.raises(RunError, match="flow 'f': the input 'n' is missing"):
        desk.run(step("a", "echo", value={"$input": "n"}), output=1, inputs={"n": "integer"})


@pytest.mark.both_readers
def test_a_file_that_nobody_has_read_is_given_as_a_document_and_counts_by_its_content(desk, tmp_path):
    told = step("told", "metadata", document={"$input": "source"})
    assert desk.run(told, output={"$step": "told"}) == {"name": "report.pdf", "pages": PAGES}
    (tmp_path / "elsewhere").mkdir()
    desk.source = desk.source.rename(tmp_path / "elsewhere" / "report.pdf")
    desk.run(told, output={"$step": "told"})
    assert CALLS["metadata"] == 1
    desk.source.write_bytes(documents.simple(1))
    assert desk.run(told, output={"$step": "told"})["pages"] == 1


@pytest.mark.both_readers
def test_a_component_gets_a_file_that_only_the_store_has(desk):
    source = SourceRef.of(desk.source)
    keep_source(desk.store, source)
    desk.source.unlink()
    desk.source = asdict(replace(source, stored=True))
    told = step("told", "metadata", document={"$input": "source"})
    assert desk.run(told, output={"$step": "told"}) == {"name": "report.pdf", "pages": PAGES}


@pytest.mark.both_readers
def test_what_a_flow_gave_says_which_documents_it_was_made_from(desk):
    told = step("told", "metadata", document={"$input": "source"})
    output = desk.run(told, output={"$input": "source"})
    assert output["path"] == str(desk.source) and len(output["id"]) == 64


def test_pictures_of_pages_need_a_store_with_names(desk):
    pictures = step("pictures", "render", document={"$input": "source"})
    with pytest.raises(RunError, match=r"step 'pictures': .* choose a store"):
        desk.run(pictures, output={"$step": "pictures"})

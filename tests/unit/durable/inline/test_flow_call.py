"""Flows as a caller meets them, their test cases, and who may name code."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from quire import Flow
from quire.core.errors import RunError, UsageError
from quire.durable.flows.workflow import flow_argument
from quire.durable.inline.cases import differences, run_case
from quire.durable.inline.flow_call import PassingStore, file_name, named_files, registry_for
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.runtime.local import inline
from quire.store.files import FileStore
from tests import documents
from tests.fakes import flow_components

OWN = """
name: own
inputs: {source: document, words: {type: integer, default: 2}}
steps:
  - {id: document, component: read, input: {source: {$input: source}}}
  - id: captions
    component: "own_captions:caption"
    input: {page: {$step: document}}
    options: {words: {$input: words}}
output:
  captions: {$step: captions}
  status: {$step: document, path: status}
test:
  cases:
    - name: right
      input: {source: ../report.pdf}
      output: {status: complete, captions: [{$matches: "^[A-Z]"}, {$matches: "."}]}
    - name: wrong
      input: {source: ../report.pdf, words: 1}
      output: {status: partial, captions: [], more: 1}
    - name: broken
      input: {source: ../gone.pdf}
      output: {}
"""
CODE = """
import quire

@quire.component(unit="page")
def caption(page, *, words: int):
    return " ".join(page.text.split()[:words])
"""


@pytest.fixture
def own(tmp_path, saved, monkeypatch) -> Path:
    """The file of a flow with a component of its own beside it, two folders below a document of two pages."""
    saved(documents.simple(2))
    (tmp_path / "flows").mkdir()
    (tmp_path / "flows" / "own.yaml").write_text(OWN)
    (tmp_path / "flows" / "own_captions.py").write_text(CODE)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "flows" / "own.yaml"
    sys.modules.pop("own_captions", None)


@pytest.mark.processes
def test_a_shipped_flow_runs_in_one_line(saved, tmp_path):
    result = Flow.load("read").run(saved(documents.simple(1)), inputs={"formats": ["md", "txt"]})
    assert result.output["status"] == "complete"
    assert set(result.files) == {"report.md", "report.txt"}
    written = result.save(tmp_path / "out", stem="other")
    assert [path.name for path in written] == ["other.md", "other.txt"]
    assert written[0].read_bytes() == result.files["report.md"]


@pytest.mark.processes
def test_what_a_store_has_is_not_made_again(own, tmp_path):
    told: list[str] = []
    flow = Flow.load(own)
    first = flow.run("report.pdf", store=tmp_path / "store")
    again = flow.run("report.pdf", store=tmp_path / "store", on_event=lambda event: told.append(event.kind))
    assert first.output == again.output
    assert "hit" in told


@pytest.mark.processes
def test_a_flow_of_ones_own_is_found_by_name_with_its_components(own):
    result = Flow.load("own").run("report.pdf", inputs={"words": 1})
    assert [len(caption.split()) for caption in result.output["captions"]] == [1, 1]


@pytest.mark.processes
def test_another_process_finds_the_components_beside_the_flow(own):
    argument = flow_argument(Flow.load(own).definition, {"source": "report.pdf"})
    sys.modules.pop("own_captions")
    sys.path[:] = [place for place in sys.path if Path(place).resolve() not in (own.parent, own.parent.parent)]
    store = PassingStore()
    with inline(workflows_on(store, workers=1, import_paths=True), pools=pools_for(1)) as runtime:
        assert runtime.result(runtime.submit("flow", argument), timeout_s=60)["output"]["status"] == "complete"
    store.close()


@pytest.mark.processes
def test_a_process_that_has_loaded_other_code_does_not_do_it(own):
    definition = Flow.load(own).definition
    version = registry_for(own.parent).find("own_captions:caption").version
    store = PassingStore()
    with inline(workflows_on(store, workers=1, import_paths=True), pools=pools_for(1)) as runtime:
        for asked, state in ((version, "finished"), ("source-0", "failed")):
            argument = flow_argument(definition, {"source": "report.pdf"}, {"document": "1", "captions": asked})
            run = runtime.submit("flow", argument)
            with suppress(RunError):
                runtime.result(run, timeout_s=60)
            assert runtime.status(run).state == state
        assert "restart `quire join`" in runtime.status(run).error
        assert runtime.status(run).category == "config"
    store.close()


def test_a_flow_can_be_written_as_a_text():
    flow = Flow.from_yaml(f"""
        name: greet
        inputs: {{who: string}}
        steps: [{{id: a, component: "{flow_components.__name__}:echo", input: {{value: {{$input: who}}}}}}]
        output: {{$step: a}}
    """)
    assert flow.run(inputs={"who": "you"}).output == "you"
    assert repr(flow) == "<Flow greet: 1 steps>"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [({"formats": "md"}, "the input 'formats' is 'md', not a list"), ({"what": 1}, "the flow has no input 'what'")],
)
def test_inputs_that_do_not_fit_are_told_before_anything_runs(inputs, message):
    with pytest.raises(UsageError, match=message):
        Flow.load("read").run("report.pdf", inputs=inputs)


def test_a_document_for_a_flow_that_takes_none_is_told():
    flow = Flow.from_yaml("name: f\nsteps: [{id: a, component: read, input: {source: a.pdf}}]\noutput: 1\n")
    with pytest.raises(UsageError, match="the flow 'f' takes no document"):
        flow.run("report.pdf")


@pytest.mark.processes
def test_the_traceback_of_a_component_that_fails_is_in_the_debug_log(own, saved, caplog):
    own.with_name("own_captions.py").write_text(CODE.replace('" ".join', "page.title.join"))
    with caplog.at_level(logging.DEBUG, logger="quire"), pytest.raises(RunError, match="has no attribute 'title'"):
        Flow.load(own).run(saved(documents.simple(1)))
    assert "in caption" in caplog.text


def test_a_document_that_is_not_there_is_named():
    with pytest.raises(RunError, match=r"^.*gone\.pdf") as caught:
        Flow.load("read").run("gone.pdf")
    assert caught.value.category == "input"


@pytest.mark.processes
def test_a_document_that_cannot_be_read_is_named(saved):
    with pytest.raises(RunError, match=r"^bad\.pdf: ") as caught:
        Flow.load("read").run(saved(b"%PDF-1.4 and nothing more", "bad.pdf"))
    assert caught.value.category == "input"


def test_files_are_named_after_the_document():
    assert file_name(".table-1.csv", "report") == "report.table-1.csv"
    assert file_name("chart.png", "report") == "report.chart.png"


@pytest.mark.processes
def test_a_store_that_is_named_is_closed_after_the_run(saved, tmp_path):
    before = set(threading.enumerate())
    result = Flow.load("read").run(saved(documents.simple(1)), store=tmp_path / "store")
    left = [thread.name for thread in set(threading.enumerate()) - before if thread.name == "quire-lease"]
    assert left == []
    assert result.files["report.md"]


@pytest.mark.processes
def test_a_reader_of_events_that_raises_does_not_end_the_run(saved, caplog):
    def broken(event):
        raise RuntimeError("of somebody")

    assert Flow.load("read").run(saved(documents.simple(1)), on_event=broken).output["status"] == "complete"
    assert "an event callback raised" in caplog.text


@pytest.mark.processes
def test_files_are_named_after_the_document_that_the_inputs_name(saved):
    path = saved(documents.simple(1))
    result = Flow.load("read").run(inputs={"formats": ["md"], "source": {"path": str(path), "name": "other.pdf"}})
    assert list(result.files) == ["other.md"]


@pytest.mark.parametrize("name", ["../../evil", "a/b.txt", "/etc/evil", "a\\b.txt", "", "nul\0"])
def test_a_file_that_would_lie_elsewhere_is_refused(name):
    with pytest.raises(RunError, match="is not a file name"):
        named_files([{"name": name, "digest": "d", "size": 1}], "report")


def test_two_files_of_one_name_are_told_unless_they_are_the_same():
    entry = {"name": ".md", "digest": "d", "size": 1}
    assert list(named_files({"a": entry, "b": [entry]}, "report")) == ["report.md"]
    with pytest.raises(RunError, match=r"two files report\.md"):
        named_files([entry, {**entry, "digest": "e"}], "report")


@pytest.mark.parametrize("given", ["{$input: source}", "{$step: document}"], ids=["a file", "a result"])
@pytest.mark.processes
def test_pages_are_drawn_into_the_store(saved, tmp_path, given):
    flow = Flow.from_yaml(f"""
        name: draw
        inputs: {{source: document}}
        steps:
          - {{id: document, component: read, input: {{source: {{$input: source}}}}}}
          - {{id: pictures, component: render, input: {{document: {given}}}, options: {{dpi: 20, pages: "2"}}}}
        output: {{$step: pictures}}
    """)
    with FileStore(tmp_path / "store") as store:
        (told,) = flow.run(saved(documents.simple(2)), store=store).output
        assert told["page"] == 2 and told["image"].endswith("/page-002.png")
        picture = store.objects.read(told["image"])
    assert picture is not None and picture.startswith(b"\x89PNG")


class TestRequests:
    """What came with a request names flows that are registered, and no code."""

    @pytest.fixture
    def runtime(self, own):
        store = PassingStore()
        with inline(workflows_on(store, workers=1, flows={"mine": Flow.load(own)}), pools=pools_for(1)) as opened:
            yield opened
        store.close()

    @pytest.mark.processes
    def test_a_registered_flow_is_named(self, runtime, saved):
        run = runtime.submit("flow", {"flow": "read", "inputs": {"source": str(saved(documents.simple(1)))}})
        assert runtime.result(run, timeout_s=60)["output"]["status"] == "complete"

    def test_an_unknown_flow_is_told(self, runtime):
        with pytest.raises(RunError, match=r"there is no flow 'other' here; choose from .*mine.*read"):
            runtime.result(runtime.submit("flow", {"flow": "other"}), timeout_s=60)

    def test_a_path_is_no_name(self, runtime, own):
        with pytest.raises(RunError, match="there is no flow"):
            runtime.result(runtime.submit("flow", {"flow": str(own)}), timeout_s=60)

    @pytest.mark.processes
    def test_a_registered_flow_may_have_components_of_its_own(self, runtime):
        run = runtime.submit("flow", {"flow": "mine", "inputs": {"source": "report.pdf", "words": 1}})
        assert runtime.result(run, timeout_s=60)["output"]["status"] == "complete"

    def test_a_definition_is_refused_whatever_it_names(self, runtime, own):
        for flow in (Flow.load(own), Flow.load("read")):
            argument = flow_argument(flow.definition, {"source": "report.pdf"})
            with pytest.raises(RunError, match="a run names a registered flow"):
                runtime.result(runtime.submit("flow", argument), timeout_s=60)

    def test_where_definitions_are_allowed_those_that_name_code_are_refused(self, own):
        argument = flow_argument(Flow.load(own).definition, {"source": "report.pdf"})
        sys.modules.pop("own_captions")
        store = PassingStore()
        with (
            inline(workflows_on(store, workers=1, definitions=True), pools=pools_for(1)) as runtime,
            pytest.raises(RunError, match="allowed in files and Python but not in requests"),
        ):
            runtime.result(runtime.submit("flow", argument), timeout_s=60)
        store.close()
        assert "own_captions" not in sys.modules


class TestCases:
    @pytest.mark.processes
    def test_a_case_passes_differs_or_breaks(self, own):
        flow = Flow.load(own)
        with closing(PassingStore()) as store:
            right, wrong, broken = [run_case(flow, case, store, workers=1) for case in flow.definition.cases]
        assert right.passed
        assert wrong.differences == (
            "output.status: expected 'partial', got 'complete'",
            "output.captions: expected a list of 0 items, got " + wrong.differences[1].partition("got ")[2],
            "output.more: is missing; the keys are captions, status",
        )
        assert "gone.pdf" in broken.error and not broken.passed

    @pytest.mark.parametrize(
        ("expected", "found"),
        [
            ({"a": 1}, {"a": 1, "b": 2}),
            ([{"a": 1}], [{"a": 1, "b": 2}]),
            ({"$contains": "b"}, "abc"),
            ({"$contains": 2}, [1, 2]),
            ({"$matches": "^a.c$"}, "abc"),
            (1, 1.0),
            (None, None),
        ],
    )
    def test_more_than_expected_is_fine(self, expected, found):
        assert not list(differences(expected, found))

    @pytest.mark.parametrize(
        ("expected", "found", "told"),
        [
            ({"a": {"b": 1}}, {"a": {"b": 2}}, "output.a.b: expected 1, got 2"),
            ([1], [1, 2], "output: expected a list of 1 item, got [1, 2]"),
            ({"a": 1}, [1], "output: expected a mapping, got [1]"),
            (1, True, "output: expected 1, got True"),
            ({"$contains": "x"}, None, "output: 'x' is not in None"),
            ({"$matches": "^b"}, "ab", "output: 'ab' does not match ^b"),
        ],
    )
    def test_what_differs_is_told_with_its_place(self, expected, found, told):
        assert list(differences(expected, found)) == [told]

    @pytest.mark.processes
    def test_the_text_of_a_file_can_be_expected(self, saved):
        result = Flow.load("read").run(saved(documents.simple(1)))
        entry = result.output["files"][0]
        expected = {"name": ".md", "text": {"$contains": "nowhere in it"}}
        assert len(list(differences(expected, entry, store=result._store))) == 1

    def test_a_pattern_that_is_none_is_told(self):
        with pytest.raises(UsageError, match="is not a valid regular expression"):
            list(differences({"$matches": "("}, "a"))

"""Flows by name and by path, and the components that their steps name."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from quire.core.errors import ConfigurationError, InputError, UsageError
from quire.flow.component_registry import ComponentRegistry
from quire.flow.flow_files import SHIPPED, find_flow, find_flows, load_flow, parse_flow

SCRIPT = Path(__file__).parents[3] / "scripts" / "make_flow_samples.py"
FLOW = """
name: mine
inputs: {source: document}
steps: [{id: a, component: read, input: {source: {$input: source}}}]
output: {$step: a}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.yaml").write_text(FLOW)
    return tmp_path


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The import path of a function in a module of its own."""
    (tmp_path / "own_components.py").write_text(
        "def size(document, *, scale: int = 1):\n    return scale\nNOTHING = 1\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield str(tmp_path)
    sys.modules.pop("own_components", None)


@pytest.mark.parametrize("found", find_flows().values(), ids=lambda found: found.name)
def test_a_shipped_flow_is_right_and_has_a_test(found):
    flow = load_flow(found, ComponentRegistry())
    assert found.shipped
    assert flow.description and flow.cases


def test_there_is_a_flow_for_every_way_to_read():
    assert set(find_flows()) == {
        "chunks",
        "discover",
        "drawings",
        "embed",
        "extract",
        "forms",
        "read",
        "read-accurate",
        "read-fast",
        "read-text",
        "recognise",
        "solve",
        "searchable",
        "tables",
    }


@pytest.mark.parametrize("name", ["letter.pdf", "table.pdf", "invoice.pdf", "form.pdf", "drawing.pdf"])
def test_the_samples_are_what_the_script_makes(name):
    made = runpy.run_path(str(SCRIPT))["SAMPLES"][name]()
    assert made == (SHIPPED.parent / "samples" / name).read_bytes(), f"run {SCRIPT} and commit what it writes"


def test_a_flow_of_ones_own_is_found_by_the_name_of_its_file(folder):
    assert find_flow("mine", folder).path == folder / "mine.yaml"
    assert find_flow(str(folder / "mine.yaml")).name == "mine"
    assert "read" in find_flows(folder)


def test_a_flow_of_ones_own_comes_before_a_shipped_one(folder):
    (folder / "read.yaml").write_text(FLOW.replace("mine", "read"))
    assert not find_flow("read", folder).shipped


def test_an_unknown_name_is_told_with_what_is_near():
    with pytest.raises(UsageError, match="there is no flow 'raed'; did you mean read\\?"):
        find_flow("raed")


def test_a_missing_file_is_told():
    with pytest.raises(InputError, match=r"nowhere\.yaml: cannot be opened: No such file"):
        load_flow(find_flow("nowhere.yaml"), ComponentRegistry())


def test_a_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8 text"):
        load_flow(find_flow(tmp_path / "a.yaml"), ComponentRegistry())


def test_a_flow_and_its_file_have_one_name(folder):
    (folder / "other.yaml").write_text(FLOW)
    with pytest.raises(UsageError, match=r"the flow is called 'mine' and its file 'other\.yaml'"):
        load_flow(find_flow("other", folder), ComponentRegistry())


def test_every_mistake_is_told_with_file_and_line(folder):
    (folder / "mine.yaml").write_text(
        "name: mine\nsteps:\n  - id: a\n    component: pagse\n    input: {document: {$step: b}}\noutput: {$input: x}\n"
    )
    with pytest.raises(UsageError) as caught:
        load_flow(find_flow("mine", folder), ComponentRegistry())
    assert [line.partition("mine.yaml")[2] for line in str(caught.value).splitlines()] == [
        ":3: step 'a': there is no component 'pagse'; did you mean pages?",
        ":5: there is no step 'b'; choose from a",
        ":6: the flow has no input 'x'; there are none",
    ]


def test_built_in_components_come_through_the_door_of_strangers():
    registry = ComponentRegistry()
    assert {"read", "export", "pages", "chunk"} <= set(registry.names())
    assert registry.find("read").workflow == "document"
    assert registry.find("pages").unit == "document"
    assert registry.find("pages") is registry.find("pages")


def test_an_import_path_is_refused_unless_it_is_allowed(module):
    with pytest.raises(UsageError, match="allowed in files and Python but not in requests"):
        ComponentRegistry(folders=(module,)).find("own_components:size")
    assert "own_components" not in sys.modules


def test_a_component_by_import_path_comes_from_beside_the_flow(module):
    found = ComponentRegistry(import_paths=True, folders=(module,)).find("own_components:size")
    assert found.name == "own_components:size"
    assert found.options["scale"].default == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("own_components:gone", "cannot be loaded: .*gone"),
        ("no_such_module:f", "cannot be loaded: No module named 'no_such_module'; is its module installed"),
        ("own_components:NOTHING", "is int, not a function"),
        (":f", "cannot be loaded"),
    ],
)
def test_a_component_that_cannot_be_loaded_is_told(module, path, message):
    with pytest.raises(ConfigurationError, match=message):
        ComponentRegistry(import_paths=True, folders=(module,)).find(path)


def test_a_shipped_flow_survives_its_travel_as_json():
    definition = load_flow(find_flow("read"), ComponentRegistry())
    assert json.loads(json.dumps(definition.to_json())) == definition.to_json()


def test_the_example_of_the_reference_makes_sense():
    page = (Path(__file__).parents[3] / "docs" / "reference" / "flows.md").read_text()
    example = page.partition("```yaml\n")[2].partition("```")[0]
    flow = parse_flow(example, "flows.md", ComponentRegistry())
    assert flow.name == "captions" and flow.cases


@pytest.mark.parametrize("name", ComponentRegistry().names())
def test_a_built_in_component_is_in_the_reference(name):
    page = (Path(__file__).parents[3] / "docs" / "reference" / "flows.md").read_text()
    found = ComponentRegistry().find(name)
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    for told in (*found.inputs, *found.options, *(found.outputs or {})):
        assert f"`{told}`" in row

"""What a flow may look like, and what is said about one that does not."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.flow import FlowDefinition, InputReference, Literal, Node, StepReference, parse
from quire.flow.definition import OnError, follow

READ = {
    "name": "read",
    "inputs": {"source": {"type": "document"}},
    "steps": [{"id": "document", "component": "read", "input": {"source": {"$input": "source"}}}],
    "output": {"status": {"$step": "document", "path": "status"}},
}


def parsed(**changes: object) -> FlowDefinition:
    definition, mistakes = parse(Node.of({**READ, **changes}))
    assert not mistakes
    return definition


def mistakes_of(**changes: object) -> list[str]:
    return [mistake.message for mistake in parse(Node.of({**READ, **changes}))[1]]


def test_a_flow_is_inputs_steps_and_an_output():
    flow = parsed()
    assert flow.name == "read"
    assert flow.inputs["source"].type.name == "document"
    assert flow.steps[0].input == {"source": InputReference("source")}
    assert flow.output == {"status": StepReference("document", ("status",))}


def test_a_flow_travels_as_json_and_comes_back_equal():
    flow = parsed(
        description="Reads.",
        inputs={
            "source": "document",
            "formats": {"type": "list", "items": {"type": "string", "enum": ["md"]}, "default": ["md"]},
            "pages": {"type": "string", "optional": True, "description": "some"},
        },
        outputs={"status": {"type": "string"}},
        steps=[
            {
                "id": "document",
                "component": "read",
                "input": {"source": {"$input": "source.path"}, "more": [{"$literal": {"$step": "x"}}, 1]},
                "options": {"pages": {"$input": "pages"}, "lang": ["de"]},
                "on_error": {"use": {"status": "none"}},
            }
        ],
    )
    again, mistakes = parse(Node.of(flow.to_json()))
    assert not mistakes
    assert again == flow


@pytest.mark.parametrize(
    ("said", "path"),
    [("a.b.0", ("a", "b", "0")), ("$.a.b", ("a", "b")), (["a", 0], ("a", "0")), (3, ("3",))],
)
def test_a_path_can_be_written_in_several_ways(said, path):
    flow = parsed(output={"$step": "document", "path": said})
    assert flow.output == StepReference("document", path)


def test_what_looks_like_a_reference_can_be_a_literal():
    assert parsed(output={"$literal": {"$input": "source"}}).output == Literal({"$input": "source"})


def test_an_input_may_be_written_as_its_type_alone():
    assert parsed(inputs={"source": "document"}).inputs["source"].required


def test_an_input_with_a_default_need_not_be_given():
    flow = parsed(inputs={"source": "document", "formats": {"type": "list", "default": ["md"]}})
    assert not flow.inputs["formats"].required


@pytest.mark.parametrize(
    ("said", "meant"), [("fail", OnError()), ("skip", OnError("skip")), ({"use": 3}, OnError("use", 3))]
)
def test_what_an_error_means_is_said_by_the_step(said, meant):
    step = {"id": "a", "component": "read", "on_error": said}
    assert parsed(steps=[step]).steps[0].on_error == meant


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stpes": []}, "a flow has no 'stpes'; did you mean steps?"),
        ({"name": ""}, "the flow has no name"),
        ({"name": "two words"}, "'two words' is not a valid name for a flow"),
        ({"steps": []}, "there are no steps"),
        ({"steps": {"a": 1}}, "`steps` must be a list"),
        ({"steps": ["read"]}, "a step must be a mapping"),
        ({"steps": [{"id": "a"}]}, "step a has no component"),
        ({"steps": [{"component": "read"}]}, "the step has no id"),
        ({"steps": [{"id": "a", "component": "read", "inputs": {}}]}, "a step has no 'inputs'; did you mean input?"),
        ({"steps": [{"id": "a", "component": "read", "on_error": "ignore"}]}, "`on_error` is fail, skip or {use"),
        ({"steps": [{"id": "a", "component": "read", "on_error": {"use": 1, "x": 2}}]}, "`on_error` is fail"),
        ({"inputs": {"source": {}}}, "source has no type"),
        ({"inputs": {"source": "file"}}, "'file' is not a type"),
        ({"inputs": {"n": {"type": "integer", "default": "3"}}}, "the default of n is '3', not an integer"),
        ({"inputs": {"n": {"type": "string", "default": 3}}}, "not a string; write it in quotes"),
        ({"inputs": {"n": {"type": "integer", "items": "string"}}}, "`items` has no meaning here"),
        ({"inputs": {"n": {"type": "string", "enum": "a"}}}, "`enum` of n is a list"),
        ({"inputs": {"n": {"type": "string", "optional": "yes"}}}, "`optional` must be true or false"),
        ({"output": {"$inptu": "source"}}, "$inptu is not a reference; did you mean $input?"),
        ({"output": {"$input": "source", "path": "a"}}, "'path' is not allowed beside $input"),
        ({"output": {"$step": "document", "path": {}}}, "`path` must be a path like a.b.0"),
        ({"output": {"$step": "document", "path": "$"}}, "`path` is empty"),
        ({"test": {"cases": [{"name": "a"}]}}, "case 'a' expects nothing"),
        ({"test": {"case": []}}, "test has no 'case'; did you mean cases?"),
    ],
)
def test_a_wrong_shape_is_told_of(changes, message):
    assert [told for told in mistakes_of(**changes) if message in told]


def test_every_mistake_is_found_at_once():
    found = mistakes_of(name="", steps=[{"id": "1"}], output={"$what": 1})
    assert len(found) == 4


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, object()])
def test_what_json_cannot_say_is_no_flow(value):
    with pytest.raises(UsageError):
        Node.of({"name": value})


def test_a_path_leads_through_mappings_and_lists():
    assert follow({"a": [{"b": 1}]}, ("a", "0", "b")) == 1
    with pytest.raises(LookupError, match="1"):
        follow({"a": [0]}, ("a", "1"))

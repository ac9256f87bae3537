"""Whether a flow makes sense is known before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from quire.core.errors import UsageError
from quire.flow import Component, Node, Port, check, component, parse
from quire.flow.component_registry import ComponentRegistry
from quire.flow.components import component_of
from quire.flow.tree import nearest
from quire.flow.validation import input_problems
from quire.flow.value_types import Type


@component(unit="page", version="1", outputs={"title": str})
def caption(page, *, words: int = 5, style: Literal["plain", "loud"] = "plain") -> dict[str, object]:
    return {"title": " ".join(page.text.split()[:words])}


@component(unit="region", version="1")
def letters(block) -> int:
    return len(block.text)


def summary(document, captions: Sequence[object] = ()) -> dict[str, object]:
    return {"captions": list(captions)}


KNOWN = {
    "read": Component(
        "read",
        "document",
        "1",
        inputs={"source": Port(Type("document"))},
        options={"lang": Port(Type("list", Type("string")), required=False)},
        outputs={"status": Type("string"), "ledger": Type("object")},
        gives=Type("result"),
        workflow="document",
    ),
    "export": Component("export", "document", "1", inputs={"document": Port(Type("result"))}, gives=Type("list")),
    "caption": component_of(caption, "caption"),
    "letters": component_of(letters, "letters"),
    "summary": component_of(summary, "summary"),
}


class Known(ComponentRegistry):
    def find(self, name: str) -> Component:
        if name not in KNOWN:
            raise UsageError(f"there is no component {name!r}; {nearest(name, KNOWN)}")
        return KNOWN[name]


DOCUMENT = {"id": "document", "component": "read", "input": {"source": {"$input": "source"}}}
INPUTS = {
    "source": {"type": "document"},
    "lang": {"type": "list", "items": {"type": "string"}, "optional": True},
    "count": {"type": "integer", "default": 3},
}


def mistakes_of(*steps: object, output: object = None, **more: object) -> list[str]:
    flow = {"name": "f", "inputs": INPUTS, "steps": list(steps), "output": output, **more}
    definition, shape = parse(Node.of(flow))
    assert not shape
    return [mistake.message for mistake in check(definition, Known())]


def step(id: str, component: str, **given: object) -> dict[str, object]:
    options = {"options": given.pop("options")} if "options" in given else {}
    return {"id": id, "component": component, "input": given, **options}


def test_a_flow_that_makes_sense_has_no_mistakes():
    assert not mistakes_of(
        step("summary", "summary", document={"$step": "document"}, captions={"$step": "captions", "path": "title"}),
        step("captions", "caption", page={"$step": "document"}, options={"words": {"$input": "count"}}),
        {**DOCUMENT, "options": {"lang": {"$input": "lang"}}},
        output={"status": {"$step": "document", "path": "status"}, "all": {"$step": "summary"}},
    )


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([step("a", "raed", source="x.pdf")], "step 'a': there is no component 'raed'; did you mean read?"),
        ([step("a", "read", source={"$input": "sorce"})], "the flow has no input 'sorce'; did you mean source?"),
        ([DOCUMENT, step("a", "export", document={"$step": "documents"})], "there is no step 'documents'"),
        ([DOCUMENT, DOCUMENT], "there is a step 'document' already"),
        ([step("a", "read")], "step 'a' lacks the input 'source'"),
        ([step("a", "read", source="x.pdf", file="y")], "read has no input 'file'"),
        ([step("a", "read", source="x.pdf", lang=["de"])], "it is an option: write it under `options`"),
        ([step("a", "read", source="x.pdf", options={"source": "y"})], "it is an input: write it under `input`"),
        ([step("a", "read", source=3)], "the input 'source' of step 'a' is 3, not a document"),
        ([step("a", "read", source={"$input": "lang"})], "is list of string, not document"),
        ([step("a", "read", source="x", options={"langs": []})], "read has no option 'langs'; did you mean lang?"),
        ([step("a", "read", source="x", options={"lang": "de"})], "the option 'lang' of step 'a' is 'de', not a list"),
        ([step("a", "read", source="x", options={"lang": [False]})], "item, number 1, that is false, not a string"),
        ([step("a", "read", source="x", options={"lang": {"$input": "count"}})], "is integer, not list of string"),
        ([DOCUMENT, step("a", "read", source={"$step": "document"})], "it was read already"),
        ([step("a", "export", document={"$input": "source"})], "it has not been read yet; refer to a step like read"),
        ([DOCUMENT, step("a", "caption", page={"$step": "document"}, options={"words": "5"})], "not an integer"),
        (
            [DOCUMENT, step("a", "caption", page={"$step": "document"}, options={"style": "big"})],
            "is 'big'; choose from plain, loud",
        ),
        (
            [DOCUMENT, step("a", "summary", document={"$step": "document", "path": "stauts"})],
            "read (step 'document') has no output 'stauts'; did you mean status?",
        ),
        (
            [DOCUMENT, step("a", "caption", page={"$step": "document"}, options={"words": {"$step": "document"}})],
            "options may refer to inputs of the flow, not to steps",
        ),
        ([step("a", "caption", page={"$input": "source"})], "gets no document that was read"),
        ([step("a", "letters", block="text")], "works on each region, but step 'a' gets no document"),
        ([DOCUMENT, step("a", "caption", page={"$step": "document", "path": "status"})], "gets no document that was"),
        (
            [
                DOCUMENT,
                {**DOCUMENT, "id": "other"},
                step("a", "caption", page=[{"$step": "document"}, {"$step": "other"}]),
            ],
            "gets pages of several documents (document and other)",
        ),
        (
            [
                step("a", "summary", document={"$step": "b"}),
                step("b", "summary", document={"$step": "c"}),
                step("c", "summary", document={"$step": "a"}),
            ],
            "the steps a, b, c form a cycle",
        ),
        ([step("a", "summary", document={"$input": "lang"})], "'document' of summary is required, but 'lang' is opt"),
    ],
)
def test_a_mistake_is_found_before_the_flow_runs(steps, message):
    found = mistakes_of(*steps)
    assert [told for told in found if message in told], found


def test_a_step_behind_a_cycle_is_not_blamed_for_it():
    found = mistakes_of(
        step("a", "summary", document={"$step": "a"}),
        step("b", "summary", document={"$step": "a"}),
    )
    assert found == ["the steps a form a cycle; remove one of the references"]


def test_a_declared_output_must_be_given_and_fit():
    declared = {"status": {"type": "integer"}, "files": {"type": "list"}}
    found = mistakes_of(DOCUMENT, output={"status": {"$step": "document", "path": "status"}}, outputs=declared)
    assert found == [
        "the output 'files' is declared, but `output` does not set it",
        "the output 'status' is string, not integer",
    ]


def test_the_inputs_of_a_case_are_checked():
    case = {"name": "one", "input": {"sorce": "x.pdf"}, "output": {}}
    found = mistakes_of(DOCUMENT, test={"cases": [case]})
    assert found == [
        "case 'one': the flow has no input 'sorce'; did you mean source?",
        "case 'one': the input 'source' is missing",
    ]


def test_pages_of_a_page_component_may_go_to_another():
    assert not mistakes_of(
        DOCUMENT,
        step("a", "caption", page={"$step": "document"}),
        step("b", "caption", page={"$step": "a"}),
        step("c", "letters", block={"$step": "b"}),
    )


def test_inputs_that_are_absent_are_no_problem_unless_they_are_needed():
    definition, _ = parse(Node.of({"name": "f", "inputs": INPUTS, "steps": [DOCUMENT], "output": 1}))
    assert not input_problems(definition.inputs, {"source": "x.pdf", "lang": None})
    assert input_problems(definition.inputs, {"source": None}) == ["the input 'source' is missing"]
    assert input_problems(definition.inputs, {"source": "x", "count": "3"}) == [
        "the input 'count' is '3', not an integer"
    ]


def test_a_long_chain_in_which_each_step_refers_twice_to_the_one_before_is_checked_at_once():
    def chained(component, name, first):
        ids = [first, *(f"s{number}" for number in range(60))]
        twice = ([{"$step": before}, {"$step": before}] for before in ids)
        return [
            {"id": id, "component": component, "input": {name: given}}
            for id, given in zip(ids[1:], twice, strict=False)
        ]

    assert mistakes_of(DOCUMENT, *chained("caption", "page", "document"), output={"$step": "s59"}) == []
    first = {"id": "first", "component": "summary", "input": {"document": {"$step": "s59"}}}
    (mistake,) = mistakes_of(first, *chained("summary", "document", "first"), output=1)
    assert "form a cycle" in mistake

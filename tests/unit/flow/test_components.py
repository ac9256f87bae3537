"""Functions as components: what their signature says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from quire.core.errors import ConfigurationError, UsageError
from quire.flow import component
from quire.flow.components import Files, Port, component_of, is_files
from quire.flow.value_types import ANY, Type


@component(unit="page", version="7", outputs={"title": str, "places": list[int]})
def caption(page, near: str | None = None, *, words: int = 5, langs: Sequence[str] = ()) -> dict[str, object]:
    """The first words.

    And more.
    """
    return {"title": page, "near": near, "words": words, "langs": langs}


def test_a_decorated_function_can_still_be_called():
    assert caption("x")["title"] == "x"


def test_positional_parameters_are_inputs_and_others_options():
    made = component_of(caption, "caption")
    assert made.unit == "page"
    assert made.version == "7"
    assert made.description == "The first words."
    assert made.inputs == {"page": Port(ANY), "near": Port(Type("string", nullable=True), required=False)}
    assert made.options["words"] == Port(Type("integer"), required=False, default=5)
    assert made.options["langs"] == Port(Type("list", Type("string")), required=False, default=[])
    assert made.outputs == {"title": Type("string"), "places": Type("list", Type("integer"))}
    assert made.gives == Type("object")


def test_saying_what_is_the_default_changes_nothing():
    made = component_of(caption, "caption")
    assert made.settings({"words": 5}) == made.settings({}) == {"words": 5, "langs": []}


def test_without_a_version_the_text_of_the_function_is_the_version():
    def first(document):
        return 1

    def second(document):
        return 2

    versions = {component_of(function, "f").version for function in (first, second)}
    assert len(versions) == 2
    assert component_of(first, "f").version in versions


def test_annotations_for_the_type_checker_alone_do_no_harm():
    def function(document: quire.DocumentResult, other: Unknown, *, mode: Literal["a", "b"] = "a"):  # noqa: F821
        return None

    made = component_of(function, "f")
    assert made.inputs["document"].type == Type("result")
    assert made.inputs["other"].type == ANY
    assert made.options["mode"].type == Type("string", enum=("a", "b"))


def test_a_function_that_takes_nothing_is_no_component():
    with pytest.raises(ConfigurationError, match="the component f takes no document"):
        component_of(lambda: 1, "f")


def test_a_unit_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match="document, page or region, not 'line'"):
        component(unit="line")


def test_files_are_told_from_json():
    assert is_files(Files()) and is_files({"a.txt": b"x"})
    assert not is_files({}) and not is_files({"a": "x"}) and not is_files([b"x"])

"""YAML with lines; nothing in it is executed, and nothing in it explodes."""

from __future__ import annotations

import pytest

from quire.core.errors import UsageError
from quire.flow import parse, yaml_tree
from quire.flow.yaml_tree import read_tree


def test_everything_knows_its_line():
    tree = read_tree("name: a\nsteps:\n  - id: b\n    component: read\n", "f.yaml")
    assert isinstance(tree.value, dict)
    steps = tree.value["steps"].value
    assert isinstance(steps, list)
    assert tree.line_of("steps") == 2
    assert steps[0].line == 3
    assert steps[0].line_of("component") == 4


def test_scalars_are_what_yaml_says_and_dates_stay_texts():
    tree = read_tree('{a: 1, b: 1.5, c: true, d: null, e: "1", f: 2024-01-01, g: 99999999999999999999}', "f.yaml")
    assert tree.plain() == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": None,
        "e": "1",
        "f": "2024-01-01",
        "g": 99999999999999999999,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", r"f\.yaml:\d+: invalid YAML"),
        ("a: b: c", r"f\.yaml:1: invalid YAML: mapping values are not allowed"),
        ("a: 1\nb: 2\na: 3\n", r"f\.yaml:3: 'a' is a duplicate of line 1"),
        ("a:\n  ? [x]\n  : 1\n", r"f\.yaml:2: a key must be a string"),
        ("a: !!python/object/apply:os.system [ls]", r"f\.yaml:1: the tag .*os\.system is not allowed"),
        ("a: !secret x", r"f\.yaml:1: the tag !secret is not allowed in a flow"),
        ("a: .inf", r"f\.yaml:1: \.inf is not a finite number"),
        ("", r"f\.yaml is empty"),
        ("# nothing\n", r"f\.yaml is empty"),
        ("a: \x00", r"invalid YAML"),
        ("--- a\n--- b\n", r"invalid YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, message):
    with pytest.raises(UsageError, match=message):
        read_tree(text, "f.yaml")


def test_all_tags_are_told_of_at_once():
    with pytest.raises(UsageError) as caught:
        read_tree("a: !x 1\nb: !y 2\n", "f.yaml")
    assert len(str(caught.value).splitlines()) == 2


def test_an_alias_is_expanded_where_it_stands():
    assert read_tree("a: &x {b: 1}\nc: *x\n", "f.yaml").plain() == {"a": {"b": 1}, "c": {"b": 1}}


def test_a_small_file_that_expands_to_a_large_one_is_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    with pytest.raises(UsageError, match="repeats or nests too much"):
        read_tree("\n".join(lines), "f.yaml")


def test_an_alias_to_itself_is_refused():
    with pytest.raises(UsageError, match="repeats or nests too much"):
        read_tree("a: &a [*a]", "f.yaml")


@pytest.mark.parametrize("text", ["[" * 60 + "]" * 60, "[" * 90_000, "{a: " * 5000, "- " * 2000 + "a"])
def test_deep_nesting_is_refused(text):
    with pytest.raises(UsageError, match=r"nests too much|nested too deeply"):
        read_tree(text, "f.yaml")


def test_a_large_file_is_refused(monkeypatch):
    monkeypatch.setattr(yaml_tree, "MAX_CHARACTERS", 10)
    with pytest.raises(UsageError, match="that is too large for a flow"):
        read_tree("a: 12345678", "f.yaml")


def test_a_mistake_in_the_shape_has_its_line():
    _, mistakes = parse(read_tree("name: f\nsteps:\n  - id: a\n    componet: read\noutput: 1\n", "f.yaml"))
    assert [mistake.told("f.yaml") for mistake in mistakes] == [
        "f.yaml:3: step a has no component; add `component: …`, like read or export",
        "f.yaml:4: a step has no 'componet'; did you mean component?",
    ]

"""Whatever a file says, the answer is a flow or a list of mistakes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.core.errors import QuireError
from quire.flow import Node, check, parse
from quire.flow.yaml_tree import read_tree
from tests.unit.flow.test_validation import Known

_SAID = """
    name inputs steps output outputs id component input options on_error use type $input $step $literal path document
    read caption a list items enum default test cases skip optional a.b $ export source page string
"""
WORDS = st.sampled_from(_SAID.split()) | st.just("")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)
REFERENCES = st.builds(lambda step, path: {"$step": step, "path": path}, WORDS, VALUES) | st.builds(
    lambda name: {"$input": name}, WORDS
)
STEPS = st.fixed_dictionaries(
    {"id": WORDS, "component": WORDS, "input": st.dictionaries(WORDS, VALUES | REFERENCES, max_size=3)},
    optional={"options": st.dictionaries(WORDS, VALUES | REFERENCES, max_size=3), "on_error": VALUES},
)
FLOWS = st.fixed_dictionaries(
    {"name": WORDS, "steps": st.lists(STEPS, max_size=4), "output": VALUES | REFERENCES},
    optional={"inputs": VALUES, "outputs": VALUES, "test": VALUES},
)


@settings(max_examples=200)
@given(VALUES | FLOWS)
@pytest.mark.slow
def test_any_value_is_a_flow_or_has_mistakes(value):
    flow, mistakes = parse(Node.of(value))
    mistakes = [*mistakes, *check(flow, Known())]
    assert all(mistake.message for mistake in mistakes)
    if not mistakes:
        again, none = parse(Node.of(json.loads(json.dumps(flow.to_json()))))
        assert not none
        assert again.steps == flow.steps and again.output == flow.output


@settings(max_examples=100)
@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@, \n\t01.", max_size=60))
def test_any_text_is_a_tree_or_a_mistake(text):
    try:
        tree = read_tree(text, "f.yaml")
    except QuireError:
        return
    parse(tree)

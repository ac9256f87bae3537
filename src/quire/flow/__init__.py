"""Flows: steps wired by references. Finding, parsing and checking of flow files.

Comes in: YAML, and the components that are installed. Goes out: a definition whose every reference and type is right,
or all mistakes with their lines. `durable/flows` runs it.
"""

from __future__ import annotations

from quire.flow.components import Component, Port, component
from quire.flow.definition import FlowDefinition, InputReference, Literal, Step, StepReference
from quire.flow.parser import parse
from quire.flow.tree import Mistake, Node
from quire.flow.validation import check

__all__ = [
    "Component",
    "FlowDefinition",
    "InputReference",
    "Literal",
    "Mistake",
    "Node",
    "Port",
    "Step",
    "StepReference",
    "check",
    "component",
    "parse",
]

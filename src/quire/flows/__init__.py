"""Flows in files: YAML with lines, where flows are found, and the components that their steps name."""

from __future__ import annotations

from quire.flows.components import Registry
from quire.flows.finding import Found, find_flow, find_flows, load_flow
from quire.flows.loading import read_tree

__all__ = ["Found", "Registry", "find_flow", "find_flows", "load_flow", "read_tree"]

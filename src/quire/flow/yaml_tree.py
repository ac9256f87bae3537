"""Parses YAML into a tree with line numbers. Safe: no code is executed, and alias expansion is limited."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

from quire.core.errors import UsageError
from quire.flow.tree import Mistake, Mistakes, Node, raise_mistakes

MAX_CHARACTERS = 200_000
MAX_NODES = 20_000
"""Maximum number of values in a file, counted after alias expansion."""
MAX_DEPTH = 50

_CORE = "tag:yaml.org,2002:"


def read_tree(text: str, file: str) -> Node:
    """The tree of a file. Raises UsageError, with the line, for invalid YAML and for values that a flow cannot hold."""
    import yaml  # slow to import, and most commands need no flow

    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"{file} has more than {MAX_CHARACTERS:,} characters; that is too large for a flow")
    if _brackets(text) > 4 * MAX_DEPTH:  # the scanner would take long to find out
        raise UsageError(f"{file} is nested too deeply for a flow")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)  # the C loader crashes the process on deep nesting
    except yaml.YAMLError as error:
        raise_mistakes([_syntax(error)], file)
    except RecursionError:
        raise UsageError(f"{file} is nested too deeply for a flow") from None
    if root is None:
        raise UsageError(f"{file} is empty; a flow has at least a name, steps and an output")
    walker = _Walker(yaml.SafeLoader(""))
    tree = walker.node(root, 0)
    raise_mistakes(walker.mistakes.sorted(), file)
    return tree


class _Walker:
    """Converts the nodes of the YAML library. An alias is expanded in place."""

    def __init__(self, scalars: Any) -> None:
        self.mistakes = Mistakes()
        self._scalars = scalars
        self._count = 0

    def node(self, node: Any, depth: int) -> Node:
        import yaml

        line = node.start_mark.line + 1
        self._count += 1
        if depth > MAX_DEPTH or self._count > MAX_NODES:
            self.mistakes.add(line, "this repeats or nests too much for a flow; write it out without aliases")
            return Node(None, line)
        if not isinstance(node, yaml.ScalarNode) and node.tag.removeprefix(_CORE) not in ("map", "seq"):
            self._refuse_tag(node, line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, line, depth)
        if isinstance(node, yaml.SequenceNode):
            return Node([self.node(item, depth + 1) for item in self._few(node.value)], line)
        return Node(self._scalar(node, line), line)

    def _mapping(self, node: Any, line: int, depth: int) -> Node:
        found: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in self._few(node.value):
            key_line = key.start_mark.line + 1
            name = key.value
            if not isinstance(name, str):
                self.mistakes.add(key_line, "a key must be a string, not a list or a mapping")
            elif name in found:
                self.mistakes.add(key_line, f"{name!r} is a duplicate of line {lines[name]}; keep one of the two")
            else:
                found[name], lines[name] = self.node(value, depth + 1), key_line
        return Node(found, line, lines)

    def _few(self, items: list[Any]) -> list[Any]:
        """Limit the number of items: alias expansion stops here."""
        return items[: max(0, MAX_NODES - self._count) + 1]

    def _scalar(self, node: Any, line: int) -> str | int | float | bool | None:
        kind = node.tag.removeprefix(_CORE)
        if kind in ("str", "timestamp"):
            return str(node.value)
        if kind in ("int", "float", "bool", "null"):
            try:
                value: str | int | float | bool | None = self._scalars.construct_object(node)
            except ValueError:
                return str(node.value)
            if isinstance(value, float) and not math.isfinite(value):
                self.mistakes.add(line, f"{node.value} is not a finite number; write it as a string")
                return None
            return value
        self._refuse_tag(node, line)
        return None

    def _refuse_tag(self, node: Any, line: int) -> None:
        self.mistakes.add(line, f"the tag {node.tag} is not allowed in a flow; remove it")


def _brackets(text: str) -> int:
    """The nesting depth of brackets, including those in strings."""
    steps = (1 if character in "[{" else -1 for character in text if character in "[{]}")
    return max(accumulate(steps), default=0)


def _syntax(error: Any) -> Mistake:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return Mistake(mark.line + 1 if mark else 0, f"invalid YAML: {problem}; check colons, dashes and indentation")

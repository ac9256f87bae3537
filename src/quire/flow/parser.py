"""Parses a tree with lines into a definition. Parts of the wrong structure are mistakes; the rest is still parsed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from quire.core.context import Json
from quire.flow.definition import (
    FAIL,
    Case,
    Expression,
    FlowDefinition,
    Input,
    InputReference,
    Literal,
    OnError,
    Path,
    Step,
    StepReference,
)
from quire.flow.tree import Mistake, Mistakes, Node, nearest, one_of
from quire.flow.value_types import TYPES, Type

FLOW_KEYS = ("name", "description", "inputs", "outputs", "steps", "output", "test")
INPUT_KEYS = ("type", "optional", "default", "description", "enum", "items")
STEP_KEYS = ("id", "component", "input", "options", "on_error")
CASE_KEYS = ("name", "input", "output")

MAX_STEPS = 200
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def parse(tree: Node) -> tuple[FlowDefinition, list[Mistake]]:
    """The definition as far as it can be parsed, and all mistakes in its structure."""
    parser = _Parser()
    return parser.flow(tree), parser.mistakes.sorted()


class _Parser:
    def __init__(self) -> None:
        self.mistakes = Mistakes()

    def flow(self, tree: Node) -> FlowDefinition:
        parts = self._mapping(tree, "a flow", FLOW_KEYS)
        name = self._text(parts.get("name"), "name")
        if name and not _NAME.fullmatch(name):
            self.mistakes.add(
                parts["name"].line, f"{name!r} is not a valid name for a flow; use letters, digits, - and _"
            )
        if not name:
            self.mistakes.add(tree.line, "the flow has no name; add `name: …`")
        if "steps" not in parts:
            self.mistakes.add(tree.line, "the flow has no steps; add `steps:` with at least one")
        if "output" not in parts:
            self.mistakes.add(tree.line, "the flow has no output; add `output:` with results of its steps")
        return FlowDefinition(
            name=name or "flow",
            description=self._text(parts.get("description"), "description"),
            inputs=self._inputs(parts.get("inputs"), "inputs"),
            outputs=self._inputs(parts.get("outputs"), "outputs"),
            steps=self._steps(parts.get("steps")),
            output=self.expression(parts["output"]) if "output" in parts else None,
            cases=self._cases(parts.get("test")),
        )

    def _inputs(self, node: Node | None, what: str) -> dict[str, Input]:
        named = self._mapping(node, what) if node else {}
        inputs = {name: self._input(name, one) for name, one in named.items()}
        for name in inputs:
            if not _NAME.fullmatch(name):
                self.mistakes.add(named[name].line, f"{name!r} is not a valid name; use letters, digits, - and _")
        return inputs

    def _input(self, name: str, node: Node) -> Input:
        if isinstance(node.value, str):  # the short form, `source: document`
            return Input(name, self._type(node, f"the type of {name}"), line=node.line)
        parts = self._mapping(node, name, INPUT_KEYS)
        type = self._typed(node, parts, name)
        default = parts["default"].plain() if "default" in parts else None
        if default is not None and (problem := type.problem(default)):
            self.mistakes.add(parts["default"].line, f"the default of {name} {problem}")
        optional = self._flag(parts.get("optional"), "optional") or "default" in parts
        description = self._text(parts.get("description"), "description")
        return Input(name, type, not optional, default, description, node.line)

    def _typed(self, node: Node, parts: Mapping[str, Node], name: str) -> Type:
        if "type" not in parts:
            self.mistakes.add(node.line, f"{name} has no type; add `type:` with one of {', '.join(TYPES)}")
            return Type()
        type = self._type(parts["type"], f"the type of {name}")
        items = None
        if "items" in parts:
            if type.name not in ("list", "any"):
                self.mistakes.add(parts["items"].line, f"{name} is not a list: `items` has no meaning here")
            items = self._input(f"the items of {name}", parts["items"]).type
        enum = parts["enum"].plain() if "enum" in parts else []
        if not isinstance(enum, list):
            self.mistakes.add(parts["enum"].line, f"`enum` of {name} is a list of the values that may be given")
            enum = []
        return Type(type.name, items, tuple(enum))

    def _type(self, node: Node, what: str) -> Type:
        named = self._text(node, what)
        for known in TYPES:
            if named == known:
                return Type(known)
        self.mistakes.add(node.line, f"{named!r} is not a type; {nearest(named, TYPES)}")
        return Type()

    def _steps(self, node: Node | None) -> tuple[Step, ...]:
        listed = self._list(node, "steps")
        if node and not listed:
            self.mistakes.add(node.line, "there are no steps; add at least one, like `- {id: …, component: read}`")
        if len(listed) > MAX_STEPS:
            self.mistakes.add(listed[MAX_STEPS].line, f"more than {MAX_STEPS} steps; split the flow")
        return tuple(self._step(one) for one in listed[:MAX_STEPS])

    def _step(self, node: Node) -> Step:
        parts = self._mapping(node, "a step", STEP_KEYS)
        id = self._text(parts.get("id"), "id")
        if not id or not _NAME.fullmatch(id):
            said = f"{id!r} is not a valid id for a step" if id else "the step has no id"
            self.mistakes.add(parts["id"].line if "id" in parts else node.line, f"{said}; use letters, digits, - and _")
        component = self._text(parts.get("component"), "component")
        if not component:
            self.mistakes.add(node.line, f"step {id or '?'} has no component; add `component: …`, like read or export")
        given = {place: self._mapping(parts.get(place), place) for place in ("input", "options")}
        lines = {
            f"{place}.{name}": one.line or node.line for place, named in given.items() for name, one in named.items()
        }
        return Step(
            id=id or "?",
            component=component,
            input={name: self.expression(one) for name, one in given["input"].items()},
            options={name: self.expression(one) for name, one in given["options"].items()},
            on_error=self._on_error(parts.get("on_error")),
            line=node.line,
            lines=lines,
        )

    def _on_error(self, node: Node | None) -> OnError:
        if node is None:
            return FAIL
        match node.value:
            case "fail":
                return FAIL
            case "skip":
                return OnError("skip")
            case {"use": Node() as value, **others} if not others:
                return OnError("use", value.plain())
        self.mistakes.add(node.line, "`on_error` is fail, skip or {use: VALUE}")
        return FAIL

    def expression(self, node: Node) -> Expression:
        """A value with references in it at any depth."""
        value = node.value
        if isinstance(value, dict):
            marked = [key for key in value if key.startswith("$")]
            if marked:
                return self._marked(node, value, marked[0])
            return {key: self.expression(one) for key, one in value.items()}
        if isinstance(value, list):
            return tuple(self.expression(one) for one in value)
        return value

    def _marked(self, node: Node, parts: Mapping[str, Node], mark: str) -> Expression:
        allowed = {"$input": ("$input",), "$step": ("$step", "path"), "$literal": ("$literal",)}.get(mark)
        if allowed is None:
            advice = nearest(mark, ("$input", "$step", "$literal"))
            self.mistakes.add(
                node.line, f"{mark} is not a reference; {advice} Write a string that begins with $ as $literal"
            )
            return None
        for key in parts:
            if key not in allowed:
                self.mistakes.add(node.line_of(key), f"{key!r} is not allowed beside {mark}; {one_of(allowed)} is")
        if mark == "$literal":
            return Literal(parts[mark].plain())
        if mark == "$input":
            path = self._path(parts[mark], "$input")
            return InputReference(path[0], path[1:], node.line) if path else None
        return StepReference(self._text(parts[mark], "$step"), self._path(parts.get("path"), "path"), node.line)

    def _path(self, node: Node | None, what: str) -> Path:
        """`a.b.0`, also with the prefix `$.` of JSON paths, or a list of its parts."""
        match node.value if node else "":
            case str() as text:
                path = tuple(part for part in text.removeprefix("$").split(".") if part)
                if node and not path:
                    self.mistakes.add(node.line, f"`{what}` is empty; write it like a.b.0")
                return path
            case int() as number if not isinstance(number, bool) and number >= 0:
                return (str(number),)
            case list() as parts if all(isinstance(one.value, (str, int)) for one in parts):
                return tuple(str(one.value) for one in parts)
        assert node is not None
        self.mistakes.add(node.line, f"`{what}` must be a path like a.b.0")
        return ()

    def _cases(self, node: Node | None) -> tuple[Case, ...]:
        if node is None:
            return ()
        parts = self._mapping(node, "test", ("cases",))
        return tuple(self._case(one, number) for number, one in enumerate(self._list(parts.get("cases"), "cases"), 1))

    def _case(self, node: Node, number: int) -> Case:
        parts = self._mapping(node, "a case", CASE_KEYS)
        name = self._text(parts.get("name"), "name") or f"case {number}"
        if "output" not in parts:
            self.mistakes.add(node.line, f"case {name!r} expects nothing; add `output:` with the expected values")
        given: Json = {key: one.plain() for key, one in self._mapping(parts.get("input"), "input").items()}
        return Case(name, given, parts["output"].plain() if "output" in parts else None, node.line)

    def _mapping(self, node: Node | None, what: str, known: Collection[str] = ()) -> Mapping[str, Node]:
        if node is None or node.value is None:
            return {}
        if not isinstance(node.value, dict):
            self.mistakes.add(node.line, f"{what} must be a mapping of names to values")
            return {}
        for key in node.value:
            if known and key not in known:
                self.mistakes.add(node.line_of(key), f"{what} has no {key!r}; {nearest(key, known)}")
        return node.value

    def _list(self, node: Node | None, what: str) -> Sequence[Node]:
        if node is None or node.value is None:
            return []
        if not isinstance(node.value, list):
            self.mistakes.add(node.line, f"`{what}` must be a list; begin each of its items with a dash")
            return []
        return node.value

    def _text(self, node: Node | None, what: str) -> str:
        if node is None or node.value is None:
            return ""
        if not isinstance(node.value, str):
            self.mistakes.add(node.line, f"`{what}` must be a string; write it in quotes")
            return ""
        return node.value

    def _flag(self, node: Node | None, what: str) -> bool:
        if node is None:
            return False
        if not isinstance(node.value, bool):
            self.mistakes.add(node.line, f"`{what}` must be true or false")
        return node.value is True

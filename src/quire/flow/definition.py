"""A flow as values: inputs, steps, references and cases. Parsed from a file, and serialised with a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as Either
from typing import NamedTuple, TypeAlias

from quire.core.context import Json
from quire.flow.value_types import Type

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InputReference:
    """`{ $input: a.b }`. If an optional input is not given, whatever refers to it is absent, too."""

    name: str
    path: Path = ()
    line: int = field(default=0, compare=False)

    def to_json(self) -> Json:
        return {"$input": ".".join((self.name, *self.path))}


@dataclass(frozen=True, slots=True)
class StepReference:
    """`{ $step: id, path: a.b.0 }`. The path selects in the output of the step; for each page, if it runs by page."""

    step: str
    path: Path = ()
    line: int = field(default=0, compare=False)

    def to_json(self) -> Json:
        mapping = {"$step": self.step}
        return {**mapping, "path": ".".join(self.path)} if self.path else mapping


@dataclass(frozen=True, slots=True)
class Literal:
    """`{ $literal: … }`: taken literally, even if it looks like a reference."""

    value: Json

    def to_json(self) -> Json:
        return {"$literal": self.value}


Reference: TypeAlias = InputReference | StepReference
Expression: TypeAlias = (
    "Reference | Literal | str | int | float | bool | tuple[Expression, ...] | Mapping[str, Expression] | None"
)


@dataclass(frozen=True, slots=True)
class Input:
    name: str
    type: Type
    required: bool = True
    default: Json = None
    description: str = ""
    line: int = field(default=0, compare=False)

    def to_json(self) -> Json:
        mapping = self.type.to_json()
        if self.default is not None:
            mapping["default"] = self.default
        elif not self.required:
            mapping["optional"] = True
        if self.description:
            mapping["description"] = self.description
        return mapping


class OnError(NamedTuple):
    """The consequence of a failed step: the run fails, the step and its dependants are skipped, or a fallback is
    used."""

    what: Either["fail", "skip", "use"] = "fail"
    value: Json = None

    def to_json(self) -> Json:
        return {"use": self.value} if self.what == "use" else self.what


FAIL = OnError()


@dataclass(frozen=True, slots=True)
class Step:
    id: str
    component: str
    input: Mapping[str, Expression] = field(default_factory=dict)
    options: Mapping[str, Expression] = field(default_factory=dict)
    on_error: OnError = FAIL
    line: int = field(default=0, compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """The line of each input and option, as `input.name` and `options.name`."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The steps that this one refers to, each once."""
        found = references(self.input)
        return tuple(dict.fromkeys(one.step for one in found if isinstance(one, StepReference)))

    def line_of(self, place: str) -> int:
        return self.lines.get(place, self.line)

    def to_json(self) -> Json:
        mapping: dict[str, Json] = {"id": self.id, "component": self.component}
        if self.input:
            mapping["input"] = plain(self.input)
        if self.options:
            mapping["options"] = plain(self.options)
        if self.on_error != FAIL:
            mapping["on_error"] = self.on_error.to_json()
        return mapping


@dataclass(frozen=True, slots=True)
class Case:
    """A test of the flow: its inputs, and what its output must contain."""

    name: str
    input: Json
    output: Json
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FlowDefinition:
    """A flow that can be run, once it was checked: then names, types and references are valid."""

    name: str
    description: str = ""
    inputs: Mapping[str, Input] = field(default_factory=dict)
    outputs: Mapping[str, Input] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    output: Expression = None
    cases: tuple[Case, ...] = ()
    folder: str = field(default="", compare=False)
    """The folder of its file: modules of its components may be there, too."""

    def to_json(self) -> Json:
        """The definition as serialised with a run: everything except the tests."""
        mapping: dict[str, Json] = {"name": self.name}
        if self.description:
            mapping["description"] = self.description
        mapping["inputs"] = {name: given.to_json() for name, given in self.inputs.items()}
        if self.outputs:
            mapping["outputs"] = {name: one.to_json() for name, one in self.outputs.items()}
        mapping["steps"] = [step.to_json() for step in self.steps]
        mapping["output"] = plain(self.output)
        return mapping

    def step(self, id: str) -> Step:
        return next(step for step in self.steps if step.id == id)

    def levels(self) -> list[list[Step]]:
        """The steps in topological order: those of a level depend only on earlier levels."""
        done: set[str] = set()
        waiting = list(self.steps)
        levels = []
        while waiting:
            ready = [step for step in waiting if done.issuperset(step.needs)]
            if not ready:
                break  # a cycle, which the check reports
            levels.append(ready)
            done.update(step.id for step in ready)
            waiting = [step for step in waiting if step.id not in done]
        return levels


def references(expression: Expression) -> Iterator[Reference]:
    """Every reference in an expression, in the order of the file."""
    match expression:
        case InputReference() | StepReference():
            yield expression
        case tuple():
            for item in expression:
                yield from references(item)
        case Mapping():
            for item in expression.values():
                yield from references(item)


def plain(expression: Expression) -> Json:
    """The expression as it would be written in a file."""
    match expression:
        case InputReference() | StepReference() | Literal():
            return expression.to_json()
        case tuple():
            return [plain(item) for item in expression]
        case Mapping():
            return {key: plain(item) for key, item in expression.items()}
    return expression


def follow(value: Json, path: Sequence[str]) -> Json:
    """The value at the path. Raises LookupError that names the missing part."""
    for part in path:
        match value:
            case dict() if part in value:
                value = value[part]
            case list() if part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            case _:
                raise LookupError(part)
    return value

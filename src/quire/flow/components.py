"""Components of steps: named, versioned functions with a unit, inputs, options and outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeGuard, TypeVar, get_args, get_type_hints, overload

from quire.core.context import Json
from quire.core.errors import ConfigurationError, UsageError
from quire.core.keys import digest_bytes
from quire.flow.value_types import ANY, Type, type_of_annotation

F = TypeVar("F", bound=Callable[..., object])

Unit = Literal["document", "page", "region"]
"""The unit that a component is called for: the whole document, or each page of it."""
UNITS: tuple[Unit, ...] = get_args(Unit)
_MARK = "__quire_component__"
_OURS = {"DocumentResult": Type("result"), "Document": Type("document")}


@dataclass(frozen=True, slots=True)
class Port:
    """An input or an option of a component."""

    type: Type = ANY
    required: bool = True
    default: Json = None


@dataclass(frozen=True, slots=True)
class Component:
    """The work of a step. `outputs` names what a path can refer to; None means not declared.

    Instead of a function a component can name a `workflow`, which the runtime starts, or a `service` of the process
    that runs the flow, which is called with references to documents instead of documents.
    """

    name: str
    unit: Unit
    version: str
    inputs: Mapping[str, Port] = field(default_factory=dict)
    options: Mapping[str, Port] = field(default_factory=dict)
    outputs: Mapping[str, Type] | None = None
    gives: Type = ANY
    function: Callable[..., object] | None = None
    workflow: str = ""
    service: str = ""
    description: str = ""

    def settings(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """The options with their defaults filled in: passing a default explicitly does not change the key."""
        defaults = {name: port.default for name, port in self.options.items() if not port.required}
        return {**defaults, **given}


class Files(dict[str, bytes]):
    """Files that a component returns, by name. Each becomes a separate artifact."""


def is_files(output: object) -> TypeGuard[Mapping[str, bytes]]:
    """Whether a component returned files: also a plain, non-empty mapping of names to bytes."""
    if isinstance(output, Files):
        return True
    return isinstance(output, dict) and bool(output) and all(isinstance(one, bytes) for one in output.values())


@dataclass(frozen=True, slots=True)
class _Declared:
    unit: Unit
    version: str
    outputs: Mapping[str, Type] | None


@overload
def component(function: F, /) -> F: ...


@overload
def component(
    *, unit: Unit = "document", version: str = "", outputs: Mapping[str, object] | None = None
) -> Callable[[F], F]: ...


def component(
    function: F | None = None,
    /,
    *,
    unit: Unit = "document",
    version: str = "",
    outputs: Mapping[str, object] | None = None,
) -> F | Callable[[F], F]:
    """Decorator: a function as a component of flows; it can still be called as before.

    Its positional parameters are inputs, keyword-only parameters are options; their annotations are checked together
    with a flow. `unit` is what it is called with: a whole document, each page, or each region. `version` is part of
    the key of its output: change it when the output changes. Without one the source code of the function is the
    version. `outputs` names the members of the mapping that it returns, with their types (`str`, `int`, `list[str]`).
    """
    if unit not in UNITS:
        raise UsageError(f"the unit of a component is document, page or region, not {unit!r}")
    typed = None if outputs is None else {name: type_of_annotation(given) for name, given in outputs.items()}

    def declared(given: F) -> F:
        setattr(given, _MARK, _Declared(unit, version, typed))
        return given

    return declared if function is None else declared(function)


def component_of(function: Callable[..., object], name: str) -> Component:
    """The component of a function, from its signature and the arguments of the decorator."""
    declared: _Declared = getattr(function, _MARK, _Declared("document", "", None))
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"the component {name} is not a function that a flow can call") from error
    types = _types(function)
    ports = {p.name: _port(p, types.get(p.name, ANY)) for p in parameters}
    by_keyword = {p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    open_ended = {p.name for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    inputs = {n: port for n, port in ports.items() if n not in by_keyword | open_ended}
    if not inputs:
        raise ConfigurationError(f"the component {name} takes no {declared.unit}; give its function a parameter for it")
    return Component(
        name=name,
        unit=declared.unit,
        version=declared.version or _source_version(function),
        inputs=inputs,
        options={n: port for n, port in ports.items() if n in by_keyword},
        outputs=declared.outputs,
        gives=types.get("return", ANY),
        function=function,
        description=(inspect.getdoc(function) or "").partition("\n")[0],
    )


def field_options(options: type, *, without: Collection[str] = ()) -> dict[str, Port]:
    """The fields of a dataclass of options as options of a component, with their types and defaults."""
    types = get_type_hints(options)
    named = [one for one in fields(options) if one.name not in without]
    return {
        f.name: Port(type_of_annotation(types[f.name]), required=False, default=_jsonable(f.default)) for f in named
    }


def _port(parameter: inspect.Parameter, type: Type) -> Port:
    if parameter.default is parameter.empty:
        return Port(type)
    return Port(type, required=False, default=_jsonable(parameter.default))


def _jsonable(value: object) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _types(function: Callable[..., object]) -> dict[str, Type]:
    """The annotated types, resolved one by one: a name that exists only for the type checker does not affect others."""
    target = inspect.unwrap(function)
    names = getattr(target, "__globals__", {})
    types = {}
    for name, annotation in getattr(target, "__annotations__", {}).items():
        text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if (ours := _OURS.get(text.rpartition(".")[2])) is not None:
            types[name] = ours
            continue
        try:
            types[name] = type_of_annotation(eval(annotation, names) if isinstance(annotation, str) else annotation)
        except Exception:  # a third-party annotation may raise anything
            continue
    return types


def _source_version(function: Callable[..., object]) -> str:
    try:
        return f"source-{digest_bytes(inspect.getsource(function).encode())[:16]}"
    except (OSError, TypeError):
        return "1"

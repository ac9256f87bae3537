"""Options that several commands share, declared once: one parameter of a command stands for the options of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import get_type_hints

Expanded = dict[str, tuple[type["OptionGroup"], tuple[str, ...]]]
"""The groups among the parameters of a command, by the name of the parameter, and the names of their options."""


class OptionGroup:
    """The values of the options of a group, as attributes.

    A subclass declares an option as an attribute with its annotation for Typer and its default. It has the options of
    its base first.
    """

    def __init__(self, values: Mapping[str, object]) -> None:
        vars(self).update(values)


def expanded(command: Callable[..., int]) -> tuple[list[Parameter], Expanded]:
    """The parameters of a command as Typer reads them, with the options of each group in its place."""
    parameters: list[Parameter] = []
    groups: Expanded = {}
    for name, parameter in signature(command, eval_str=True).parameters.items():
        kind = parameter.annotation
        if not (isinstance(kind, type) and issubclass(kind, OptionGroup)):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        options = get_type_hints(kind, include_extras=True)
        groups[name] = kind, tuple(options)
        parameters += [
            Parameter(option, Parameter.KEYWORD_ONLY, default=getattr(kind, option), annotation=annotation)
            for option, annotation in options.items()
        ]
    return parameters, groups


def collected(values: dict[str, object], groups: Expanded) -> dict[str, object]:
    """The arguments of a command from the values of its options: those of a group as one object."""
    for name, (kind, options) in groups.items():
        values[name] = kind({option: values.pop(option) for option in options})
    return values


def flat(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a command by option, with the values of groups in their place."""
    found: dict[str, object] = {}
    for name, value in arguments.items():
        found |= vars(value) if isinstance(value, OptionGroup) else {name: value}
    return found

"""Runners by name: the built-in ones and those of other packages, and the chain in which they are asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from typing import cast

from quire.core.errors import ConfigurationError, UsageError
from quire.core.plugin_checks import check_runner
from quire.core.plugins import loaded, offered
from quire.core.runner import RUNNER_CAPABILITIES, Runner, RunnerCapability

BUILT_IN = {
    "offline": "quire.solving.runners.offline_runner:OfflineRunner",
    "tools": "quire.solving.runners.tool_loop:ToolRunner.of",
    "claude": "quire.solving.runners.program_runner:ProgramRunner.of",
    "codex": "quire.solving.runners.program_runner:ProgramRunner.of",
    "program": "quire.solving.runners.program_runner:ProgramRunner.of",
    "replay": "quire.solving.runners.replay_runner:ReplayRunner.of",
}
"""The place of the factory of each, `module:name`. `ProgramRunner.of` gets the whole name of a runner, the others what
follows the colon in it, and all the environment; `OfflineRunner` gets nothing."""


def runner_names() -> tuple[str, ...]:
    return tuple(sorted({*BUILT_IN, *offered("runner")}))


def find_runner(name: str, environment: Mapping[str, str] = os.environ) -> Runner:
    """The runner of a name. After a colon follows what its factory takes: `tools:qwen3`, `program:./solve.sh`.

    Raises UsageError for an unknown name, and ConfigurationError for one that cannot be loaded, lacks its model, or is
    no runner.
    """
    runner = _found(name, environment)
    check_runner(runner)
    return runner


def ordered(
    names: Iterable[str],
    requires: Collection[RunnerCapability] = (),
    min_context: int = 0,
    environment: Mapping[str, str] = os.environ,
) -> dict[str, Runner]:
    """The failover chain: runners by name, those that can do all that is required first, then the others.

    `min_context` is the least size of the context of a model, in tokens. Raises what `find_runner` raises, and
    UsageError for an unknown capability.
    """
    unknown = [one for one in requires if one not in RUNNER_CAPABILITIES]
    if unknown:
        raise UsageError(f"there is no capability {unknown[0]!r}; choose from {', '.join(RUNNER_CAPABILITIES)}")
    found = {name: find_runner(name, environment) for name in names}
    return dict(sorted(found.items(), key=lambda one: not _suits(one[1], requires, min_context)))


def _suits(runner: Runner, requires: Collection[RunnerCapability], min_context: int) -> bool:
    fits = runner.context_tokens is None or runner.context_tokens >= min_context
    return fits and runner.capabilities.issuperset(requires)


def _found(name: str, environment: Mapping[str, str]) -> Runner:
    plain, _, argument = name.partition(":")
    if plain in ("claude", "codex", "program"):
        return cast("Runner", _built_in(plain)(name, environment))
    if plain in ("tools", "replay"):
        return cast("Runner", _built_in(plain)(argument, environment))
    if plain in BUILT_IN and not argument:
        return cast("Runner", _built_in(plain)())
    points = offered("runner")
    if plain not in points:
        raise UsageError(f"there is no runner {name[:50]!r}; choose from {', '.join(runner_names())}")
    factory = loaded("runner", points[plain])
    if not callable(factory):
        raise ConfigurationError(f"the runner {plain} is no function that returns a runner")
    return cast("Runner", factory(argument) if argument else factory())


def _built_in(name: str) -> Callable[..., object]:
    module, _, attribute = BUILT_IN[name].partition(":")
    found: object = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return cast("Callable[..., object]", found)

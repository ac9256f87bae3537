"""The runners that solves may name: a choice of the operator, because some start programs and some cost money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from quire.core.context import Json
from quire.core.errors import ConfigurationError, UsageError
from quire.net.language_model import URL
from quire.solving.runners.runner_registry import find_runner

OFFLINE, TOOLS = "offline", "tools"


class SolveRunners:
    """The runners of a server by name. A name that is not among them is refused before anything is made of it, so that
    no caller starts a program or names an address."""

    def __init__(self, chosen: Sequence[str], environment: Mapping[str, str]) -> None:
        with_model = (OFFLINE, TOOLS) if environment.get(URL) else (OFFLINE,)
        self.names = tuple(chosen) or with_model

    @property
    def default(self) -> str:
        """The runner of a request that names none."""
        return self.names[0]

    def check(self, asked: Sequence[str]) -> None:
        """Raises UsageError for a runner that callers may not use."""
        for name in asked:
            if name not in self.names:
                raise UsageError(f"this server has no runner {name[:50]!r}; choose from {', '.join(self.names)[:500]}")

    def described(self) -> Iterator[dict[str, Json]]:
        """The runners that work here, with what each can do."""
        for name in self.names:
            with suppress(ConfigurationError, UsageError):
                runner = find_runner(name)
                yield {
                    "name": name,
                    "capabilities": sorted(runner.capabilities),
                    "context_tokens": runner.context_tokens,
                }

"""Registers workers with a Restate server: their address, and how many invocations may run concurrently."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence, Set

from quire.core.context import Workflow
from quire.core.errors import ConfigurationError
from quire.net.restate_server import RestateServer, message_of
from quire.runtime.restate.context import handler_of, service_of

SCOPED = "vqueues"
"""The server feature that limits calls by scope, over all workers. Experimental in 1.7."""
PATIENCE_S = 15.0
PAUSE_S = 0.3


Serves = Mapping[str, Set[str]]
"""Handlers by service."""


def served(workflows: Sequence[Workflow], pools: Iterable[str]) -> Serves:
    """The services and handlers of workers of these pools."""
    return {
        service_of(pool): {handler_of(one.name) for one in workflows if one.pool == pool}
        for pool in dict.fromkeys(pools)
    }


def register(server: RestateServer, uri: str, serves: Serves | None = None) -> None:
    """Register workers at an address. The server remembers what was served there, and pins running invocations to it;
    `serves` is what is served there now.

    Raises ConfigurationError when the served workflows have changed while old ones are still running.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := server.deploy(uri, force=False)).ok and time.monotonic() < deadline:
        time.sleep(PAUSE_S)  # a load balancer needs a moment to notice a new worker
    if not answer.ok:
        raise ConfigurationError(
            f"the Restate server at {server.admin} could not register {uri}: {message_of(answer)[:500]}; "
            "it must be an address at which the server can reach the workers"
        )
    deployment = answer.json()
    known = {
        service["name"]: {handler["name"] for handler in service["handlers"]} for service in deployment["services"]
    }
    if serves is None or known == serves:
        return
    under_way = server.query(
        "SELECT count(*) AS many FROM sys_invocation "
        f"WHERE pinned_deployment_id = '{deployment['id']}' AND status <> 'completed'"
    )
    if many := under_way[0]["many"]:
        raise ConfigurationError(
            f"{uri} now serves other workflows than before, and {many} of the old ones are still running; "
            "serve new code at a new address, and keep the old workers until these have ended"
        )
    forced = server.deploy(uri, force=True)
    if not forced.ok:
        raise ConfigurationError(f"{uri} could not be registered again: {message_of(forced)[:500]}")


def limit(server: RestateServer, limits: Mapping[str, int]) -> frozenset[str]:
    """Let the server limit how many invocations of a pool run concurrently; returns the pools it limits.

    Without the feature only the slots of each worker limit them.
    """
    if not limits or SCOPED not in server.features():
        return frozenset()
    server.limit(limits)
    return frozenset(limits)

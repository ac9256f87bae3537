"""Telling a Restate server about workers: where they are, and how much may run at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence, Set

from quire.context import Workflow
from quire.errors import ConfigurationError
from quire.runtime.restate.context import handler_of, service_of
from quire.runtime.restate.server import RestateServer

SCOPED = "vqueues"
"""The feature of a server that bounds calls by scope, over all workers. Experimental in 1.7."""
PATIENCE_S = 15.0
PAUSE_S = 0.3


Serves = Mapping[str, Set[str]]
"""Handlers by service."""


def served(workflows: Sequence[Workflow], pools: Iterable[str]) -> Serves:
    """What workers of these pools serve."""
    return {
        service_of(pool): {handler_of(one.name) for one in workflows if one.pool == pool}
        for pool in dict.fromkeys(pools)
    }


def register(server: RestateServer, uri: str, serves: Serves | None = None) -> None:
    """Make workers known under an address. The server remembers what was served there, and pins what runs to it;
    `serves` is what is served there now.

    Raises ConfigurationError when other workflows are served there than before, while some are under way.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := server.deploy(uri, force=False)).ok and time.monotonic() < deadline:
        time.sleep(PAUSE_S)  # a balancer needs a moment to see that a worker is there
    if not answer.ok:
        raise ConfigurationError(
            f"the Restate server at {server.admin} could not register {uri}: {answer.message()[:500]}; "
            "it must be an address at which the server reaches the workers"
        )
    told = answer.json()
    known = {service["name"]: {handler["name"] for handler in service["handlers"]} for service in told["services"]}
    if serves is None or known == serves:
        return
    under_way = server.query(
        "SELECT count(*) AS many FROM sys_invocation "
        f"WHERE pinned_deployment_id = '{told['id']}' AND status <> 'completed'"
    )
    if many := under_way[0]["many"]:
        raise ConfigurationError(
            f"{uri} serves other workflows now than before, and {many} of the old ones are under way; "
            "serve new code at a new address, and keep the old one until they have ended"
        )
    forced = server.deploy(uri, force=True)
    if not forced.ok:
        raise ConfigurationError(f"{uri} could not be registered again: {forced.message()[:500]}")


def limit(server: RestateServer, limits: Mapping[str, int]) -> frozenset[str]:
    """Let the server bound how many invocations of a pool run at once; the pools for which it does so.

    Without the feature only the slots of each worker bound them.
    """
    if not limits or SCOPED not in server.features():
        return frozenset()
    server.limit(limits)
    return frozenset(limits)

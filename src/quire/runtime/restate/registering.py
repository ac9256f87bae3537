"""Telling a Restate server about workers: where they are, and how much may run at once."""

from __future__ import annotations

import time
from collections.abc import Mapping

from quire.errors import ConfigurationError
from quire.runtime.restate.server import RestateServer

SCOPED = "vqueues"
"""The feature of a server that bounds calls by scope, over all workers. Experimental in 1.7."""
PATIENCE_S = 15.0
PAUSE_S = 0.3


def register(server: RestateServer, uri: str) -> None:
    """Make workers known under an address. One that is known already keeps its code: what runs is pinned to it.

    Raises ConfigurationError when other workflows are served there than before, while some are under way.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := server.deploy(uri, force=False)).ok and answer.status != 409 and time.monotonic() < deadline:
        time.sleep(PAUSE_S)  # a balancer needs a moment to see that a worker is there
    if answer.ok:
        return
    if answer.status != 409:
        raise ConfigurationError(
            f"the Restate server at {server.admin} could not register {uri}: {answer.message()[:500]}; "
            "it must be an address at which the server reaches the workers"
        )
    known = [one["id"] for one in server.deployments() if str(one.get("uri", "")).rstrip("/") == uri.rstrip("/")]
    pinned = ", ".join(f"'{one}'" for one in known)
    under_way = server.query(
        "SELECT count(*) AS many FROM sys_invocation "
        f"WHERE pinned_deployment_id IN ({pinned}) AND status <> 'completed'"
    )
    if many := under_way[0]["many"]:
        raise ConfigurationError(
            f"{uri} serves other workflows now than before, and {many} of the old ones are under way; "
            "serve new code at a new address, and keep the old one until they have ended"
        )
    forced = server.deploy(uri, force=True)
    if not forced.ok:
        raise ConfigurationError(f"{uri} could not be registered again: {forced.message()} (HTTP {forced.status})")


def limit(server: RestateServer, limits: Mapping[str, int]) -> frozenset[str]:
    """Let the server bound how many invocations of a pool run at once; the pools for which it does so.

    Without the feature only the slots of each worker bound them.
    """
    if not limits or SCOPED not in server.features():
        return frozenset()
    server.limit(limits)
    return frozenset(limits)

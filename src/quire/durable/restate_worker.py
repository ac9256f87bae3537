"""A Restate worker with Quire's workflows: over a store, for the pools it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

from quire.core.passwords import Password
from quire.database.leases import LEASE_S
from quire.durable.worker_workflows import pools_for, workflows_on
from quire.net.restate_server import RestateServer
from quire.runtime.restate.endpoint import Endpoint
from quire.runtime.restate.process import Worker, listen
from quire.runtime.restate.registration import limit, register, served
from quire.runtime.restate.run_tables import RunTables
from quire.store.opening import open_store


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The store, pools and addresses of a worker. It registers with the server at `admin`, under the address
    `advertise`."""

    store: str
    facts: str | None = None
    pools: tuple[str, ...] = ()
    bind: str = "127.0.0.1:0"
    workers: int | None = None
    password: Password = field(default=None, repr=False)
    admin: str | None = None
    advertise: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    drain_s: float = 600.0
    lease_s: float = LEASE_S


def run_worker(options: WorkerOptions, say: Callable[[str], None]) -> bool:
    """Serve until SIGTERM or SIGINT, in the main thread. Returns whether all steps ended in time."""
    known = pools_for(options.workers)
    pools = options.pools or tuple(known)
    server = RestateServer(admin=options.admin) if options.admin else None
    with closing(open_store(options.store, options.facts, lease_s=options.lease_s)) as store:
        store.leftovers.sweep()
        workflows = workflows_on(store, workers=options.workers, password=options.password, definitions=True)
        scopes = limit(server, options.limits) if server else frozenset()
        slots = {pool: known[pool] for pool in pools}
        tables = RunTables(store.database)
        worker = Worker(
            listen(options.bind),
            lambda: Endpoint(workflows, tables, slots=slots, scopes=scopes),
            drain_s=options.drain_s,
        )
        worker.start()
        address = options.advertise or f"http://{options.bind.rpartition(':')[0]}:{worker.port}"
        say(f"serving {', '.join(pools)} on port {worker.port}")
        for pool, many in options.limits.items():
            who = "the server" if pool in scopes else "each worker, because the server cannot"
            say(f"at most {many if pool in scopes else slots.get(pool, 0)} of {pool} at a time, limited by {who}")
        try:
            if server is not None:
                register(server, address, served(workflows, pools))
                say(f"registered with {server.admin} as {address}")
        except BaseException:
            worker.stop()
            worker.wait()
            raise
        return worker.run_until_told()

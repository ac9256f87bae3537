"""A complete cluster on one machine: for trying it out, and for tests."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from quire.cli.devcluster import haproxy, postgres, restate
from quire.cli.devcluster.program import LOOK_EVERY_S, START_S, ServerProgram, listens, remembered_ports
from quire.core.errors import ConfigurationError, install_advice
from quire.database.leases import LEASE_S
from quire.durable.worker_workflows import pools_for

PACKAGES = {
    "psycopg": install_advice("postgres"),
    "restate": install_advice("restate"),
    "hypercorn": install_advice("restate"),
}
"""The packages that the workers import, each with how to install it."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """`pages` is how many pages each worker reads concurrently; `environment` is added to that of the workers. `store`
    is the URL of a bucket; a folder of the cluster by default."""

    workers: int = 2
    pages: int = 1
    lease_s: float = LEASE_S
    limits: Mapping[str, int] = field(default_factory=dict)
    restate_program: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    store: str | None = None


def missing() -> list[str]:
    """The programs that are not installed, each with how to install it."""
    return [
        f"{name}: {advice}"
        for name, found, advice in (
            ("PostgreSQL", postgres.find_programs(), postgres.ADVICE),
            ("Restate server", restate.find_program(), restate.ADVICE),
            ("HAProxy", haproxy.find_program(), haproxy.ADVICE),
            *((f"the Python package {package}", _spec(package), advice) for package, advice in PACKAGES.items()),
        )
        if found is None
    ]


def _spec(package: str) -> object | None:
    try:
        return find_spec(package)
    except ValueError:  # imported, or marked as absent, without a spec
        return None


class LocalCluster:
    """PostgreSQL, Restate, workers and HAProxy on 127.0.0.1, in a folder. A context manager, which stops them."""

    def __init__(self, folder: Path, options: ClusterOptions | None = None) -> None:
        self.folder, self.options = folder, options or ClusterOptions()
        self.store = self.options.store or folder / "store"
        folder.mkdir(parents=True, exist_ok=True)
        database, ingress, admin, node, balancer, *ports = remembered_ports(
            folder / "ports.json", 5 + self.options.workers
        )
        self.database = postgres.PostgresProgram(folder / "postgresql", port=database)
        self.restate = restate.RestateProgram(
            folder / "restate",
            ports=(ingress, admin, node),
            program=self.options.restate_program,
            scoped=bool(self.options.limits),
        )
        self.balancer = haproxy.HaproxyProgram(
            folder / "haproxy",
            [f"127.0.0.1:{port}" for port in ports],
            each=pools_for(self.options.pages)["recognize"],
            port=balancer,
        )
        self.workers = [self._worker(number, port) for number, port in enumerate(ports, start=1)]
        self._started = ExitStack()

    def start(self, say: Callable[[str], None] = lambda line: None) -> None:
        """Start all programs, and report each once it is ready. Raises ConfigurationError when one is not."""
        with ExitStack() as stack:
            for program, _ in self._order():
                program.launch()
                stack.callback(program.stop)
            for program, what in self._order():
                program.wait_until_ready()
                say(what)
            self._wait_until_registered()
            self._started = stack.pop_all()

    def _wait_until_registered(self) -> None:
        """Every worker registers itself, under the address of the load balancer."""
        deadline = time.monotonic() + START_S
        while not all("registered" in worker.logged() for worker in self.workers):
            for worker in self.workers:
                worker.check()
            if time.monotonic() > deadline:
                raise ConfigurationError(f"the workers do not register themselves; their logs are in {self.folder}")
            time.sleep(LOOK_EVERY_S)

    def stop(self) -> None:
        self._started.close()

    def __enter__(self) -> LocalCluster:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def settings(self) -> dict[str, str]:
        """The settings for submitters, as environment variables."""
        server = self.restate.server
        return {
            "QUIRE_STORE": str(self.store),
            "QUIRE_FACTS": self.database.url,
            "QUIRE_RUNTIME": "restate",
            "QUIRE_INGRESS": server.ingress,
            "QUIRE_ADMIN": server.admin,
        }

    @property
    def programs(self) -> list[ServerProgram]:
        return [program for program, _ in self._order()]

    def _order(self) -> Sequence[tuple[ServerProgram, str]]:
        server = self.restate.server
        return [
            (self.database, f"PostgreSQL  {self.database.url}"),
            (self.restate, f"Restate     ingress {server.ingress}, admin and UI {server.admin}/ui/"),
            (self.balancer, f"HAProxy     {self.balancer.url}, in front of the workers"),
            *((worker, f"worker      {worker.log}") for worker in self.workers),
        ]

    def _worker(self, number: int, port: int) -> ServerProgram:
        folder = self.folder / "workers"
        folder.mkdir(parents=True, exist_ok=True)
        arguments = {
            "--bind": f"127.0.0.1:{port}",
            "--workers": str(self.options.pages),
            "--store": str(self.store),
            "--facts": self.database.url,
            "--register": self.restate.server.admin,
            "--advertise": self.balancer.url,
            "--lease-s": str(self.options.lease_s),
        }
        limits = [("--limit", f"{pool}={many}") for pool, many in self.options.limits.items()]
        return ServerProgram(
            f"worker-{number}",
            [
                sys.executable,
                "-m",
                "quire",
                "worker",
                *(part for pair in (*arguments.items(), *limits) for part in pair),
            ],
            folder=folder,
            answers=lambda: listens(port),
            environment=self.options.environment,
        )

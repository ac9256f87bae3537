"""`quire worker`: serves workflows to a Restate server."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.settings import settings_of
from quire.core.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire worker --store s3://bucket/quire --facts postgresql://host/quire
  quire worker --pool recognize --workers 4 --bind 0.0.0.0:9080
  quire worker --bind 127.0.0.1:9081 --register http://127.0.0.1:9070
"""
POOLS = ("tasks", "documents", "pages", "recognize")


def worker(  # noqa: PLR0913 - one argument per option
    pool: Annotated[
        list[str] | None,
        Option(
            metavar="NAME", help="Pool to serve: tasks, documents, pages, recognize (OCR); repeatable, all by default."
        ),
    ] = None,
    bind: Annotated[
        str,
        Option(
            metavar="HOST:PORT",
            help="Address to listen on; 127.0.0.1:9080 by default, port 0 for any free port.",
            show_default=False,
        ),
    ] = "127.0.0.1:9080",
    store: options.Store = None,
    facts: options.Facts = None,
    workers: options.Workers = None,
    register: Annotated[
        str | None, Option(metavar="URL", help="Register this worker at the admin address of a Restate server.")
    ] = None,
    advertise: Annotated[
        str | None,
        Option(metavar="URL", help="Address at which the server reaches this worker or its load balancer."),
    ] = None,
    limit: Annotated[
        list[str] | None,
        Option(metavar="POOL=N", help="Concurrency limit of a pool over all workers; repeatable."),
    ] = None,
    drain_s: options.DrainS = 600.0,
    lease_s: Annotated[
        float,
        Option(
            metavar="SECONDS",
            help="Lease: without a heartbeat for this long others take over its work; 30 by default.",
            show_default=False,
        ),
    ] = 30.0,
) -> int:
    """Serve workflows to a Restate server until SIGTERM or Ctrl-C. Then it finishes the steps in progress and starts no
    new ones; the server sends the rest to another worker. A second signal stops it immediately."""
    settings = settings_of(locals())
    if not settings.store:
        raise UsageError("workers share a store: give it with --store or QUIRE_STORE, as for `quire run`")
    for name in pool or ():
        _check_pool(name)
    if limit and register is None:
        raise UsageError("--limit is set on the server: give its admin address with --register")
    from quire.durable.restate_worker import WorkerOptions, run_worker

    asked = WorkerOptions(
        store=settings.store,
        facts=settings.facts,
        pools=tuple(pool or ()),
        bind=bind,
        workers=settings.workers,
        password=settings.passwords,
        admin=register,
        advertise=advertise,
        limits=dict(_limit(one) for one in limit or ()),
        drain_s=drain_s,
        lease_s=lease_s,
    )
    if not run_worker(asked, lambda line: print(line, flush=True)):
        print("quire: stopped while steps were running; another worker restarts them", file=sys.stderr, flush=True)
        os._exit(EXIT_COMPLETE)  # a step in a thread would keep the process alive
    return EXIT_COMPLETE


def _limit(text: str) -> tuple[str, int]:
    name, _, many = text.partition("=")
    if not many.isdecimal() or int(many) < 1:
        raise UsageError(f"--limit {text}: write a pool and a number of at least 1, as in recognize=4")
    return _check_pool(name), int(many)


def _check_pool(name: str) -> str:
    if name not in POOLS:
        raise UsageError(f"there is no pool {name!r}; choose from {', '.join(POOLS)}")
    return name

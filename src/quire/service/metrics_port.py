"""The place of the metrics: a route of the server, or a port of their own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from quire.service.metrics import CONTENT_TYPE, metrics_text
from quire.service.service import Service
from quire.service.traffic import SHARE_S, Traffic
from quire.system.supervisor import SupervisedThread


def metrics_route(service: Service, traffic: Traffic) -> Route:
    """`GET /metrics`."""

    async def metrics(_: Request) -> Response:
        text = await service.call(metrics_text, service.store, traffic)
        return PlainTextResponse(text, media_type=CONTENT_TYPE)

    return Route("/metrics", metrics, methods=["GET"])


@contextmanager
def measured(service: Service, traffic: Traffic) -> Iterator[None]:
    """Share the metrics with the other processes, and serve them on their own port where the settings say so."""
    settings = service.settings
    sharing = SupervisedThread("quire-sharing", partial(_share, traffic))
    sharing.start()
    try:
        if not settings.metrics or settings.metrics_port is None:
            yield
            return
        with _served(metrics_route(service, traffic), settings.host.strip("[]"), settings.metrics_port):
            yield
    finally:
        sharing.stop()
        sharing.join()


def _share(traffic: Traffic, stopped: Event) -> None:
    """In the thread. On a full disk the metrics of this process are late."""
    while not stopped.wait(SHARE_S):
        traffic.share()


@contextmanager
def _served(route: Route, host: str, port: int) -> Iterator[None]:
    """A server of its own in a thread. All processes of a server listen: any of them gives the same metrics."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listening.bind((host, port))
    listening.listen()
    config = uvicorn.Config(Starlette(routes=[route]), log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)

    def run(stopped: Event) -> None:
        nonlocal server
        server = uvicorn.Server(config)
        server.should_exit = stopped.is_set()
        with listening.dup() as taken:  # which it closes
            server.run([taken])

    thread = SupervisedThread("quire-metrics", run)
    thread.start()
    try:
        yield
    finally:
        thread.stop()
        server.should_exit = True
        thread.join()
        listening.close()

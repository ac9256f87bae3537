"""A worker process: listens, serves, and shuts down on a signal."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from quire.core.errors import ConfigurationError, install_advice
from quire.runtime.restate.endpoint import Endpoint

LEAVE_S = 0.5
"""How long connections may take to close by themselves after the last step."""
log = logging.getLogger("quire.worker")
MAX_STREAMS = 1000
"""Concurrent invocations per connection. Most of them wait for others."""


def listen(bind: str) -> socket.socket:
    """A socket on `host:port`; port 0 takes a free one. Raises ConfigurationError when it is not available."""
    host, _, port = bind.rpartition(":")
    if not host or not port.isdigit():
        raise ConfigurationError(f"{bind!r} is not an address to listen on; write one like 127.0.0.1:9080")
    try:
        return socket.create_server((host.strip("[]"), int(port)), family=_family(host), backlog=128)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {bind}: {error.strerror}; choose another --bind") from error


class Worker:
    """Serves an endpoint in a thread with its own event loop.

    In the main thread, the SDK would replace every handler of SIGTERM with its own, and then nothing ends the process.
    It cannot do that in another thread, so the signals stay ours.
    """

    def __init__(self, listening: socket.socket, make: Callable[[], Endpoint], *, drain_s: float) -> None:
        """`make` is called in the loop."""
        self.port = int(listening.getsockname()[1])
        self._listening, self._make, self._drain_s = listening, make, drain_s
        self._loop = asyncio.new_event_loop()
        self._leave, self._now = asyncio.Event(), asyncio.Event()
        self._stopping = False
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._drained = True
        self._thread = threading.Thread(target=self._run, name="quire-worker", daemon=True)

    def start(self) -> None:
        """Start serving. Raises the error that prevents it."""
        self._thread.start()
        self._ready.wait()
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Start no step and shut down when the running ones are done; a second call shuts down now. From any thread."""
        chosen = self._now if self._stopping else self._leave
        self._stopping = True
        with suppress(RuntimeError):  # it has stopped
            self._loop.call_soon_threadsafe(chosen.set)

    def wait(self) -> bool:
        """Wait until it has stopped; whether all steps ended in time."""
        while self._thread.is_alive():
            self._thread.join(0.5)  # so that signal handlers can run
        if self._error is not None:
            raise self._error
        return self._drained

    def run_until_told(self) -> bool:
        """Wait for SIGTERM or SIGINT and shut down; in the main thread. Whether all steps ended in time."""
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            return self.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(self._note)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            self._error = error
        finally:
            self._ready.set()
            self._loop.close()

    def _note(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log exceptions that nothing awaits. Connections cut during the shutdown are expected."""
        if not self._leave.is_set():
            loop.default_exception_handler(context)

    async def _serve(self) -> None:
        try:
            from hypercorn.asyncio import serve
        except ImportError as error:
            raise ConfigurationError(f"workers need Hypercorn: {install_advice('restate')}") from error
        endpoint = self._make()
        self._ready.set()

        async def left() -> None:
            await self._leave.wait()
            draining = asyncio.ensure_future(endpoint.drain(self._drain_s))
            hurried = asyncio.ensure_future(self._now.wait())
            await asyncio.wait({draining, hurried}, return_when=asyncio.FIRST_COMPLETED)
            self._drained = draining.done() and draining.result()
            for task in (draining, hurried):
                task.cancel()
            await endpoint.leave()

        try:
            await serve(endpoint, self._config(), shutdown_trigger=left)
        except Exception:
            if not self._leave.is_set():
                raise
            log.debug(
                "connections were not closed cleanly", exc_info=True
            )  # nothing is lost: another worker retries it
        finally:
            endpoint.close()

    def _config(self) -> Any:
        from hypercorn.config import Config

        config = Config()
        config.bind = [f"fd://{self._listening.detach()}"]  # Hypercorn closes it
        config.loglevel = "WARNING"
        config.graceful_timeout = LEAVE_S
        config.h2_max_concurrent_streams = MAX_STREAMS
        return config


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET

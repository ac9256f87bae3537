"""The server of `quire serve` in a process whose event loop beats every 10 ms; at its end it writes the gaps to a file.

Run by `python -m benchmarks serve`: `beatingserver --port PORT --store PLACE --gaps FILE`.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from argparse import ArgumentParser
from pathlib import Path

import uvicorn

from benchmarks.heartbeat import BEAT_S
from quire.service.app import create_app
from quire.service.server import ServiceBackend, opened, options_of
from quire.service.settings import load_settings


def main() -> None:
    parser = ArgumentParser()
    for name in ("--port", "--store", "--gaps"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    settings = load_settings({"port": int(given.port)}, environment=os.environ).settings
    app = create_app(opened(settings, ServiceBackend(given.store)))
    server = uvicorn.Server(uvicorn.Config(app, **options_of(settings, settings.port)))
    gaps: list[float] = []
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # uvicorn raises it again after its end
    _run(server, gaps)
    Path(given.gaps).write_text(json.dumps([round(gap, 5) for gap in gaps]))


def _run(server: uvicorn.Server, gaps: list[float]) -> None:
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(_serve(server, gaps))


async def _serve(server: uvicorn.Server, gaps: list[float]) -> None:
    beats = asyncio.ensure_future(_beat(gaps))
    try:
        await server.serve()
    finally:
        beats.cancel()


async def _beat(gaps: list[float]) -> None:
    await asyncio.sleep(1.0)  # the start is not measured
    last = time.perf_counter()
    while True:
        await asyncio.sleep(BEAT_S)
        now = time.perf_counter()
        gaps.append(now - last)
        last = now


if __name__ == "__main__":
    main()

"""Workers of a Restate server that do next to nothing: `python -m benchmarks.restateworker quire|bare …`.

Both serve the same shapes: a document of groups of pages, with a step for each page or for each group, or of pages that
are invocations of their own. One has them as workflows of Quire, the other as plain handlers of the SDK.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from benchmarks.conversation import Program, say
from quire.core.context import Context, Json, Workflow
from quire.core.events import Event
from quire.database.sqlite import SqliteDatabase
from quire.runtime.restate.endpoint import Endpoint, ServiceOptions
from quire.runtime.restate.process import MAX_STREAMS, Worker, listen
from quire.runtime.restate.run_tables import RunTables

GROUP = 16
SLOTS = {"documents": 8, "pages": 8}
BARE = "bare"


@dataclass(frozen=True)
class Shape:
    """How a document is worked on: pages in one invocation, and steps in each of them."""

    group: int
    steps: int


SHAPES = {"step a page": Shape(GROUP, GROUP), "step a group": Shape(GROUP, 1), "single pages": Shape(1, 1)}


def refer(document: str, number: int) -> dict[str, Json]:
    """What a step gives: a reference as long as those of pages."""
    return {"document": document, "page": number, "digest": f"{number:064d}", "status": "read"}


# As workflows of Quire.


async def document(ctx: Context, argument: Json) -> Json:
    calls = [ctx.call("group", f"{argument['name']}/{at}", _part(argument, at)) for at in _starts(argument)]
    return len(await ctx.gather(*calls))


async def group(ctx: Context, argument: Json) -> Json:
    given = [await ctx.run(f"page {at}", refer, argument["name"], at) for at in _steps(argument)]
    for page in range(argument["at"], argument["at"] + argument["group"]):
        ctx.emit(Event(f"{ctx.run_id}/{page}", "", 0, "finished", "page", argument["name"], page))
    return {"pages": len(given), "at": argument["at"]}


WORKFLOWS = (Workflow("document", document), Workflow("group", group, pool="pages"))


def serve_workflows(facts: Path) -> None:
    with closing(SqliteDatabase(facts)) as database, listen("127.0.0.1:0") as listening:
        worker = Worker(listening, lambda: Endpoint(WORKFLOWS, RunTables(database), slots=SLOTS), drain_s=5)
        worker.start()
        say({"port": worker.port})
        sys.stdin.read()
        worker.stop()
        worker.wait()


# As handlers of the SDK.


def serve_handlers() -> None:
    import restate
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    kept = timedelta(seconds=ServiceOptions().retention_s)
    service = restate.Service(BARE, idempotency_retention=kept, journal_retention=kept)

    @service.handler("document")
    async def document(ctx, argument):
        calls = [
            ctx.service_call(group, _part(argument, at), idempotency_key=f"{argument['name']}/{at}")
            for at in _starts(argument)
        ]
        return len(await restate.gather(*calls))

    @service.handler("group")
    async def group(ctx, argument):
        given = [await ctx.run_typed(f"page {at}", partial(refer, argument["name"], at)) for at in _steps(argument)]
        return {"pages": len(given), "at": argument["at"]}

    async def main() -> None:
        config = Config()
        with listen("127.0.0.1:0") as listening:
            port = listening.getsockname()[1]
            config.bind = [f"fd://{listening.detach()}"]
        config.loglevel, config.h2_max_concurrent_streams = "WARNING", MAX_STREAMS
        say({"port": port})
        over = asyncio.Event()
        asyncio.get_running_loop().add_reader(sys.stdin, over.set)
        await serve(restate.app([service], "bidi"), config, shutdown_trigger=over.wait)

    asyncio.run(main())


def _starts(argument: Mapping[str, Json]) -> range:
    return range(0, argument["pages"], argument["group"])


def _steps(argument: Mapping[str, Json]) -> range:
    return range(argument["steps"])


def _part(argument: Mapping[str, Json], at: int) -> dict[str, Json]:
    return {"name": argument["name"], "at": at, "group": argument["group"], "steps": argument["steps"]}


class RestateWorker(Program):
    """Such a program, which says where it listens."""

    def __init__(self, arguments: Sequence[str | Path]) -> None:
        super().__init__([sys.executable, "-m", "benchmarks.restateworker", *arguments])
        self.uri = f"http://127.0.0.1:{self.answer()['port']}"


if __name__ == "__main__":
    if sys.argv[1] == BARE:
        serve_handlers()
    else:
        serve_workflows(Path(sys.argv[2]))
    os._exit(0)  # the threads of the SDK are waited for by nobody

"""CPU of a Restate server and its worker per page, in groups: workflows of Quire against bare handlers of the SDK."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path

from tests.servers import restate

from benchmarks import clock, family
from benchmarks.report import LeftOut, Options, Report, Table, goal
from benchmarks.restateworker import BARE, GROUP, SHAPES, WORKFLOWS, RestateWorker, Shape
from quire.cli.devcluster.restate import RestateProgram
from quire.core.context import Json
from quire.database.sqlite import SqliteDatabase
from quire.runtime.restate.registration import register
from quire.runtime.restate.runtime import RestateRuntime

GOAL = 2.0
PAGES, QUICK_PAGES = 1600, 160
PATIENCE_S = 120.0

Work = Callable[[Json], Json]


def run(options: Options) -> Report:
    pages = QUICK_PAGES if options.quick else PAGES
    rows, data = [], {}
    with _servers() as (works, cpu):
        for name, shape in SHAPES.items():
            many = pages if shape.group > 1 else pages // 4
            timed = {who: partial(_timed, work, shape, many, cpu) for who, work in works.items()}
            for work in timed.values():
                work()
            samples = clock.interleave(timed, options.rounds(9, 3))
            data[name] = {"pages": many, **clock.as_data(samples)}
            ours, bare = (clock.least_cpu(samples[who]) * 1000 / many for who in works)
            asked = goal(ours / bare, GOAL, most=True, digits=0) if shape.group > 1 else [None, None]
            rows.append([name, shape.group, shape.steps, bare, ours, ours / bare, *asked])
    columns = ["shape", "pages each", "steps each", "bare, ms/page", "Quire, ms/page", "times", "goal", "reached"]
    notes = [
        f"A document of {pages} pages ({pages // 4} for single ones): one invocation that calls one for each group of "
        f"{GROUP} pages, whose steps give a reference and do nothing else. Bare handlers do the same with the SDK "
        "alone; both are called with idempotency keys, and steps run in threads.",
        "CPU of the server and of the worker, whichever has the turn, the least of several rounds in turns; the same "
        "server, each worker in a program of its own. Quire's worker also keeps the run and an event for each page, in "
        "SQLite. Whoever submits and waits is not counted.",
        "Of a group Quire's workflow `pages` makes one step, as in the second row; single invocations are for pages "
        "that need an engine.",
    ]
    return Report("Cost of Restate", [Table(columns, rows)], notes, data)


@contextmanager
def _servers() -> Iterator[tuple[dict[str, Work], Callable[[], float]]]:
    """A server with both workers: how a document is done by each, and the CPU that all of them took so far."""
    program = restate.program()
    if program is None:
        raise LeftOut("scripts/restate.sh cannot fetch the Restate server here")
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place:
        facts = Path(place, "facts.sqlite3")
        server = RestateProgram(Path(place, "restate"), program=program)
        server.start()
        try:
            with (
                RestateWorker(["quire", facts]) as ours,
                RestateWorker([BARE]) as bare,
                closing(SqliteDatabase(facts)) as database,
            ):
                for worker in (ours, bare):
                    register(server.server, worker.uri)
                runtime = RestateRuntime(server.server, database, WORKFLOWS)
                pids = (server.pid, ours.pid, bare.pid)
                yield (
                    {"quire": partial(_by_quire, runtime), "bare": partial(_barely, server)},
                    lambda: sum(map(family.cpu_seconds, pids)),
                )
        finally:
            server.stop()


def _timed(work: Work, shape: Shape, pages: int, cpu: Callable[[], float]) -> clock.Sample:
    argument = {"name": f"document {next(_numbers)}", "pages": pages, "group": shape.group, "steps": shape.steps}
    given, sample = clock.timed(partial(work, argument), cpu=cpu)
    if given != pages // shape.group:
        raise LeftOut(f"{given} groups came back of {pages // shape.group}")
    return sample


def _by_quire(runtime: RestateRuntime, argument: Json) -> Json:
    return runtime.result(runtime.submit("document", argument), timeout_s=PATIENCE_S)


def _barely(program: RestateProgram, argument: Json) -> Json:
    server = program.server
    invocation = server.send(BARE, "document", json.dumps(argument).encode(), key=argument["name"])
    answer = server.attach(invocation, PATIENCE_S)
    if answer is None or not answer.ok:
        raise LeftOut(f"the bare handler did not end well: {answer.message() if answer else 'too slow'}")
    return answer.json()


_numbers = count(1)

"""Scanned pages per second of durable reads: one local worker, two local workers, two workers on Restate."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.servers import restate

from benchmarks import clock, corpus, family
from benchmarks.durablereader import DurableReader, Portion, check, read_durably
from benchmarks.report import LeftOut, Options, Report, Table
from quire.cli.devcluster import haproxy, postgres
from quire.cli.devcluster.cluster import ClusterOptions, LocalCluster
from quire.durable.runtimes import open_runtime

PORTIONS, PAGES = 3, 14
QUICK_PORTIONS, QUICK_PAGES = 1, 4
WARM_UP = "45-50"
"""Pages of the long scan that load the models of every worker."""
ONE, TWO, SPREAD = "local, 1", "local, 2", "Restate, 2"

Works = Mapping[str, Callable[[Portion], None]]


def run(options: Options) -> Report:
    many, pages = (QUICK_PORTIONS, QUICK_PAGES) if options.quick else (PORTIONS, PAGES)
    scan, receipts = corpus.pdfs(corpus.SCAN)[0], corpus.pictures(corpus.RECEIPTS)
    sets: dict[str, list[Portion]] = {
        corpus.SCAN: [[(scan, f"{at + 1}-{at + pages}")] for at in range(0, many * pages, pages)],
        corpus.RECEIPTS: [[(path, None) for path in receipts[at : at + pages]] for at in range(0, many * pages, pages)],
    }
    taken: dict[str, clock.Samples] = {}
    with _readers() as works:
        for work in works.values():
            work([(scan, WARM_UP)])
        for name, portions in sets.items():
            taken[name] = _in_turns(works, portions)
    rows = []
    for name, samples in taken.items():
        rate, cpu = _rates(samples, pages)
        times = [rate[TWO] / rate[ONE], rate[SPREAD] / rate[ONE], rate[SPREAD] / rate[TWO]]
        rows.append([name, many * pages, *rate.values(), *cpu.values(), *times])
    columns = ["set", "pages", *(f"pages/s, {who}" for who in works), *(f"CPU s/page, {who}" for who in works)]
    columns += [f"{TWO} / {ONE}", f"{SPREAD} / {ONE}", f"{SPREAD} / {TWO}"]
    notes = [
        f"The workflow `document`, profile `balanced`, models loaded: portions of {pages} pages, none of them twice, "
        f"each read by all three in turns. {corpus.SCAN} is one document, {corpus.RECEIPTS} are documents of a page, "
        "those of a portion submitted at once.",
        "Local: a program with one worker, or two, on a store in a folder with SQLite. Restate: two `quire worker` "
        "with one worker each behind HAProxy, facts in PostgreSQL, artifacts in a folder; the server and the database "
        "take their time from the same processors.",
        clock.quietness(taken),
    ]
    data = {name: clock.as_data(samples) for name, samples in taken.items()}
    return Report("Throughput", [Table(columns, rows)], notes, data, all(map(clock.least_quiet, taken.values())))


@contextmanager
def _readers() -> Iterator[Works]:
    """Three ways to read a portion, all of them ready."""
    with tempfile.TemporaryDirectory(prefix="quire-bench-") as place, ExitStack() as stack:
        folder = Path(place)
        folder.chmod(0o755)  # PostgreSQL does not run as root
        one, two = (stack.enter_context(DurableReader(workers, folder / f"local-{workers}")) for workers in (1, 2))
        cluster = stack.enter_context(_cluster(folder))
        runtime, store = open_runtime(
            str(cluster.store), cluster.database.url, runtime="restate", ingress=cluster.restate.server.ingress
        )
        stack.callback(store.close)
        stack.callback(runtime.close)
        yield {ONE: one.read, TWO: two.read, SPREAD: lambda portion: check(read_durably(runtime, portion))}


def _cluster(folder: Path) -> LocalCluster:
    program = restate.program()
    lacking = {"the Restate server": program, "PostgreSQL": postgres.find_programs(), "HAProxy": haproxy.find_program()}
    if missing := [name for name, found in lacking.items() if found is None]:
        raise LeftOut(f"{' and '.join(missing)} cannot be had here")
    return LocalCluster(folder / "cluster", ClusterOptions(workers=2, pages=1, restate_program=program))


def _in_turns(works: Works, portions: Sequence[Portion]) -> clock.Samples:
    """Every portion once by each, those who begin changing. CPU is that of everything we started."""
    samples: clock.Samples = {name: [] for name in works}
    for turn, portion in enumerate(portions):
        names = list(works)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            samples[name].append(clock.timed(partial(works[name], portion), cpu=family.cpu_seconds)[1])
    return samples


def _rates(samples: clock.Samples, pages: int) -> tuple[dict[str, float], dict[str, float]]:
    """Pages per second and CPU per page, over the portions that were quiet for all; over all if there is none."""
    every = range(len(samples[ONE]))
    turns = [turn for turn in every if all(taken[turn].quiet for taken in samples.values())] or list(every)
    count = len(turns) * pages
    rate = {name: count / sum(taken[turn].wall for turn in turns) for name, taken in samples.items()}
    cpu = {name: sum(taken[turn].cpu for turn in turns) / count for name, taken in samples.items()}
    return rate, cpu

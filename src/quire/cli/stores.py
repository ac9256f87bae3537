"""Find and open the store of a command, and the runtime on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from quire.core.config import Settings
from quire.core.context import RunStatus, Runtime
from quire.core.errors import UsageError
from quire.durable.folders.discovery import HIDDEN_STORE

if TYPE_CHECKING:
    from quire.database.database import Database
    from quire.durable.runtimes import RuntimeKind
    from quire.store.artifacts import ArtifactStore

BATCH = "batch"
"""The flow name of a batch's own run."""


MOST_NAMED = 5
"""The number of runs that are named when a prefix is ambiguous."""


class RuntimeWithStore(NamedTuple):
    """A runtime with its store."""

    runtime: Runtime
    store: ArtifactStore


def place_for(settings: Settings) -> str:
    """The store for a new batch: the one that is set, or a hidden folder in the output."""
    if settings.store:
        return settings.store
    if settings.output is None:
        raise UsageError("name a folder for the files with -o DIR, or set output in quire.toml")
    return str(Path(settings.output) / HIDDEN_STORE)


def existing_place(settings: Settings) -> str:
    """The existing store with the runs. Raises UsageError when there is none, with what to do."""
    if settings.store and "://" in settings.store:
        return settings.store
    if settings.store:
        looked = [Path(settings.store)]
    elif settings.output:
        looked = [Path(settings.output) / HIDDEN_STORE]
    else:
        looked = [Path(HIDDEN_STORE), Path("out") / HIDDEN_STORE]
    existing = next((place for place in looked if settings.facts or (place / "facts.sqlite3").exists()), None)
    if existing is None:
        names = " and ".join(map(str, looked))
        raise UsageError(f"no store in {names}; name the output folder of the run with -o, or its store with --store")
    return str(existing)


@contextmanager
def looked_at(settings: Settings, place: str) -> Iterator[Database]:
    """The database of the store at a place, read-only; empty where there is no store yet."""
    from quire.store.opening import read_facts

    with closing(read_facts(place, settings.facts)) as database:
        yield database


@contextmanager
def opened(settings: Settings, place: str) -> Iterator[RuntimeWithStore]:
    """The runtime on the store at that place; both are closed at the end."""
    from quire.durable.runtimes import open_runtime

    runtime, store = open_runtime(
        place,
        settings.facts,
        runtime=cast("RuntimeKind", settings.runtime),  # one of its choices
        ingress=settings.ingress,
        admin=settings.admin,
        workers=settings.workers,
        password=settings.passwords,
        import_paths=True,  # the user who types the command wrote the flow, or trusts it
    )
    with closing(store), closing(runtime):
        yield RuntimeWithStore(runtime, store)


def find_run(runtime: Runtime, prefix: str | None) -> RunStatus:
    """The run with that id or prefix of an id; by default the latest batch."""
    if prefix is None:
        latest = runtime.runs(flow=BATCH, limit=1)
        if not latest:
            raise UsageError("no batch has run on this store yet; start one with `quire run PATH… -o DIR`")
        return latest[0]
    fitting = runtime.runs(prefix=prefix, limit=MOST_NAMED + 1)
    exact = [run for run in fitting if run.run == prefix]
    if exact or len(fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise UsageError(f"there is no run {prefix}; `quire runs` lists the runs of this store")
    with suppress(UsageError):
        return runtime.status(prefix)  # an id that is also a prefix of longer ones
    named = ", ".join(run.run for run in fitting[:MOST_NAMED])
    more = ", …" if len(fitting) > MOST_NAMED else ""
    raise UsageError(f"several runs begin with {prefix}: {named}{more}; give more characters of the id")

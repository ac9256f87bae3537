"""Opening a store and a runtime with Quire's workflows on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from quire.core.context import Runtime, Workflow
from quire.core.errors import UsageError
from quire.core.passwords import Password
from quire.durable.flows.workflow import Flows, Registered
from quire.durable.folders.batch_workflow import Batches
from quire.durable.indexing.index_queue import POOL
from quire.durable.indexing.index_workflow import files_pool, index_workflow
from quire.durable.tasks.workflow import CALLS
from quire.durable.worker_workflows import flows_and_workflows, pools_for
from quire.runtime.beside import BesideRuntime
from quire.runtime.local import LocalRuntime
from quire.store.artifacts import ArtifactStore
from quire.store.opening import open_store
from quire.system.budget import worker_count

ServedRuntime = LocalRuntime | BesideRuntime
RuntimeKind = Literal["local", "restate"]
KINDS: tuple[RuntimeKind, ...] = get_args(RuntimeKind)


def open_runtime(  # noqa: PLR0913 - one argument per setting
    place: str,
    facts: str | None = None,
    *,
    runtime: RuntimeKind = "local",
    ingress: str | None = None,
    admin: str | None = None,
    workers: int | None = None,
    password: Password = None,
    import_paths: bool = False,
    flows: Mapping[str, Registered] | None = None,
) -> tuple[ServedRuntime, ArtifactStore]:
    """The store at a place and a runtime on it; the caller closes both.

    Batches read and write files of this machine, and an index may be a file: with Restate both run in this process, and
    documents are read on workers.
    `import_paths` and `flows` are as for `local_runtime`.
    """
    store = open_store(place, facts)
    try:
        if runtime == "local":
            opened = local_runtime(store, workers=workers, password=password, import_paths=import_paths, flows=flows)
            return opened, store
        if runtime != "restate":
            raise UsageError(f"there is no runtime {runtime!r}; choose from {', '.join(KINDS)}")
        from quire.net.restate_server import RestateServer
        from quire.runtime.restate.runtime import RestateRuntime

        registered, workflows = flows_and_workflows(store, workers, password, flows, import_paths=import_paths)
        elsewhere = RestateRuntime(RestateServer(ingress, admin), store.database, workflows)
        batch = _batch(store, lambda: beside, registered, import_paths=import_paths, password=password)
        here = LocalRuntime(store.database, [batch, index_workflow(store)], pools=_index_pools(store, workers))
        beside = BesideRuntime(elsewhere, here)
        return beside, store
    except BaseException:
        store.close()
        raise


def local_runtime(
    store: ArtifactStore,
    *,
    workers: int | None = None,
    password: Password = None,
    import_paths: bool = False,
    flows: Mapping[str, Registered] | None = None,
    batches: bool = True,
) -> LocalRuntime:
    """The runtime of this machine on an opened store.

    Args:
        import_paths: Allow runs to carry flow definitions, also with components by import path: for callers that
            submit their own code, never for untrusted requests.
        flows: Flows that runs may name, besides the built-in ones.
        batches: Whether this process also drives batches.
    """
    registered, workflows = flows_and_workflows(store, workers, password, flows, import_paths=import_paths)
    batch = _batch(store, lambda: runtime, registered, import_paths=import_paths, password=password)
    pools = pools_for(workers)
    pools |= {CALLS: pools["tasks"]} | _index_pools(store, workers) | ({} if batches else {batch.pool: 0})
    runtime = LocalRuntime(store.database, (*workflows, batch, index_workflow(store)), pools=pools)
    return runtime


def _index_pools(store: ArtifactStore, workers: int | None) -> dict[str, int]:
    """Slots for documents that are put into an index, with the files of this machine apart from the others."""
    return dict.fromkeys((POOL, files_pool(store)), worker_count(workers).workers + 1)


def _batch(
    store: ArtifactStore, runtime: Callable[[], Runtime], flows: Flows, *, import_paths: bool, password: Password
) -> Workflow:
    named = None if import_paths else flows.named
    return Batches(store, runtime, named, password=bool(password)).workflow()

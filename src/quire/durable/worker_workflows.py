"""The workflows that every worker has, on either runtime: flows, tasks, documents, groups of pages, pages."""

from __future__ import annotations

from collections.abc import Mapping

from quire.core.context import Store, Workflow
from quire.core.passwords import Password
from quire.durable.flows.workflow import Flows, Registered
from quire.durable.reads.read_steps import DocumentSteps
from quire.durable.reads.workflows import Reads
from quire.durable.solves.solve_steps import SolveSteps
from quire.durable.solves.solve_workflow import solve_workflow
from quire.durable.tasks.task_steps import TaskSteps
from quire.durable.tasks.workflow import Tasks
from quire.system.budget import worker_count


def workflows_on(
    store: Store,
    *,
    workers: int | None = None,
    password: Password = None,
    import_paths: bool = False,
    definitions: bool = False,
    flows: Mapping[str, Registered] | None = None,
) -> tuple[Workflow, ...]:
    """The workflows over a store that every worker has: flows, tasks, documents, groups of pages, pages.

    Runs of flows name a built-in flow or one of `flows`. `definitions` allows them to carry a definition instead, as
    workers of a cluster must; `import_paths` also a definition with components by import path, which executes code of
    its author.
    """
    return flows_and_workflows(store, workers, password, flows, import_paths=import_paths, definitions=definitions)[1]


def flows_and_workflows(
    store: Store,
    workers: int | None,
    password: Password,
    registered: Mapping[str, Registered] | None,
    *,
    import_paths: bool,
    definitions: bool = False,
) -> tuple[Flows, tuple[Workflow, ...]]:
    """The workflows, and the flows that runs of them may name."""
    steps = DocumentSteps(store, workers=workers, password=password)
    flows = Flows(steps, password=password, import_paths=import_paths, definitions=definitions, registered=registered)
    tasks = Tasks(TaskSteps(steps))
    return flows, (flows.workflow(), tasks.workflow(), solve_workflow(SolveSteps(steps)), *Reads(steps).workflows())


def pools_for(workers: int | None) -> dict[str, int]:
    """The slots of each pool for a process with that many workers: enough that no worker is idle."""
    count = worker_count(workers).workers
    return {"tasks": 4 * count, "documents": 2 * count + 2, "pages": count + 1, "recognize": 2 * count}

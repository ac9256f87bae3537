"""The workflow `index`: it puts one document into a search index, for the command line and for the server.

A batch submits it for each file of which a flow has made the chunks, and waits for it. A task queues it for each of its
documents as soon as that is read, and does not wait. A server queues one at its start, for what the index lacks.
"""

from __future__ import annotations

import socket

from quire.core.context import ONCE, Context, Retry, Workflow
from quire.durable.indexing.index_queue import FLOW, POOL, VERSION
from quire.durable.indexing.index_steps import IndexSteps
from quire.reading.messages import IndexArgument, IndexCounts
from quire.store.artifacts import ArtifactStore

PATIENT = Retry(attempts=1_000_000, backoff_s=0.5, max_backoff_s=60.0)
"""For documents that nobody waits for: a search engine may be away for days."""


def index_workflow(store: ArtifactStore) -> Workflow:
    """The workflow over a store. Its steps hold the index open, and a worker process, until the runtime is closed."""
    steps, files = IndexSteps(store), files_pool(store)

    async def index(ctx: Context, argument: IndexArgument) -> IndexCounts:
        whole = "reference" in argument or "path" in argument
        retry = PATIENT if argument["background"] else ONCE
        counts: IndexCounts = await ctx.run(
            "put" if whole else "follow", steps.put if whole else steps.follow, argument, retry=retry
        )
        return counts

    return Workflow(
        FLOW,
        index,
        version=VERSION,
        pool=POOL,
        pool_of=lambda argument: files if "path" in argument else POOL,
        tenant_of=lambda argument: argument["tenant"],
        close=steps.close,
    )


def files_pool(store: ArtifactStore) -> str:
    """The pool for files of this machine, which others that share the database cannot look at."""
    return POOL if store.database.one_machine else f"{POOL} of {socket.gethostname()}"

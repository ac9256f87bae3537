"""Everything that survives a crash: reads, flows, folders, indexes, reviews and tasks as workflows over a store.

Comes in: the JSON of a request (`reading/messages`), by the name of a workflow. Goes out: artifacts in the store,
events, and a small result that names them. A workflow is deterministic between the calls of its context; its steps are
idempotent, because each looks up its key first. `runtimes` opens a runtime that has all of them.
"""

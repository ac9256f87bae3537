"""Runtimes: they run workflows, so that these survive the process that runs them.

`local` keeps a journal in the database of a store, `restate` in a Restate server; both give a workflow the same
`Context`. Comes in: a workflow by its name, a key and a JSON value. Goes out: events, and one result. A runtime does
not know what it runs.
"""

"""Workflows on Restate: a server that others run keeps the journal, workers of ours play the code, on many machines.

A workflow is a handler of the service of its pool (`quire-documents`, `quire-pages`, `quire-recognize`). Its
invocation has an idempotency key, so that a second caller attaches to the first.
"""

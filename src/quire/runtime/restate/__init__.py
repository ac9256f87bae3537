"""Workflows on Restate: an external server keeps the journal, Quire's workers run the code, on many machines.

A workflow is a handler of the service of its pool (`quire-documents`, `quire-pages`, `quire-recognize`). Its
invocation has an idempotency key, so that a second caller attaches to the same invocation.
"""

"""Stores of artifacts and facts: bytes under the key of what they were made from, written once.

Comes in: a key and bytes. Goes out: the bytes, verified. `opening` opens a store by its place, `files` keeps it in a
folder, `remote` in a bucket, `temporary` is for a single read; `garbage`, `compaction` and `report` maintain one.
"""

"""Stores of artifacts and facts. `opening` opens a store by its place, `files` keeps it in a folder, `temporary` is for
a single read; `collecting` (garbage collection), `deleting` and `reporting` maintain one."""

"""The machine: files that are whole or not there, memory, processes, threads that go on.

`workers` runs jobs in processes that may crash, hang or take too much memory, and reports which it was. `supervisor`
keeps threads and tasks alive, `budget` divides memory, `atomic_files` writes, `stage_versions` tells code that has
changed from code that has not. Comes in: a function and its arguments.
Goes out: its result, or a typed error. Nothing here knows what a document is.
"""

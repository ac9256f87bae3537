"""Values and contracts that everything else is written with; imports the standard library alone.

`types`, `document`, `pagetext` and `picture` are what passes through the system; `keys` and `events` are its two
principles: what was made is found under its key, and what happens is an event. `engine`, `embedder` and `context` are
the contracts of engines, of models for vectors, and of durable code. `errors` says whose fault it is and whether a
retry helps; `config` reads settings, `plugins` finds the packages of others.
"""

"""`quire join`: one more process for the runs of a store."""

from __future__ import annotations

import sys
from threading import Event

from quire.cli import options
from quire.cli.opening import existing_place
from quire.cli.settings import settings_of
from quire.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire join -o out
  quire join --store store --workers 4
"""


def join(
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    workers: options.Workers = None,
    drain_s: options.DrainS = 600.0,
) -> int:
    """Share the work on the runs of a store with the processes that started them, until Ctrl-C or SIGTERM. Then nothing
    more is begun, and what is under way ends; a second signal ends it at once."""
    settings = settings_of(locals())
    if settings.runtime != "local":
        raise UsageError("workers of a Restate server are started with `quire worker`")
    place = existing_place(settings)
    from quire.batch import Stop, stop_on_signals
    from quire.durable.opening import local_runtime
    from quire.store.opening import open_store

    asked = Event()

    def say(stop: Stop) -> None:
        if not stop.at_once:
            print("quire: no new work; what is under way ends; press again to stop now", file=sys.stderr)

    with open_store(place, settings.facts) as opened, stop_on_signals(on_signal=say) as stop:
        stop.listen(asked.set)
        runtime = local_runtime(
            opened, workers=settings.workers, password=settings.passwords, import_paths=True, batches=False
        )
        runtime.serve()
        print(f"works on the runs of {place}; Ctrl-C ends it", flush=True)
        asked.wait()
        stop.listen(runtime.hurry)
        runtime.close(patience_s=drain_s)
    return EXIT_COMPLETE

"""`quire join`: one more process that works on the runs of a store."""

from __future__ import annotations

import sys
from threading import Event

from quire.cli import options
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place
from quire.core.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire join -o out
  quire join --store store --workers 4
"""


def join(
    *,
    shared: options.StoreOptions,
    workers: options.Workers = None,
    drain_s: options.DrainS = 600.0,
) -> int:
    """Work on the runs of a store together with the processes that started them, until Ctrl-C or SIGTERM. Then it
    finishes the steps in progress and starts no new ones; a second signal stops it immediately."""
    settings = settings_of(locals())
    if settings.runtime != "local":
        raise UsageError("join is for the local runtime; start workers of a Restate server with `quire worker`")
    place = existing_place(settings)
    from quire.batch import Stop, stop_on_signals
    from quire.durable.runtimes import local_runtime
    from quire.store.opening import open_store

    asked = Event()

    def say(stop: Stop) -> None:
        if not stop.at_once:
            print(
                "quire: starting no new work; finishing the steps in progress; press again to stop now", file=sys.stderr
            )

    with open_store(place, settings.facts) as opened, stop_on_signals(on_signal=say) as stop:
        stop.listen(asked.set)
        runtime = local_runtime(
            opened, workers=settings.workers, password=settings.passwords, import_paths=True, batches=False
        )
        runtime.serve()
        print(f"working on the runs of {place}; press Ctrl-C to stop", flush=True)
        asked.wait()
        stop.listen(runtime.hurry)
        runtime.close(patience_s=drain_s)
    return EXIT_COMPLETE

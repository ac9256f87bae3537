"""`quire cancel`: stop a run from any process."""

from __future__ import annotations

from quire.cli import options
from quire.cli.batch_run import where_of
from quire.cli.settings import settings_of
from quire.cli.stores import existing_place, find_run, opened
from quire.core.errors import EXIT_COMPLETE

EXAMPLES = """\b
Examples:
  quire cancel -o out
"""


def cancel(
    run: options.Run = None,
    *,
    place: options.RuntimeOptions,
) -> int:
    """Stop a run, whichever process drives it. Finished work is kept."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = find_run(here.runtime, run)
        if found.finished is not None:
            print(f"run {found.run} has already ended: it is {found.state}")
            return EXIT_COMPLETE
        here.runtime.cancel(found.run)
    print(f"cancelling run {found.run}; `quire run{where_of(settings)}` resumes it later")
    return EXIT_COMPLETE

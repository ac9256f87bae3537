"""`quire resume`, `quire retry` and `quire cancel`: what becomes of a run after it was begun."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.amounts import spell
from quire.cli.driving import Showing, drive_again
from quire.cli.figures import figures_of
from quire.cli.opening import existing_place, find_run, opened
from quire.cli.settings import settings_of
from quire.errors import EXIT_COMPLETE

RESUME_EXAMPLES = """\b
Examples:
  quire resume -o out
  quire resume 4f1c --store ~/.cache/quire --workers 4
"""
RETRY_EXAMPLES = """\b
Examples:
  quire retry -o out
  quire retry 4f1c -o out --quarantined
"""
CANCEL_EXAMPLES = """\b
Examples:
  quire cancel -o out
"""


def resume(  # noqa: PLR0913 - one argument per option
    run: options.Run = None,
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    manifest: options.Manifest = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Go on with a run that was stopped, killed or cancelled. What is done is found; new documents are done, too."""
    settings = settings_of(locals())
    place = existing_place(settings)
    with opened(settings, place) as here:
        found = find_run(here.runs, run)
    return drive_again(settings, place, found.run, Showing(quiet=quiet, as_json=as_json))


def retry(  # noqa: PLR0913 - one argument per option
    run: options.Run = None,
    quarantined: Annotated[
        bool, Option("--quarantined", help="Those in quarantine, too: they have failed for good.")
    ] = False,
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    manifest: options.Manifest = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Try the failed documents of a run again."""
    from quire.records.quarantine import Quarantine

    settings = settings_of(locals())
    place = existing_place(settings)
    with opened(settings, place) as here:
        found = find_run(here.runs, run)
        failed = list(figures_of(here.runtime.events(found.run)).failures)
        held = [entry for entry in Quarantine(here.store.database).entries() if entry.run == found.run]
        if quarantined:
            Quarantine(here.store.database).release([entry.key for entry in held])
    if not failed:
        print(f"no document of run {found.run} failed")
        return EXIT_COMPLETE
    if held and not quarantined:
        told = f"{spell(len(held), 'document')} of it are in quarantine and left alone; --quarantined tries them, too"
        print(f"quire: {told}", file=sys.stderr)
    return drive_again(settings, place, found.run, Showing(quiet=quiet, as_json=as_json), only=failed)


def cancel(
    run: options.Run = None,
    output: options.Output = None,
    store: options.Store = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
) -> int:
    """Stop a run, whichever process drives it. What is recorded stays."""
    settings = settings_of(locals())
    with opened(settings, existing_place(settings)) as here:
        found = find_run(here.runs, run)
        if found.finished is not None:
            print(f"run {found.run} has ended already: it is {found.state}")
            return EXIT_COMPLETE
        here.runtime.cancel(found.run)
    print(f"run {found.run} is asked to stop; `quire resume {found.run}` goes on with it later")
    return EXIT_COMPLETE

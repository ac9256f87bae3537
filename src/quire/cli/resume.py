"""`quire resume`, `quire retry` and `quire cancel`: what becomes of a run after it was begun."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.amounts import spell
from quire.cli.driving import Showing, drive
from quire.cli.figures import figures_of
from quire.cli.opening import existing_place, find_run, opened
from quire.cli.settings import settings_of
from quire.errors import EXIT_COMPLETE

RESUME_EXAMPLES = """\b
Examples:
  quire resume -o out
  quire resume 4f1c --store ~/.cache/quire
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
    from quire.durable.folders.driving import stored_request

    settings = settings_of(locals())
    place = existing_place(settings)
    with opened(settings, place) as here:
        found = find_run(here.runtime, run)
        request = stored_request(here.runtime, found.run)
    unfinished = None if found.state == "finished" else found.run  # a finished run stays as it is: another one follows
    return drive(request, settings, place, Showing(quiet=quiet, as_json=as_json), run=unfinished)


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
    from quire.database.places import path_text
    from quire.database.quarantine import Quarantine
    from quire.durable.folders.driving import stored_request

    settings = settings_of(locals())
    place = existing_place(settings)
    with opened(settings, place) as here:
        found = find_run(here.runtime, run)
        request = stored_request(here.runtime, found.run)
        figures = figures_of(here.runtime.events(found.run))
        held = {entry.source: entry.key for entry in Quarantine(here.store.database).entries()}
        paths = {name: one.path for name, one in figures.failures.items() if not one.wrong} | figures.quarantined
        left = {name: key for name, path in paths.items() if (key := held.get(path_text(path)))}
        if quarantined:
            Quarantine(here.store.database).release(list(left.values()))
    again = [name for name in paths if quarantined or name not in left]
    if left and not quarantined:
        told = f"{spell(len(left), 'document')} in quarantine left alone; --quarantined tries them, too"
        print(f"quire: {told}", file=sys.stderr)
    if not again:
        print(f"nothing to try again in run {found.run}")
        return EXIT_COMPLETE
    return drive(replace(request, only=tuple(again)), settings, place, Showing(quiet=quiet, as_json=as_json))


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
        found = find_run(here.runtime, run)
        if found.finished is not None:
            print(f"run {found.run} has ended already: it is {found.state}")
            return EXIT_COMPLETE
        here.runtime.cancel(found.run)
    print(f"run {found.run} is asked to stop; `quire resume {found.run}` goes on with it later")
    return EXIT_COMPLETE

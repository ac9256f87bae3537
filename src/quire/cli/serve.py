"""`quire serve`: the HTTP service."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.settings import settings_of
from quire.core.errors import EXIT_COMPLETE, ConfigurationError, UsageError, install_advice
from quire.system.user_data import data_folder

EXAMPLES = """\b
Examples:
  quire serve
  quire serve --port 8080 --store documents
  QUIRE_SERVE_API_KEY=secret quire serve --host 0.0.0.0
  quire serve --store s3://bucket/quire --facts postgresql://host/quire --runtime restate
"""


def serve(  # noqa: PLR0913 - one argument per option
    host: Annotated[str | None, Option(metavar="HOST", help="Address to listen on; 127.0.0.1 by default.")] = None,
    port: Annotated[int | None, Option(metavar="PORT", help="Port to listen on; 5001 by default.")] = None,
    store: Annotated[
        str | None,
        Option(metavar="PLACE", help="Folder or URL for documents and results; a folder of your account by default."),
    ] = None,
    facts: options.Facts = None,
    runtime: options.Runtime = None,
    ingress: options.Ingress = None,
    workers: options.Workers = None,
    processes: Annotated[
        int | None, Option(metavar="N", help="Processes that answer requests; 1 by default.", min=1)
    ] = None,
    api_key: Annotated[
        str | None, Option(metavar="KEY", help="Key that requests must send; better in QUIRE_SERVE_API_KEY.")
    ] = None,
    allow_no_key: Annotated[
        bool | None, Option("--allow-no-key", help="Listen on any address without a key: something else protects it.")
    ] = None,
    ui: Annotated[bool | None, Option("--ui/--no-ui", help="Serve the page for people; on by default.")] = None,
    tenants: Annotated[
        bool | None, Option("--tenants/--no-tenants", help="Separate tenants by the header X-Tenant-Id.")
    ] = None,
    runner: Annotated[
        list[str] | None,
        Option("--runner", metavar="NAME", help="A runner that solves may name; offline by default. May be repeated."),
    ] = None,
) -> int:
    """Serve documents over HTTP until Ctrl-C: docling-serve's API for programs, a page for people at the same address.

    Settings of docling-serve in the environment (DOCLING_SERVE_*, UVICORN_*) count here too.
    """
    try:
        from quire.service.server import ServiceBackend, serve
        from quire.service.settings import load_settings
    except ImportError as error:
        raise ConfigurationError(f"the service needs {error.name}: {install_advice('service')}") from error
    from quire.durable.runtimes import KINDS

    given = {
        "host": host,
        "port": port,
        "workers": workers,
        "processes": processes,
        "api_key": api_key,
        "allow_no_key": allow_no_key,
        "ui": ui,
        "tenants": tenants,
        "runners": tuple(runner) if runner else None,
    }
    loaded = load_settings(given, environment=os.environ)
    shared = settings_of({"store": store, "facts": facts, "runtime": runtime, "ingress": ingress})
    if shared.runtime not in KINDS:
        raise UsageError(f"there is no runtime {shared.runtime!r}; choose from {', '.join(KINDS)}")
    place = shared.store or str(data_folder() / "service")
    backend = ServiceBackend(place, shared.facts, shared.runtime, shared.ingress, shared.admin)
    if loaded.ignored:
        print(f"Settings without a meaning here: {', '.join(loaded.ignored)}", file=sys.stderr)

    def say(address: str) -> None:
        print(f"Quire serves {address}  (documents and results in {place})", file=sys.stderr, flush=True)

    serve(loaded.settings, backend, say)
    return EXIT_COMPLETE

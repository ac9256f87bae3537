"""`quire mcp`: documents for language models, by the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from typer import Option

from quire.cli import options
from quire.cli.settings import settings_of
from quire.core.errors import EXIT_COMPLETE, ConfigurationError, UsageError, install_advice
from quire.system.user_data import data_folder

EXAMPLES = """\b
Examples:
  quire mcp --store documents
  quire mcp --store documents --write --root ~/Downloads
  quire mcp --server http://localhost:5001 --tenant north
  QUIRE_SERVE_API_KEY=secret quire mcp --store documents --http 0.0.0.0:8000
"""
HOST = "127.0.0.1"
LEAST_TOKENS = 1000


def mcp(  # noqa: PLR0913 - one argument per option
    store: Annotated[
        str | None,
        Option(metavar="PLACE", help="Folder or URL with the documents; that of `quire serve` by default."),
    ] = None,
    facts: options.Facts = None,
    server: Annotated[str | None, Option(metavar="URL", help="A running server instead of a store.")] = None,
    tenant: Annotated[str | None, Option(metavar="NAME", help="Only the documents of this tenant.")] = None,
    http: Annotated[
        str | None,
        Option(metavar="[HOST:]PORT", help="Serve streamable HTTP at /mcp instead of standard input and output."),
    ] = None,
    api_key: Annotated[
        str | None,
        Option(metavar="KEY", help="Key of the server, which clients send as bearer; better in QUIRE_SERVE_API_KEY."),
    ] = None,
    allow_no_key: Annotated[
        bool | None, Option("--allow-no-key", help="Listen on any address without a key: something else protects it.")
    ] = None,
    write: Annotated[bool, Option("--write", help="Let clients add documents; without it they only look.")] = False,
    root: Annotated[
        list[Path] | None, Option(metavar="DIR", help="Folder from which files may be added by path. Repeatable.")
    ] = None,
    max_tokens: Annotated[
        int | None, Option(metavar="N", help="Tokens of an answer, about; 20000 by default.", min=LEAST_TOKENS)
    ] = None,
    workers: options.Workers = None,
) -> int:
    """Show documents to language models by the Model Context Protocol: list, map, read, search, tables, pictures,
    extraction, and checks of quotes. Read-only without --write."""
    if server is not None and (store is not None or facts is not None):
        raise UsageError("name a store or a server: --store, or --server")
    if root and not write:
        raise UsageError("--root is for adding documents: say --write too")
    try:
        from quire.mcp.file_roots import FileRoots
        from quire.mcp.running import McpOptions, ServerPlace, run_http, run_stdio
        from quire.mcp.token_budget import MAX_TOKENS
        from quire.service.server import ServiceBackend
        from quire.service.settings import load_settings
    except ImportError as error:
        raise ConfigurationError(f"the MCP server needs {error.name}: {install_advice('mcp')}") from error
    upstream = (api_key or os.environ.get("QUIRE_API_KEY", "")) if server is not None else ""
    host, port = listening_at(http) if http is not None else (HOST, 0)
    given = {"host": host, "port": port, "api_key": api_key, "allow_no_key": allow_no_key, "workers": workers}
    settings = load_settings(given, environment=os.environ).settings
    if upstream and not settings.api_key:  # who may use the key of the server through this one has to know it
        settings = load_settings({**given, "api_key": upstream}, environment=os.environ).settings
    shared = settings_of({"store": store, "facts": facts})
    backend = ServiceBackend(shared.store or str(data_folder() / "service"), shared.facts)
    chosen = McpOptions(
        backend if server is None else ServerPlace(server, upstream),
        settings,
        FileRoots(root or []),
        tenant,
        write,
        max_tokens or MAX_TOKENS,
    )
    if http is None:
        run_stdio(chosen)
    else:
        run_http(chosen, lambda address: print(f"Quire serves MCP at {address}", file=sys.stderr, flush=True))
    return EXIT_COMPLETE


def listening_at(text: str) -> tuple[str, int]:
    """The host and port of `[HOST:]PORT`. Raises UsageError for another text."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit()) or (":" in host and not host.startswith("[")):
        raise UsageError(f"--http {text} names no port; write it like 8000, 0.0.0.0:8000 or [::1]:8000")
    return host or HOST, int(port)

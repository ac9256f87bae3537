"""The commands and their help."""

from __future__ import annotations

from typing import Annotated

import typer

from quire import __version__
from quire.cli import config, engines, inspect, read
from quire.cli.telling import group, told


def _version(asked: bool) -> None:
    if asked:
        print(f"quire {__version__}")
        raise typer.Exit


app = group("quire", "Read documents: text with boxes, tables, and every format you need.")
app.command("read", short_help="Documents to Markdown and other formats.", epilog=read.EXAMPLES)(told(read.read))
app.command("inspect", short_help="What is in a document, page by page.", epilog=inspect.EXAMPLES)(
    told(inspect.inspect)
)
app.command("engines", short_help="Who can read scanned pages here.", epilog=engines.EXAMPLES)(told(engines.engines))

app.add_typer(config.app)


@app.callback()
def _quire(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    pass

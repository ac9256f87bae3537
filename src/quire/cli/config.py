"""`quire config`: the effective settings, and where each comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

from typer import Option

from quire.cli.command_errors import group, reporting_errors
from quire.cli.settings import configuration_of
from quire.core.config import SETTINGS, Configuration, variable, without_password
from quire.core.errors import EXIT_COMPLETE, UsageError

EXAMPLES = """\b
Examples:
  quire config show --annotate-source
  quire config show --preset night --format env
"""
FORMATS = ("toml", "json", "env")
HIDDEN = "***"


def show(
    annotate_source: Annotated[
        bool, Option("--annotate-source", help="Add where each value comes from: option, variable, file or default.")
    ] = False,
    preset: Annotated[str | None, Option(metavar="NAME", help="Show the settings under this preset.")] = None,
    format: Annotated[str, Option(metavar="FORMAT", help="toml, json or env.")] = "toml",
    redact: Annotated[
        bool, Option("--redact/--no-redact", help="Hide passwords, also those in URLs (default).")
    ] = True,
) -> int:
    """Show the effective settings in this folder."""
    if format not in FORMATS:
        raise UsageError(f"--format is {format!r}; choose from {', '.join(FORMATS)}")
    configuration = configuration_of({"preset": preset})
    values = _values(configuration, redact=redact)
    lines = {"toml": _toml, "json": _json, "env": _env}[format](configuration, values, annotate_source)
    print("\n".join(lines))
    return EXIT_COMPLETE


def _values(configuration: Configuration, *, redact: bool) -> dict[str, object]:
    values = asdict(configuration.settings) | {"preset": configuration.preset}
    if not redact:
        return values
    return {name: _redacted(name, value) for name, value in values.items()}


def _redacted(name: str, value: object) -> object:
    if SETTINGS[name].secret and value:
        return [f"{text.partition('=')[0]}={HIDDEN}" for text in value] if isinstance(value, tuple) else HIDDEN
    return without_password(value) if isinstance(value, str) else value


def _toml(configuration: Configuration, values: dict[str, object], annotate: bool) -> Iterator[str]:
    if configuration.file:
        yield f"# {configuration.file}"
    yield "[quire]"
    for name, value in values.items():
        shown = f"# {name} is not set" if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}"
        yield f"{shown:<40} # {configuration.sources[name]}" if annotate else shown


def _json(configuration: Configuration, values: dict[str, object], annotate: bool) -> Iterator[str]:
    sources = configuration.sources
    said = {name: {"value": value, "source": sources[name]} if annotate else value for name, value in values.items()}
    yield json.dumps(said, ensure_ascii=False, indent=2)


def _env(configuration: Configuration, values: dict[str, object], annotate: bool) -> Iterator[str]:
    from shlex import quote

    for name, value in values.items():
        shown = f"# {variable(name)} is not set" if value is None else f"{variable(name)}={quote(_as_text(value))}"
        yield f"{shown:<40} # {configuration.sources[name]}" if annotate else shown


def _as_text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


app = group("config", "Show the effective settings.")
app.command("show", short_help="The settings, and where each comes from.", epilog=EXAMPLES)(reporting_errors(show))


@app.callback()
def _config() -> None:
    """Settings come from the command line, the environment (QUIRE_…), quire.toml with its presets, or the defaults."""

"""The settings of a command: its options, plus the environment and `quire.toml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from quire.cli.option_groups import flat
from quire.core.config import SETTINGS, Configuration, Settings, configure
from quire.system import offline


def configuration_of(arguments: Mapping[str, object]) -> Configuration:
    """The settings of a command with these arguments; None and empty lists mean not given."""
    given = {name: value for name, value in flat(arguments).items() if name in SETTINGS and value not in (None, [])}
    configuration = configure(given, environment=os.environ, folder=Path.cwd())
    if configuration.sources["offline"] != "default":  # for everything that may use the network
        os.environ[offline.VARIABLE] = "1" if configuration.settings.offline else "0"
    return configuration


def reading_configuration(given: Mapping[str, object], *own: str) -> Configuration:
    """The configuration of a command that reads documents. The options that are its `own` are not settings.

    Raises UsageError for options that a server does not take, where one is named.
    """
    given = flat(given)
    configuration = configuration_of({name: value for name, value in given.items() if name not in own})
    if configuration.settings.server:
        from quire.cli.read_server import check_server_options

        check_server_options(configuration.settings, given)
    return configuration


def settings_of(arguments: Mapping[str, object]) -> Settings:
    return configuration_of(arguments).settings

"""Ports of this machine."""

from __future__ import annotations

from quire.cli.devcluster.program import free_ports


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    return free_ports(1)[0]

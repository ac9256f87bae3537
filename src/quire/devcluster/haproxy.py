"""HAProxy before the workers: it gives each invocation to the worker that has the fewest."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from quire.devcluster.program import ServerProgram, free_ports, listens
from quire.errors import ConfigurationError

ADVICE = "install it with `apt install haproxy`"

# HTTP/2 on both sides, request by request: a balancer of connections would give all work to one worker, because the
# Restate server puts many invocations into one connection. Invocations last as long as the work does.
_TEMPLATE = """\
global
    maxconn 4096

defaults
    mode http
    balance leastconn
    timeout connect 5s
    timeout client 12h
    timeout server 12h
    timeout queue 12h
    timeout check 5s
    option redispatch
    retries 3

frontend restate
    bind {bind} proto h2
    use_backend recognize if {{ path_sub /invoke/quire-recognize/ }}
    default_backend workers

# Plans, groups of pages, documents that wait for their pages: as many as come.
backend workers
    option httpchk
    http-check send meth GET uri /health hdr host worker
    default-server proto h2 check check-proto h2 inter 500ms fall 3 rise 1
{workers}

# Pages with an engine: each worker gets as many as it can do, the others wait here for whoever is free first.
backend recognize
    default-server proto h2 maxconn {each}
{recognize}
"""


def find_program() -> Path | None:
    """In the PATH, or where Debian puts it, where few users look."""
    found = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    return Path(found) if found else None


def configuration(bind: str, workers: Sequence[str], *, each: int) -> str:
    """The text of a configuration file; `each` is how many pages a worker recognises at a time."""
    named = [(f"worker{number}", address) for number, address in enumerate(workers, start=1)]
    return _TEMPLATE.format(
        bind=bind,
        each=each,
        workers="\n".join(f"    server {name} {address}" for name, address in named),
        recognize="\n".join(f"    server {name} {address} track workers/{name}" for name, address in named),
    )


class HaproxyProgram(ServerProgram):
    """A balancer on a port of 127.0.0.1."""

    def __init__(self, folder: Path, workers: Sequence[str], *, each: int, port: int | None = None) -> None:
        program = find_program()
        if program is None:
            raise ConfigurationError(f"there is no HAProxy here; {ADVICE}")
        self.port = port or free_ports(1)[0]
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "haproxy.cfg"
        file.write_text(configuration(f"127.0.0.1:{self.port}", workers, each=each))
        super().__init__(
            "haproxy", [program, "-db", "-q", "-f", file], folder=folder, answers=lambda: listens(self.port)
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

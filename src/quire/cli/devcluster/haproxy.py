"""HAProxy in front of the workers: routes each invocation to the worker with the fewest."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram, free_ports, listens
from quire.core.errors import ConfigurationError

ADVICE = "install it with `apt install haproxy`"

# HTTP/2 on both sides, balanced per request: balancing connections would send all work to one worker, because the
# Restate server multiplexes many invocations over one connection. Invocations last as long as the work does.
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

# Plans, groups of pages, documents that wait for their pages: without a limit.
backend workers
    option httpchk
    http-check send meth GET uri /health hdr host worker
    default-server proto h2 check check-proto h2 inter 500ms fall 3 rise 1
{workers}

# Pages with OCR: each worker gets up to its limit, the others are queued here for the first free worker.
backend recognize
    default-server proto h2 maxconn {each}
{recognize}
"""


def find_program() -> Path | None:
    """In the PATH, or where Debian puts it, which is not in the PATH of most users."""
    found = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    return Path(found) if found else None


def configuration(bind: str, workers: Sequence[str], *, each: int) -> str:
    """The text of a configuration file; `each` is how many pages a worker recognises concurrently."""
    named = [(f"worker{number}", address) for number, address in enumerate(workers, start=1)]
    return _TEMPLATE.format(
        bind=bind,
        each=each,
        workers="\n".join(f"    server {name} {address}" for name, address in named),
        recognize="\n".join(f"    server {name} {address} track workers/{name}" for name, address in named),
    )


class HaproxyProgram(ServerProgram):
    """A load balancer on a port of 127.0.0.1."""

    def __init__(self, folder: Path, workers: Sequence[str], *, each: int, port: int | None = None) -> None:
        program = find_program()
        if program is None:
            raise ConfigurationError(f"HAProxy is not installed; {ADVICE}")
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

"""`quire up`: a complete cluster on this machine, to try it out."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from threading import Event
from typing import TYPE_CHECKING, Annotated

from typer import Option

from quire.core.errors import EXIT_COMPLETE, ConfigurationError

if TYPE_CHECKING:
    from quire.cli.devcluster.cluster import LocalCluster

EXAMPLES = """\b
Examples:
  quire up
  quire up --workers 3 --folder cluster
"""
LOOK_EVERY_S = 0.5
KUBERNETES = """\
In Kubernetes (deploy/README.md has the manifests):
  PostgreSQL  a managed database, or one run by an operator
  Restate     a StatefulSet, installed by Restate's Helm chart
  HAProxy     a Deployment: a Service balances connections, but the server sends many invocations over one
  workers     a Deployment per pool and release: quire worker --pool recognize (OCR)
  store       a bucket, s3://, gs:// or az://, instead of a folder"""


def up(
    workers: Annotated[
        int, Option(metavar="N", min=1, help="Number of workers; 2 by default.", show_default=False)
    ] = 2,
    folder: Annotated[
        Path | None, Option(metavar="DIR", help="Folder for the data, to continue with later; temporary by default.")
    ] = None,
    keep: Annotated[bool, Option("--keep", help="Do not remove the temporary folder at the end.")] = False,
    local_cluster: Annotated[bool, Option("--local-cluster", hidden=True)] = True,  # for scripts that still pass it
) -> int:
    """Start PostgreSQL, a Restate server, HAProxy and workers on this machine (127.0.0.1), and print how to use them.

    Ctrl-C stops all of it.
    """
    from quire.cli.devcluster.cluster import ClusterOptions, LocalCluster, missing
    from quire.cli.devcluster.restarts import Restarts

    if lacking := missing():
        raise ConfigurationError("missing on this machine; install:\n  " + "\n  ".join(lacking))
    with _place(folder, keep=keep) as place, _asked_to_end() as asked:
        cluster = LocalCluster(place, ClusterOptions(workers=workers))
        print(f"Starting in {place}", flush=True)
        cluster.start(lambda line: print(f"  {line}", flush=True))
        try:
            print(_usage(cluster), flush=True)
            restarts = Restarts(cluster.programs)
            while not asked.wait(LOOK_EVERY_S):
                for line in restarts.look():
                    print(line, flush=True)
            print("Stopping the cluster", flush=True)
        finally:
            cluster.stop()
    return EXIT_COMPLETE


def _usage(cluster: LocalCluster) -> str:
    settings = "\n".join(f"  export {name}={quote(value)}" for name, value in cluster.settings.items())
    return f"""
The cluster is running. In another terminal:
{settings}
  quire run FOLDER -o OUT

{KUBERNETES}

Press Ctrl-C to stop the cluster."""


@contextmanager
def _place(folder: Path | None, *, keep: bool) -> Iterator[Path]:
    """The folder of the cluster; a temporary one is removed."""
    if folder is not None:
        yield folder.absolute()
        return
    place = Path(tempfile.mkdtemp(prefix="quire-cluster-"))
    place.chmod(0o755)  # the PostgreSQL user needs access
    try:
        yield place
    finally:
        if keep:
            print(f"The data is in {place}; `quire up --folder {place}` continues with it", flush=True)
        else:
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _asked_to_end() -> Iterator[Event]:
    """An event that Ctrl-C and SIGTERM set. A second signal raises KeyboardInterrupt."""
    asked = Event()

    def note(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

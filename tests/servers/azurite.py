"""An Azure storage server on this machine. `scripts/azurite.sh` fetches it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import shutil
import signal
import tempfile
import urllib.request
from email.utils import formatdate
from itertools import count
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram, listens
from tests.servers.ports import free_port

ACCOUNT = "devstoreaccount1"
# The key that every Azurite has, as its documentation says.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_VERSION = "2021-08-06"


def program() -> Path | None:
    found = Path(__file__).parents[2] / ".venv/azurite/node_modules/.bin/azurite-blob"
    return found if found.exists() else None


class AzureServer(ServerProgram):
    """Runs from `start` to `stop`; containers live as long as it does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._names = count(1)
        options = ["--silent", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
        command = [str(program()), *options, "--blobHost", "127.0.0.1", "--blobPort", str(self.port)]
        folder = Path(tempfile.mkdtemp(prefix="quire-azurite-"))
        super().__init__("azurite", command, folder=folder, answers=lambda: listens(self.port))

    def stop(self, number: signal.Signals = signal.SIGKILL) -> int | None:
        """At once: nothing of it is kept."""
        code = super().stop(number)
        shutil.rmtree(self.folder, ignore_errors=True)
        return code

    @property
    def environment(self) -> dict[str, str]:
        """What a program that uses it needs."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_ENDPOINT": f"http://127.0.0.1:{self.port}/{ACCOUNT}",
            "AZURE_ALLOW_HTTP": "true",
        }

    def create(self) -> str:
        """A new container; the URL of a folder in it."""
        name = f"container-{next(self._names)}"
        date = formatdate(usegmt=True)
        resource = f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
        signed = f"PUT{chr(10) * 12}x-ms-date:{date}\nx-ms-version:{_VERSION}\n{resource}"
        signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), signed.encode(), hashlib.sha256)).decode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{ACCOUNT}/{name}?restype=container",
            method="PUT",
            headers={
                "x-ms-date": date,
                "x-ms-version": _VERSION,
                "Authorization": f"SharedKey {ACCOUNT}:{signature}",
                "Content-Length": "0",
            },
        )
        urllib.request.urlopen(request, timeout=30).close()
        return f"az://{name}/some/folder"

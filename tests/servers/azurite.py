"""An Azure storage server on this machine. `scripts/azurite.sh` fetches it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import socket
import subprocess
import tempfile
import time
import urllib.request
from email.utils import formatdate
from itertools import count
from pathlib import Path

from tests.servers.ports import free_port

DEADLINE_S = 60.0
ACCOUNT = "devstoreaccount1"
# The key that every Azurite has, as its documentation says.
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_VERSION = "2021-08-06"


def program() -> Path | None:
    found = Path(__file__).parents[2] / ".venv/azurite/node_modules/.bin/azurite-blob"
    return found if found.exists() else None


class AzureServer:
    """Runs from `start` to `stop`; containers live as long as it does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._names = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What a program that uses it needs."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_ENDPOINT": f"http://127.0.0.1:{self.port}/{ACCOUNT}",
            "AZURE_ALLOW_HTTP": "true",
        }

    def start(self) -> None:
        options = ["--silent", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
        self._process = subprocess.Popen(
            [str(program()), *options, "--blobHost", "127.0.0.1", "--blobPort", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=tempfile.gettempdir(),
        )
        deadline = time.monotonic() + DEADLINE_S
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError("Azurite does not start")
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None

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

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

"""An S3 server on this machine, in a program of its own."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import urllib.error
import urllib.request
from itertools import count
from pathlib import Path

from quire.cli.devcluster.program import ServerProgram
from tests.servers.ports import free_port


class S3Server(ServerProgram):
    """Runs from `start` to `stop`; buckets live as long as it does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._names = count(1)
        command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        super().__init__("s3", command, folder=Path(tempfile.mkdtemp(prefix="quire-s3-")), answers=self._is_there)

    def stop(self, number: signal.Signals = signal.SIGKILL) -> int | None:
        """At once: nothing of it is kept."""
        code = super().stop(number)
        shutil.rmtree(self.folder, ignore_errors=True)
        return code

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a program that uses it needs."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "quire",
            "AWS_SECRET_ACCESS_KEY": "quire-secret",
        }

    def create(self) -> str:
        """A new bucket; the URL of a folder in it."""
        name = f"bucket-{next(self._names)}"
        request = urllib.request.Request(f"{self.url}/{name}", method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
        return f"s3://{name}/some/folder"

    def _is_there(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        return True

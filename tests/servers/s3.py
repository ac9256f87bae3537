"""An S3 server on this machine, in a program of its own."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request
from itertools import count

from tests.servers.ports import free_port

DEADLINE_S = 60.0


class S3Server:
    """Runs from `start` to `stop`; buckets live as long as it does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._names = count(1)
        self._process: subprocess.Popen[bytes] | None = None

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

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + DEADLINE_S
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError("the S3 server does not start")
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(DEADLINE_S)
            self._process = None

    def create(self) -> str:
        """A new bucket; the URL of a folder in it."""
        name = f"bucket-{next(self._names)}"
        request = urllib.request.Request(f"{self.url}/{name}", method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
        return f"s3://{name}/some/folder"

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        return True

"""Objects in a bucket: S3 and compatible services, Google Cloud Storage, Azure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn

from quire.core.errors import ConfigurationError, QuireError, StoreError, install_advice
from quire.store.objects import ListedObject

if TYPE_CHECKING:
    from obstore.store import RetryConfig

FAN_OUT = 8
"""Objects written concurrently, which bounds the memory."""
RETRY_S = 30
"""Seconds for which a request is retried when the service does not answer or throttles."""

_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION; for another service also AWS_ENDPOINT_URL, with "
    "AWS_ALLOW_HTTP=true where that is http://",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS, the path of the key of a service account",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "memory": "nothing",
}
"""URL schemes, and the environment variables with their credentials."""

_MISTAKES = {
    # Without credentials obstore tries the metadata server of a cloud machine.
    r"169\.254\.169\.254|metadata\.google|MissingAccount|service account": "set {variables} in the environment",
    "NoSuchBucket|ContainerNotFound|bucket does not exist": "create it or correct the address",
    "PermissionDenied|Unauthenticated| 40[13] ": "check that these credentials may list, read, write and delete there: "
    "{variables} in the environment",
    "builder error|Unable to recognise URL": "correct the address, or set {variables} in the environment",
}
"""Errors of obstore that need a change by the user, with the advice; all other errors are retryable."""


class RemoteObjects:
    """The objects below `s3://bucket/folder`, `gs://bucket/folder` or `az://container/folder`, through obstore.

    Credentials and endpoints come from the environment, as obstore reads it. The constructor checks that the bucket
    exists and can be listed, before any work is done that could not be saved. `memory:///` ends with the process.
    Local folders do not use obstore, which never syncs its files to the disk: `LocalObjects` does.
    """

    def __init__(self, url: str) -> None:
        self.place = url.rstrip("/")
        self._kind = url.partition(":")[0]
        if self._kind not in _CREDENTIALS:
            raise ConfigurationError(f"{url}: a store is a folder, s3://bucket/…, gs://bucket/… or az://container/…")
        try:
            import obstore
            from obstore.exceptions import BaseError
            from obstore.store import from_url
        except ImportError as error:
            raise ConfigurationError(f"{url} needs obstore ({error}): {install_advice('cloud')}") from error
        self._failure = BaseError
        self._obstore = obstore
        try:
            # No client options: they would override the environment, such as AWS_ALLOW_HTTP.
            retry: RetryConfig = {"max_retries": 5, "retry_timeout": timedelta(seconds=RETRY_S)}
            self._bucket = from_url(url, retry_config=retry)
            next(iter(obstore.list(self._bucket, chunk_size=1)), None)
        except (BaseError, FileNotFoundError) as error:
            raise self._explanation("opened", error) from None

    def write(self, name: str, data: bytes) -> None:
        with self._explained("written to"):
            self._obstore.put(self._bucket, name, data)

    def write_many(self, objects: Iterable[tuple[str, bytes]]) -> None:
        running: set[Future[None]] = set()
        with ThreadPoolExecutor(FAN_OUT, thread_name_prefix="quire-upload") as threads:
            for name, data in objects:
                if len(running) == FAN_OUT:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for written in done:
                        written.result()
                running.add(threads.submit(self.write, name, data))
            for written in running:
                written.result()

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes | None:
        with self._explained("read"), suppress(FileNotFoundError):
            if size == 0:
                return b"" if self.exists(name) else None
            if size is not None:
                return bytes(self._obstore.get_range(self._bucket, name, start=start, length=size))
            return bytes(self._obstore.get(self._bucket, name).bytes())[start:]
        return None

    def exists(self, name: str) -> bool:
        with self._explained("read"), suppress(FileNotFoundError):
            self._obstore.head(self._bucket, name)
            return True
        return False

    def delete(self, names: Sequence[str]) -> None:
        with self._explained("written to"):
            try:
                self._obstore.delete(self._bucket, names)
            except FileNotFoundError:  # only some services raise, and do not say which others they have deleted
                for name in names:
                    with suppress(FileNotFoundError):
                        self._obstore.delete(self._bucket, name)

    def list(self, prefix: str) -> Iterator[ListedObject]:
        with self._explained("read"):
            for found in self._obstore.list(self._bucket, prefix=prefix.rstrip("/")):
                for one in found:
                    yield ListedObject(one["path"], one["size"], one["last_modified"].timestamp())

    def close(self) -> None:
        pass  # connections end with the last reference

    @contextmanager
    def _explained(self, done: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:  # on a write: the bucket itself is gone
            self._raise(done, error)
        except self._failure as error:
            self._raise(done, error)

    def _raise(self, done: str, error: Exception) -> NoReturn:
        raise self._explanation(done, error) from None

    def _explanation(self, done: str, error: Exception) -> QuireError:
        """A message with the cause and some advice. The request is left out, because it may contain secrets."""
        whole = f"{type(error).__name__}: {error}"
        advice = next((advice for pattern, advice in _MISTAKES.items() if re.search(pattern, whole)), None)
        message = f"{self.place} cannot be {done}: {_said(error)}"
        if advice is None:
            return StoreError(f"{message}; check the network and try again")
        kind = ConfigurationError if done == "opened" else StoreError
        return kind(f"{message}; {advice.format(variables=_CREDENTIALS[self._kind])}")


def _said(error: Exception) -> str:
    """The service's response, without the request, its query and the internals of the library."""
    text = str(error).partition("Debug source")[0]
    if found := re.search("<Message>([^<\n]+)", text):
        return found[1].strip().rstrip(".")
    return re.sub(r"\?\S*", "", " ".join(text.split())).rstrip(".")

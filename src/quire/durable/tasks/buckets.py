"""Sources and targets of a task besides its caller: buckets, and URLs that take a PUT."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from quire.core.context import Json
from quire.core.errors import (
    ConfigurationError,
    FetchError,
    InputError,
    LimitError,
    StoreError,
    UsageError,
    install_advice,
)
from quire.core.fetch_policy import FetchPolicy
from quire.core.keys import digest_bytes
from quire.core.names import file_stem, safe_name
from quire.net.fetching import Fetched, check_host, send, temporary_file
from quire.reading.messages import TaskDocument, TaskSource

if TYPE_CHECKING:
    from obstore.store import ClientConfig, ObjectStore, RetryConfig

ARCHIVE = "converted_docs.zip"
TARGET_FAILED = "the target cannot be written"
"""The beginning of the error of a task that could not deliver."""
ACCOUNT = ("type", "client_email", "private_key", "private_key_id")
MOST_OBJECTS = 10_000
"""Objects of one bucket that a task reads at most."""
LISTED_AT_ONCE = 1000
ATTEMPTS = 3
"""Of a request to a bucket, within the timeout of the task."""


def objects(bucket: Mapping[str, Json], policy: FetchPolicy) -> list[TaskSource]:
    """The objects of a bucket below the prefix of the source, each as a source that has only its key."""
    import obstore

    place = f"{bucket['kind']}://{_bucket(bucket)}"
    store, most = _opened(bucket, policy), min(int(bucket.get("max_num_elements") or MOST_OBJECTS), MOST_OBJECTS)
    sources: list[TaskSource] = []
    with _reporting(f"the source {place} cannot be listed", policy) as check_time:
        for portion in obstore.list(store, prefix=_prefix(bucket) or None, chunk_size=LISTED_AT_ONCE):
            check_time()
            keys = [meta["path"] for meta in portion if meta["size"]]
            sources += [{"bucket": {"key": key}, "uri": f"{place}/{key}"} for key in keys]
            if len(sources) >= most:
                break
    return sources[:most]


def downloaded(bucket: Mapping[str, Json], policy: FetchPolicy, *, folder: Path | None = None) -> Fetched:
    """One object as a temporary file in a folder, which the caller must remove."""
    import obstore

    key = str(bucket["key"])
    name = safe_name(key) or "document"
    with _reporting(f"{key} cannot be downloaded from {bucket['kind']}://{_bucket(bucket)}", policy) as check_time:
        response = obstore.get(_opened(bucket, policy), key)
        with temporary_file(folder) as (path, file):
            for piece in response.stream():
                check_time()
                if file.tell() + len(piece) > policy.max_bytes:
                    raise LimitError(f"is larger than {policy.max_bytes / 1e6:,.0f} MB, the limit here", document=name)
                try:
                    file.write(piece)
                except OSError as error:
                    raise StoreError(f"cannot save {key} to {path}: {error.strerror}") from error
    return Fetched(path, name)


def deliver(target: Mapping[str, Json], archive: bytes, documents: Sequence[TaskDocument], policy: FetchPolicy) -> None:
    """Send the files of a task to its target: one archive with a PUT, or each file to a bucket."""
    if target["kind"] == "put":
        body, content_type = _form(archive)
        try:
            send("PUT", str(target["url"]), body, policy, headers={"Content-Type": content_type})
        except FetchError as error:
            raise FetchError(f"{TARGET_FAILED}: {error}", passing=error.retryable) from error
        return
    import obstore

    store = _opened(target, policy)
    folders = {file_stem(document["name"]): digest_bytes(document["uri"].encode())[:12] for document in documents}
    said = f"{TARGET_FAILED}: {target['kind']}://{_bucket(target)}"
    with zipfile.ZipFile(io.BytesIO(archive)) as files, _reporting(said, policy) as check_time:
        for name in files.namelist():
            check_time()
            stem = max((stem for stem in folders if name.startswith(stem)), key=len, default="")
            place = "/".join(part for part in (_prefix(target), folders.get(stem, ""), name) if part)
            obstore.put(store, place, files.read(name))


@contextmanager
def _reporting(what: str, policy: FetchPolicy) -> Iterator[Callable[[], None]]:
    """Turn the errors of a bucket into FetchError, with the first line of what the service says.

    The value raises FetchError when the time of the policy is over; a single request has no more than that, either.
    """
    from obstore.exceptions import BaseError, GenericError

    until = time.monotonic() + policy.timeout_s

    def check_time() -> None:
        if time.monotonic() >= until:
            raise FetchError(f"{what}: took longer than {policy.timeout_s:g} s; try again later", passing=True)

    try:
        yield check_time
    except (BaseError, OSError) as error:
        said = str(error).strip().splitlines()[0][:300]
        raise FetchError(f"{what}: {said}", passing=isinstance(error, GenericError)) from error


def _form(archive: bytes) -> tuple[bytes, str]:
    """A multipart form with the archive as the part `file`."""
    boundary = token_hex(16)
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{ARCHIVE}"\r\n'
        "Content-Type: application/zip\r\n\r\n"
    )
    return head.encode() + archive + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _prefix(bucket: Mapping[str, Json]) -> str:
    return str(bucket.get("key_prefix") or bucket.get("blob_prefix") or "").strip("/")


def _bucket(bucket: Mapping[str, Json]) -> str:
    return str(bucket.get("bucket") or bucket.get("container") or "")


def _opened(bucket: Mapping[str, Json], policy: FetchPolicy) -> ObjectStore:
    """The store of a bucket, with the credentials of the request. Raises ConfigurationError without obstore."""
    try:
        from obstore.exceptions import BaseError
        from obstore.store import AzureStore, GCSStore, S3Store
    except ImportError as error:
        raise ConfigurationError(f"buckets need obstore ({error}): {install_advice('cloud')}") from error
    kind, limit = bucket["kind"], timedelta(seconds=policy.timeout_s)
    retry_config: RetryConfig = {"max_retries": ATTEMPTS - 1, "retry_timeout": limit}
    try:
        if kind == "s3":
            secure = bool(bucket.get("verify_ssl", True))
            endpoint = str(bucket["endpoint"])
            address = endpoint if "://" in endpoint else f"{'https' if secure else 'http'}://{endpoint}"
            check_host(address, policy)
            pair = {"access_key_id": bucket.get("access_key"), "secret_access_key": bucket.get("secret_key")}
            return S3Store(
                str(bucket["bucket"]),
                endpoint=address,
                region=bucket.get("region") or "us-east-1",
                client_options={"allow_http": not secure or address.startswith("http://"), "timeout": limit},
                retry_config=retry_config,
                **_only({**pair, "token": None, "expires_at": None}, given=bool(bucket.get("access_key"))),
            )
        if kind == "azure_blob":
            given = _azure(bucket)
            account_key, signature = given.pop("account_key", None), given.pop("sas_key", None)
            if given.get("endpoint"):
                check_host(str(given["endpoint"]), policy)
            credential = {"access_key": account_key} if account_key else {"sas_token": signature}
            own = _only(credential | {"expires_at": None}, given=bool(account_key or signature))
            client_options: ClientConfig = {
                "allow_http": str(given.get("endpoint", "")).startswith("http://"),
                "timeout": limit,
            }
            return AzureStore(
                str(bucket["container"]), client_options=client_options, retry_config=retry_config, **given, **own
            )
        if kind == "google_cloud_storage":
            account = bucket.get("service_account_key")
            key: dict[str, Json] = {"skip_signature": True}
            if account:  # other members would name other servers
                known = {name: account[name] for name in ACCOUNT if name in account}
                key = {"service_account_key": json.dumps(known)}
            return GCSStore(str(bucket["bucket"]), client_options={"timeout": limit}, retry_config=retry_config, **key)
    except (ValueError, TypeError, BaseError) as error:
        said = str(error).strip().splitlines()[0][:300]
        raise UsageError(f"the {kind} of the request is invalid: {said}") from error
    raise InputError(f"documents of the kind {kind} are not supported")


def _only(credential: dict[str, Json], *, given: bool) -> dict[str, Any]:
    """The credential of the request, or none: never those in the environment of the server."""
    return {"credential_provider": lambda: credential} if given else {"skip_signature": True}


def _azure(bucket: Mapping[str, Json]) -> dict[str, Json]:
    names = {"account_name": "account_name", "account_key": "account_key", "endpoint": "endpoint"}
    given: dict[str, Json] = {own: bucket[name] for name, own in names.items() if bucket.get(name)}
    if text := bucket.get("connection_string"):
        parts = dict(part.split("=", 1) for part in str(text).split(";") if "=" in part)
        given |= {
            own: parts[name]
            for name, own in (
                ("AccountName", "account_name"),
                ("AccountKey", "account_key"),
                ("SharedAccessSignature", "sas_key"),
                ("BlobEndpoint", "endpoint"),
            )
            if name in parts
        }
    return given

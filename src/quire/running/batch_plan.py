"""The plan of a batch: which documents are done, which are not, and why. Nothing is read that can be known."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quire.cli.sources import NamedSource, find_sources
from quire.context import Json
from quire.keys import Digest
from quire.records.files import Files, Hashed, Seen
from quire.records.outputs import Output, Outputs
from quire.records.quarantine import Quarantine
from quire.running.batch_request import BatchRequest
from quire.running.batch_settings import Asked, asked_by, difference
from quire.store.artifacts import ArtifactStore

DocumentState = Literal["done", "stale", "missing", "quarantined", "error"]
"""`stale`: there is an output, but not of this document with these settings. `error`: the file cannot be read."""

_CHUNK = 1 << 20
_REMEMBER_EVERY = 500


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document and what is to be done about it. `place` is where its files go, less their endings."""

    name: str
    path: Path
    place: Path
    state: DocumentState
    reason: str = ""
    document: str = ""
    """The sha256 of its bytes."""
    key: str = ""
    """The key of the work on it."""
    seen: Seen | None = None
    again: str = ""
    """Set when the work was done before and must be done again."""
    output_path: str | None = None
    """The first file of the output that there is."""

    @property
    def to_do(self) -> bool:
        return self.state in ("stale", "missing", "error")

    def to_json(self) -> dict[str, Json]:
        told = {"name": self.name, "path": str(self.path), "state": self.state, "reason": self.reason}
        return {**told, "place": str(self.place), "document": self.document}


@dataclass(frozen=True, slots=True)
class Plan:
    """Every document of a batch, in the order of their names."""

    asked: Asked
    documents: tuple[PlannedDocument, ...]

    @property
    def counts(self) -> Mapping[DocumentState, int]:
        return Counter(document.state for document in self.documents)


def plan_batch(request: BatchRequest, store: ArtifactStore) -> Plan:
    """Find the documents and look up what is known of them: in few questions, however many there are.

    Files whose path, size and time are known are not read. Raises UsageError when there is nothing to find.
    """
    asked = asked_by(request, store)
    sources = _chosen(request)
    seen, errors = _looked_at([source.path for _, source in sources])
    digests, unreadable = _digests(seen, Files(store.database), trust=not request.verify_hash)
    places = [_place(request, source) for _, source in sources]
    outputs = Outputs(store.database).find([str(place) for place in places])
    keys = {
        str(source.path): asked.key(digest, source.path.name)
        for _, source in sources
        if (digest := digests.get(str(source.path)))
    }
    quarantined = {} if request.force else Quarantine(store.database).find(list(keys.values()))
    planned = []
    for (name, source), place in zip(sources, places, strict=True):
        path = str(source.path)
        if path not in keys:
            reason = errors.get(path) or unreadable.get(path, "cannot be read")
            planned.append(PlannedDocument(name, source.path, place, "error", reason))
            continue
        output = outputs.get(str(place))
        if entry := quarantined.get(keys[path]):
            state: DocumentState = "quarantined"
            reason, again = entry.reason, ""
        else:
            state, reason, again = _judged(output, digests[path], keys[path], asked, request)
        first = output.files[0].path if output and output.files else None
        planned.append(
            PlannedDocument(
                name, source.path, place, state, reason, digests[path], keys[path], seen[path], again, first
            )
        )
    return Plan(asked, tuple(planned))


def _chosen(request: BatchRequest) -> list[tuple[str, NamedSource]]:
    """The documents of the request with the names they go by: below their folder, else their path."""
    sources = find_sources(
        [Path(path) for path in request.paths], Path(request.output), include=request.include, exclude=request.exclude
    )
    names = [str(source.folder / source.path.name) for source in sources]
    shared = Counter(names)
    named = [
        (name if shared[name] == 1 else str(source.path), source) for name, source in zip(names, sources, strict=True)
    ]
    if request.shard is not None:
        named = [(name, source) for name, source in named if request.shard.has(name)]
    return named[: request.limit]


def _place(request: BatchRequest, source: NamedSource) -> Path:
    return Path(request.output) / source.folder / source.stem


def _looked_at(paths: Sequence[Path]) -> tuple[dict[str, Seen], dict[str, str]]:
    """How the files look, and why some do not."""
    seen, errors = {}, {}
    for path in paths:
        try:
            seen[str(path)] = Seen.of(os.stat(path))  # noqa: PTH116 - ten thousand of them
        except OSError as error:
            errors[str(path)] = f"cannot be read: {error.strerror}"
    return seen, errors


def _digests(seen: Mapping[str, Seen], files: Files, *, trust: bool) -> tuple[dict[str, Digest], dict[str, str]]:
    """The digest of every file that can be read, remembered or made now."""
    digests = files.find(seen) if trust else {}
    errors: dict[str, str] = {}
    hashed: list[Hashed] = []
    for path in sorted(seen.keys() - digests.keys()):
        try:
            hashed.append(hash_file(path))
        except OSError as error:
            errors[path] = f"cannot be read: {error.strerror}"
        if len(hashed) == _REMEMBER_EVERY:  # a plan that is killed has not read everything for nothing
            files.remember(hashed)
            digests.update({one.path: one.digest for one in hashed})
            hashed.clear()
    files.remember(hashed)
    return digests | {one.path: one.digest for one in hashed}, errors


def hash_file(path: str) -> Hashed:
    """Read a file for its digest."""
    began = time.time_ns()
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        seen = Seen.of(os.fstat(file.fileno()))
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return Hashed(path, seen, Digest(digest.hexdigest()), began)


def _judged(
    output: Output | None, document: str, key: str, asked: Asked, request: BatchRequest
) -> tuple[DocumentState, str, str]:
    """Whether the output of a document is what was asked for; why not; and what marks the work as another attempt."""
    if output is None:
        return "missing", "", ""
    again = f"{output.at:.6f}"
    if output.document != document:
        return "stale", "the document has changed", ""
    if output.key != key:
        return "stale", difference(output.settings, asked.settings), ""
    if request.force:
        return "stale", "it is done again because of --force", again
    if lost := next(_lost(output, verify=request.verify_hash), None):
        return "stale", lost, ""
    if failed := output.settings.get("failed_pages"):
        return "stale", f"{failed} {'page' if failed == 1 else 'pages'} failed before", again
    return "done", "", ""


def _lost(output: Output, *, verify: bool) -> Iterator[str]:
    """Files of an output that are not what was written."""
    for file in output.files:
        name = Path(file.path).name
        try:
            size = os.stat(file.path).st_size  # noqa: PTH116 - ten thousand of them
            if size != file.size or (verify and hash_file(file.path).digest != file.digest):
                yield f"{name} has been changed"
        except OSError:
            yield f"{name} is missing"

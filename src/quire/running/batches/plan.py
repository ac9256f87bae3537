"""The plan of a batch: which documents are done, which are not, and why. Nothing is read that can be known."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from quire.batch.stopping import Stop
from quire.budget import cpu_budget
from quire.cli.sources import find_sources
from quire.context import Json
from quire.hashing import FileState, Hashed, hash_file
from quire.keys import Digest
from quire.records.files import Files
from quire.records.outputs import Output, Outputs
from quire.records.places import path_text
from quire.records.quarantine import Quarantine, Quarantined
from quire.running.batches.request import BatchRequest
from quire.running.batches.settings import Asked, asked_by, difference
from quire.running.flows.workflow import Registered
from quire.store.artifacts import ArtifactStore

DocumentState = Literal["done", "stale", "missing", "quarantined", "error"]
"""`stale`: there is an output, but not of this document with these settings. `error`: the file cannot be read."""

FORCED, FAILED = "it is done again because of --force", "pages of it failed before"
"""Reasons to do again what was done with just these settings."""

_REMEMBER_EVERY = 500


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document and what is to be done about it. `place` is where its files go, less their endings."""

    name: str
    path: Path
    place: str
    state: DocumentState
    reason: str = ""
    document: str = ""
    """The sha256 of its bytes."""
    key: str = ""
    """The key of the work on it."""
    seen: FileState | None = None
    again: str = ""
    """Set when the work was done before and must be done again."""
    output_path: str | None = None
    """The first file of the output that there is."""

    @property
    def to_do(self) -> bool:
        return self.state in ("stale", "missing", "error")

    def to_json(self) -> dict[str, Json]:
        told = {"name": self.name, "path": str(self.path), "state": self.state, "reason": self.reason}
        return {**told, "place": self.place, "document": self.document}


@dataclass(frozen=True, slots=True)
class Plan:
    """Every document of a batch, in the order of their names."""

    asked: Asked
    documents: tuple[PlannedDocument, ...]

    @property
    def counts(self) -> Mapping[DocumentState, int]:
        return Counter(document.state for document in self.documents)


class PlanStopped(Exception):
    """Somebody asked to stop while files were read. Carries how many documents there are."""

    def __init__(self, documents: int) -> None:
        super().__init__(documents)
        self.documents = documents


def plan_batch(
    request: BatchRequest,
    store: ArtifactStore,
    *,
    stop: Stop | None = None,
    named: Callable[[str], Registered] | None = None,
) -> Plan:
    """Find the documents and look up what is known of them: in few questions, however many there are.

    Files whose path, size and time are known are not read. Raises UsageError when there is nothing to find, and
    PlanStopped when `stop` was asked for.
    """
    asked = asked_by(request, store, named)
    sources, left_out = _chosen(request)
    seen, errors = _looked_at([source.path for source in sources])
    digests, unreadable = _digests(seen, Files(store.database), trust=not request.verify_hash, stop=stop or Stop())
    keys = {
        source.path: asked.key(digests[source.path], source.file.name) for source in sources if source.path in digests
    }
    outputs = Outputs(store.database).find([source.place for source in sources])
    quarantined = {} if request.force else Quarantine(store.database).find(list(keys.values()))
    judge = _Judge(request, asked, outputs, quarantined)
    planned = left_out
    for name, file, path, place in sources:
        if path in keys:
            known = _Known(digests[path], keys[path], seen[path])
            planned.append(judge.planned(name, file, place, known))
        else:
            reason = errors.get(path) or unreadable[path]
            planned.append(PlannedDocument(name, file, place, "error", reason))
    return Plan(asked, tuple(planned))


class _Source(NamedTuple):
    """A document by name, as a file and its path in text, and the place of its output."""

    name: str
    file: Path
    path: str
    place: str


class _Known(NamedTuple):
    document: str
    key: str
    seen: FileState


def _chosen(request: BatchRequest) -> tuple[list[_Source], list[PlannedDocument]]:
    """The documents of the request with the names they go by: below their folder, or their path if two share it;
    and the paths that cannot be read. Raises the error of the first of these when no document remains."""
    found = find_sources(
        [Path(path) for path in request.paths], Path(request.output), include=request.include, exclude=request.exclude
    )
    if not found.sources:
        raise found.unreadable[0].error
    sources = found.sources
    # Names are told in events and stored, so they are text.
    folders = ["" if (below := str(source.folder)) == "." else f"{below}/" for source in sources]
    names = [path_text(f"{folder}{source.path.name}") for folder, source in zip(folders, sources, strict=True)]
    left_out = [path_text(one.name) for one in found.unreadable]
    shared = Counter([*names, *left_out])
    only = None if request.only is None else set(request.only)
    chosen = []
    for name, folder, source in zip(names, folders, sources, strict=True):
        path = str(source.path)
        own = name if shared[name] == 1 else path_text(path)
        wanted = only is None or own in only
        if wanted and (request.shard is None or request.shard.has(own)):
            chosen.append(_Source(own, source.path, path, f"{request.output}/{folder}{source.stem}"))
    return chosen[: request.limit], [
        PlannedDocument(own, Path(path), "", "error", one.error.args[0])
        for name, one in zip(left_out, found.unreadable, strict=True)
        for path in [one.error.document or name]
        for own in [name if shared[name] == 1 else path_text(path)]
        if only is None or own in only
    ]


def _looked_at(paths: Sequence[str]) -> tuple[dict[str, FileState], dict[str, str]]:
    """How the files look, and why some cannot be looked at."""
    seen, errors = {}, {}
    for path in paths:
        try:
            seen[path] = FileState.at(path)
        except OSError as error:
            errors[path] = f"cannot be read: {error.strerror}"
    return seen, errors


def _digests(
    seen: dict[str, FileState], files: Files, *, trust: bool, stop: Stop
) -> tuple[dict[str, Digest], dict[str, str]]:
    """The digest of every file that can be read, remembered or made now; `seen` is as it was when that was made."""
    digests = files.find(seen) if trust else {}
    errors: dict[str, str] = {}
    hashed: list[Hashed] = []
    paths = sorted(seen.keys() - digests.keys())
    with _hashing(paths) as results:
        for path, one in zip(paths, results, strict=True):
            if isinstance(one, Hashed):
                hashed.append(one)
                seen[path], digests[path] = one.state, one.digest
            else:
                errors[path] = f"cannot be read: {one.strerror}"
            if stop.requested:
                files.remember(hashed)
                raise PlanStopped(len(seen))
            if len(hashed) == _REMEMBER_EVERY:  # a plan that is killed has not read everything for nothing
                files.remember(hashed)
                hashed.clear()
    files.remember(hashed)
    return digests, errors


@contextmanager
def _hashing(paths: Sequence[str]) -> Iterator[Iterator[Hashed | OSError]]:
    """Files are hashed in threads, which the interpreter lets run side by side."""
    with ThreadPoolExecutor(cpu_budget(), thread_name_prefix="quire-hash") as threads:
        try:
            yield threads.map(_hashed, paths)
        finally:
            threads.shutdown(wait=True, cancel_futures=True)


def _hashed(path: str) -> Hashed | OSError:
    try:
        return hash_file(path)
    except OSError as error:
        return error


class _Judge:
    """Decides what is to be done about documents, by what is known of them."""

    def __init__(
        self,
        request: BatchRequest,
        asked: Asked,
        outputs: Mapping[str, Output],
        quarantined: Mapping[str, Quarantined],
    ) -> None:
        self._request, self._asked = request, asked
        self._outputs, self._quarantined = outputs, quarantined

    def planned(self, name: str, file: Path, place: str, known: _Known) -> PlannedDocument:
        output = self._outputs.get(place)
        kept = self._quarantined.get(known.key)
        state, reason = self._judged(output, known) if kept is None else ("quarantined", kept.reason)
        again = f"{output.at:.6f}" if output is not None and reason in (FORCED, FAILED) else ""
        written = output.files[0].path if output is not None and output.files else None
        return PlannedDocument(name, file, place, state, reason, *known, again, written)

    def _judged(self, output: Output | None, known: _Known) -> tuple[DocumentState, str]:
        if output is None:
            return "missing", ""
        if output.document != known.document:
            return "stale", "the document has changed"
        if output.key != known.key:
            return "stale", difference(output.settings, self._asked.settings)
        if self._request.force:
            return "stale", FORCED
        if lost := next(_lost(output, verify=self._request.verify_hash), None):
            return "stale", lost
        return ("stale", FAILED) if output.settings.get("failed_pages") else ("done", "")


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

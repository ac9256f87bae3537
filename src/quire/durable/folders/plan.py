"""The plan of a batch: which documents are done, which are not, and why. Reads only files that changed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from quire.batch.stop_requests import Stop
from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.hashing import FileState, Hashed, hash_file
from quire.core.keys import Digest, digest_bytes, digest_of
from quire.core.table_areas import PatternArea, TableArea, areas_beside, areas_for
from quire.database.database import Database
from quire.database.file_digests import HashedFiles
from quire.database.outputs import Output, Outputs
from quire.database.paths import path_text
from quire.database.quarantine import Quarantine, Quarantined
from quire.durable.flows.workflow import Registered
from quire.durable.folders.batch_request import BatchRequest
from quire.durable.folders.discovery import LeftOutFile, find_sources
from quire.durable.folders.document_work import FlowSettings, asked_by, difference
from quire.system.atomic_files import fitting_stem
from quire.system.budget import cpu_budget

DocumentState = Literal["done", "stale", "missing", "edited", "quarantined", "error"]
"""`stale`: an output exists, but of another version of the document or with other settings. `edited`: the output was
changed by hand, and is kept. `error`: the file cannot be read."""

FORCED, FAILED = "it is done again because of --force", "parts of it failed before"
"""Reasons to repeat work that was done with the same settings."""

_REMEMBER_EVERY = 500


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document and what to do with it. `place` is the path of its files without their suffixes."""

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
    """Set when the work was done before and must be repeated."""
    output_path: str | None = None
    """The first file of the existing output."""
    edited: tuple[str, ...] = ()
    """Files of the output that were changed by hand and are kept."""
    held: Quarantined | None = None
    """The entry of the quarantine, if it is there."""
    areas: tuple[TableArea, ...] = ()
    """Areas of tables given by hand for it."""
    done_in: str = ""
    """The run that made the existing output; "" if that is not recorded."""

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "path": str(self.path),
            "state": self.state,
            "reason": self.reason,
            "place": self.place,
            "document": self.document,
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """Every document of a batch, in the order of their names."""

    asked: FlowSettings
    documents: tuple[PlannedDocument, ...]
    left_out: tuple[LeftOutFile, ...] = ()
    """Files of the folders that are not read."""

    @property
    def counts(self) -> Mapping[DocumentState, int]:
        return Counter(document.state for document in self.documents)


class PlanStopped(Exception):
    """A stop was requested while files were hashed. Carries the number of documents."""

    def __init__(self, documents: int) -> None:
        super().__init__(documents)
        self.documents = documents


def plan_batch(
    request: BatchRequest,
    database: Database,
    *,
    stop: Stop | None = None,
    named: Callable[[str], Registered] | None = None,
    password: bool = False,
    remember: bool = True,
) -> Plan:
    """Find the documents and look up their records, with few SQL statements for any number of documents.

    Files whose path, size and times are recorded are not read. `password` says whether one is set, so that encrypted
    documents in quarantine are retried. `remember=False` writes nothing to the database.

    Raises UsageError for a wrong flow or input, the error of the first path when there are no documents, and
    PlanStopped when `stop` was requested.
    """
    flow_settings = asked_by(request, named)
    sources, planned, left_out = _chosen(request, database)
    seen, errors = _looked_at([source.path for source in sources])
    files = HashedFiles(database) if remember else _Unwritten(database)
    digests, unreadable = _digests(seen, files, trust=not request.verify_hash, stop=stop or Stop())
    areas, wrong = _areas([source.path for source in sources if source.path in digests], request.areas)
    unreadable |= wrong
    keys = {
        source.path: flow_settings.key(digests[source.path], source.file.name, areas_digest(areas[source.path]))
        for source in sources
        if source.path in areas
    }
    held = {} if request.force or request.retry else Quarantine(database).find(list(keys.values()))
    quarantined = {key: entry for key, entry in held.items() if not (password and entry.locked)}
    judge = _Judge(request, flow_settings, quarantined)
    for (name, file, path, place), output in _placed(sources, Outputs(database), request.output):
        if path in keys:
            known = _Known(digests[path], keys[path], seen[path])
            planned.append(judge.planned(name, file, place, known, output, areas[path]))
        else:
            reason = errors.get(path) or unreadable[path]
            planned.append(PlannedDocument(name, file, place, "error", reason))
    return Plan(flow_settings, tuple(planned), left_out)


class _Source(NamedTuple):
    """A document by name, its file, its path as text, and the place of its output."""

    name: str
    file: Path
    path: str
    place: str


class _Unwritten(HashedFiles):
    """The recorded files, read-only."""

    def remember(self, hashed: Iterable[Hashed]) -> None:
        pass


class _Known(NamedTuple):
    document: str
    key: str
    seen: FileState


def _chosen(
    request: BatchRequest, database: Database
) -> tuple[list[_Source], list[PlannedDocument], tuple[LeftOutFile, ...]]:
    """The documents of the request with their names, the paths that cannot be read, and the files that are left out.

    A name is the path below the folder, or the whole path if two documents share it. Raises the error of the first path
    when no document remains.

    Paths are sorted, so that names and places do not depend on the order of the arguments.
    """
    paths = sorted({Path(path) for path in request.paths})  # a folder comes before its subfolders
    patterns = {"include": request.include, "exclude": request.exclude}
    discovered = find_sources(paths, Path(request.output), **patterns, database=database)
    if not discovered.sources:
        raise discovered.unreadable[0].error
    sources = discovered.sources
    # Names are part of events and stored, so they must be text.
    folders = ["" if (below := str(source.folder)) == "." else f"{below}/" for source in sources]
    names = [path_text(f"{folder}{source.path.name}") for folder, source in zip(folders, sources, strict=True)]
    refused = [path_text(one.name) for one in discovered.unreadable]
    shared = Counter([*names, *refused])
    chosen = []
    for name, folder, source in zip(names, folders, sources, strict=True):
        path = str(source.path)
        own = name if shared[name] == 1 else path_text(path)
        if request.shard is None or request.shard.has(own):
            chosen.append(_Source(own, source.path, path, f"{request.output}/{folder}{source.stem}"))
    unreadable = [
        PlannedDocument(own, Path(path), "", "error", one.error.args[0])
        for name, one in zip(refused, discovered.unreadable, strict=True)
        for path in [one.error.document or name]
        for own in [name if shared[name] == 1 else path_text(path)]
    ]
    return chosen[: request.limit], unreadable, tuple(discovered.left_out)


def _placed(sources: Sequence[_Source], outputs: Outputs, folder: str) -> Iterator[tuple[_Source, Output | None]]:
    """The documents with the places of their outputs, and the outputs recorded there.

    A document that has output in the folder keeps its place, so adding a document later renames nothing. A place with
    the output of another existing document is not used: the name gets a hash of the path.
    """
    own = outputs.of_sources([source.path for source in sources], folder)
    recorded = outputs.find([source.place for source in sources if source.path not in own])
    hashed = {source.path: _with_hash(source) for source in sources if _is_others(recorded.get(source.place), source)}
    recorded |= outputs.find(list(hashed.values()))
    for source in sources:
        if source.path in own:
            output = own[source.path]
            moved = output.place != path_text(source.place)  # a place in the database is text, paths are bytes
            yield (source._replace(place=output.place) if moved else source), output
        else:
            place = hashed.get(source.path, source.place)
            yield source._replace(place=place), recorded.get(place)


def _is_others(output: Output | None, source: _Source) -> bool:
    """Whether an output belongs to another document that still exists, and not to this one by another path."""
    if output is None:
        return False
    return Path(output.source).exists() and os.path.realpath(output.source) != os.path.realpath(source.path)


def _with_hash(source: _Source) -> str:
    place = Path(source.place)
    mark = digest_bytes(os.fsencode(source.path))[:8]
    return str(place.with_name(fitting_stem(f"{place.name}-{mark}")))


def _looked_at(paths: Sequence[str]) -> tuple[dict[str, FileState], dict[str, str]]:
    """The states of the files, and errors of those that cannot be accessed."""
    seen, errors = {}, {}
    for path in paths:
        try:
            seen[path] = FileState.at(path)
        except OSError as error:
            errors[path] = f"cannot be read: {error.strerror}"
    return seen, errors


def _areas(
    paths: Iterable[str], patterns: Sequence[PatternArea]
) -> tuple[dict[str, tuple[TableArea, ...]], dict[str, str]]:
    """The areas of tables for each document, and the mistakes in files beside documents."""
    areas, errors = {}, {}
    for path in paths:
        try:
            areas[path] = (*areas_for(path, patterns), *areas_beside(path))
        except UsageError as error:
            errors[path] = str(error)
    return areas, errors


def areas_digest(areas: Sequence[TableArea]) -> str:
    """The digest of areas, for keys and records; "" for none."""
    return digest_of([area.to_json() for area in areas]) if areas else ""


def _digests(
    seen: dict[str, FileState], files: HashedFiles, *, trust: bool, stop: Stop
) -> tuple[dict[str, Digest], dict[str, str]]:
    """The digest of every readable file, recorded or computed now; updates `seen` to the state that was hashed."""
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
            if len(hashed) == _REMEMBER_EVERY:  # a checkpoint: a killed plan does not lose everything
                files.remember(hashed)
                hashed.clear()
    files.remember(hashed)
    return digests, errors


@contextmanager
def _hashing(paths: Sequence[str]) -> Iterator[Iterator[Hashed | OSError]]:
    """Files are hashed in threads, which run in parallel because hashing releases the GIL."""
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
    """Decides what to do with documents, from their records."""

    def __init__(self, request: BatchRequest, asked: FlowSettings, quarantined: Mapping[str, Quarantined]) -> None:
        self._request, self._asked, self._quarantined = request, asked, quarantined

    def planned(
        self, name: str, file: Path, place: str, known: _Known, output: Output | None, areas: tuple[TableArea, ...]
    ) -> PlannedDocument:
        held = self._quarantined.get(known.key)
        missing, changed = _lost(output, verify=self._request.verify_hash) if output is not None else ([], [])
        judged: tuple[DocumentState, str] = ("quarantined", held.reason) if held is not None else ("missing", "")
        if held is None and output is not None:
            judged = self._judged(output, known, missing, changed, areas_digest(areas))
        state, reason = judged
        again = f"{output.at:.6f}" if output is not None and reason in (FORCED, FAILED) else ""
        edited = () if self._request.overwrite else tuple(changed)
        if edited and state == "stale":
            reason += f"; {_by_hand(edited)}"
        written = output.files[0].path if output is not None and output.files else None
        done_in = output.settings.get("run", "") if output is not None else ""
        return PlannedDocument(name, file, place, state, reason, *known, again, written, edited, held, areas, done_in)

    def _judged(
        self, output: Output, known: _Known, missing: Sequence[str], changed: Sequence[str], areas: str
    ) -> tuple[DocumentState, str]:
        if output.document != known.document:
            return "stale", "the document has changed"
        if output.key != known.key and output.settings.get("areas", "") != areas:
            return "stale", "the areas of its tables have changed"
        if output.key != known.key:
            return "stale", difference(output.settings, self._asked.settings)
        if self._request.force:
            return "stale", FORCED
        if missing:
            return "stale", f"{missing[0]} is missing"
        if output.settings.get("failed_pages"):
            return "stale", FAILED
        if changed:
            replaced = self._request.overwrite
            return ("stale", f"{changed[0]} is replaced (--overwrite)") if replaced else ("edited", _by_hand(changed))
        return "done", ""


def _by_hand(names: Sequence[str]) -> str:
    return f"{', '.join(names)} was changed by hand and is kept"


def _lost(output: Output, *, verify: bool) -> tuple[list[str], list[str]]:
    """Files of an output that are missing, and files that differ from what was written."""
    missing, changed = [], []
    for file in output.files:
        name = Path(file.path).name
        try:
            size = os.stat(file.path).st_size  # noqa: PTH116 - ten thousand of them
            if size != file.size or (verify and hash_file(file.path).digest != file.digest):
                changed.append(name)
        except OSError:
            missing.append(name)
    return missing, changed

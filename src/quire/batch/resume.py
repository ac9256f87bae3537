"""Whether an item is done already: looks up its key in the store, and checks its output files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from quire.batch.contracts import ItemOutcome, WorkItem
from quire.batch.schedule import Task
from quire.core.context import Store
from quire.core.errors import InputError, StoreError
from quire.core.hashing import hash_file
from quire.core.keys import ArtifactKey, artifact_key, digest_of
from quire.database.paths import path_text

VERSION = "1"


def key_of(stage_name: str, item: WorkItem, input_sha256: str) -> ArtifactKey:
    """The key of the output of an item: its id, its inputs and its settings. The output paths are not part of it: they
    are in the entry."""
    settings = item.fingerprint.cfg_hash if item.fingerprint else item.cfg_hash
    return artifact_key(f"stage:{stage_name}", VERSION, (item.item_id, input_sha256), digest_of({"settings": settings}))


def input_hash(item: WorkItem) -> str:
    """The input hash of an item: that of its fingerprint, or the sha256 of all inputs.

    Raises InputError for a file that cannot be read.
    """
    if item.fingerprint is not None:
        return item.fingerprint.input_sha256
    found = [(name, _file_hash(path)) for name, path in sorted(item.inputs.items())]
    return found[0][1] if len(found) == 1 else digest_of(found)


class Known(Protocol):
    """Entries of the items that are done. Used only by the scheduler thread."""

    @property
    def unsaved(self) -> bool:
        """Whether finished items would be repeated if the process were killed now."""
        ...

    def name(self, task: Task) -> None:
        """Set the key of the task. Raises InputError when an input cannot be read."""
        ...

    def done(self, tasks: Sequence[Task]) -> Mapping[int, ItemOutcome]:
        """The outcomes of tasks that are done already, by number: one query for all of them."""
        ...

    def remember(self, task: Task, outcome: ItemOutcome) -> None:
        """Record that the task is done."""
        ...

    def flush(self) -> None:
        """Make the entries durable."""
        ...


class DoneItems:
    """The entries of the done items of a stage, in a store."""

    def __init__(self, store: Store, stage_name: str) -> None:
        self._store = store
        self._stage_name = stage_name
        self.unsaved = False

    def name(self, task: Task) -> None:
        task.input_hash = input_hash(task.item)
        task.key = key_of(self._stage_name, task.item, task.input_hash)

    def done(self, tasks: Sequence[Task]) -> Mapping[int, ItemOutcome]:
        digests = self._store.find_many([ArtifactKey(task.key) for task in tasks if task.key])
        found = {}
        for task in tasks:
            if (digest := digests.get(ArtifactKey(task.key))) is None:
                continue
            with suppress(StoreError):  # a damaged entry is ignored: the item is processed again
                entry = json.loads(self._store.load(digest))
                if entry["outputs"] == _written(task.item):
                    kept = entry.get("manifest", {})
                    found[task.number] = ItemOutcome("skipped", entry["result"], "done before", None, 0, 0.0, kept)
        return found

    def remember(self, task: Task, outcome: ItemOutcome) -> None:
        """Record the task, unless one of its output files is missing or empty."""
        outputs = _written(task.item)
        if outputs is None:
            return
        entry = {"outputs": outputs, "result": dict(outcome.result)}
        if outcome.manifest:
            entry["manifest"] = dict(outcome.manifest)
        data = json.dumps(entry, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
        self._store.save(ArtifactKey(task.key), data, stage=self._stage_name, document=path_text(task.item.item_id))
        self.unsaved = True

    def flush(self) -> None:
        self._store.flush()
        self.unsaved = False


def unwritten(item: WorkItem) -> Path | None:
    """An output that the item declares and that is missing or empty."""
    return next((path for path in item.outputs.values() if not _size(path)), None)


def _written(item: WorkItem) -> dict[str, list[object]] | None:
    """The output files of an item with their sizes; None if one is missing or empty."""
    if unwritten(item):
        return None
    return {name: [str(path.absolute()), _size(path)] for name, path in sorted(item.outputs.items())}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _file_hash(path: Path) -> str:
    try:
        return hash_file(path).digest
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", document=str(path)) from error

"""The request of a batch, as a value that is stored with its run: no secrets, no relative paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import NamedTuple, cast

from quire.batch.contracts import StageOptions
from quire.core.context import Json
from quire.core.errors import UsageError
from quire.core.keys import digest_bytes
from quire.core.table_areas import PatternArea, TableArea
from quire.reading.messages import BatchArgument
from quire.system.budget import worker_count

IO_DOCUMENTS = 16
"""Documents in progress when the work is done on other machines."""


class Shard(NamedTuple):
    """One of several parts of the documents, from 1. The part of a document depends on its name alone."""

    number: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`2/8`. Raises UsageError."""
        number, _, parts = text.partition("/")
        if not (number.strip().isdecimal() and parts.strip().isdecimal()):
            raise UsageError(f"the shard is {text!r}; write which part of how many, like 2/8")
        return cls(int(number), int(parts))

    def has(self, name: str) -> bool:
        digest = digest_bytes(os.fsencode(name))
        return int(digest[:15], 16) % self.parts == self.number - 1


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A flow over many documents.

    Args:
        paths: Documents and folders of documents.
        output: The folder for the files; it mirrors the folders of the documents.
        flow: The name of a flow, or the path of its file.
        formats: The formats of the files, for flows that take `formats`.
        inputs: Further inputs of the flow: `ocr`, `effort`, `engines`, `lang` and the like.
        include, exclude: Patterns for files in folders.
        shard: Only this part of the documents.
        limit: At most this many of them, in the order of their names.
        force: Also process documents that are done or in quarantine.
        retry: Also process documents in quarantine.
        overwrite: Replace output files that were changed by hand; otherwise they are kept.
        verify_hash: Hash sources and outputs again instead of trusting size and times.
        areas: Areas of tables given by hand, each with a pattern of the paths it is for; those in files beside the
            documents are added.
        index: The index to put chunks into, instead of writing files (`quire.durable.indexing.delivery.IndexTarget`).
        options: How it runs. `policy` and `workers` decide how many documents are in progress.
    """

    paths: tuple[str, ...]
    output: str
    flow: str = "read"
    formats: tuple[str, ...] = ("md",)
    inputs: Mapping[str, Json] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    shard: Shard | None = None
    limit: int | None = None
    force: bool = False
    retry: bool = False
    overwrite: bool = False
    verify_hash: bool = False
    areas: tuple[PatternArea, ...] = ()
    index: Mapping[str, Json] | None = None
    options: StageOptions = field(default_factory=lambda: StageOptions(policy="cpu"))

    def __post_init__(self) -> None:
        if not self.paths:
            raise UsageError("name a document or a folder of documents")
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"limit is {self.limit}; it must be a number of documents of at least 1")
        if self.shard is not None and not 1 <= self.shard.number <= self.shard.parts:
            raise UsageError(f"there is no shard {self.shard.number} of {self.shard.parts}; they count from 1")
        object.__setattr__(self, "paths", tuple(map(_absolute, self.paths)))
        object.__setattr__(self, "output", _absolute(self.output))
        if self.flow.endswith((".yaml", ".yml")):
            object.__setattr__(self, "flow", _absolute(self.flow))

    @classmethod
    def from_json(cls, value: BatchArgument) -> BatchRequest:
        """Ignores unknown fields, which a request of an earlier version may have."""
        given: Mapping[str, Json] = value
        known = {one.name: given[one.name] for one in fields(cls) if one.name in given}
        lists = {name: tuple(given[name]) for name in ("paths", "formats", "include", "exclude")}
        shard = Shard(*value["shard"]) if value["shard"] else None
        areas = tuple(PatternArea(files, TableArea.of_json(area)) for files, area in given.get("areas", ()))
        options = StageOptions(**value["options"])
        return cls(**{**known, **lists, "shard": shard, "areas": areas, "options": options})

    def to_json(self) -> BatchArgument:
        areas = [(files, area.to_json()) for files, area in self.areas]
        return cast("BatchArgument", {**asdict(self), "areas": areas})

    def stage_options(self) -> StageOptions:
        """The options for driving the documents: in threads that wait for the runtime, which has its own limits."""
        options = replace(self.options, resume=True, force=False, dry_run=False)  # the plan handles these
        return replace(options, policy="io", workers=self._in_progress(), per_item_timeout_s=0.0)

    def _in_progress(self) -> int:
        match self.options.policy:
            case "cpu":  # one more than workers, so that no worker waits for the next document
                return worker_count(self.options.workers).workers + 1
            case "gpu":
                return self.options.workers or 2
        return self.options.workers or IO_DOCUMENTS


def _absolute(path: str) -> str:
    return str(Path(path).absolute())

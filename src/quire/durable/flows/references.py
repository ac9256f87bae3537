"""Resolves references to the arguments of a component. Digests are known before anything is loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeAlias, TypeGuard

from quire.core.context import Json, Store
from quire.core.document import Document
from quire.core.encoding import encode_page
from quire.core.errors import RunError
from quire.core.keys import Digest, digest_bytes, digest_of
from quire.core.passwords import Password
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import open_source
from quire.durable.steps.services import Service
from quire.flow.definition import Expression, InputReference, Literal, StepReference, follow
from quire.reading.messages import DocumentReference, PageEntry, SourceJson, StepValue

if TYPE_CHECKING:
    from quire.core.types import PageResult
    from quire.reading.result import DocumentResult

Loader: TypeAlias = "Callable[[DocumentReference], DocumentResult]"
"""Loads the result that a reference stands for."""

BYTES: Final = "$bytes"
"""The key of an artifact that stands for bytes: `{"$bytes": digest, "size": …}`."""


class Absent:
    """An optional value that is missing, or a step that was skipped."""


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value by its digest, loaded lazily when a component is called."""

    digest: str
    load: Callable[[], object]


Found: TypeAlias = StoredValue | Absent


@dataclass(frozen=True, slots=True)
class Values:
    """The inputs and the values of earlier steps, for a whole document or for one of its pages."""

    store: Store
    loader: Loader
    services: Mapping[str, Service]
    inputs: Mapping[str, Json]
    steps: Mapping[str, StepValue | None]
    page: int | None = None
    """The position of the page, from 0; None for the whole document."""

    plain: bool = False
    """Whether documents and bytes stay references, for JSON."""
    password: Password = field(default=None, repr=False)
    lists: dict[str, list[PageEntry]] = field(default_factory=dict, repr=False)
    """Cached lists by page, by digest: every page uses them."""

    def raw(self) -> Values:
        return replace(self, plain=True)

    def at_page(self, position: int) -> Values:
        return replace(self, page=position)

    def arguments(self, named: Mapping[str, Expression]) -> dict[str, StoredValue]:
        """The value of each name, without absent ones."""
        found = {name: self.part(expression) for name, expression in named.items()}
        return {name: part for name, part in found.items() if isinstance(part, StoredValue)}

    def part(self, expression: Expression) -> Found:
        match expression:
            case InputReference():
                return self._input(expression)
            case StepReference():
                return self._step(expression)
            case Literal():
                return _constant(expression.value)
            case tuple():
                return _list([self.part(item) for item in expression])
            case Mapping():
                return _mapping({key: self.part(item) for key, item in expression.items()})
        return _constant(expression)

    def _input(self, reference: InputReference) -> Found:
        try:
            value = follow(self.inputs.get(reference.name), reference.path)
        except LookupError:
            return ABSENT
        if is_source(value):
            return StoredValue(
                digest_of([value["id"], value["name"]]), lambda: value if self.plain else self._opened(value)
            )
        return ABSENT if value is None else _constant(value)

    def _opened(self, source: SourceJson) -> Document:
        """A document that was not read. Raises ChangedError if the file has changed."""
        return open_source(self.store, SourceRef.from_json(source), password=self.password)

    def _step(self, reference: StepReference) -> Found:
        value = self.steps.get(reference.step)
        if value is None:
            return ABSENT
        match value["kind"]:
            case "result":
                return self._result(value, reference)
            case "pages" | "regions":
                return self._by_page(value, reference)
            case "given":
                return _constant(self._followed(value["value"], reference))
        return self._artifact(value["digest"], reference)

    def _result(self, value: StepValue, reference: StepReference) -> Found:
        if reference.path:
            return _constant(self._followed(value["reference"], reference))
        if self.plain:
            return _constant(value["reference"])
        result = partial(self.loader, value["reference"])
        if self.page is None:
            return StoredValue(value["digest"], result)
        page = result().pages[self.page]
        return StoredValue(page_digest(page), lambda: page)

    def _by_page(self, value: StepValue, reference: StepReference) -> Found:
        entries = self.entries(value)
        each = value["kind"] == "regions"
        if self.page is not None:
            return self._entry(entries[self.page], reference, each=each)
        found = [self._entry(entry, reference, each=each) for entry in entries]
        return _list([_constant(None) if isinstance(part, Absent) else part for part in found])

    def entries(self, value: StepValue) -> list[PageEntry]:
        """The entries of a list by page."""
        digest = value["digest"]
        if digest not in self.lists:
            self.lists[digest] = json.loads(self.store.load(digest))
        return self.lists[digest]

    def _entry(self, entry: PageEntry, reference: StepReference, *, each: bool) -> Found:
        """The value of one page. A path is followed into it, or into the value of each of its regions."""
        if "error" in entry:
            return ABSENT
        if "value" in entry:
            return _constant(self._followed(entry["value"], reference))
        if not (each and reference.path):
            return self._artifact(entry["digest"], reference)
        items = json.loads(self.store.load(entry["digest"]))
        return _constant([self._followed(item, reference) for item in items])

    def _artifact(self, digest: Digest, reference: StepReference) -> Found:
        load = partial(self._content, digest)
        return _constant(self._followed(load(), reference)) if reference.path else StoredValue(digest, load)

    def _content(self, digest: Digest) -> object:
        """The output of a component: JSON, or the bytes that it stands for."""
        value = json.loads(self.store.load(digest))
        if isinstance(value, dict) and BYTES in value and not self.plain:
            return self.store.load(Digest(value[BYTES]))
        return value

    def _followed(self, value: Json, reference: StepReference) -> Json:
        try:
            return follow(value, reference.path)
        except LookupError as error:
            raise self._leads_nowhere(reference, error.args[0]) from None

    def _leads_nowhere(self, reference: StepReference, part: str) -> RunError:
        path = ".".join(reference.path)
        return RunError(
            f"step {reference.step!r} returned nothing at {path!r}: {part!r} does not exist", category="config"
        )


def is_source(value: Json) -> TypeGuard[SourceJson]:
    """Whether it is a file by id, name and path. Its content is part of keys, its path is not."""
    return isinstance(value, dict) and {"id", "name", "path"} <= value.keys()


def page_digest(page: PageResult) -> Digest:
    return digest_bytes(encode_page(page))


def _constant(value: Json) -> StoredValue:
    return StoredValue(digest_of(value), lambda: value)


def _list(items: Sequence[Found]) -> StoredValue:
    there = [item for item in items if isinstance(item, StoredValue)]
    return StoredValue(digest_of([item.digest for item in there]), lambda: [item.load() for item in there])


def _mapping(items: Mapping[str, Found]) -> StoredValue:
    there = {key: item for key, item in items.items() if isinstance(item, StoredValue)}
    digest = digest_of({key: item.digest for key, item in there.items()})
    return StoredValue(digest, lambda: {key: item.load() for key, item in there.items()})


def result_value(reference: DocumentReference) -> StepValue:
    """A document that was read, as the value of a step."""
    source = reference["source"]
    digest = digest_of([reference["document"], reference["index"], source["id"], source["name"]])
    return {"kind": "result", "digest": digest, "document": source["id"], "reference": reference}


class RecentResults:
    """A loader that caches the last results, because the pages of a document are processed group by group.

    Thread-safe. A thread that needs a result which another thread is loading waits for that one only.
    """

    def __init__(self, load: Loader, *, kept: int) -> None:
        self._load = load
        self._most = kept
        self._kept: dict[str, _Kept] = {}
        self._lock = Lock()

    def __call__(self, reference: DocumentReference) -> DocumentResult:
        digest = result_value(reference)["digest"]
        with self._lock:
            kept = self._kept.pop(digest) if digest in self._kept else _Kept()
            self._kept[digest] = kept
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        with kept.lock:
            if kept.result is None:
                kept.result = self._load(reference)
            return kept.result


@dataclass(slots=True)
class _Kept:
    result: DocumentResult | None = None
    lock: Lock = field(default_factory=Lock)

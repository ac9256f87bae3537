"""The work of a step of a flow, in a thread of the runtime: look up its key, call its component, save the result."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

from quire.core.context import Claim, Json, Store
from quire.core.document import Document
from quire.core.errors import RETRYABLE, FencedError, QuireError, RunError, log_traceback
from quire.core.events import Sink, reason_of
from quire.core.keys import ArtifactKey, Digest, artifact_key, digest_of
from quire.core.page_ranges import selection
from quire.core.types import PageResult
from quire.durable.extracts.extract_request import engine_version, extractor_versions
from quire.durable.flows.references import BYTES, StoredValue, Values, is_source
from quire.durable.flows.vectors import embedder_versions
from quire.durable.steps.once import made_once
from quire.durable.steps.services import CallingService, PageService, TellingService, WaitingService
from quire.flow.components import Component, is_files
from quire.flow.definition import Expression, Step, StepReference, references
from quire.output.export import FORMATS, find_format
from quire.reading.messages import ArtifactFile, MadePages, PageCount, PageEntry, PageSelection, StepValue
from quire.system.awaited import settled

GROUP = 16
"""Pages in one durable step; each page is an artifact of its own."""
STAGE = "component"
SAVE_EVERY_S = 0.2
"""Seconds between checkpoints: a crash loses at most this much work on pages."""
MAX_REASON = 300
"""Maximum characters of an error in a list by page."""


class _Skipped(RunError):
    """A page that lacks the result of an earlier step."""


@dataclass(frozen=True, slots=True)
class Making:
    """One step with its component and the values it refers to. Durable steps call its methods."""

    step: Step
    component: Component
    values: Values

    def whole(self, on_event: Sink) -> StepValue:
        """Find or make the result of the step for the whole document."""
        begun = time.perf_counter()
        parts = self.values.arguments(self.step.input)
        key = self._key(parts)
        if self.component.service:
            return self._served(key, parts, begun, on_event)
        find = partial(self._store.find, key)
        digest, hit = made_once(self._store, key, find, lambda claim: self._made(key, parts, claim))
        return self._found(digest, key) if hit else self._new(digest, key, begun)

    def _found(self, digest: Digest, key: ArtifactKey) -> StepValue:
        return {**self._given(digest, key), "hit": True}

    def _new(self, digest: Digest, key: ArtifactKey, begun: float) -> StepValue:
        return {**self._given(digest, key), "ms": _ms(begun), "bytes": self._size(digest)}

    def _size(self, made: Digest) -> int:
        """The size in bytes of the files that an artifact names, or of the artifact itself."""
        data = self._store.load(made)
        output = json.loads(data)
        files = output if isinstance(output, list) else [output]
        sizes = [file["size"] for file in files if isinstance(file, dict) and {"digest", "size"} <= file.keys()]
        return sum(sizes) or len(data)

    def _made(self, key: ArtifactKey, parts: Mapping[str, StoredValue], claim: Claim) -> Digest:
        output = self._called({name: part.load() for name, part in parts.items()}, None)
        return self._saved(key, output, page=None, claim=claim)

    def _served(self, key: ArtifactKey, parts: Mapping[str, StoredValue], begun: float, on_event: Sink) -> StepValue:
        """The result of a service, which takes references. Two runs that need it at the same time ask once.

        An extraction in which an extractor failed, or a drawing that was not read whole, gets another key, so the next
        run tries again; and so does an extraction for which a model was learnt again meanwhile.
        """

        def find() -> StepValue | None:
            digest = self._store.find(key)
            return None if digest is None else self._found(digest, key)

        def make(claim: Claim) -> StepValue:
            service = self.values.services[self.component.service]
            telling = partial(service.call, on_event) if isinstance(service, TellingService) else None
            output = self._called(self._references(), None, telling)
            failed = self._failures(output)
            if failed or not self._is_current(output, key, parts):
                other = self._failed_key(key, output)
                made = self._new(self._saved(other, output, page=None), other, begun)
            else:
                made = self._new(self._saved(key, output, page=None, claim=claim), key, begun)
            self._store.flush()  # before the journal refers to it
            return {**made, "failed": failed} if failed else made

        value, _ = made_once(self._store, key, find, make)
        return value

    def _failures(self, output: object) -> int:
        """The number of extractors that failed beside others, or of places of a drawing that could not be read."""
        made = cast("Mapping[str, Json]", output)
        match self.component.service:
            case "extract":
                return len(made["failures"])
            case "drawing":
                return sum(sheet.get("unread", 0) for sheet in made["sheets"])
        return 0

    def _is_current(self, output: object, key: ArtifactKey, parts: Mapping[str, StoredValue]) -> bool:
        """Whether an extraction was made by the versions of extractors that its key names."""
        if self.component.service != "extract":
            return True
        used = cast("Mapping[str, Json]", output)["extractors"]
        return {*used} <= {*self.extractor_versions().values()} and self._key(parts) == key

    def _references(self) -> dict[str, object]:
        return {name: part.load() for name, part in self.values.raw().arguments(self.step.input).items()}

    def service_pages(self) -> StepValue | PageSelection:
        """The stored result of a service; without one, the pages that the service has to process."""
        key = self._key(self.values.arguments(self.step.input))
        digest = self._store.find(key)
        if digest is not None:
            return {**self._given(digest, key), "hit": True}
        numbers = cast("Sequence[int]", self._called(self._references(), None, self._page_service.numbers))
        return {"pages": selection(numbers), "last": max(numbers, default=0)}

    def service_some(self, numbers: Sequence[int], on_event: Sink) -> list[PageEntry]:
        """The entries of a group of pages; after a crash the service finds what it made before."""
        some = partial(self._page_service.some, numbers, on_event)
        entries = self._called(self._references(), None, some)
        self._store.flush()
        return cast("list[PageEntry]", entries)

    def service_gathered(self, entries: Sequence[PageEntry]) -> StepValue:
        """Save the entries of all pages. A list with failed pages gets another key, so the next run retries them."""
        key = self._key(self.values.arguments(self.step.input))
        failed = sum("error" in entry for entry in entries)
        key = self._failed_key(key, entries) if failed else key
        digest = self._save(key, encoded(entries))
        self._store.flush()
        return {**self._given(digest, key), "made": len(entries) - failed, "failed": failed}

    def begun(self, run: str) -> Json:
        """Begin what ends with a signal to the run, or as a workflow: a review, or the argument of the workflow."""
        return self._called(self._references(), None, partial(self._waiting_service.begin, run))

    def ended(self, begun: Json) -> StepValue:
        """The result of what was begun. It is part of the key, since the same inputs may end in another way."""
        output = self._called(self._references(), None, partial(self._waiting_service.end, begun))
        key = self._key(self.values.arguments(self.step.input))
        key = artifact_key("ended", "1", (key, digest_of(output)), digest_of({}))
        digest = self._saved(key, output, page=None)
        self._store.flush()
        return self._given(digest, key)

    @property
    def _waiting_service(self) -> WaitingService | CallingService:
        service = self.values.services[self.component.service]
        assert isinstance(service, (WaitingService, CallingService))
        return service

    @property
    def _page_service(self) -> PageService:
        service = self.values.services[self.component.service]
        assert isinstance(service, PageService)
        return service

    def _given(self, digest: Digest, key: ArtifactKey) -> StepValue:
        return {"kind": "json", "document": self.document, "key": key, "digest": digest}

    def _failed_key(self, key: ArtifactKey, output: object) -> ArtifactKey:
        inputs = (key, digest_of(output))
        return artifact_key(f"{STAGE}/{self.component.name}", "failed", inputs, digest_of({}))

    def look_up(self) -> StepValue | PageCount:
        """The list by page if it is in the store, otherwise the number of pages."""
        key = self._key(self.values.arguments(self.step.input))
        digest = self._store.find(key)
        if digest is None:
            return {"count": len(self._page_numbers())}
        return {**self._listed(digest), "key": key, "hit": True}

    def some_pages(self, start: int, stop: int) -> MadePages:
        """Make the missing pages in a range of positions. A failed page is reported in `errors` by its number, unless
        a retry may help: then this raises, and the retry finds what was made."""
        begun = time.perf_counter()
        numbers = self._page_numbers()
        keys = {position: self._page_key(position) for position in range(start, min(stop, len(numbers)))}
        group = artifact_key(f"{STAGE}-pages", "1", tuple(keys.values()), digest_of({}))
        all_found: MadePages = {"hits": len(keys), "made": 0, "errors": {}}
        made, _ = made_once(
            self._store,
            group,
            lambda: None if self._missing(keys) else all_found,
            lambda _: self._make_pages(numbers, keys),
        )
        return {**made, "ms": _ms(begun)}

    def _make_pages(self, numbers: Sequence[int], keys: Mapping[int, ArtifactKey]) -> MadePages:
        missing = self._missing(keys)
        errors: dict[str, str] = {}
        retryable: RunError | None = None
        saved = time.perf_counter()
        try:
            for position in missing:
                try:
                    self._make_page(position, keys[position], numbers[position])
                except RunError as error:
                    if self.step.on_error.what == "fail" and not isinstance(error, _Skipped):
                        raise
                    errors[str(numbers[position])] = reason_of(error)[:MAX_REASON]
                    retryable = error if RETRYABLE[error.category] else retryable
                if time.perf_counter() - saved > SAVE_EVERY_S:
                    self._store.flush()
                    saved = time.perf_counter()
        finally:
            self._store.flush()
        if retryable is not None:
            raise retryable
        return {"hits": len(keys) - len(missing), "made": len(missing) - len(errors), "errors": errors}

    def _missing(self, keys: Mapping[int, ArtifactKey]) -> list[int]:
        stored = self._store.find_many(list(keys.values()))
        return [position for position, key in keys.items() if key not in stored]

    def settled(self, start: int, stop: int, reason: str) -> MadePages:
        """The pages of a group that still failed after all attempts, with the reason of the last attempt."""
        numbers = self._page_numbers()
        keys = {position: self._page_key(position) for position in range(start, min(stop, len(numbers)))}
        errors = {str(numbers[position]): reason[:MAX_REASON] for position in self._missing(keys)}
        return {"hits": 0, "made": 0, "errors": errors}

    def gathered(self, errors: Mapping[str, str]) -> StepValue:
        """Save the list by page. A list with failed pages gets another key, so the next run retries them."""
        numbers = self._page_numbers()
        entries = [self._entry(position, number, errors) for position, number in enumerate(numbers)]
        key = self._key(self.values.arguments(self.step.input))
        if errors:
            key = self._failed_key(key, entries)
        digest = self._save(key, encoded(entries))
        self._store.flush()
        return {**self._listed(digest), "key": key}

    @property
    def document(self) -> str:
        """The id of the document that the step works on; empty without a document."""
        for one in references(self.step.input):
            if isinstance(one, StepReference):
                value = self.values.steps.get(one.step)
                made_from = value.get("document") if value else None
            else:
                source = self.values.inputs.get(one.name)
                made_from = source["id"] if is_source(source) else ""
            if made_from:
                return str(made_from)
        return ""

    @property
    def _store(self) -> Store:
        return self.values.store

    def _key(self, parts: Mapping[str, StoredValue], *more: str) -> ArtifactKey:
        """The document is part of the key, so that deleting a document deletes exactly what was made from it."""
        named = [text for name, part in sorted(parts.items()) for text in (name, part.digest)]
        inputs = (*named, *more, self.document)
        return artifact_key(f"{STAGE}/{self.component.name}", self.version, inputs, self._profile)

    @property
    def version(self) -> str:
        """The version of the component, with those of the formats of other packages, embedders and extractors that it
        uses."""
        more = self.format_versions() | self.embedder_versions() | self.extractor_versions()
        return digest_of([self.component.version, more]) if more else self.component.version

    def format_versions(self) -> dict[str, str]:
        """The versions of the formats of other packages that `export` writes, by name; those of Quire belong to it.

        A format that cannot be loaded is left out, because the export itself fails with the reason.
        """
        if self.component.service != "export" or "formats" not in self.step.input:
            return {}
        formats = self.values.part(self.step.input["formats"])
        names = formats.load() if isinstance(formats, StoredValue) else None
        versions: dict[str, str] = {}
        for name in names if isinstance(names, list) else ():
            if isinstance(name, str) and name not in FORMATS:
                with suppress(QuireError):
                    versions[name] = find_format(name).version
        return versions

    def embedder_versions(self) -> dict[str, str]:
        """The versions of the embedders that `embed` asks, by name."""
        if self.component.service != "embed":
            return {}
        return embedder_versions(self._named("embedders"))

    def extractor_versions(self) -> dict[str, str]:
        """The versions of the extractors and of the engine that `extract` asks, by name.

        One that cannot be found is left out, because extracting itself fails with the reason.
        """
        if self.component.service != "extract":
            return {}
        reread = self._set("reread")
        with suppress(QuireError):
            engine = engine_version(reread if isinstance(reread, str) else "", self._named("lang"))
            return extractor_versions(self._named("extractors")) | engine
        return {}

    def _named(self, option: str) -> Sequence[str]:
        names = self._set(option)
        return names if isinstance(names, list) else ()

    def _set(self, option: str) -> Json:
        part = self.values.part(self.step.options[option]) if option in self.step.options else None
        return part.load() if isinstance(part, StoredValue) else None

    def _page_key(self, position: int) -> ArtifactKey:
        return self._key(self.values.at_page(position).arguments(self.step.input), "page")

    @property
    def _profile(self) -> Digest:
        return digest_of({"unit": self.component.unit, **self.options()})

    def options(self) -> dict[str, Json]:
        options = {name: part.load() for name, part in self.values.arguments(self.step.options).items()}
        for name, value in options.items():
            if problem := self.component.options[name].type.problem(value):
                raise RunError(f"the option {name!r} of step {self.step.id!r} {problem}", category="config")
        return self.component.settings(options)

    def _page_numbers(self) -> list[int]:
        """The numbers of the pages that the step runs over, from the value that it refers to by page."""
        for reference in _step_references(self.step):
            value = self.values.steps.get(reference.step)
            if value and value["kind"] == "result" and not reference.path:
                return [page.number for page in self.values.loader(value["reference"]).pages]
            if value and value["kind"] in ("pages", "regions"):
                return [entry["page"] for entry in self.values.entries(value)]
        raise RunError(
            f"step {self.step.id!r} has no document as input, so it has no pages to run over", category="config"
        )

    def _make_page(self, position: int, key: ArtifactKey, number: int) -> None:
        parts = self.values.at_page(position).arguments(self.step.input)
        lacking = [name for name, port in self.component.inputs.items() if port.required and name not in parts]
        if lacking:
            raise _Skipped(f"its {lacking[0]} was skipped", category="input")
        arguments = {name: part.load() for name, part in parts.items()}
        if self.component.unit == "region":
            output: object = [self._called(one, number) for one in self._by_region(arguments)]
        else:
            output = self._called(arguments, number)
        self._saved(key, output, page=number)

    def _by_region(self, arguments: Mapping[str, object]) -> Iterator[dict[str, object]]:
        """The arguments of the component for each region: a block of the page, the value of a step for the region."""
        split = {name: _regions(value) for name, value in arguments.items() if self._has_regions(self.step.input[name])}
        for row in zip(*split.values(), strict=True):
            yield {**arguments, **dict(zip(split, row, strict=True))}

    def _has_regions(self, expression: Expression) -> bool:
        value = self.values.steps.get(expression.step) if isinstance(expression, StepReference) else None
        if value is None or not isinstance(expression, StepReference):
            return False
        return value["kind"] == "regions" or (value["kind"] == "result" and not expression.path)

    def _called(
        self, arguments: Mapping[str, object], page: int | None, function: Callable[..., object] | None = None
    ) -> object:
        """Call `function`, or that of the component."""
        called = function or self.component.function or self.values.services[self.component.service]
        assert not isinstance(called, PageService | WaitingService | TellingService | CallingService)
        try:
            return settled(called(**arguments, **self.options()))
        except FencedError:
            raise
        except Exception as error:
            where = f"step {self.step.id!r}" + (f", page {page}" if page else "")
            log_traceback(f"component {self.component.name}, {where}", error)
            reason = str(error) if isinstance(error, QuireError) else reason_of(error)
            logging.getLogger("quire").debug(
                "%s of the component %s failed", where, self.component.name, exc_info=error
            )
            raise RunError.of(error, f"{where}: {reason}") from error
        finally:
            for document in (one for one in arguments.values() if isinstance(one, Document)):
                document.close()

    def _saved(self, key: ArtifactKey, output: object, *, page: int | None, claim: Claim | None = None) -> Digest:
        """Save the result as JSON; bytes and files are artifacts of their own, which the JSON refers to."""
        if isinstance(output, (bytes, bytearray, memoryview)):
            file = self._file(key, "", bytes(output), page)
            output = {BYTES: file["digest"], "size": file["size"]}
        elif is_files(output):
            output = [self._file(key, name, content, page) for name, content in output.items()]
        if claim is not None:
            self._store.flush(lasting=False)  # what it refers to: others find it as soon as it is saved
        try:
            data = encoded(output)
        except (TypeError, ValueError) as error:
            raise RunError(
                f"step {self.step.id!r}: {self.component.name} returned something other than JSON or bytes: {error}",
                category="config",
            ) from error
        return self._save(key, data, page, claim)

    def _file(self, key: ArtifactKey, name: str, content: bytes, page: int | None) -> ArtifactFile:
        own = artifact_key(f"{STAGE}-file", "1", (key, name), digest_of({}))
        return {"name": name, "digest": self._save(own, content, page), "size": len(content)}

    def _save(self, key: ArtifactKey, data: bytes, page: int | None = None, claim: Claim | None = None) -> Digest:
        stage = f"{STAGE}/{self.component.name}"
        return self._store.save(key, data, stage=stage, document=self.document, page=page, claim=claim)

    def _entry(self, position: int, number: int, errors: Mapping[str, str]) -> PageEntry:
        if (reason := errors.get(str(number))) is not None:
            use = self.step.on_error
            return {"page": number, "value": use.value} if use.what == "use" else {"page": number, "error": reason}
        digest = self._store.find(self._page_key(position))
        if digest is None:
            raise RunError(
                f"step {self.step.id!r}: page {number} is no longer in the store; run it again", category="transient"
            )
        return {"page": number, "digest": digest}

    def _listed(self, digest: Digest) -> StepValue:
        kind: Literal["regions", "pages"] = "regions" if self.component.unit == "region" else "pages"
        return {"kind": kind, "digest": digest, "document": self.document}


def _regions(value: object) -> Sequence[object]:
    """The regions of a page: its blocks, or the items of a list with a value for each."""
    return value.blocks if isinstance(value, PageResult) else list(cast("Sequence[object]", value))


def _step_references(step: Step) -> list[StepReference]:
    return [one for one in references(step.input) if isinstance(one, StepReference)]


def encoded(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8", "surrogatepass"
    )


def _ms(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 3)

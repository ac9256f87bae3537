"""The index of a store for callers: add documents, search them, look at what was found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quire.batch.contracts import StageOptions, StageOutcome
from quire.batch.stopping import Stop
from quire.context import Json, Runtime
from quire.database.outputs import Outputs
from quire.durable.folders.driving import run_batch, unfinished_run
from quire.durable.folders.request import BatchRequest
from quire.durable.indexing.delivery import FLOW, INPUTS, IndexTarget
from quire.durable.indexing.opening import open_indexes
from quire.durable.opening import open_runtime
from quire.embed.codec import decode_dense
from quire.embed.registry import AUTO, NONE, chosen_embedder, find_embedder
from quire.embedder import Embedder
from quire.errors import UsageError
from quire.events import Sink
from quire.search.backend import IndexBackend, IndexProfile, IndexVersion, check_embedder
from quire.search.query import Filter
from quire.search.searching import SearchOptions, search
from quire.search.values import Hit
from quire.store.artifacts import ArtifactStore
from quire.store.opening import open_store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Index:
    """Documents that can be searched, in a store: `Index("library").add("reports/")`, then `.search("gross margin")`.

    `embedder` is the name of a model, the folder of one, `none` for an index of words alone, or `auto`: the default
    model if it was fetched, else words alone.
    """

    def __init__(
        self, store: str | os.PathLike[str], *, facts: str | None = None, embedder: str = AUTO, tenant: str = ""
    ) -> None:
        self._place, self._facts, self._tenant = os.fspath(store), facts, tenant
        self._store: ArtifactStore = open_store(store, facts)
        self._indexes = open_indexes(self._store)
        self._named = embedder

    def add(
        self,
        *paths: str | os.PathLike[str],
        inputs: dict[str, Json] | None = None,
        options: StageOptions | None = None,
        force: bool = False,
        retry: bool = False,
        limit: int | None = None,
        on_event: Sink | None = None,
        stop: Stop | None = None,
    ) -> StageOutcome:
        """Add documents and folders of documents, or what has changed of them; documents that are gone are removed.

        What was read, cut or embedded before is not done again, also after a crash. `inputs` are those of the flow
        `chunks`: `ocr`, `lang`, `pages`.
        """
        request = self.request(paths, inputs=inputs, options=options, force=force, retry=retry, limit=limit)
        runtime, store = open_runtime(self._place, self._facts, workers=request.options.workers)
        try:
            return self.follow(request, runtime, on_event=on_event, stop=stop)[1]
        finally:
            runtime.close()
            store.close()

    def request(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        inputs: dict[str, Json] | None = None,
        options: StageOptions | None = None,
        force: bool = False,
        retry: bool = False,
        limit: int | None = None,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
    ) -> BatchRequest:
        """The batch that adds documents. Makes the version of the index that it fills."""
        embedder = chosen_embedder(self._named)
        target = IndexTarget(NONE if embedder is None else embedder.name if self._named == AUTO else self._named)
        profile = target.profile(embedder)
        if self._indexes.open(profile) is None:
            self._indexes.make(profile)
        return BatchRequest(
            paths=tuple(os.fspath(path) for path in paths),
            output=target.output(profile),
            flow=FLOW,
            inputs={**INPUTS, **(inputs or {})},
            include=include,
            exclude=exclude,
            force=force,
            retry=retry,
            limit=limit,
            index=target.to_json(),
            options=options or StageOptions(policy="cpu"),
        )

    def follow(
        self, request: BatchRequest, runtime: Runtime, *, on_event: Sink | None = None, stop: Stop | None = None
    ) -> tuple[str, StageOutcome]:
        """Run the batch of a request to its end, and make its version the one that is searched."""
        assert request.index is not None
        target = IndexTarget.from_json(request.index)
        profile = target.profile(find_embedder(target.embedder))
        index = self._indexes.open(profile)
        assert index is not None
        self._reconcile(index, request)
        unfinished = unfinished_run(runtime, request)
        run, outcome = run_batch(request, runtime, run=unfinished, on_event=on_event, stop=stop)
        if not outcome.cancelled:
            name = next(version.name for version in reversed(self.versions()) if version.profile == profile)
            self._indexes.switch(name)
        return run, outcome

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Filter | None = None,
        options: SearchOptions | None = None,
        version: str | None = None,
    ) -> list[Hit]:
        """The places that fit a query best. Raises UsageError when nothing is indexed, or the query has no words."""
        index = self._indexes.open(name=version)
        if index is None:
            raise UsageError(f"{self._place} has no search index yet; make one with `quire index PATH…`")
        embed = partial(_query_vector, self._named_for(index), index.profile) if index.profile.dimension else None
        wanted = replace(options, k=k) if options else SearchOptions(k=k)
        return search(
            index, query, embed=embed, filters=replace(filters or Filter(), tenant=self._tenant), options=wanted
        )

    def versions(self) -> list[IndexVersion]:
        """The versions of the index: one for each way to cut and embed documents."""
        return self._indexes.versions()

    def remove(self, *documents: str) -> None:
        """Remove documents, by their ids, from every version. They are in no answer from now on."""
        self._indexes.remove(documents)

    def close(self) -> None:
        self._indexes.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.close()

    def _named_for(self, index: IndexBackend) -> str:
        """The embedder of an index: the one that was named, or that of the same name here."""
        return self._named if self._named not in (AUTO, NONE) else index.profile.embedder

    def _reconcile(self, index: IndexBackend, request: BatchRequest) -> None:
        """Forget records of documents that the index has lost, and remove documents whose files are gone.

        So an index that was deleted or restored is filled again from the store, without reading anything anew.
        """
        outputs = Outputs(self._store.database)
        known = index.known(tenant=self._tenant)
        recorded = outputs.below(request.output)
        outputs.forget([output.place for output in recorded if output.document not in known])
        asked = [Path(path) for path in request.paths]
        gone = {
            document: path
            for document, (path, _) in known.items()
            if not Path(path).exists() and any(Path(path).is_relative_to(one) for one in asked)
        }
        alive = {output.document for output in recorded if Path(output.source).exists()}
        index.remove([document for document in gone if document not in alive], tenant=self._tenant)
        outputs.forget([output.place for output in recorded if output.source in gone.values()])


@lru_cache(maxsize=4)
def _loaded(named: str) -> Embedder:
    found = find_embedder(named)
    assert found is not None
    return found


def _query_vector(named: str, profile: IndexProfile, text: str) -> NDArray[np.float32]:
    embedder = _loaded(named)
    check_embedder(profile, embedder)
    vector: NDArray[np.float32] = decode_dense(embedder.embed([text], "query"))[0]
    return vector

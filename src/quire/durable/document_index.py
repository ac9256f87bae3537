"""The index of a store for callers: add documents, search them, look at what was found.

What only adding needs is imported there: a search from the command line would wait for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from quire.batch.contracts import StageOptions, StageOutcome
from quire.batch.stop_requests import Stop
from quire.core.context import Json, Runtime
from quire.core.document import Document, RenderOptions
from quire.core.errors import ChangedError, InputError, StoreError, UsageError
from quire.core.events import Sink
from quire.core.opened import Opened
from quire.database.outputs import Outputs
from quire.durable.indexing.searcher import search_index
from quire.durable.indexing.store_index import open_indexes
from quire.net.search_engine import EngineAddress
from quire.output.place_crops import MARGIN
from quire.retrieval.embed.embedder_registry import AUTO, NONE, chosen_embedder
from quire.retrieval.search.backend import IndexBackend, IndexProfile, IndexVersion
from quire.retrieval.search.hit_crops import crop_box
from quire.retrieval.search.hits import SearchHit
from quire.retrieval.search.index_search import SearchOptions
from quire.retrieval.search.query import SearchFilter
from quire.store.artifacts import ArtifactStore
from quire.store.opening import open_store

if TYPE_CHECKING:
    from quire.durable.folders.batch_request import BatchRequest


class Index:
    """Documents that can be searched, in a store: `Index("library").add("reports/")`, then `.search("gross margin")`.

    `embedder` is the name of a model, the folder of one, `none` for an index of words alone, or `auto`: the default
    model if it was fetched, else words alone. `engine` is the address of a search engine that holds the index instead
    of the store: `opensearch+http://localhost:9200/quire`, `elasticsearch+…`, `qdrant+…`.
    """

    def __init__(
        self,
        store: str | os.PathLike[str],
        *,
        facts: str | None = None,
        embedder: str = AUTO,
        tenant: str = "",
        engine: str | None = None,
    ) -> None:
        self._place, self._facts, self._tenant = os.fspath(store), facts, tenant
        self._engine = str(EngineAddress.parse(engine)) if engine else ""
        self._store: ArtifactStore = open_store(store, facts)
        self._indexes = open_indexes(self._store, self._engine)
        self._named = embedder

    def add(
        self,
        *paths: str | os.PathLike[str],
        inputs: dict[str, Json] | None = None,
        options: StageOptions | None = None,
        force: bool = False,
        retry: bool = False,
        limit: int | None = None,
        rebuild: bool = False,
        on_event: Sink | None = None,
        stop: Stop | None = None,
    ) -> StageOutcome:
        """Add documents and folders of documents, or what has changed of them; documents that are gone are removed.

        What was read, cut or embedded before is not done again, also after a crash. `inputs` are those of the flow
        `chunks`: `ocr`, `lang`, `pages`. With `rebuild` a new version is filled from the store, with all documents of
        the present one and those of the paths; it is searched as soon as it is complete.
        """
        from quire.durable.runtimes import open_runtime

        request = self.request(
            paths, inputs=inputs, options=options, force=force, retry=retry, limit=limit, rebuild=rebuild
        )
        runtime, store = open_runtime(self._place, self._facts, workers=request.options.workers)
        try:
            return self.follow(request, runtime, on_event=on_event, stop=stop)[1]
        finally:
            runtime.close()
            store.close()

    def add_unknown(
        self, *paths: str | os.PathLike[str], options: StageOptions | None = None, on_event: Sink | None = None
    ) -> StageOutcome | None:
        """Add the paths below which nothing is indexed yet, by the embedder of the current version. None when there are
        none: then nothing but the index was looked at."""
        index = self._indexes.open()
        indexed = [Path(path) for path, _ in index.known(tenant=self._tenant).values()] if index else []
        unknown = [path for path in paths if not any(one.is_relative_to(Path(path).absolute()) for one in indexed)]
        if not unknown:
            return None
        if index is not None and self._named == AUTO:
            self._named = index.profile.embedder or NONE
        return self.add(*unknown, options=options, on_event=on_event)

    def request(  # noqa: PLR0913 - one argument per option
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
        rebuild: bool = False,
    ) -> BatchRequest:
        """The batch that adds documents. Makes the version of the index that it fills."""
        from quire.durable.folders.batch_request import BatchRequest
        from quire.durable.indexing.delivery import FLOW, INPUTS, IndexTarget
        from quire.durable.indexing.earlier_versions import is_alike

        embedder = chosen_embedder(self._named)
        target = IndexTarget(NONE if embedder is None else embedder.name if self._named == AUTO else self._named)
        profile = target.profile(embedder)
        files = [os.fspath(path) for path in paths]
        searched = self._indexes.open()
        if rebuild:
            files += self._indexed_beside(files, self._indexes.open(profile) or searched)
        elif searched is not None and searched.profile != profile and is_alike(searched.profile, profile):
            files += self._indexed_beside(files, searched)
        if not files:
            raise UsageError("there is nothing to index; name documents or folders, or --rebuild an index")
        index = self._begun(profile) if rebuild else self._indexes.open_or_make(profile)
        target = replace(target, version=index.name, engine=self._engine)
        return BatchRequest(
            paths=tuple(files),
            output=target.output,
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
        from quire.durable.folders.batch_workflow import run_batch, unfinished_run
        from quire.durable.indexing.delivery import IndexTarget

        assert request.index is not None
        target = IndexTarget.from_json(request.index)
        index = self._indexes.open(name=target.version)
        assert index is not None
        self._reconcile(index, request)
        unfinished = unfinished_run(runtime, request)
        run, outcome = run_batch(request, runtime, run=unfinished, on_event=on_event, stop=stop)
        if not outcome.cancelled:
            self._use(index)
        return run, outcome

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: SearchFilter | None = None,
        options: SearchOptions | None = None,
        version: str | None = None,
        rerank: str | None = None,
    ) -> list[SearchHit]:
        """The places that fit a query best. Raises UsageError when nothing is indexed, or the query has no words.

        `rerank` names a model that reads the first hits with the query and orders them anew: `ms-marco-minilm-l12-v2`,
        the folder of another, or the URL of a TEI server.
        """
        index = self._indexes.open(name=version)
        if index is None:
            place = self._engine or self._place
            raise UsageError(f"{place} has no search index yet; make one with `quire index PATH…`")
        search_options = replace(options, k=k) if options else SearchOptions(k=k)
        filters = replace(filters or SearchFilter(), tenant=self._tenant)
        try:
            return self._searched(index, query, filters, search_options, rerank)
        except StoreError:
            current = self._indexes.open(name=version)
            if current is None or current.name == index.name:
                raise
            return self._searched(
                current, query, filters, search_options, rerank
            )  # a rebuild has replaced the version meanwhile

    def crop(self, hit: SearchHit, *, margin: float = MARGIN, dpi: int = 150) -> bytes:
        """The PNG of the place of a hit, with a margin around it as a fraction of the page, from its file.

        A worker process draws it: the file is untrusted. Raises UsageError for a hit without a place, InputError for a
        file that is gone, has changed or cannot be drawn.
        """
        from quire.reading.worker_rendering import draw

        box = crop_box(hit, margin)
        if box is None:
            raise UsageError(f"{hit.name} has no pages to draw: it has no picture of this place")
        with Document(Path(hit.path)) as document:
            if document.id != hit.document:
                raise ChangedError("has changed since it was indexed; run `quire index` again", document=hit.name)
        source = Opened(Path(hit.path), hit.name, hit.document)
        with closing(draw(source, [hit.page], RenderOptions(dpi=dpi), fit=True, box=box, threads=1)) as drawn:
            image = next(drawn)
        if isinstance(image, InputError):
            raise image
        return image.png

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

    def _searched(
        self, index: IndexBackend, query: str, filters: SearchFilter, options: SearchOptions, rerank: str | None
    ) -> list[SearchHit]:
        embedder = self._named_for(index)
        return search_index(index, query, embedder=embedder, filters=filters, options=options, reranker=rerank)

    def _named_for(self, index: IndexBackend) -> str:
        """The embedder of an index: the one that was named, or that of the same name here."""
        return self._named if self._named not in (AUTO, NONE) else index.profile.embedder

    def _indexed_beside(self, paths: Sequence[str], index: IndexBackend | None) -> list[str]:
        """The files that a version has beside those below the paths."""
        folders = [Path(path).absolute() for path in paths]
        indexed = sorted(path for path, _ in index.known(tenant=self._tenant).values()) if index else []
        return [
            path
            for path in indexed
            if Path(path).exists() and not any(Path(path).is_relative_to(one) for one in folders)
        ]

    def _begun(self, profile: IndexProfile) -> IndexBackend:
        """The version that a rebuild fills: that of an interrupted one, or a new one."""
        present = self._indexes.open(profile)
        if present is not None and any(tenant != self._tenant for tenant in present.tenants()):
            raise UsageError(
                f"the index in {self._place} also has documents that a server has read, which a rebuild would lose; "
                "index into a store of its own"
            )
        same = [version for version in self.versions() if version.profile == profile]
        begun = self._indexes.open(name=same[-1].name) if len(same) > 1 and not same[-1].is_current else None
        return begun or self._indexes.make(profile)

    def _use(self, index: IndexBackend) -> None:
        """Search a version from now on. One that was rebuilt, or filled by new code, takes the place of the earlier
        ones, which are dropped, unless it lacks documents of them, for example because they could not be read this
        time, or a server has put some there."""
        from quire.durable.indexing.earlier_versions import earlier_versions, replace_versions

        opened = earlier_versions(self._indexes, index)
        earlier = [one for one in opened if {*one.tenants()} <= {self._tenant}]
        known = index.known(tenant=self._tenant)
        paths = {path for path, _ in known.values()}
        for one in earlier:
            for document, (path, _) in one.known(tenant=self._tenant).items():
                if document not in known and path not in paths and Path(path).exists():
                    return
        replace_versions(self._store, self._indexes, index, earlier, self._engine)

    def _reconcile(self, index: IndexBackend, request: BatchRequest) -> None:
        """Forget records of documents that the index has lost, and remove documents whose files are gone.

        So an index that was deleted or restored is filled again from the store, without reading anything anew.
        """
        outputs = Outputs(self._store.database)
        known = index.known(tenant=self._tenant)
        recorded = outputs.below(request.output)
        outputs.forget([output.place for output in recorded if output.document not in known])
        missing = [(document, Path(path)) for document, (path, _) in known.items() if not os.path.exists(path)]  # noqa: PTH110 - faster for thousands
        gone = {document for document, path in missing if any(path.is_relative_to(one) for one in request.paths)}
        alive = {one.document for one in recorded if one.document in gone and Path(one.source).exists()}
        index.remove(sorted(gone - alive), tenant=self._tenant)
        # A document of which another file is left is put again, with the path of that one.
        outputs.forget([output.place for output in recorded if output.document in gone])

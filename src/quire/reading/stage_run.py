"""Runs the stages of one document in the caller's thread: `read` and the steps of durable reads use it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Event as Flag
from typing import TYPE_CHECKING, TypeVar

from quire.core.events import NOTHING, Sink, Teller, reason_of
from quire.core.keys import ArtifactKey, Digest, artifact_key
from quire.core.types import PageResult
from quire.reading.stage import Artifact, Encoded, Stage

if TYPE_CHECKING:
    from quire.core.context import Store

I = TypeVar("I")  # the input of a stage
O = TypeVar("O")  # the output of a stage


class StagedRun:
    """One run over one document: look up a key, run the stage unless the artifact exists, save, emit events.

    Everything happens in the thread that calls `do`. `cancel` may be set from any thread; loops over pages check
    `cancelled` between pages.
    """

    def __init__(
        self,
        store: Store,
        *,
        run: str,
        document: str,
        sinks: Sequence[Sink] = (),
        cancel: Flag | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.store = store
        self.run = run
        self.document = document
        self.clock = clock
        self._teller = Teller(run, sinks, document)
        self.emit = self._teller.emit
        self._cancel = cancel or Flag()
        self._profiles: dict[tuple[str, str], Digest] = {}

    @property
    def cancelled(self) -> bool:
        return self._cancel.is_set()

    def key(self, stage: Stage[I, O], inputs: Sequence[str]) -> ArtifactKey:
        """The key of the output of `stage` for inputs with these digests.

        In a temporary store it is without the version: one process has one version of its code, and the digest of that
        would be computed for each read by a user without a folder for caches.
        """
        version = stage.version if self.store.lasting else ""
        profile = self._profiles.get((stage.name, version))
        if profile is None:
            profile = self._profiles[stage.name, version] = stage.profile.digest()
        return artifact_key(stage.name, version, inputs, profile)

    def has(self, stage: Stage[I, O], inputs: Sequence[str]) -> bool:
        return self.store.find(self.key(stage, inputs)) is not None

    def do(self, stage: Stage[I, O], value: I, inputs: Sequence[str], *, page: int | None = None) -> Artifact[O]:
        """The artifact of `stage` for inputs with these digests: a cache hit, or made from `value`.

        Raises the error of the stage, after emitting `failed`.
        """
        key = self.key(stage, inputs)
        digest = self.store.find(key)
        if digest is not None:
            self.emit("hit", stage.name, page=page, key=key)
            return self._artifact(stage, digest)
        self.emit("started", stage.name, page=page, key=key)
        begun = self.clock()
        try:
            elsewhere: list[float] = []
            output = stage.run(value, elsewhere.append)
            ms = round(elsewhere[-1], 3) if elsewhere else self._ms(begun)
            digest, size = self._keep(stage, key, output, page)
        except Exception as error:
            payload = {"reason": reason_of(error), "error": type(error).__name__, "ms": self._ms(begun)}
            self.emit("failed", stage.name, page=page, key=key, payload=payload)
            raise
        info = output.info if isinstance(output, PageResult | Encoded) else None
        noted = {"reason": info.reason} if info is not None and info.reason else NOTHING
        self.emit("finished", stage.name, page=page, key=key, payload={"ms": ms, **size, **noted})
        return self._artifact(stage, digest, output)

    def _keep(
        self, stage: Stage[I, O], key: ArtifactKey, output: O | Encoded, page: int | None
    ) -> tuple[Digest, Mapping[str, object]]:
        """Save the output; returns its digest and size.

        A temporary store gets only outputs that are bytes already: nothing looks up the others later, and encoding them
        would be most of the work. The key is then used as the digest, because it determines the content.
        """
        if isinstance(output, Encoded):
            data = output.data
        elif self.store.lasting or isinstance(output, bytes):
            data = stage.encode(output)
        else:
            return Digest(key), NOTHING
        digest = self.store.save(key, data, stage=stage.name, document=self.document, page=page)
        return digest, {"bytes": len(data)}

    def _artifact(self, stage: Stage[I, O], digest: Digest, output: O | Encoded | None = None) -> Artifact[O]:
        store = self.store
        value = None if isinstance(output, Encoded) else output
        return Artifact(digest, lambda: stage.decode(store.load(digest)), value)

    def _ms(self, begun: float) -> float:
        return round((self.clock() - begun) * 1000, 3)

"""Documents without pages of their own are converted once, in a worker process, and read from what was made."""

from __future__ import annotations

from contextlib import ExitStack

from quire.core.bundle import Bundle
from quire.core.context import Store
from quire.core.document import Document, Reader
from quire.core.errors import LimitError
from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key, digest_bytes
from quire.core.opened import DiskCopy, Opened
from quire.pages.formats.bundle_reader import BundleReader
from quire.pages.formats.conversion import reader_of
from quire.reading.stage import DerivedStage, Encoded, Took
from quire.reading.stage_run import StagedRun
from quire.system.workers import Job, WorkerPool, WorkerTimeout, shared_pool
from quire.system.workers.job_errors import WorkerOutOfMemory

CONVERT_S = 180.0
"""Time for a conversion, printing included."""


class ConvertDocument(DerivedStage):
    """The bundle of a document, made by a worker; its structure is saved beside it, under a key of its own."""

    name = "bundle"

    def __init__(self, store: Store, pool: WorkerPool, made: tuple[bytes, bytes] | None = None) -> None:
        """`made` are the bundle and the structure, if a worker has made them already."""
        self._store, self._pool, self._made = store, pool, made

    def run(self, source: Opened, took: Took) -> Encoded:
        bundle, structure, ms = (*self._made, 0.0) if self._made else converted(source, self._pool)
        key = _structure_key(source.id, digest_bytes(structure))
        self._store.save(key, structure, stage="structure", document=source.id)
        took(ms)
        return Encoded(bundle)

    def encode(self, output: Bundle) -> bytes:
        return output.to_bytes()

    def decode(self, data: bytes) -> Bundle:
        return Bundle.from_bytes(data)


def bundle_of(
    run: StagedRun, source: Opened, media_type: str, pool: WorkerPool, *, made: tuple[bytes, bytes] | None = None
) -> tuple[Bundle, Digest]:
    """The bundle of a document and its digest, cached or made. The name counts: it is in the structure."""
    stage = ConvertDocument(run.store, pool, made)
    inputs = source.id, source.name, media_type, reader_of(media_type)
    artifact = run.do(stage, source, inputs)
    bundle = artifact.value
    if bundle.unprinted:
        run.emit("failed", "print", payload={"reason": bundle.unprinted})
    if run.store.find(_structure_key(source.id, bundle.structure)) is None:  # lost since
        stage.run(source, lambda _: None)
    return bundle, artifact.digest


def converted(source: Opened, pool: WorkerPool) -> tuple[bytes, bytes, float]:
    """Bundle and structure of a document, and the milliseconds it took. Raises the error of a document that cannot be
    converted."""
    job = Job("quire.pages.formats.conversion:convert_in_worker", source)
    try:
        answer = pool.submit(job, timeout_s=CONVERT_S).result()
    except WorkerTimeout as error:
        raise LimitError(f"was not converted within {CONVERT_S:g} s; split it", document=source.name) from error
    except WorkerOutOfMemory as error:
        raise LimitError(f"cannot be converted: {error}; split it", document=source.name) from error
    size = int(str(answer.header["bundle"]))
    return answer.data[:size], answer.data[size:], answer.ms


def open_bundle(document: Document) -> Reader:
    """The reader of a document of such a type; converts it, in a worker, unless it comes with its bundle."""
    if document.bundle is None:
        with ExitStack() as stack:
            copy = DiskCopy(document)
            stack.callback(copy.close)
            reader_of(document.media_type)  # raises ConfigurationError here, not in a worker
            document.bundle = Bundle.from_bytes(converted(copy.opened(), shared_pool())[0])
    return BundleReader(document.bundle, name=document.name)


def _structure_key(document: str, structure: Digest) -> ArtifactKey:
    return artifact_key("structure", "1", (document, structure), Profile().digest())

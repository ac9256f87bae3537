"""The records of a durable read in the store: a record per page, their index; and how to load a result from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from quire.core.context import Json, Store
from quire.core.encoding import decode_document, info_of_row, info_row
from quire.core.engine import Attempt
from quire.core.keys import ArtifactKey, Digest, Profile, artifact_key
from quire.core.passwords import Password
from quire.core.types import PageInfo
from quire.durable.reads.read_request import SourceRef
from quire.durable.reads.sources import open_source
from quire.reading.messages import DocumentReference
from quire.reading.page_stages import Texts
from quire.reading.result import DocumentResult, ReadSource
from quire.store.scoped import scoped


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A page that was read: its ledger entry, the digests of its blocks and text, and the attempts of engines.

    Attempts have no times, so that two reads of a page have equal records. In the index, a page that no engine could
    read has a record with empty digests.
    """

    info: PageInfo
    blocks: Digest
    text: Digest
    path: tuple[Attempt, ...] = ()

    def to_row(self) -> list[object]:
        path = [[attempt.engine, attempt.outcome, attempt.reason] for attempt in self.path]
        return [info_row(self.info), self.blocks, self.text, path]

    @classmethod
    def of_row(cls, row: Sequence[Json]) -> PageRecord:
        info, blocks, text, path = row
        return cls(info_of_row(info), blocks, text, tuple(Attempt(*attempt) for attempt in path))


def pages_key(document: str, index: Digest) -> ArtifactKey:
    """The key of the index of a document that was read: gone once the document is deleted."""
    return artifact_key("index", "1", (document, index), Profile().digest())


class ReadPages:
    """The records of a document by page."""

    def __init__(self, records: Mapping[int, PageRecord]) -> None:
        self.records = records

    @classmethod
    def load(cls, store: Store, digest: Digest) -> ReadPages:
        return cls({number: PageRecord.of_row(row) for number, *row in json.loads(store.load(digest))})

    @property
    def texts(self) -> dict[int, Digest]:
        return {number: record.text for number, record in self.records.items() if record.text}

    @property
    def path(self) -> dict[int, tuple[Attempt, ...]]:
        """The attempts of engines for each page that needed OCR."""
        return {number: record.path for number, record in self.records.items() if record.path}


def load_result(store: Store, reference: DocumentReference, *, password: Password = None) -> DocumentResult:
    """The result that the reference of a read document stands for. Needs only the store: the file may be gone."""
    store = scoped(store, reference.get("scope", ""))
    source = SourceRef.from_json(reference["source"])
    reopen = partial(open_source, store, source, password=password, bundle=reference.get("bundle"))
    media_type = reference.get("media_type") or reopen().media_type  # references of older versions lack it
    index = ReadPages.load(store, reference["index"])
    texts = Texts(store)
    for number, digest in index.texts.items():
        texts.add(number, digest)
    infos, blocks = decode_document(store.load(reference["document"]), texts)
    structure = partial(store.load, reference["structure"]) if "structure" in reference else None
    read = ReadSource(source.id, source.name, media_type, reopen, structure=structure)
    return DocumentResult(read, infos, blocks, index.path)

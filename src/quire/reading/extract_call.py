"""Extracting from a document in one call: `quire.extract`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING, Unpack

from quire.core.context import Json
from quire.core.document import Document, Source
from quire.core.errors import UsageError
from quire.reading.call import ReadOptions, StorePlace, read
from quire.reading.result import DocumentResult

if TYPE_CHECKING:
    from quire.core.engine import Engine
    from quire.evidence.extract.extractor import Extractor
    from quire.evidence.extract.schema import ExtractSchema
    from quire.evidence.extract.values import Extraction


def extract(
    source: Source | Document | DocumentResult,
    schema: Mapping[str, Json] | None = None,
    *,
    fields: Sequence[str] | str | None = None,
    extractors: Sequence[str | Extractor] = (),
    min_confidence: float = 0.0,
    reread: str | Engine | None = None,
    **options: Unpack[ReadOptions],
) -> Extraction:
    """Extract values from a document, each with its evidence: `extract("bill.pdf", fields="date, total")`.

    `schema` is a JSON Schema of an object; `fields` are names instead: a list, or one text with commas. `extractors`
    are names or objects, in the order of preference; without any it is `offline`, which needs no language model. A
    value with less than `min_confidence` counts as not found. `reread` is an OCR engine, or the name of one, that reads
    the pictures of the places again: values that it confirms are `crop_verified`. The other options are those of
    `read`, for a document that is not a `DocumentResult` yet: with a `store`, it is read once, a language model is
    asked once, and no place is read again twice.

    Raises UsageError for a schema that cannot be filled, InputError when the document cannot be opened,
    ConfigurationError for an engine that does not work here, and EngineError when every extractor fails.
    """
    store, facts = options.get("store"), options.get("facts")
    if isinstance(source, DocumentResult):
        late = [name for name in options if reread is None or name not in ("store", "facts", "lang")]
        if late:
            raise UsageError(f"the document was read already: {late[0]!r} comes too late")
    engine = None
    if reread is not None:
        from quire.reading.second_reading import reread_engine

        engine = reread_engine(reread, options.get("lang", ()))
    result = source if isinstance(source, DocumentResult) else read(source, **options)
    with recording(store, facts):
        found = result.extract(schema, fields=fields, extractors=extractors, min_confidence=min_confidence)
    if engine is None:
        return found
    from quire.evidence.extract.schema import asked_schema

    return read_again(result, found, asked_schema(schema, fields), engine, store, facts)


def read_again(
    result: DocumentResult,
    extraction: Extraction,
    schema: ExtractSchema,
    engine: Engine,
    store: StorePlace,
    facts: str | None,
) -> Extraction:
    """The extraction with what an engine reads in the pictures of its places. The document must still be there."""
    from quire.core.opened import DiskCopy
    from quire.evidence.extract.second_reading import reread_places, with_readings
    from quire.reading.model_answers import opened_store
    from quire.reading.second_reading import crop_readings

    catalog = result.catalog()
    places = reread_places(extraction, schema, catalog, engine.name)
    readings = {}
    if places:
        with opened_store(store, facts) as opened, result.reopened() as document, closing(DiskCopy(document)) as copy:
            readings = crop_readings(opened, copy.opened(), engine, places)
    return with_readings(extraction, schema, catalog, (engine.name, engine.version), readings)


def recording(store: StorePlace, facts: str | None) -> AbstractContextManager[None]:
    """Answers of a language model are recorded in the store of the call."""
    if store is None:
        return nullcontext()
    from quire.evidence.extract.language_model.recorded_calls import answered_by
    from quire.reading.model_answers import RecordedAnswers

    return answered_by(RecordedAnswers(store, facts))

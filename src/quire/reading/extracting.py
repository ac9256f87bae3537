"""Extracting from a document in one call: `quire.extract`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Unpack

from quire.context import Json
from quire.document import Document, Source
from quire.errors import UsageError
from quire.reading.call import ReadOptions, StorePlace, read
from quire.result import DocumentResult

if TYPE_CHECKING:
    from quire.extract.extractor import Extractor
    from quire.extract.values import Extraction


def extract(
    source: Source | Document | DocumentResult,
    schema: Mapping[str, Json] | None = None,
    *,
    fields: Sequence[str] | str | None = None,
    extractors: Sequence[str | Extractor] = (),
    min_confidence: float = 0.0,
    **options: Unpack[ReadOptions],
) -> Extraction:
    """Extract values from a document, each with its evidence: `extract("bill.pdf", fields="date, total")`.

    `schema` is a JSON Schema of an object; `fields` are names instead: a list, or one text with commas. `extractors`
    are names or objects, in the order of preference; without any it is `offline`, which needs no language model. A
    value with less than `min_confidence` counts as not found. The other options are those of `read`, for a document
    that is not a `DocumentResult` yet: with a `store`, it is read once, and a language model is asked once.

    Raises UsageError for a schema that cannot be filled, InputError when the document cannot be opened, and EngineError
    when every extractor fails.
    """
    if isinstance(source, DocumentResult):
        if options:
            raise UsageError(f"the document was read already: {next(iter(options))!r} comes too late")
        result = source
    else:
        result = read(source, **options)
    with recording(options.get("store"), options.get("facts")):
        return result.extract(schema, fields=fields, extractors=extractors, min_confidence=min_confidence)


def recording(store: StorePlace, facts: str | None) -> AbstractContextManager[None]:
    """Answers of a language model are recorded in the store of the call."""
    if store is None:
        return nullcontext()
    from quire.extract.language_model.answering import answered_by
    from quire.reading.model_answers import RecordedAnswers

    return answered_by(RecordedAnswers(store, facts))

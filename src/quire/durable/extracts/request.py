"""What is extracted from documents, as a value that a run carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.context import Json
from quire.errors import UsageError
from quire.extract.registry import DEFAULT, find_extractor
from quire.extract.running import VERSION
from quire.extract.schema import ExtractSchema, asked_schema
from quire.keys import Digest, digest_of


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """A JSON Schema, or the names of fields; the names of extractors in the order of preference."""

    schema: Mapping[str, Json] | None = None
    fields: tuple[str, ...] = ()
    extractors: tuple[str, ...] = DEFAULT
    min_confidence: float = 0.0

    @classmethod
    def of(
        cls,
        schema: Mapping[str, Json] | None = None,
        fields: Sequence[str] | str | None = None,
        extractors: Sequence[str] = (),
        min_confidence: float = 0.0,
    ) -> ExtractRequest:
        """A request from what a user wrote: a list of fields may be one text, `invoice number, date`.

        Raises UsageError when nothing or two things are asked for, and for a schema or a name that is wrong.
        """
        listed = fields.split(",") if isinstance(fields, str) else fields or ()
        named = tuple(name for one in listed if (name := one.strip()))
        if not 0 <= min_confidence <= 1:
            raise UsageError(f"the least confidence is {min_confidence}; choose from 0 to 1")
        request = cls(schema, named, tuple(extractors) or DEFAULT, float(min_confidence))
        request.asked()
        request.versions()
        return request

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ExtractRequest:
        return cls.of(**given)

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": self.schema,
            "fields": list(self.fields),
            "extractors": list(self.extractors),
            "min_confidence": self.min_confidence,
        }

    def asked(self) -> ExtractSchema:
        return asked_schema(self.schema, self.fields)

    def versions(self) -> dict[str, str]:
        """What decides the proposals of each extractor, by name: for keys."""
        return extractor_versions(self.extractors)

    def digest(self) -> Digest:
        """Of everything that decides the extraction of a document, besides what was read of it."""
        return digest_of([VERSION, self.asked().digest, list(self.versions().items()), self.min_confidence])


def extractor_versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of extractors by name; of the default ones without names. Raises UsageError for an unknown name."""
    found = {name: find_extractor(name) for name in names or DEFAULT}
    return {name: f"{one.name} {one.version}" for name, one in found.items()}

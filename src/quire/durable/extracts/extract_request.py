"""The request for an extraction, as a value that a run carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire.core.context import Json
from quire.core.engine import Engine, identity_of
from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_of
from quire.evidence.extract.extractor_registry import DEFAULT, find_extractor
from quire.evidence.extract.schema import ExtractSchema, asked_schema
from quire.reading.second_reading import reread_engine
from quire.system.stage_versions import stage_version


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """A JSON Schema, or the names of fields; the names of extractors in the order of preference.

    `reread` is the name of the engine that reads the places of values again, if any; `lang` are its languages.
    """

    schema: Mapping[str, Json] | None = None
    fields: tuple[str, ...] = ()
    extractors: tuple[str, ...] = DEFAULT
    min_confidence: float = 0.0
    reread: str = ""
    lang: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        schema: Mapping[str, Json] | None = None,
        fields: Sequence[str] | str | None = None,
        extractors: Sequence[str] = (),
        min_confidence: float = 0.0,
        reread: str = "",
        lang: Sequence[str] = (),
    ) -> ExtractRequest:
        """A request from what a user wrote: a list of fields may be one text, `invoice number, date`.

        Raises UsageError when nothing or two things are asked for, and for a schema or a name that is wrong, and
        ConfigurationError for an engine that does not work here.
        """
        listed = fields.split(",") if isinstance(fields, str) else fields or ()
        named = tuple(name for one in listed if (name := one.strip()))
        if not 0 <= min_confidence <= 1:
            raise UsageError(f"the least confidence is {min_confidence}; choose from 0 to 1")
        languages = tuple(lang) if reread else ()
        request = cls(schema, named, tuple(extractors) or DEFAULT, float(min_confidence), reread, languages)
        request.extract_schema()
        request.versions()
        return request

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ExtractRequest:
        """A request from `to_json`: it was checked when it was made."""
        return cls(
            given["schema"],
            tuple(given["fields"]),
            tuple(given["extractors"]),
            given["min_confidence"],
            given["reread"],
            tuple(given["lang"]),
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": self.schema,
            "fields": list(self.fields),
            "extractors": list(self.extractors),
            "min_confidence": self.min_confidence,
            "reread": self.reread,
            "lang": list(self.lang),
        }

    def extract_schema(self) -> ExtractSchema:
        return asked_schema(self.schema, self.fields)

    def engine(self) -> Engine | None:
        """The engine that reads the places of values again, if one is named."""
        return reread_engine(self.reread, self.lang) if self.reread else None

    def versions(self) -> dict[str, str]:
        """The versions of the extractors by name, and that of the engine that reads places again: for keys."""
        return extractor_versions(self.extractors) | engine_version(self.reread, self.lang)

    def digest(self, versions: Mapping[str, str]) -> Digest:
        """Of everything that decides the extraction of a document, besides what was read of it."""
        return digest_of(
            [stage_version("extract"), self.extract_schema().digest, list(versions.items()), self.min_confidence]
        )


def extractor_versions(names: Sequence[str]) -> dict[str, str]:
    """The versions of extractors by name; of the default ones without names. Raises UsageError for an unknown name."""
    found = {name: find_extractor(name) for name in names or DEFAULT}
    return {name: f"{one.name} {one.version}" for name, one in found.items()}


def engine_version(reread: str, lang: Sequence[str] = ()) -> dict[str, str]:
    """The version of the engine that reads places again, for keys; empty without one."""
    if not reread:
        return {}
    engine = reread_engine(reread, lang)
    return {"reread": f"{identity_of(engine)} {engine.version} {engine.profile.digest()}"}

"""A sample: a document with the values that a person confirmed, and where they stand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from quire.core.context import Json
from quire.core.encoding import decode_document, encode_document
from quire.core.errors import UsageError
from quire.core.keys import Digest, digest_of
from quire.core.pagetext import PageText
from quire.core.types import BBox
from quire.evidence.catalog.records import SourceCatalog
from quire.evidence.extract.schema import ExtractSchema, LeafSpec
from quire.evidence.extract.value_paths import field_of, list_of, part_of, values_by_path
from quire.evidence.extract.values import SUPPORTED, Proposal
from quire.evidence.extract.verification import checked

NO_CONTENT = (
    "export it from the review again, or name the folder of its document: --documents of `quire learn` and of "
    "`quire samples import`, `Sample.completed` in Python"
)
"""Advice about a sample without content: a review of an earlier version exported it, or its document could not be
looked at any more."""
_KEYS = ("document", "schema", "values")
_SHAPES = {
    "values": 'an object of values by field, {"total": 12.5}',
    "places": 'objects by field, {"total": {"page": 1, "bboxes": [[0.1, 0.2, 0.3, 0.02]]}}',
}


@dataclass(frozen=True, slots=True)
class SamplePlace:
    """The place of a confirmed value, with the text that stands there."""

    page: int
    bboxes: tuple[BBox, ...]
    quote: str = ""


@dataclass(frozen=True)
class Sample:
    """A document with its confirmed values. `values` and `places` are by path (`total`, `party[1]`); a value of None
    says that the document does not have it, and a path without a value says nothing.

    `content` holds the pages and blocks of the document as JSON, so that it is not read again; without it the sample
    can be kept, but not be learnt from.
    """

    document: str
    name: str
    schema: Json
    values: Mapping[str, Json]
    places: Mapping[str, SamplePlace]
    content: str = ""

    @classmethod
    def of(
        cls,
        catalog: SourceCatalog,
        schema: Json,
        values: Mapping[str, Json],
        places: Mapping[str, SamplePlace] | None = None,
    ) -> Sample:
        """A sample of a document that was read. `values` may be a tree, or by path; those without a place are looked
        for in the document as the check of extractions does. Raises UsageError for a value that the schema has not.
        """
        leaves = ExtractSchema.of(schema)
        flat = dict(values_by_path(values))
        for path in flat:
            if leaves.leaf(path) is None:
                raise UsageError(f"{catalog.name}: the schema has no {path[:80]!r}, which the sample has a value for")
        known = dict(places or {})
        for path, value in flat.items():
            if path not in known and value is not None:
                leaf = leaves.leaf(path)
                found = None if leaf is None else _located(path, value, leaf, catalog)
                if found is not None:
                    known[path] = found
        blocks = [replace(block, words=tuple(block.words)) for block in catalog.blocks]
        content = encode_document(catalog.pages, blocks).decode("utf-8", "surrogatepass")
        return cls(catalog.document, catalog.name, schema, flat, known, content)

    def completed(self, catalog: SourceCatalog) -> Sample:
        """The sample with the content of its document, and the places of values that have none yet."""
        return replace(Sample.of(catalog, self.schema, self.values, self.places), name=self.name or catalog.name)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Sample:
        """A sample as `to_json` wrote it, or as a review exports it.

        Raises UsageError for anything else.
        """
        missing = [key for key in _KEYS if key not in row]
        if missing:
            raise UsageError(f"a sample has no {missing[0]!r}; it should be as `quire samples export` writes it")
        try:
            ExtractSchema.of(row["schema"])
            places = {
                path: SamplePlace(one["page"], tuple(BBox(*box) for box in one["bboxes"]), one.get("quote", ""))
                for path, one in row.get("places", {}).items()
            }
            content = row.get("content", "")
            text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
            values = dict(values_by_path({**row["values"]}))
        except (AttributeError, KeyError, TypeError) as error:
            whose = str(row.get("name") or row["document"])[:80]
            what = "values" if not isinstance(row["values"], Mapping) else "places"
            raise UsageError(f"the sample of {whose} is broken: its {what} are not {_SHAPES[what]}") from error
        return cls(str(row["document"]), str(row.get("name", "")), row["schema"], values, places, text)

    def to_json(self) -> dict[str, Json]:
        places = {
            path: {
                "page": place.page,
                "bboxes": [[box.left, box.top, box.width, box.height] for box in place.bboxes],
                "quote": place.quote,
            }
            for path, place in self.places.items()
        }
        row = {
            "document": self.document,
            "name": self.name,
            "schema": self.schema,
            "values": dict(self.values),
            "places": places,
        }
        return {**row, "content": json.loads(self.content)} if self.content else row

    @cached_property
    def id(self) -> str:
        """One document has one sample for a schema."""
        return digest_of([self.document, self.leaves.digest])[:24]

    @cached_property
    def digest(self) -> Digest:
        return digest_of(self.to_json())

    @cached_property
    def leaves(self) -> ExtractSchema:
        return ExtractSchema.of(self.schema)

    @property
    def catalog(self) -> SourceCatalog:
        """The document as extractors see it: pages and blocks, without the records that values cite. It is large, and
        decoded anew each time.

        Raises UsageError for a sample without content.
        """
        if not self.content:
            raise UsageError(f"the sample of {self.name or self.document[:12]} has no content; {NO_CONTENT}")
        try:
            pages, blocks = decode_document(self.content.encode("utf-8", "surrogatepass"), _unknown)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise UsageError(f"the content of the sample of {self.name[:80]} is broken; {NO_CONTENT}") from error
        return SourceCatalog(self.document, self.name, self.digest, (), pages, blocks)

    def expected(self, path: str) -> Sequence[Json] | None:
        """The values of a leaf, none if the document does not have it; None if the sample does not say."""
        listed = [value for one, value in self.values.items() if one == path or list_of(one) == path]
        return [value for value in listed if value not in (None, "")] if listed else None

    @property
    def undecided(self) -> list[str]:
        """The fields about which the sample says nothing: neither a value nor, with None, that there is none."""
        decided = {field_of(path) for path in self.values}
        return [
            leaf.path
            for leaf in self.leaves.leaves
            if not any(path in (leaf.path, part_of(leaf.path)) for path in decided) and self.expected(leaf.path) is None
        ]

    def place(self, path: str) -> SamplePlace | None:
        """The place of the only, or the first, value of a leaf."""
        return self.places.get(path) or self.places.get(f"{path}[0]")


def _located(path: str, value: Json, leaf: LeafSpec, catalog: SourceCatalog) -> SamplePlace | None:
    proposal = Proposal(path, value, (), "", 1.0, "sample")
    evidence = checked(proposal, leaf, catalog)
    if evidence.status not in SUPPORTED or evidence.page is None:
        return None
    return SamplePlace(evidence.page, evidence.bboxes, evidence.quote)


def _unknown(page: int) -> PageText:
    raise UsageError(f"the words of page {page} are not in the sample")

"""Proposed values, values with their evidence, and the result of an extraction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from quire.context import Json
from quire.keys import Digest
from quire.types import BBox, Part

EvidenceStatus = Literal["verified", "repaired", "unverified", "conflict", "not_found", "corrected", "confirmed"]
"""`verified`: the value stands at the cited place. `repaired`: not there, but elsewhere in the document. `unverified`:
nowhere. `conflict`: two places say two things. `corrected` and `confirmed`: a person did."""
MatchKind = Literal["exact", "numeric", "date", "fuzzy", "derived"]
"""How a value agrees with what stands on the page."""
SUPPORTED: frozenset[EvidenceStatus] = frozenset({"verified", "repaired", "corrected", "confirmed"})


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows from others: `sum`, `difference`, `product`, `percentage` or `unit` of values that stand in
    the document. `parts` are their texts with the records they stand in."""

    rule: Literal["sum", "difference", "product", "percentage", "unit"]
    parts: tuple[tuple[str, str], ...]
    """Pairs of the text of a part and the id of its record."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that an extractor proposes for a path, with what it cites. It is checked before anything is made of it.

    `path` is a path in the data: `total`, `items[3].price`. `records` are ids of the catalog, `quote` is the text as
    it stands there, `places` the boxes of the quote where the extractor knows them.
    """

    path: str
    value: Json
    records: tuple[str, ...]
    quote: str
    confidence: float
    extractor: str
    places: tuple[Part, ...] = ()
    derivation: Derivation | None = None
    label: str = ""
    """The text on the page that says what the value is: what stands before or above it."""
    alternatives: tuple[Proposal, ...] = ()
    """Other values that the same extractor considered, best first."""
    others: tuple[Proposal, ...] = ()
    """What other extractors, or other parts of the document, say for the same path: agreement or conflict."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another value for a path, with where it stands."""

    value: Json
    quote: str
    page: int
    bboxes: tuple[BBox, ...]
    blocks: tuple[str, ...]
    confidence: float
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class LeafEvidence:
    """The evidence of one value. `crop` is the id of the picture of its place (`quire.catalog.crops`).

    `confidence` has a figure by source: `extractor`, `ocr`, `agreement`, `reread`, `total`. `reason` says what is wrong
    with a value that is not supported, or whose picture does not show it. `crop_verified`: another engine has read the
    same in the picture of its place.
    """

    path: str
    status: EvidenceStatus
    match: MatchKind | None = None
    confidence: Mapping[str, float] = field(default_factory=dict)
    quote: str = ""
    page: int | None = None
    bboxes: tuple[BBox, ...] = ()
    blocks: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    crop: str | None = None
    label: str = ""
    alternatives: tuple[Alternative, ...] = ()
    derivation: Derivation | None = None
    extractor: str = ""
    reason: str = ""
    crop_verified: bool = False

    @property
    def supported(self) -> bool:
        return self.status in SUPPORTED

    @property
    def picture_differs(self) -> bool:
        """Whether another engine has read something else in the picture of its place."""
        return "reread" in self.confidence and not self.crop_verified


@dataclass(frozen=True, slots=True)
class EvidenceConflict:
    """Two or more values for one path, each with its place."""

    path: str
    values: tuple[Alternative, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A leaf without a value: which pages were searched, and why there is none."""

    path: str
    pages: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class EvidenceCoverage:
    """How many leaves have a value, cite something, and are supported by what they cite."""

    leaves: int
    cited: int
    verified: int
    crop_verified: int
    not_found: int

    @property
    def share(self) -> float:
        """The leaves whose value is verified, or whose absence is recorded with the pages that were searched."""
        return (self.verified + self.not_found) / self.leaves if self.leaves else 1.0


@dataclass(frozen=True, slots=True)
class ExtractorFailure:
    """An extractor that could not answer: what the others proposed is kept."""

    extractor: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The values of a document by the tree of the schema, with the evidence of each by its path."""

    document: str
    name: str
    schema: Digest
    catalog: Digest
    """The version of the source catalog that the records are from."""
    values: Json
    evidence: Mapping[str, LeafEvidence]
    coverage: EvidenceCoverage
    conflicts: Sequence[EvidenceConflict] = ()
    not_found: Sequence[Missing] = ()
    extractors: Sequence[str] = ()
    failures: Sequence[ExtractorFailure] = ()
    reread: str = ""
    """The engine, with its version, that has read the places of the values again."""

    def __getitem__(self, path: str) -> LeafEvidence:
        """The evidence of a path such as `items[0].price`."""
        return self.evidence[path]

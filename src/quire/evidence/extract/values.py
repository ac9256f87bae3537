"""Proposed values, values with their evidence, and the result of an extraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quire.core.context import Json
from quire.core.keys import Digest
from quire.core.types import BBox, Part

if TYPE_CHECKING:
    from quire.core.document import Document

EvidenceStatus = Literal["found", "repaired", "unverified", "conflict", "not_found", "corrected", "confirmed"]
"""Whether the text of the document says a value, which is checked exactly. `found`: it stands at the cited place.
`repaired`: not there, but elsewhere in the document. `unverified`: nowhere. `conflict`: two places say two things.
`corrected` and `confirmed`: a person did. Whether it answers the field is another question (`probability`)."""
MatchKind = Literal["exact", "numeric", "date", "fuzzy", "derived"]
"""The kind of agreement of a value with the text on the page."""
SUPPORTED: frozenset[EvidenceStatus] = frozenset({"found", "repaired", "corrected", "confirmed"})
SURE = 0.9
"""The least probability of a value that nobody has to look at: `python -m benchmarks reliability` has the share of such
values that is right on documents to which nothing was fitted."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A value that follows from others: `sum`, `difference`, `product`, `percentage` or `unit` of values that stand in
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
    signs: Mapping[str, float] = field(default_factory=dict)
    """What else speaks for the value, or against it, each from 0 to 1: `known`, 1 where the meaning of the field is
    known and 0 where only its name is; `label`, how surely the label on the page names the field; `arithmetic`, 1 where
    other amounts of the page say that it is what is asked for, 0 where that it is another."""
    alternatives: tuple[Proposal, ...] = ()
    """Other values that the same extractor considered, best first."""
    others: tuple[Proposal, ...] = ()
    """Proposals of other extractors, or other parts of the document, for the same path: agreement or conflict."""


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
    """The evidence of one value. `crop` is the id of the picture of its place (`quire.output.place_crops`).

    `confidence` has a figure by source: `extractor`, `label`, `arithmetic`, `ocr`, `agreement`, `reread`, `total`.
    `reason` says what is wrong with a value that is not supported, or whose picture does not show it. `crop_verified`:
    another engine has read the same in the picture of its place. `probability`: how likely the value answers the field
    (`quire.evidence.extract.calibration`); None where there is no value, 1 where a person decided.
    """

    path: str
    status: EvidenceStatus
    probability: float | None = None
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
    document: str = ""
    """The short name of its document where a solve has several, such as `document-2`."""

    @property
    def supported(self) -> bool:
        return self.status in SUPPORTED

    @property
    def is_sure(self) -> bool:
        """Whether nobody has to look at it: the document supports it, and it most likely answers the field."""
        return self.supported and self.probability is not None and self.probability >= SURE

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
    """How many of the leaves that were asked for have a value, cite something, are supported by what they cite, and
    are sure to answer the field. A list without rows is one leaf."""

    leaves: int
    returned: int
    cited: int
    found: int
    crop_verified: int
    not_found: int
    sure: int

    @classmethod
    def of(cls, leaves: Iterable[LeafEvidence]) -> EvidenceCoverage:
        listed = list(leaves)
        returned = [one for one in listed if one.status != "not_found"]
        return cls(
            leaves=len(listed),
            returned=len(returned),
            cited=sum(one.page is not None for one in returned),
            found=sum(one.supported for one in returned),
            crop_verified=sum(one.crop_verified for one in returned),
            not_found=len(listed) - len(returned),
            sure=sum(one.is_sure for one in returned),
        )

    @property
    def share(self) -> float:
        """The share of values that the document supports, of all leaves."""
        return self.found / self.leaves if self.leaves else 0.0

    @property
    def share_of_returned(self) -> float | None:
        """The share of values that the document supports, of the values that there are."""
        return self.found / self.returned if self.returned else None


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
    conflicts: Sequence[EvidenceConflict] = ()
    not_found: Sequence[Missing] = ()
    extractors: Sequence[str] = ()
    failures: Sequence[ExtractorFailure] = ()
    reread: str = ""
    """The engine, with its version, that has read the places of the values again."""
    reopen: Callable[[], Document] | None = field(default=None, compare=False, repr=False)
    """Opens the document, for pictures of the places; None where that is not at hand, as in what was stored."""

    def _repr_html_(self) -> str:
        from quire.evidence.extract.reports.notebook import notebook_html

        return notebook_html(self)

    @property
    def coverage(self) -> EvidenceCoverage:
        return EvidenceCoverage.of(self.evidence.values())

    def __getitem__(self, path: str) -> LeafEvidence:
        """The evidence of a path such as `items[0].price`."""
        return self.evidence[path]

"""Grades: what became of each expected value, and the scores that follow from it.

Value, page and word-box F1 are defined as in ExtractBench. A value is graded first; its place counts only if the value
is right, so that value F1 is at least page F1, and page F1 at least word-box F1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from quire.core.types import BBox
from quire.evidence.extract.values import EvidenceCoverage, Extraction, LeafEvidence
from quire.solving.evaluation.alignment import AlignedCell, aligned_cells, says_the_same
from quire.solving.evaluation.fixture import ExpectedPlace, Fixture

CellOutcome = Literal["right", "absent", "wrong", "missing", "invented"]
"""`absent`: there is no such value, and none was returned, which is right. `invented`: there is none, and one was
returned."""
OUTCOMES: tuple[CellOutcome, ...] = get_args(CellOutcome)
SAME_BOX = 0.5
"""The least intersection over union of two boxes that are the same place."""


@dataclass(frozen=True, slots=True)
class F1Score:
    """Precision, recall and their harmonic mean, from counts: those of several documents are added."""

    right: int
    returned: int
    expected: int

    @property
    def precision(self) -> float | None:
        return self.right / self.returned if self.returned else None

    @property
    def recall(self) -> float | None:
        return self.right / self.expected if self.expected else None

    @property
    def f1(self) -> float | None:
        """None where nothing was expected: a document without places says nothing about grounding."""
        return 2 * self.right / (self.returned + self.expected) if self.expected else None


@dataclass(frozen=True, slots=True)
class CellGrade:
    """One cell with its outcome. `page_right` and `box_right` are None where the fixture knows no page, or no box."""

    cell: AlignedCell
    outcome: CellOutcome
    status: str
    page: int | None
    page_right: bool | None
    box_right: bool | None
    quote: str = ""
    records: tuple[str, ...] = ()
    crop: str | None = None

    @property
    def is_right(self) -> bool:
        return self.outcome in ("right", "absent")

    @property
    def lacks_evidence(self) -> bool:
        """Whether a value was returned that the document does not support."""
        return self.cell.value is not None and self.status in ("unverified", "conflict", "")


@dataclass(frozen=True, slots=True)
class FixtureGrade:
    """The grade of one fixture."""

    fixture: str
    family: str
    version: str
    cells: Sequence[CellGrade]
    coverage: EvidenceCoverage

    @property
    def outcomes(self) -> Mapping[str, int]:
        counted = Counter(one.outcome for one in self.cells)
        named: dict[str, int] = {name: counted[name] for name in OUTCOMES}
        return {**named, "without_evidence": sum(one.lacks_evidence for one in self.cells)}

    @property
    def value(self) -> F1Score:
        """Every field counts on both sides, also an empty one; a surplus record costs precision, a missing one
        recall."""
        right = sum(one.is_right for one in self.cells)
        returned = sum(one.cell.path is not None for one in self.cells)
        return F1Score(right, returned, sum(one.cell.expected_path is not None for one in self.cells))

    @property
    def page(self) -> F1Score:
        return _grounding((one.page_right, one) for one in self.cells)

    @property
    def box(self) -> F1Score:
        return _grounding((one.box_right, one) for one in self.cells)


def _grounding(grades: Iterable[tuple[bool | None, CellGrade]]) -> F1Score:
    """Of the cells whose place is known: those with a right value at the right place, those that cite a place."""
    known = [(right, one) for right, one in grades if right is not None]
    return F1Score(sum(right for right, _ in known), sum(one.page is not None for _, one in known), len(known))


def grade(fixture: Fixture, extraction: Extraction) -> FixtureGrade:
    """Compare what was extracted with what a fixture expects."""
    cells = aligned_cells(fixture.expected, extraction.values, fixture.tolerance)
    return FixtureGrade(
        fixture.name,
        fixture.family,
        fixture.version,
        [_graded(cell, fixture, extraction.evidence) for cell in cells],
        extraction.coverage,
    )


def _graded(cell: AlignedCell, fixture: Fixture, evidence: Mapping[str, LeafEvidence]) -> CellGrade:
    outcome = _outcome(cell, fixture)
    found = evidence.get(cell.path) if cell.path is not None and cell.value is not None else None
    places = fixture.places.get(cell.expected_path or "", ())
    cited = found if found is not None and found.page is not None else None
    is_right = outcome == "right"
    boxes = [place for place in places if place.bbox is not None]
    return CellGrade(
        cell,
        outcome,
        "" if found is None else found.status,
        None if cited is None else cited.page,
        (is_right and cited is not None and any(_is_on(cited, place) for place in places)) if places else None,
        (is_right and cited is not None and _is_at(cited, boxes)) if boxes else None,
        *(() if found is None else (found.quote, found.records, found.crop)),
    )


def _outcome(cell: AlignedCell, fixture: Fixture) -> CellOutcome:
    if says_the_same(cell.expected, cell.value, fixture.tolerance(cell.expected_path or cell.path or "")):
        return "absent" if cell.expected is None else "right"
    if cell.expected is None:
        return "invented"
    return "missing" if cell.value is None else "wrong"


def _is_on(cited: LeafEvidence, place: ExpectedPlace) -> bool:
    return place.page == cited.page and place.document in ("", cited.document)


def _is_at(cited: LeafEvidence, places: Sequence[ExpectedPlace]) -> bool:
    return any(
        _is_on(cited, place) and place.bbox is not None and intersection_over_union(place.bbox, box) >= SAME_BOX
        for place in places
        for box in cited.bboxes
    )


def intersection_over_union(one: BBox, other: BBox) -> float:
    """How much two boxes are the same, from 0 to 1."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (one.width * one.height + other.width * other.height - shared)


def added(scores: Iterable[F1Score]) -> F1Score:
    """The score of several documents together."""
    listed = list(scores)
    return F1Score(*(sum(getattr(one, name) for one in listed) for name in ("right", "returned", "expected")))


def mean_f1(scores: Iterable[F1Score]) -> float | None:
    """The mean over documents, of those that have a score: what ExtractBench reports."""
    known = [score.f1 for score in scores if score.f1 is not None]
    return sum(known) / len(known) if known else None

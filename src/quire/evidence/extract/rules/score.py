"""How well a candidate fits a leaf by what stands around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from quire.evidence.extract.candidates.candidate import Candidate
from quire.evidence.extract.rules.leaves import WantedLeaf, may_name
from quire.evidence.extract.schema import ValueKind
from quire.lexicon.labels import LabelMatcher

BESIDE, LEFT, ABOVE, ROW, COLUMN, JOINT, SECTION = 1.0, 0.95, 0.9, 0.8, 0.82, 0.92, 0.3
"""How much a label counts by where it stands: in the same line, left, above, in the row or the column, a heading with
the label, the heading alone."""
PAIRED = 0.97
"""How much it counts where the whole page says that it is the label of the value, wherever it stands."""
SKIPPED = 0.8
"""What remains of a label to the left for each other value between: the result of a test is not the unit behind it."""
RIVAL = 3.0
"""The power of the share that a label names another thing better: `Total GST` is a tax rather than a total."""
FURTHER = 0.6
"""How much what is left of the line counts for a value with a label in its line."""
CLAIMED = 0.45
"""What remains of a label above or in the column for a value whose own line says that it is something else."""
TOTAL_ROW = 0.12
"""What the last row of a column, its total, has over the others."""
_FIGURES = re.compile(r"^[\W\d_]*$")


class LabelFit(NamedTuple):
    """How well the labels of a candidate name a leaf, and the label that does."""

    score: float
    label: str


NO_FIT = LabelFit(0.0, "")


class LabelFitting:
    """Compares the labels around candidates with leaves. `bonus` is what the title of the document adds to things."""

    def __init__(self, matcher: LabelMatcher, bonus: Mapping[str, float]) -> None:
        self._matcher, self._bonus = matcher, bonus
        self._known: dict[tuple[str, str, ValueKind], tuple[float, float]] = {}

    def of(self, wanted: WantedLeaf, candidate: Candidate) -> LabelFit:
        """The best of the labels around a candidate."""
        beside = candidate.before if _says_something(candidate.before) else ""
        left = BESIDE if candidate.origin == "field" else LEFT * SKIPPED**candidate.skipped
        nearest, near = (beside, BESIDE) if beside else (candidate.left, left)
        further = candidate.left if beside and candidate.origin != "field" else ""
        labels = [(nearest, near), (candidate.row_head, ROW), (further, FURTHER), (candidate.paired, PAIRED)]
        fits = [self._fit(wanted, candidate, text, weight) for text, weight in labels if text]
        own, other = self._named(wanted, nearest, candidate.kind) if nearest else (0.0, 0.0)
        share = CLAIMED if other > own and other >= 0.8 else 1.0
        above, head = candidate.above, candidate.column_head
        over = [] if above in head else [(above, ABOVE)]
        if head:  # a line of it alone may say something else: Unit price / without tax
            over.append((head, ABOVE if head == above else COLUMN))
        is_total = self._matcher.names(candidate.row_head).get("total", 0.0) >= 0.8 if candidate.row_head else False
        for text, weight in over:
            if text:
                fit = self._fit(wanted, candidate, text, share * weight)
                of_total = is_total and self._named(wanted, text, candidate.kind)[0] > 0.5
                fits.append(fit._replace(score=fit.score + TOTAL_ROW) if of_total else fit)
        if candidate.section:
            if _says_something(nearest) and _names_little(nearest, self._matcher):
                fits.append(self._fit(wanted, candidate, f"{candidate.section} {nearest}", JOINT))
            fits.append(self._fit(wanted, candidate, candidate.section, SECTION))
        return max(fits, default=NO_FIT)

    def _fit(self, wanted: WantedLeaf, candidate: Candidate, label: str, weight: float) -> LabelFit:
        return LabelFit(weight * self._named(wanted, label, candidate.kind)[0], label)

    def _named(self, wanted: WantedLeaf, text: str, kind: ValueKind) -> tuple[float, float]:
        """How well a text names the leaf, and how well it names something else."""
        asked = (wanted.key, text, kind)
        known = self._known.get(asked)
        if known is None:
            known = self._known[asked] = self._compared(wanted, text, kind)
        return known

    def _compared(self, wanted: WantedLeaf, text: str, kind: ValueKind) -> tuple[float, float]:
        found = self._matcher.names(text)
        if not found:
            return 0.0, 0.0
        names = wanted.names
        own = other = foreign = 0.0
        for name, score in found.items():
            if names.get(name, 0.0) >= 1:
                own = max(own, score + self._bonus.get(name, 0.0))
            elif may_name(name, kind):
                other = max(other, score)
                foreign = max(foreign, score if name not in names else 0.0)
        related = max(
            (
                score * names[name] * min(score / foreign if foreign else 1.0, 1.0) ** RIVAL
                + self._bonus.get(name, 0.0)
                for name, score in found.items()
                if names.get(name, 1.0) < 1
            ),
            default=0.0,
        )
        if other > own > 0:
            own *= (own / other) ** RIVAL
        return (own, other) if own >= related else (related, 0.0)


def _names_little(text: str, matcher: LabelMatcher) -> bool:
    """Whether a label says only what kind of thing it is, so that the heading above must say of what: `Name`."""
    found = matcher.names(text)
    return bool(found) and max(found, key=found.__getitem__) in ("name", "address", "date", "document_number", "total")


def _says_something(text: str) -> bool:
    return not _FIGURES.match(text)

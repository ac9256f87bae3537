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
        matcher = self._matcher
        beside = candidate.before if _says_something(candidate.before) else ""
        best = NO_FIT
        claimed = 0.0
        left = BESIDE if candidate.origin == "field" else LEFT * SKIPPED**candidate.skipped
        nearest = (beside, BESIDE) if beside else (candidate.left, left)
        for text, weight in (nearest, (candidate.row_head, ROW)):
            if text:
                own, other = self._named(wanted, text, candidate.kind)
                best = max(best, LabelFit(weight * own, text))
                if text == nearest[0]:
                    claimed = max(claimed, other if other > own else 0.0)
        if beside and candidate.left and candidate.origin != "field":
            own, _ = self._named(wanted, candidate.left, candidate.kind)
            best = max(best, LabelFit(0.6 * own, candidate.left))
        if candidate.paired:
            own, _ = self._named(wanted, candidate.paired, candidate.kind)
            best = max(best, LabelFit(PAIRED * own, candidate.paired))
        share = CLAIMED if claimed >= 0.8 else 1.0
        above = [] if candidate.above in candidate.column_head else [(candidate.above, ABOVE)]
        if candidate.column_head:  # a line of it alone may say something else: Unit price / without tax
            above.append((candidate.column_head, ABOVE if candidate.column_head == candidate.above else COLUMN))
        for text, weight in above:
            if text:
                own, _ = self._named(wanted, text, candidate.kind)
                score = share * weight * own
                if candidate.row_head and matcher.names(candidate.row_head).get("total", 0.0) >= 0.8 and own > 0.5:
                    score += TOTAL_ROW
                best = max(best, LabelFit(score, text))
        if candidate.section:
            text = f"{candidate.section} {nearest[0]}"
            own, _ = self._named(wanted, text, candidate.kind)
            alone, _ = self._named(wanted, candidate.section, candidate.kind)
            joint = JOINT * own if _says_something(nearest[0]) and _names_little(nearest[0], matcher) else 0.0
            best = max(best, LabelFit(joint, text), LabelFit(SECTION * alone, candidate.section))
        return best

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

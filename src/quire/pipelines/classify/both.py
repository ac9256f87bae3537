"""Two classifiers, the second for regions where the first is unsure."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.picture import Picture
from quire.core.types import Layout
from quire.pipelines.roles import Classified, Classifier
from quire.system.awaited import settled


@dataclass(frozen=True, slots=True)
class HybridClassifier:
    first: Classifier
    second: Classifier
    name: str = "hybrid"

    def classify(self, layout: Layout, picture: Picture) -> Classified:
        before = _classified(self.first, layout, picture)
        if not before.ambiguous:
            return before
        unsure = Layout(tuple(region for region in before.layout.regions if region.id in before.ambiguous))
        after = _classified(self.second, unsure, picture)
        decided = {region.id: region for region in after.layout.regions}
        return Classified(Layout(tuple(decided.get(r.id, r) for r in before.layout.regions)), after.ambiguous)


def hybrid(first: Classifier, second: Classifier) -> HybridClassifier:
    """Use the second classifier for the regions where the first is unsure."""
    return HybridClassifier(first, second)


def _classified(classifier: Classifier, layout: Layout, picture: Picture) -> Classified:
    made = settled(classifier.classify(layout, picture))
    return Classified(made) if isinstance(made, Layout) else made

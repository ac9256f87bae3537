"""Roles of regions learnt from samples: a logistic regression over the features of each crop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from quire.core.errors import ConfigurationError
from quire.core.picture import Picture
from quire.core.types import Layout, Region, RegionRole
from quire.pipelines.roles import Classified

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
else:
    Numbers = Any

STEPS, RATE, DECAY = 400, 0.5, 1e-3


@dataclass(frozen=True, slots=True)
class EmbeddingClassifier:
    """Assigns each region the role of the most similar samples; a region keeps its role when the model is unsure.

    Created by `train`, stored by `save` and `load`.
    """

    roles: tuple[RegionRole, ...]
    weights: Numbers = field(repr=False, compare=False)
    middle: Numbers = field(repr=False, compare=False)
    spread: Numbers = field(repr=False, compare=False)
    sure: float = 0.7
    name: str = "embedding"

    @classmethod
    def train(cls, samples: Iterable[tuple[Picture, RegionRole]], *, sure: float = 0.7) -> EmbeddingClassifier:
        """Learn from pictures of regions and their roles: start with a dozen of each role."""
        import numpy as np

        from quire.pipelines.classify.features import features

        pairs = list(samples)
        roles = tuple(sorted({role for _, role in pairs}))
        unknown = set(roles) - set(get_args(RegionRole))
        if len(roles) < 2 or unknown:
            raise ConfigurationError(f"samples need at least two roles of {', '.join(get_args(RegionRole))}")
        found = np.stack([features(picture) for picture, _ in pairs])
        middle, spread = found.mean(axis=0), found.std(axis=0) + 1e-6
        targets = np.eye(len(roles))[[roles.index(role) for _, role in pairs]]
        counts = targets.sum(axis=0)
        importance = (targets / counts).sum(axis=1, keepdims=True) / len(roles)  # each role counts the same
        inputs = _with_one((found - middle) / spread)
        weights = np.zeros((inputs.shape[1], len(roles)))
        for _ in range(STEPS):
            slope = inputs.T @ (importance * (_shares(inputs @ weights) - targets)) + DECAY * weights
            weights -= RATE * slope / np.sqrt(inputs.shape[1])
        return cls(roles, weights, middle, spread, sure)

    def classify(self, layout: Layout, picture: Picture) -> Classified:
        unsure: set[str] = set()

        def classified(region: Region) -> Region:
            role, share = self.judge(picture.crop(region.bbox))
            if share < self.sure:
                unsure.add(region.id)
                return region
            return replace(region, role=role)

        return Classified(Layout(tuple(map(classified, layout.regions))), frozenset(unsure))

    def judge(self, picture: Picture) -> tuple[RegionRole, float]:
        """The most likely role of a region's image, and its probability."""
        from quire.pipelines.classify.features import features

        shares = _shares(_with_one((features(picture)[None] - self.middle) / self.spread) @ self.weights)[0]
        best = int(shares.argmax())
        return self.roles[best], float(shares[best])

    def save(self, path: str | Path) -> None:
        import numpy as np

        with Path(path).open("wb") as file:
            np.savez(file, roles=np.array(self.roles), weights=self.weights, middle=self.middle, spread=self.spread)

    @classmethod
    def load(cls, path: str | Path, *, sure: float = 0.7) -> EmbeddingClassifier:
        import numpy as np

        try:
            with np.load(path, allow_pickle=False) as kept:
                roles = cast(tuple[RegionRole, ...], tuple(str(role) for role in kept["roles"]))
                return cls(roles, kept["weights"], kept["middle"], kept["spread"], sure)
        except (OSError, ValueError, KeyError) as error:
            raise ConfigurationError(f"cannot load the classifier {path}: {error}") from error


embedding = EmbeddingClassifier


def _with_one(rows: Numbers) -> Numbers:
    import numpy as np

    return np.hstack([rows, np.ones((len(rows), 1))])


def _shares(scores: Numbers) -> Numbers:
    import numpy as np

    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return cast(Numbers, powers / powers.sum(axis=1, keepdims=True))

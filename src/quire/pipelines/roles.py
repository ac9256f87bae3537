"""The roles of the stages of a page pipeline, and the values that pass between them.

A stage has a role by implementing its method; no base class. Every stage has a `name`, and may have `requires`: the
engine capabilities that it needs, checked when the pipeline is built. The methods may be `async`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias, get_args, runtime_checkable

from quire.core.affine import IDENTITY, Affine
from quire.core.engine import Recognition
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.core.types import BBox, Layout, Region

Slot = Literal["preprocess", "detect", "classify", "region_preprocess", "recognize", "post_process", "export"]
"""The slots of a pipeline, in the order in which they run."""
SLOTS: tuple[Slot, ...] = get_args(Slot)


@dataclass(frozen=True, slots=True)
class PreparedPicture:
    """A preprocessed picture. `to_given` maps its points back to those of the original picture.

    `angle` is the clockwise rotation that was applied, in degrees: 90, or 1.3 for a skewed page.
    """

    picture: Picture
    angle: float = 0.0
    to_given: Affine = IDENTITY


@dataclass(frozen=True, slots=True)
class Classified:
    """A layout with roles, and the ids of the regions whose classification is uncertain."""

    layout: Layout
    ambiguous: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Crop:
    """The picture of a region, or a slice of it. `box` is its box on the page's picture; padding extends it."""

    region: Region
    picture: Picture
    box: BBox


Prepares: TypeAlias = PreparedPicture | Picture
Classifies: TypeAlias = Classified | Layout


@runtime_checkable
class Preprocessor(Protocol):
    """Prepares the picture of a page for OCR. Returns a plain `Picture` if the geometry is unchanged."""

    @property
    def name(self) -> str: ...

    def preprocess(self, picture: Picture) -> Prepares | Awaitable[Prepares]: ...


@runtime_checkable
class LayoutDetector(Protocol):
    """Finds the regions of a page. Returns an empty layout if there are none."""

    @property
    def name(self) -> str: ...

    def detect(self, picture: Picture, page: int = 1) -> Layout | Awaitable[Layout]: ...


@runtime_checkable
class Classifier(Protocol):
    """Assigns regions their role (`blank`, `header`), and a `merge_group` to cells that are drawn as several."""

    @property
    def name(self) -> str: ...

    def classify(self, layout: Layout, picture: Picture) -> Classifies | Awaitable[Classifies]: ...


@runtime_checkable
class RegionPreprocessor(Protocol):
    """Prepares the picture of a region for OCR: changed, padded, or cut into slices that are read in order."""

    @property
    def name(self) -> str: ...

    def preprocess_region(self, crop: Crop) -> Sequence[Crop] | Awaitable[Sequence[Crop]]: ...


@runtime_checkable
class Corrector(Protocol):
    """A pure function that corrects a recognition. `version` and `profile` are its part of a key."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Changed whenever the output may change."""
        ...

    @property
    def profile(self) -> Profile: ...

    def correct(self, recognition: Recognition) -> Recognition | Awaitable[Recognition]: ...


def with_merged(layout: Layout) -> Layout:
    """The layout with the regions of each `merge_group` merged: the union of their boxes and grid positions."""
    groups: dict[str, list[Region]] = {}
    for region in layout.regions:
        if region.merge_group:
            groups.setdefault(region.merge_group, []).append(region)
    merged = {group[0].id: _merged(group) for group in groups.values()}
    rest = {region.id for group in groups.values() for region in group[1:]}
    return Layout(tuple(merged.get(r.id, r) for r in layout.regions if r.id not in rest))


def _merged(group: Sequence[Region]) -> Region:
    cells = [region.grid for region in group if region.grid]
    grid = None
    if cells:
        row, column = min(c.row for c in cells), min(c.column for c in cells)
        rows = max(c.row + c.row_span for c in cells) - row
        columns = max(c.column + c.column_span for c in cells) - column
        grid = replace(cells[0], row=row, column=column, row_span=rows, column_span=columns)
    written = [region for region in group if region.role != "blank"]
    role = (written or group)[0].role
    attrs = {name: value for region in reversed(group) for name, value in region.attrs.items()}
    polygon = group[0].polygon if len(group) == 1 else ()  # the outline of one part is not the outline of all
    return replace(group[0], bbox=BBox.union(r.bbox for r in group), grid=grid, role=role, polygon=polygon, attrs=attrs)

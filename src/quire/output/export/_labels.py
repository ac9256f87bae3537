"""Places for the labels of boxes on a page image: where the page is blank and no other label is, if there is room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

Area = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""
CONTRAST = 48
"""Levels by which a pixel of print is darker or lighter than its neighbour."""
OVER_LABEL = 4
"""Pixels of print that are as bad to hide as one of another label: labels are small and are read whole."""


class FreeSpace:
    """The print of a picture and the labels placed so far, summed up, so that a place is judged at once."""

    def __init__(self, picture: Image) -> None:
        grey = np.asarray(picture.convert("L"), dtype=np.int16)
        edges = np.zeros(grey.shape, dtype=bool)
        edges[:, 1:] |= np.abs(np.diff(grey, axis=1)) > CONTRAST
        edges[1:, :] |= np.abs(np.diff(grey, axis=0)) > CONTRAST
        self._sums = np.zeros((grey.shape[0] + 1, grey.shape[1] + 1), dtype=np.int32)
        np.cumsum(np.cumsum(edges, axis=0, dtype=np.int32), axis=1, out=self._sums[1:, 1:])
        self._labels = np.zeros(grey.shape, dtype=bool)

    def take(self, box: Area, sizes: list[tuple[int, int]]) -> tuple[int, Area]:
        """The size that fits beside the box, by its number, and its place: a blank one, else one that hides least."""
        best: tuple[int, int, Area] | None = None
        for number, size in enumerate(sizes):
            for area in self._beside(box, size):
                hidden = self._hidden(area)
                if best is None or hidden < best[0]:
                    best = hidden, number, area
                if hidden == 0:
                    break
            if best is not None and best[0] == 0:
                break
        assert best is not None, "a label has a size"
        left, top, right, bottom = best[2]
        self._labels[top:bottom, left:right] = True
        return best[1], best[2]

    def _beside(self, box: Area, size: tuple[int, int]) -> Iterator[Area]:
        """Places in order of preference: above, left, right, below, inside."""
        (width, height), (left, top, right, bottom) = size, box
        for x, y in (
            (left, top - height),
            (left - width, top),
            (right - width, top - height),
            (right, top),
            (left, bottom),
            (left - width, bottom - height),
            (right - width, bottom),
            (right, bottom - height),
            (right - width, bottom - height),
            (right - width, top),
            (left, top),
        ):
            yield self._inside((x, y, x + width, y + height))

    def _inside(self, area: Area) -> Area:
        """The area moved onto the picture."""
        height, width = len(self._labels), len(self._labels[0])
        x = max(0, min(area[0], width - (area[2] - area[0])))
        y = max(0, min(area[1], height - (area[3] - area[1])))
        return x, y, min(width, x + area[2] - area[0]), min(height, y + area[3] - area[1])

    def _hidden(self, area: Area) -> int:
        """The pixels of print and of other labels that an area covers."""
        left, top, right, bottom = area
        sums = self._sums
        printed = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        return int(printed) + int(self._labels[top:bottom, left:right].sum()) * OVER_LABEL

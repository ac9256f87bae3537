"""Sheets with grids, drawn here."""

from __future__ import annotations

import cv2
import numpy as np

from quire.core.picture import Picture
from quire.pages.prepare.pixels import picture_of

XS = (100, 300, 500, 800)
YS = (100, 160, 220, 300, 380)


class Sheet:
    """A white page of 1000 by 1400 pixels to draw on."""

    def __init__(self):
        self.pixels = np.full((1400, 1000), 255, np.uint8)

    def grid(self, *, xs=XS, ys=YS, thickness=2, gap=0, double=0):
        """A full grid; with `gap` every 60th pixel begins a hole of that size, with `double` each line comes twice."""
        for offset in (0, double) if double else (0,):
            for y in ys:
                self.line((xs[0], y + offset), (xs[-1], y + offset), thickness, gap)
            for x in xs:
                self.line((x + offset, ys[0]), (x + offset, ys[-1]), thickness, gap)
        return self

    def line(self, start, end, thickness=2, gap=0):
        cv2.line(self.pixels, start, end, 0, thickness)
        if gap:
            across = start[1] == end[1]
            for at in range(start[not across] + 30, end[not across], 60):
                hole = np.s_[start[1] - 4 : start[1] + 5, at : at + gap]
                self.pixels[hole if across else np.s_[at : at + gap, start[0] - 4 : start[0] + 5]] = 255
        return self

    def erase(self, left, top, right, bottom):
        self.pixels[top:bottom, left:right] = 255
        return self

    def text(self, text, at, scale=0.8):
        cv2.putText(self.pixels, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, 0, 2)
        return self

    def prose(self):
        for row in range(15):
            self.text("the quick brown fox jumps over the lazy dog", (60, 500 + 50 * row), 1.0)
        return self

    def noise(self, seed=7):
        self.pixels = np.clip(self.pixels + np.random.default_rng(seed).normal(0, 12, self.pixels.shape), 0, 255)
        self.pixels = self.pixels.astype(np.uint8)
        return self

    def turned(self, degrees):
        matrix = cv2.getRotationMatrix2D((500, 700), -degrees, 1.0)
        self.pixels = cv2.warpAffine(self.pixels, matrix, (1000, 1400), flags=cv2.INTER_LINEAR, borderValue=255)
        return self

    def picture(self) -> Picture:
        return picture_of(self.pixels, 120.0)

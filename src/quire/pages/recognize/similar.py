"""A cache of answers for nearly identical pictures: the same scan saved again, never another page.

Optional, off unless a `SimilarAnswers` is created. An answer found here was not given for these pixels: a page whose
only difference is smaller than a speck would match. It is therefore marked in the result (`Provenance` of tier
"semantic") and never used for a value that is evidence: evidence must have been read on the page it is shown on.

A 64-bit perceptual hash confuses two invoices with one letterhead. Here the least similar spot decides: the ink in
cells of a third of a millimetre is compared, and one cell that differs is enough.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from quire.core.engine import Engine, Question, answer_key
from quire.core.keys import ArtifactKey, Digest
from quire.core.picture import Picture
from quire.pages.prepare.pixels import pixels_of

CELL_INCH = 0.35 / 25.4
BLOCK = 8
"""Cells along the side of a block; blocks quickly show that two pages differ, and how dark the print is."""
FAINTEST = 0.25
"""Print fainter than this share of black cannot be distinguished from compression noise."""
MAX_CANDIDATES = 1000

Ink = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The distribution of ink on a picture: one byte for each cell, packed, and one for each block of cells."""

    size: tuple[int, int]
    shape: tuple[int, int]
    cells: bytes
    blocks: bytes

    @classmethod
    def of(cls, picture: Picture) -> Fingerprint:
        pixels = pixels_of(picture).astype(np.float32)
        grey = pixels if pixels.ndim == 2 else pixels @ np.array([0.299, 0.587, 0.114], np.float32)
        side = max(1, round(picture.dpi * CELL_INCH))
        ink = np.rint(255.0 - _means(grey, side)).astype(np.uint8)
        blocks = np.floor(_means(ink.astype(np.float32), BLOCK)).astype(np.uint8)
        return cls(picture.size, (ink.shape[0], ink.shape[1]), zlib.compress(ink.tobytes(), 1), blocks.tobytes())

    def similarity(self, other: Fingerprint) -> float:
        """One minus the square of the largest difference of ink in any cell; 0 for pictures of different sizes.

        At 0.99 a tenth of the ink of a cell may differ: JPEG of quality 75 does that, another digit several times that.
        """
        if (self.size, self.shape) != (other.size, other.shape):
            return 0.0
        one, two = self._ink(), other._ink()
        dark = np.maximum(_darkest_around(np.maximum(one, two)), FAINTEST)
        worst = float((np.abs(one - two) / dark).max(initial=0.0))
        return max(0.0, 1.0 - worst**2)

    def may_reach(self, other: Fingerprint, similarity: float) -> bool:
        """A cheap test of the blocks: False when the cells cannot be that similar."""
        if (self.size, self.shape) != (other.size, other.shape):
            return False
        one, two = (np.frombuffer(blocks, np.uint8).astype(np.int16) for blocks in (self.blocks, other.blocks))
        return float(np.abs(one - two).max(initial=0) - 1) / 255 <= math.sqrt(1 - similarity)

    def _ink(self) -> Ink:
        cells = np.frombuffer(zlib.decompress(self.cells), np.uint8).reshape(self.shape)
        return cells.astype(np.float32) / np.float32(255)


@dataclass(frozen=True, slots=True)
class SimilarAnswer:
    """The key of an earlier answer, and the similarity of its picture."""

    key: ArtifactKey
    similarity: float


class SimilarAnswers:
    """An index of the pictures with answers, in a file or in memory. Thread-safe."""

    def __init__(self, path: Path | None = None, *, threshold: float = 0.99) -> None:
        import sqlite3

        self.threshold = threshold
        self._lock = Lock()
        self._database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS pictures (scope TEXT, size TEXT, key TEXT PRIMARY KEY, "
            "rows INTEGER, columns INTEGER, cells BLOB, blocks BLOB) WITHOUT ROWID"
        )
        self._database.execute("CREATE INDEX IF NOT EXISTS by_scope ON pictures (scope, size)")

    def add(self, engine: Engine, picture: Picture, question: Question) -> None:
        """Record that an answer to this question about this picture exists."""
        print_ = Fingerprint.of(picture)
        key = answer_key(engine, picture.digest, question)
        row = (_scope(engine, question), repr(print_.size), key, *print_.shape, print_.cells, print_.blocks)
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def find(self, engine: Engine, picture: Picture, question: Question) -> SimilarAnswer | None:
        """The answer of the same engine to the same question about the most similar picture, if above the threshold."""
        fingerprint = Fingerprint.of(picture)
        with self._lock:
            rows = self._database.execute(
                "SELECT key, rows, columns, cells, blocks FROM pictures "
                "WHERE scope = ? AND size = ? ORDER BY key LIMIT ?",
                (_scope(engine, question), repr(fingerprint.size), MAX_CANDIDATES),
            ).fetchall()
        candidates = [
            (key, Fingerprint(fingerprint.size, (high, wide), cells, blocks)) for key, high, wide, cells, blocks in rows
        ]
        near = [(key, one) for key, one in candidates if one.may_reach(fingerprint, self.threshold)]
        answers = [SimilarAnswer(ArtifactKey(key), one.similarity(fingerprint)) for key, one in near]
        best = max(answers, key=lambda answer: answer.similarity, default=None)
        return best if best is not None and best.similarity >= self.threshold else None

    def close(self) -> None:
        with self._lock:
            self._database.close()


def _scope(engine: Engine, question: Question) -> str:
    """Everything that an answer depends on except the picture."""
    return answer_key(engine, Digest(""), question)


def _means(values: Ink, side: int) -> Ink:
    """Means over squares; those at the right and bottom edges may be smaller."""
    rows, columns = np.arange(0, values.shape[0], side), np.arange(0, values.shape[1], side)
    sums = np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1)
    counts = np.outer(np.diff(rows, append=values.shape[0]), np.diff(columns, append=values.shape[1]))
    means: Ink = (sums / counts).astype(np.float32)
    return means


def _darkest_around(ink: Ink) -> Ink:
    """For each cell the darkest one in its block and the eight blocks around it."""
    height, width = ink.shape
    rows, columns = np.arange(0, height, BLOCK), np.arange(0, width, BLOCK)
    peaks = np.pad(np.maximum.reduceat(np.maximum.reduceat(ink, rows, axis=0), columns, axis=1), 1)
    high, wide = len(rows), len(columns)
    around = np.max([peaks[y : y + high, x : x + wide] for y in range(3) for x in range(3)], axis=0)
    spread: Ink = np.repeat(np.repeat(around, BLOCK, axis=0), BLOCK, axis=1)[:height, :width]
    return spread

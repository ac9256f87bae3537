"""Formulas read from pictures: a crop is scaled, encoded, and written token by token."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from quire.pages.prepare.pixels import Pixels, pixels
from quire.pages.recognize.pix2tex.latex import latex_of
from quire.pages.recognize.pix2tex.network import HEADS, LAYERS, MOST_HEIGHT, MOST_WIDTH, PATCH, WIDTH
from quire.system.ocr_models import ModelFile, open_session

BEGIN, END = 1, 2  # tokens
MEAN, DEVIATION = 0.7931, 0.1738  # of the pictures that the network was trained on
STEP = 32  # pixels: widths and heights are multiples
LEAST_WIDTH = 96
INK = 128  # darker pixels are ink, after stretching


@dataclass(frozen=True, slots=True)
class FoundFormula:
    """LaTeX without dollars. `confidence` is the probability of its least probable token: one wrong sign makes a
    formula wrong; `likelihood` is the mean, to compare readings."""

    latex: str
    confidence: float
    likelihood: float


class FormulaReader:
    """The loaded networks. Runs in the worker that owns it, one formula at a time."""

    def __init__(self, encoder: ModelFile, decoder: ModelFile, tokenizer: Path) -> None:
        self._encoder, self._decoder = open_session(encoder), open_session(decoder)
        self._vocabulary = _vocabulary(tokenizer)

    def read(self, grey: Pixels, scales: Sequence[float], *, longest: int) -> FoundFormula | None:
        """The most confident reading of a crop over some scales; None where there is no ink, or no end is found."""
        inked = _trimmed(grey)
        if inked is None:
            return None
        fitting = dict.fromkeys(min(scale, _most(inked)) for scale in scales)
        found = [self._read(_sized(inked, scale), longest) for scale in fitting]
        return max(filter(None, found), key=lambda one: one.likelihood, default=None)

    def _read(self, picture: Pixels, longest: int) -> FoundFormula | None:
        height, width = (size // PATCH for size in picture.shape)
        cells = (np.arange(height)[:, None] * (MOST_WIDTH // PATCH) + np.arange(width)).ravel() + 1
        positions = np.concatenate([[0], cells]).astype(np.int64)
        values = ((picture.astype(np.float32) / 255 - MEAN) / DEVIATION)[None, None]
        names = [f"{kind}{layer}" for layer in range(LAYERS) for kind in ("k", "v")]
        seen = dict(zip(names, self._encoder.run(names, {"picture": values, "positions": positions}), strict=True))
        nothing = np.zeros((1, HEADS, 0, WIDTH), np.float32)
        earlier = dict.fromkeys(names, nothing)
        outputs = ["scores", *(f"later_{name}" for name in names)]
        token = BEGIN
        tokens: list[int] = []
        certainties: list[float] = []
        for place in range(longest):
            inputs = {"token": np.array([[token]], np.int64), "position": np.array([[place]], np.int64), **seen}
            inputs |= {f"earlier_{name}": value for name, value in earlier.items()}
            scores, *later = self._decoder.run(outputs, inputs)
            token, certain = _best(scores[0, 0])
            certainties.append(certain)
            if token == END:
                text = "".join(self._vocabulary.get(one, "") for one in tokens)
                return FoundFormula(latex_of(text), float(np.exp(min(certainties))), float(np.mean(certainties)))
            tokens.append(token)
            earlier = dict(zip(names, later, strict=True))
        return None


def _best(scores: NDArray[np.float32]) -> tuple[int, float]:
    """The most probable token, and the logarithm of its probability."""
    best = int(scores.argmax())
    return best, -float(np.log(np.exp(scores - scores[best]).sum()))


def _vocabulary(tokenizer: Path) -> dict[int, str]:
    """The text of each token; `Ġ` is a space."""
    listed = json.loads(tokenizer.read_text(encoding="utf-8"))["model"]["vocab"]
    return {number: text.replace("Ġ", " ") for text, number in listed.items() if number > END}


def _trimmed(grey: Pixels) -> Pixels | None:
    """Black on white, without margins; None for a crop without ink."""
    low, high = int(grey.min()), int(grey.max())
    if high - low < 64:
        return None
    stretched = pixels((grey.astype(np.float32) - low) * (255 / (high - low)))
    if stretched.mean() < INK:
        stretched = pixels(255 - stretched)
    rows, columns = (np.flatnonzero((stretched < INK).any(axis=axis)) for axis in (1, 0))
    return stretched[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else None


def _most(inked: Pixels) -> float:
    """The largest scale at which a crop fits the network."""
    height, width = inked.shape
    return float(min(MOST_HEIGHT / height, MOST_WIDTH / width))


def _sized(inked: Pixels, scale: float) -> Pixels:
    """A crop scaled, on white of a size that the network takes."""
    height, width = (max(1, int(size * scale)) for size in inked.shape)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = pixels(cv2.resize(inked, (width, height), interpolation=way))
    room = (-(-height // STEP) * STEP, max(LEAST_WIDTH, -(-width // STEP) * STEP))
    padded = np.full(room, 255, np.uint8)
    padded[:height, :width] = scaled
    return padded

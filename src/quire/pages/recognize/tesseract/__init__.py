"""Tesseract, the distribution's program: word boxes, and the scripts that the PP-OCR models lack."""

from __future__ import annotations

from collections.abc import Sequence

from quire.pages.recognize.options import Effort
from quire.pages.recognize.tesseract.adapter import TesseractEngine, TesseractProfile, traineddata_for
from quire.pages.recognize.tesseract.program import find

ENLARGED_DPI: dict[Effort, int] = {"fast": 200, "balanced": 250, "accurate": 250}

__all__ = ["TesseractEngine", "TesseractProfile", "engine"]


def engine(*, effort: Effort = "balanced", languages: Sequence[str] = ()) -> TesseractEngine:
    """Tesseract for these languages (`--lang`), by default English.

    Raises ConfigurationError, naming the Debian package, when the program or the data of a language is missing.
    """
    program = find()
    return TesseractEngine(
        program, TesseractProfile(traineddata_for(program, languages), enlarged_dpi=ENLARGED_DPI[effort])
    )

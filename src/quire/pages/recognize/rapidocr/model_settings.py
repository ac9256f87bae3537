"""Settings that change an answer: models, sizes and thresholds, and the three presets."""

from __future__ import annotations

from dataclasses import dataclass

from quire.core.keys import Profile
from quire.pages.recognize.languages import all_languages
from quire.pages.recognize.options import Effort
from quire.system.ocr_models import Size


@dataclass(frozen=True, slots=True)
class RapidOcrProfile(Profile):
    """Settings of the detector, the recogniser and the second pass over weak lines."""

    detector: Size = "tiny"
    recognizer: Size = "tiny"
    second_look: Size | None = "small"  # the recogniser that re-reads weak lines
    weak: float = 0.97  # a line is weak below this confidence
    max_side: int = 1280  # larger pages are reduced to this for the detector
    min_side: int = 960  # small pictures are enlarged to this, for both models
    ink: float = 0.2  # a pixel of the detector's map above this belongs to a line
    line: float = 0.4  # lines whose mean in that map is below this are dropped
    grow: float = 1.5  # how far the detected core of a line is expanded
    space: float = 0.1  # minimum probability of a space between two characters
    floor: float = 0.5  # lines with less confidence are dropped as noise


PROFILES: dict[Effort, RapidOcrProfile] = {
    "fast": RapidOcrProfile(second_look=None),
    "balanced": RapidOcrProfile(),
    "accurate": RapidOcrProfile(
        detector="small", recognizer="small", second_look=None, line=0.45, grow=1.4, min_side=1280
    ),
}

CAREFUL = RapidOcrProfile(weak=0.99)
"""The preset of `balanced` for dense tables and languages with accents: the small model reads nearly every line."""

LANGUAGES = frozenset(language.code for language in all_languages() if language.rapidocr)
"""Languages whose letters the recognisers know: Latin script without Vietnamese, Chinese and Japanese.

Greek is left out: they know its letters, but none with an accent.
"""

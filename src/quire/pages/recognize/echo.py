"""A dummy engine that returns a fixed text: for dry runs and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.core.engine import CAPABILITIES, Capability, Partial, Policy, Question, ReadLine, Recognition
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from quire.pages.recognize.normalize import normalize
from quire.pages.recognize.options import Effort

LINE_HEIGHT, CHARACTER_WIDTH = 0.02, 0.01
TEXT_AREA = Region("page", BBox(0.1, 0.1, 0.8, 0.8), "page")


@dataclass(frozen=True, slots=True)
class EchoProfile(Profile):
    text: str = "echo"
    confidence: float | None = None


@dataclass(frozen=True)
class EchoEngine:
    """Returns the lines of its text on the page, or in each requested region."""

    profile: EchoProfile = EchoProfile()
    policy: Policy = "cpu"
    timeout_s: float = 10.0
    max_concurrency: int = 64
    name: str = "echo"
    version: str = "1"
    capabilities: frozenset[Capability] = frozenset(CAPABILITIES)
    languages: frozenset[str] | None = None

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        texts = self.profile.text.splitlines()
        if partial is not None:
            for count in range(1, len(texts) + 1):
                partial("\n".join(texts[:count]))
        if not question.regions:
            return encode_recognitions([Recognition(self.name, self._lines(texts, TEXT_AREA))])
        regions = [region for region in question.regions if region.role != "blank"]
        return encode_recognitions([Recognition(self.name, self._lines(texts, one), region=one.id) for one in regions])

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        return normalize(decode_recognitions(answer, engine=self.name), question, engine=self.name)

    def _lines(self, texts: Sequence[str], region: Region) -> tuple[ReadLine, ...]:
        """The lines from the top of the region, smaller where they would not fit."""
        box, confidence = region.bbox, self.profile.confidence
        height = min(LINE_HEIGHT, box.height / max(1, len(texts)))
        places = (
            BBox(box.left, box.top + at * height, min(box.width, len(text) * CHARACTER_WIDTH), height)
            for at, text in enumerate(texts)
        )
        return tuple(ReadLine(text, place, confidence) for text, place in zip(texts, places, strict=True))


def engine(*, effort: Effort, languages: tuple[str, ...]) -> EchoEngine:
    """The entry point. The effort and the languages make no difference."""
    return EchoEngine()

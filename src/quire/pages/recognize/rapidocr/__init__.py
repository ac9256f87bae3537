"""The default OCR engine: the PP-OCRv6 models, run by ONNX Runtime on one thread. Needs no system package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.metadata import version as installed
from typing import TYPE_CHECKING, ClassVar

from quire.core.engine import Capability, Partial, Policy, Question, Recognition
from quire.core.errors import EngineError
from quire.core.keys import digest_of
from quire.core.picture import Picture
from quire.pages.recognize.languages import resolve
from quire.pages.recognize.options import Effort
from quire.pages.recognize.rapidocr.answer import NAME, from_bytes, to_bytes
from quire.pages.recognize.rapidocr.model_settings import CAREFUL, LANGUAGES, PROFILES, RapidOcrProfile
from quire.system.ocr_models import ModelFile, find

if TYPE_CHECKING:
    from quire.pages.recognize.rapidocr.reader import PageReader

__all__ = ["RapidOcrEngine", "RapidOcrProfile", "engine"]

_CODE = "5"  # increased with every change of this package that changes answers


def engine(*, effort: Effort, languages: Sequence[str]) -> RapidOcrEngine:
    """The engine for an effort. Raises ConfigurationError when a required model is not installed.

    The models read all their languages at once, so `languages` has no effect.
    """
    del languages
    return RapidOcrEngine(PROFILES[effort])


@dataclass(frozen=True)
class RapidOcrEngine:
    """Lines with words and boxes; models are loaded by the first `ask` and kept on the object, not in pickles."""

    profile: RapidOcrProfile
    timeout_s: float = 120.0
    max_concurrency: int = 64

    name: ClassVar[str] = NAME
    policy: ClassVar[Policy] = "cpu"
    capabilities: ClassVar[frozenset[Capability]] = frozenset({"text", "line_boxes", "word_boxes", "regions"})
    languages: ClassVar[frozenset[str]] = LANGUAGES

    def __post_init__(self) -> None:
        self._models()

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def version(self) -> str:
        models = [(model.path.name, model.digest) for model in self._models()]
        return f"{_CODE}+{digest_of([models, installed('onnxruntime')])[:16]}"

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        """Runs in a worker process. Raises EngineError when the pixels cannot be read."""
        from quire.pages.prepare.pixels import pixels_of

        try:
            pixels = pixels_of(picture)
            western = bool(question.languages) and all(resolve(code).script == "Latn" for code in question.languages)
            if not question.regions:
                return to_bytes([self._reader_for(question).read(pixels, western=western)])
            boxes = [region.bbox.points(picture.size) for region in question.regions]
            return to_bytes(self._reader.read_regions(pixels, boxes, western=western))
        except (RuntimeError, ValueError) as error:
            raise EngineError(NAME, f"{type(error).__name__}: {error}") from error

    def interpret(self, answer: bytes, question: Question) -> tuple[Recognition, ...]:
        return from_bytes(answer, question)

    def _reader_for(self, question: Question) -> PageReader:
        """For dense tables and languages with accents the stronger model reads most lines, if not in a hurry."""
        careful = question.strict or any(code != "en" for code in question.languages)
        return self._careful_reader if careful and self.profile == PROFILES["balanced"] else self._reader

    @cached_property
    def _careful_reader(self) -> PageReader:
        from quire.pages.recognize.rapidocr.reader import PageReader

        return PageReader(CAREFUL)

    @cached_property
    def _reader(self) -> PageReader:
        from quire.pages.recognize.rapidocr.reader import PageReader

        return PageReader(self.profile)

    def _models(self) -> tuple[ModelFile, ...]:
        profile = self.profile
        recognizers = [size for size in (profile.recognizer, profile.second_look) if size is not None]
        return (find("detector", profile.detector), *(find("recognizer", size) for size in recognizers))

"""Formulas in pictures as LaTeX, by the model of pix2tex on ONNX Runtime: optional, `quire models fetch formulas`.

It is asked about regions that look like a formula, never about a page: it would see formulas everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.metadata import version as installed
from typing import TYPE_CHECKING, ClassVar

from quire.core.engine import Capability, Partial, Policy, Question, ReadBlock, Recognition
from quire.core.errors import EngineError
from quire.core.keys import Profile, digest_of
from quire.core.picture import Picture
from quire.core.types import Region
from quire.net.models import ModelFolder, find_model
from quire.pages.recognize.codec import decode_recognitions, encode_recognitions
from quire.pages.recognize.options import Effort
from quire.pages.recognize.pix2tex.conversion import DECODER, ENCODER, TOKENIZER
from quire.system.ocr_models import ModelFile

if TYPE_CHECKING:
    from quire.pages.recognize.pix2tex.reader import FormulaReader, FoundFormula

__all__ = ["Pix2TexEngine", "Pix2TexProfile", "engine"]

NAME = "pix2tex"
MODEL = "formulas"
_CODE = "1"  # increased with every change of this package that changes answers


@dataclass(frozen=True, slots=True)
class Pix2TexProfile(Profile):
    """`scales` are heights of the lines around a formula, in pixels, at which it is read; the best reading counts."""

    scales: tuple[float, ...] = (21.0, 25.0)
    dpi: float = 126.0
    """Where the height of lines is unknown."""
    longest: int = 300
    """Tokens: a longer formula is none."""


def engine(*, effort: Effort, languages: Sequence[str]) -> Pix2TexEngine:
    """The engine with the fetched model. Raises ConfigurationError, with how to fetch it, when it is not there."""
    del effort, languages
    return Pix2TexEngine(find_model(MODEL, ENCODER, DECODER, TOKENIZER))


@dataclass(frozen=True)
class Pix2TexEngine:
    """A formula block with LaTeX for each region; models are loaded by the first `ask` and kept, not in pickles."""

    model: ModelFolder
    profile: Pix2TexProfile = Pix2TexProfile()
    timeout_s: float = 120.0
    max_concurrency: int = 64

    name: ClassVar[str] = NAME
    policy: ClassVar[Policy] = "cpu"
    capabilities: ClassVar[frozenset[Capability]] = frozenset({"formulas", "regions"})
    languages: ClassVar[None] = None

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def version(self) -> str:
        digests = [self.model.digest(name) for name in (ENCODER, DECODER, TOKENIZER)]
        return f"{_CODE}+{digest_of([digests, installed('onnxruntime')])[:16]}"

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        """Runs in a worker process. Raises EngineError when no regions are named, or the pixels cannot be read."""
        if not question.regions:
            raise EngineError(NAME, "it reads regions with formulas, not pages")
        try:
            return encode_recognitions([self._read(picture, region) for region in question.regions])
        except (RuntimeError, ValueError) as error:
            raise EngineError(NAME, f"{type(error).__name__}: {error}") from error

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        return decode_recognitions(answer, engine=NAME)

    def _read(self, picture: Picture, region: Region) -> Recognition:
        found = self._found(picture, region)
        if found is None:
            return Recognition(NAME, region=region.id)
        block = ReadBlock("formula", found.latex, region.bbox, round(found.confidence, 4))
        return Recognition(NAME, blocks=(block,), region=region.id)

    def _found(self, picture: Picture, region: Region) -> FoundFormula | None:
        from quire.pages.prepare.pixels import grey_of, pixels_of

        left, top, right, bottom = (round(value) for value in region.bbox.points(picture.size))
        crop = grey_of(pixels_of(picture))[top:bottom, left:right]
        if not crop.size:
            return None
        line = region.attrs.get("line")
        scales = [self.profile.dpi / picture.dpi]
        if isinstance(line, int | float) and line > 0:
            scales = [height / line for height in self.profile.scales]
        return self._reader.read(crop, scales, longest=self.profile.longest)

    @cached_property
    def _reader(self) -> FormulaReader:
        from quire.pages.recognize.pix2tex.reader import FormulaReader

        folder = self.model.path
        encoder, decoder = (ModelFile(folder / name, self.model.digest(name)) for name in (ENCODER, DECODER))
        return FormulaReader(encoder, decoder, folder / TOKENIZER)

"""The engine around the program: its settings, and the interpretation of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from quire.core.affine import Affine
from quire.core.engine import Capability, Partial, Policy, Question, ReadLine, Recognition
from quire.core.errors import ConfigurationError, EngineError
from quire.core.keys import Profile
from quire.core.picture import Picture
from quire.core.types import Region, mean_confidence
from quire.pages.recognize.frames import placed
from quire.pages.recognize.languages import Language, codes_read_with, resolve, traineddata_of_script
from quire.pages.recognize.normalize import normalize
from quire.pages.recognize.tesseract.program import TesseractProgram, resolution
from quire.pages.recognize.tesseract.tiff import tiff
from quire.pages.recognize.tesseract.tsv import pages_of

_CODE = "4"
"""Increased when this package calls the program differently; part of the version."""

_DOUBTFUL = 0.6  # mean confidence of a page: below it another script may be the reason
_MOST_TOGETHER = 3  # languages of a script used at a time
_SEVERAL, _READABLE = 3, 0.7  # words of a line that is no speck, and the confidence of one of them
_MARGIN = 10  # white pixels around regions: letters that touch the edge are lost

_WHOLE: frozenset[str] = frozenset({"page", "table", "figure"})
"""Roles of regions that may contain several blocks."""


@dataclass(frozen=True, slots=True)
class TesseractProfile(Profile):
    """Traineddata and the settings of the program. The values were tuned on the benchmark corpus."""

    traineddata: tuple[str, ...]
    page_segmentation: int = 3  # finds blocks and columns by itself
    region_segmentation: int = 6  # treats the region as one block of text
    enlarge_below_dpi: int = 180
    enlarged_dpi: int = 250
    floor: float = 0.3  # lines read with less confidence are specks and rules


@dataclass(frozen=True)
class TesseractEngine:
    """Debian's Tesseract, a child process for each question; loads no model here and keeps no state."""

    program: TesseractProgram
    profile: TesseractProfile
    timeout_s: float = 240.0  # a page of a newspaper takes half a minute of CPU time, and the CPU may be shared
    max_concurrency: int = 64

    name: ClassVar[str] = "tesseract"
    policy: ClassVar[Policy] = "cpu"
    capabilities: ClassVar[frozenset[Capability]] = frozenset(
        {"text", "line_boxes", "word_boxes", "regions", "reading_order"}
    )

    @cached_property
    def version(self) -> str:
        return f"{_CODE} {self.program.identity(self.profile.traineddata)}"

    @property
    def languages(self) -> frozenset[str]:
        """The codes of all languages whose data is installed."""
        return codes_read_with(self.program.traineddata)

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        """Runs the program once, for all regions together. In a worker process."""
        from quire.pages.recognize.tesseract.input_picture import prepared

        regions = _regions_with_text(question)
        if question.regions and not regions:
            return b""
        below, dpi, margin = self.profile.enlarge_below_dpi, self.profile.enlarged_dpi, _margin(question)
        pictures = [picture.crop(region.bbox) for region in regions] or [picture]
        shown = [prepared(one, below_dpi=below, dpi=dpi, margin=margin) for one in pictures]
        dpi = round(shown[0].dpi)
        answer = self.program.run(tiff(shown), self._arguments(question, dpi), self.timeout_s)
        if question.languages or not self._is_doubtful(answer):
            return answer
        return self._in_its_script(shown, question, dpi) or answer

    def _is_doubtful(self, answer: bytes) -> bool:
        """Whether no language was given and the result is hardly text."""
        lines = [one.line for page in pages_of(answer) for one in page]
        confidence = mean_confidence((line.confidence, len(line.text)) for line in lines)
        return confidence is not None and confidence < _DOUBTFUL

    def _in_its_script(self, shown: Sequence[Picture], question: Question, dpi: int) -> bytes | None:
        """The page read with the data of its script, if that differs from the one tried; regions share theirs."""
        from quire.pages.recognize.tesseract.input_picture import below_each_other

        script = self.program.script_of(tiff([below_each_other(shown)]), dpi, self.timeout_s)
        if script in (None, "Latin"):
            return None
        names = traineddata_of_script(script, self.program.traineddata)[:_MOST_TOGETHER]
        if not names and question.regions:
            return None
        if not names:
            raise EngineError(self.name, f"the page is in {script} script, for which no data is installed; see --lang")
        return self.program.run(tiff(shown), self._arguments(question, dpi, names), self.timeout_s)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        """The lines in the order in which Tesseract reads its blocks; boxes are fractions of the whole picture."""
        regions = _regions_with_text(question)
        if question.regions and not regions:
            return normalize([Recognition(self.name)], question)
        found = pages_of(answer, margin=_margin(question))
        pages = [tuple(one.line for one in page if self._is_text(one.line)) for page in found]
        if len(pages) != max(1, len(regions)):
            raise EngineError(self.name, f"Tesseract returned {len(pages)} pages for {max(1, len(regions))}")
        if not question.regions:
            return normalize([Recognition(self.name, pages[0])], question)
        read = [
            placed(Recognition(self.name, lines, region=region.id), Affine.into(region.bbox))
            for region, lines in zip(regions, pages, strict=True)
        ]
        return normalize(read, question)

    def _is_text(self, line: ReadLine) -> bool:
        """Whether a line is no speck: read with some confidence, or of several words, one of which was."""
        if line.confidence is None or line.confidence >= self.profile.floor:
            return True
        return len(line.words) >= _SEVERAL and any((word.confidence or 0.0) >= _READABLE for word in line.words)

    def _arguments(self, question: Question, dpi: int, names: Sequence[str] = ()) -> list[str]:
        if question.languages:
            names = traineddata_for(self.program, question.languages)
        names = names or self.profile.traineddata
        whole = all(region.role in _WHOLE for region in question.regions)
        segmentation = self.profile.page_segmentation if whole else self.profile.region_segmentation
        return ["-l", "+".join(names), "--psm", str(segmentation), *resolution(dpi), "tsv"]


def _regions_with_text(question: Question) -> list[Region]:
    return [region for region in question.regions if region.role != "blank"]


def _margin(question: Question) -> int:
    return _MARGIN if question.regions else 0


def traineddata_for(program: TesseractProgram, languages: Sequence[str]) -> tuple[str, ...]:
    """The data for these languages, in their order; raises ConfigurationError for what is not installed.

    Without a language it is English, or any installed data if English is missing.
    """
    if not languages and program.traineddata and "eng" not in program.traineddata:
        return program.traineddata[:1]
    resolved = [resolve(lang) for lang in languages or ("en",)]
    missing = [language for language in resolved if language.installed(program.traineddata) is None]
    if missing:
        raise ConfigurationError(_advice(missing, program))
    return tuple(dict.fromkeys(name for lang in resolved if (name := lang.installed(program.traineddata))))


def _advice(missing: Sequence[Language], program: TesseractProgram) -> str:
    names = ", ".join(f"{language.name} ({language.code})" for language in missing)
    packages = " ".join(dict.fromkeys(language.package for language in missing))
    there = ", ".join(program.traineddata) or "none"
    return f"Tesseract has no data for {names}; on Debian: apt install {packages}. Installed: {there}"

"""Options of reading pages: when and how they are recognised, and how tables are found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from quire.core.errors import UsageError
from quire.core.table_areas import TableOptions

if TYPE_CHECKING:
    from quire.core.engine import Engine
    from quire.pages.prepare.prepared import PrepareProfile

OcrMode = Literal["auto", "always", "never"]
OCR_MODES: tuple[OcrMode, ...] = get_args(OcrMode)
"""OCR where native text is missing, on every page, or never."""

FINE_DPI, FINEST_DPI = 300, 350  # pictures for Tesseract: finer ones than the second are reduced to the first

_TURNED_SCRIPTS = frozenset({"Latn", "Latf", "Cyrl", "Grek", "Hans", "Hant", "Jpan", "Hang"})
"""Scripts whose orientation the model finds; of others it is certain, and wrong."""

Effort = Literal["fast", "balanced", "accurate"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)


@dataclass(frozen=True, slots=True)
class RecognizeOptions:
    """`engines` are names or engines, in the order of preference; empty means all that work here.

    `similar` is the index file of pictures: a nearly identical one gets the earlier answer.
    """

    mode: OcrMode = "auto"
    effort: Effort = "balanced"
    engines: tuple[str | Engine, ...] = ()
    languages: tuple[str, ...] = ()
    figures: bool = False
    redactions: bool = False
    workers: int | None = None
    hints: tuple[str, ...] = ()
    similar: Path | None = None
    tables: TableOptions = field(default_factory=TableOptions)

    def __post_init__(self) -> None:
        if self.mode not in OCR_MODES:
            raise UsageError(f"ocr is {self.mode!r}; choose from {', '.join(OCR_MODES)}")
        if self.effort not in EFFORTS:
            raise UsageError(f"there is no effort {self.effort!r}; choose from {', '.join(EFFORTS)}")
        if self.workers is not None and (not isinstance(self.workers, int) or self.workers < 1):
            raise UsageError(f"workers is {self.workers!r}; it must be a number of at least 1")
        if objects := [engine for engine in self.engines if not isinstance(engine, str)]:
            from quire.core.plugin_checks import check_engine  # most reads name their engines, if at all

            for engine in objects:
                check_engine(engine)

    @property
    def of_workers(self) -> RecognizeOptions:
        """Only the options for pages without OCR: engines may not be picklable."""
        return RecognizeOptions(self.mode, languages=self.languages, figures=self.figures, tables=self.tables)

    @property
    def prepare(self) -> PrepareProfile:
        """The preparation of pictures: finer for scripts that only Tesseract reads, which needs larger letters."""
        from quire.pages.prepare.prepared import PrepareProfile  # lazy: only pages with OCR are prepared
        from quire.pages.recognize.languages import resolve

        languages = [resolve(language) for language in self.languages]
        if all(language.rapidocr for language in languages):
            return PrepareProfile(redactions=self.redactions)
        upright = all(language.script in _TURNED_SCRIPTS for language in languages)
        return PrepareProfile(dpi=FINE_DPI, max_dpi=FINEST_DPI, redactions=self.redactions, orientation=upright)

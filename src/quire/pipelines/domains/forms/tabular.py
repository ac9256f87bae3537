"""Forms that are a grid: its cells found, read and corrected, and written to a workbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from quire.core.engine import Engine
from quire.pages.recognize import rapidocr
from quire.pipelines import classify, correct, detect
from quire.pipelines.domains.forms.fields import form_of
from quire.pipelines.exporters import save
from quire.pipelines.pipeline import Pipeline, PipelineBuilder
from quire.pipelines.pipeline_options import Cache
from quire.pipelines.result import PipelineResult
from quire.pipelines.roles import Corrector
from quire.system.atomic_files import output_stem


@dataclass(frozen=True, slots=True)
class FormWorkbook:
    """An exporter: the form as `<name>.form.xlsx` in a folder, `grid.png` as `grid.png.form.xlsx`."""

    folder: Path
    name: str = "form_workbook"
    format: str = "xlsx"

    def export(self, result: PipelineResult) -> Sequence[Path]:
        return [form_of(result).save(self.folder / f"{output_stem(result.name)}.form.xlsx")]


def tabular_builder(
    *,
    engine: Engine | None = None,
    corrections: Sequence[Corrector] = (),
    languages: Sequence[str] = (),
    hints: Sequence[str] = (),
    cache: Cache = None,
    excel_out: str | Path | None = None,
    json_out: str | Path | None = None,
) -> PipelineBuilder:
    """The builder of `tabular`, to add stages before `build()`."""
    outputs = [FormWorkbook(Path(excel_out))] if excel_out is not None else []
    files = [save(json_out, "json")] if json_out is not None else []
    return (
        Pipeline.builder()
        .detect(detect.fallback(detect.morphological_grid(), detect.hough_grid(), detect.whole_page()))
        .classify(classify.rule_based())
        .recognize(engine or rapidocr.engine(effort="balanced", languages=()), cache=cache)
        .post_process(correct.whitespace(), *corrections)
        .export(*outputs, *files)
        .options(error_policy="attach", languages=languages, hints=hints)
    )


class TabularOptions(TypedDict, total=False):
    """The options of `tabular`, which are those of its builder."""

    engine: Engine | None
    corrections: Sequence[Corrector]
    languages: Sequence[str]
    hints: Sequence[str]
    cache: Cache
    excel_out: str | Path | None
    json_out: str | Path | None


def tabular(**options: Unpack[TabularOptions]) -> Pipeline:
    """A pipeline for forms that are a ruled grid: the grid is found, its cells are read, blank ones are skipped.

    `corrections` correct what was read: `correct.dictionary(...)` with the words of the form, or learnt from samples.
    `hints` are examples of earlier texts, for engines that take them. `excel_out` and `json_out` are folders for the
    workbook, coloured by confidence, and for the document as JSON. Every stage can be replaced: see `Pipeline`.
    """
    return tabular_builder(**options).build()

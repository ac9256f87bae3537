"""Formulas that an engine read in the picture of a page: the lines that OCR made of them become one block each."""

from __future__ import annotations

from collections.abc import Sequence

from quire.core.pagetext import FormulaInfo, PageText
from quire.pages.layout.formulas.parse import Parsed
from quire.pages.layout.formulas.zones import FormulaZone
from quire.pages.layout.frame import Ways
from quire.pages.layout.lines import Line


def seen_formulas(
    page: PageText, lines: Sequence[Line], formulas: Sequence[FormulaInfo], ways: Ways | None
) -> tuple[list[FormulaZone], list[Line]]:
    """The formulas with the lines in them, from top to bottom, and the other lines; one without lines is left out."""
    zones: list[FormulaZone] = []
    rest = list(lines)
    for formula in formulas:
        left, top, right, bottom = ways.there(*formula["box"]) if ways else formula["box"]
        inside = [
            line
            for line in rest
            if not line.angle and left <= (line.left + line.right) / 2 <= right and top <= line.middle <= bottom
        ]
        if inside:
            inside.sort(key=lambda line: (line.baseline, line.left))
            zones.append(FormulaZone(page, inside, None, Parsed(formula["latex"], formula["unsure"])))
            rest = [line for line in rest if line not in inside]
    return zones, rest

"""The fields of a title block: who drew the sheet, its number, revision, scale and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.core.types import BBox, Field
from quire.pipelines.domains.drawings.texts import SheetText

CORNER = 0.55  # of the width and height of the sheet: title blocks are in the lower right
RIGHT = 10.0  # of the height of a label: how far right of it its value may begin
FRAME = 0.03  # of the sheet: the frame with the marks of its zones
BELOW = 2.5  # of the height of a label: how far below it its value may begin

_LABELS: dict[str, str] = {
    "title": r"(?:drawing |sheet )?title|benennung|zeichnungstitel|titel|titre|titulo|título|titolo",
    "drawing number": r"(?:drawing|dwg|document|doc|zeichnungs?|plan)[ .\-]*(?:no|nr|number|nummer)\.?"
    r"|zeichnungsnummer|n[°ºo]\.? (?:du |de )?(?:plan|dessin|plano|disegno)",
    "project number": r"(?:project|job|contract|projekt|auftrags?)[ .\-]*(?:no|nr|number|nummer)\.?|n[°ºo]\.? projet",
    "project": r"project|projekt|projet|proyecto|progetto|client|customer|kunde|plant|anlage",
    "revision": r"rev(?:ision|\.)?(?: ?no\.?| status)?|rév(?:ision|\.)?|index|änderung",
    "scale": r"scale|maßstab|massstab|échelle|echelle|escala|scala",
    "sheet": r"sheet(?: ?no\.?)?|blatt(?:-?nr\.?)?|feuille|hoja|foglio",
    "size": r"size|format|formato",
    "date": r"date|datum|fecha|data",
    "drawn by": r"drawn(?: by)?|drn\.?|creator|author|gezeichnet|gez\.?|bearbeiter|dessiné(?: par)?|dibujado",
    "checked by": r"checked(?: by)?|chkd?\.?(?: by)?|geprüft|gepr\.?|vérifié(?: par)?|revisado",
    "approved by": r"approved(?: by)?|appd?\.?(?: by)?|freigegeben|freig\.?|approuvé(?: par)?|aprobado",
    "designed by": r"designed(?: by)?|konstruiert|entworfen",
}
_HEADS = re.compile(
    r"by|ch(?:ec)?k(?:ed)?|description|revisions?(?: .*)?|rev\..*|signature|name|date/name|no\.?|last|editor|initials?"
    r"|beschreibung|unterschrift|bearbeitet|änderungen|désignation|visa",
    re.IGNORECASE,
)
"""Heads of the columns of a list of revisions, which are no values."""
_PATTERNS = [(name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _LABELS.items()]


def title_block(texts: Sequence[SheetText]) -> dict[str, Field]:
    """The fields of a sheet's title block by their names here; the label is as printed, the value empty if there is
    none."""
    lower = [text for text in texts if text.bbox.left > CORNER and text.bbox.top > CORNER]
    corner = [text for text in lower if not text.is_upright and not _is_zone(text)]
    named = {number: name for number, text in enumerate(corner) if (name := _name(text.text)) is not None}
    rest = [text for number, text in enumerate(corner) if number not in named]
    values = [text for text in rest if not _HEADS.fullmatch(text.text.strip(" :"))]
    chosen = _assigned([corner[number] for number in named], values)
    found: dict[str, Field] = {}
    for at, (number, name) in enumerate(named.items()):
        label, value = corner[number], chosen.get(at)
        known = found.get(name)
        if known is None or (not known.value and value is not None):
            place = value.bbox if value is not None else BBox(label.bbox.left, label.bbox.bottom, 0.0, 0.0)
            found[name] = Field(label.text.rstrip(": "), value.text if value else "", label.bbox, place)
    return {name: found[name] for name, _ in _PATTERNS if name in found}


def _assigned(labels: Sequence[SheetText], values: Sequence[SheetText]) -> dict[int, SheetText]:
    """The value of each label by its number: the nearest pairs first, each value once."""
    distances = [
        (distance, label, value)
        for label, text in enumerate(labels)
        for value, other in enumerate(values)
        if (distance := _distance(text.bbox, other.bbox)) is not None
    ]
    found: dict[int, int] = {}
    for _, label, value in sorted(distances):
        if label not in found and value not in found.values():
            found[label] = value
    return {label: values[value] for label, value in found.items()}


def _name(text: str) -> str | None:
    plain = text.strip().rstrip(":. ")
    return next((name for name, pattern in _PATTERNS if pattern.fullmatch(plain)), None)


def _distance(box: BBox, other: BBox) -> float | None:
    """From a label to a text to its right or below; None for one outside the cell that both would stand in."""
    height = box.height
    right, down = other.left - box.right, other.top - box.bottom
    if other.left < box.left - 0.3 * box.width or right > RIGHT * height:
        return None
    if other.top < box.top - max(height, other.height) or down > BELOW * height:
        return None
    return max(right, 0.0) + 1.5 * max(down, 0.0)


def _is_zone(text: SheetText) -> bool:
    """Whether a text is a mark of the frame: a letter or a number at the edge of the sheet."""
    box = text.bbox
    outside = min(box.left, box.top, 1 - box.right, 1 - box.bottom) < FRAME
    return outside and len(text.text) <= 2

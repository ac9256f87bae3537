"""The picture of a page before OCR: its preparation, ruled lines, pictures and heavy type."""

from __future__ import annotations

import json
from dataclasses import dataclass

from quire.core.types import Box
from quire.pages.prepare.prepared import Prepared

Rule = tuple[float, float, float, float, float]
"""x0, y0, x1, y1 and thickness of a straight line, in pixels of the prepared picture."""

Stroke = tuple[float, float, float, float, float]
"""Left, top, right and bottom of a part of a word in heavy type, and the width of its strokes, in the same pixels."""


@dataclass(frozen=True, slots=True)
class Seen:
    prepared: Prepared
    rulings: tuple[Rule, ...] = ()
    pictures: tuple[Box, ...] = ()
    """Photographs and drawings, in pixels of the prepared picture."""
    stroke: float = 0.0
    """The usual width of strokes, 0 if they are uneven."""
    strokes: tuple[Stroke, ...] = ()
    notes: tuple[str, ...] = ()
    """Which of these could not be found, and why."""

    def to_bytes(self) -> bytes:
        rules = [[round(value, 1) for value in rule] for rule in self.rulings]
        shapes = [[round(value, 1) for value in shape] for shape in self.pictures]
        heavy = [[*map(round, stroke[:4]), round(stroke[4], 2)] for stroke in self.strokes]
        listed = f'"rulings":{json.dumps(rules)},"pictures":{json.dumps(shapes)}'
        listed += f',"stroke":{round(self.stroke, 2)},"strokes":{json.dumps(heavy)}'
        if self.notes:
            listed += f',"notes":{json.dumps(self.notes)}'
        return f'{{"prepared":{self.prepared.to_json()},{listed}}}'.encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Seen:
        value = json.loads(data)
        rules = tuple((x0, y0, x1, y1, thickness) for x0, y0, x1, y1, thickness in value["rulings"])
        shapes = tuple(Box(*shape) for shape in value["pictures"])
        heavy = tuple((left, top, right, bottom, width) for left, top, right, bottom, width in value["strokes"])
        prepared = Prepared.from_json(json.dumps(value["prepared"]))
        return cls(prepared, rules, shapes, value["stroke"], heavy, tuple(value.get("notes", ())))

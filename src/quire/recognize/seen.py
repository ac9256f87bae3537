"""What the picture of a page shows before OCR: how it was prepared, and its ruled lines."""

from __future__ import annotations

import json
from dataclasses import dataclass

from quire.prepare.prepared import Prepared

Rule = tuple[float, float, float, float, float]
"""x0, y0, x1, y1 and thickness of a straight line, in pixels of the prepared picture."""


@dataclass(frozen=True, slots=True)
class Seen:
    prepared: Prepared
    rulings: tuple[Rule, ...] = ()

    def to_bytes(self) -> bytes:
        rules = [[round(value, 1) for value in rule] for rule in self.rulings]
        return f'{{"prepared":{self.prepared.to_json()},"rulings":{json.dumps(rules)}}}'.encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Seen:
        value = json.loads(data)
        rules = tuple((x0, y0, x1, y1, thickness) for x0, y0, x1, y1, thickness in value["rulings"])
        return cls(Prepared.from_json(json.dumps(value["prepared"])), rules)

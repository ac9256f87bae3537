"""A cheap engine reads everything, a better one re-reads the least certain lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from quire.core.affine import Affine
from quire.core.engine import Capability, Engine, Partial, Question, ReadBlock, ReadLine, Recognition
from quire.core.errors import ConfigurationError, EngineError
from quire.core.picture import Picture
from quire.core.types import BBox, Region
from quire.pages.recognize.compose.children import Composed, Reply, decode, encode, heard, hinted
from quire.pages.recognize.frames import placed
from quire.pages.recognize.normalize import interpreted, normalize

ReadUnit = ReadLine | ReadBlock | Recognition
Uncertainty = Literal["confidence"] | Callable[[ReadUnit], float]
"""How uncertain a line, block or region is, higher for more; "confidence": those of least or unknown confidence."""

MARGIN = 0.25  # of the height of a line, on every side: a model reads badly what touches the edge


@dataclass(frozen=True)
class UncertaintyFirst(Composed):
    """The oracle gets the `k` most uncertain lines (or regions, if the question has some) as regions.

    `k` is a number, or a share below 1. A line keeps its box and gets the oracle's text. An oracle that fails, or
    returns no text, changes nothing; its failure is kept in the answer.
    """

    by: Uncertainty = "confidence"
    k: int | float = 0.1
    verb: ClassVar[str] = "uncertainty_first"

    def __post_init__(self) -> None:
        if len(self.engines) != 2:
            raise ConfigurationError("uncertainty_first needs a primary engine and an oracle")
        if not (self.k >= 0 and (self.k < 1 or self.k == int(self.k))):
            raise ConfigurationError("k is a number of lines, or a share of them below 1")

    @property
    def settings(self) -> tuple[str, ...]:
        by = self.by if isinstance(self.by, str) else f"{self.by.__module__}.{self.by.__qualname__}"
        return by, str(self.k)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """The capabilities of the primary, which reads everything; and hints, where the oracle uses them."""
        return self.engines[0].capabilities | hinted(self.engines)

    @property
    def languages(self) -> frozenset[str] | None:
        return self.engines[0].languages

    def ask(self, picture: Picture, question: Question, partial: Partial | None = None) -> bytes:
        primary, oracle = self.engines
        first = heard(primary, picture, question, partial)
        if first.answer is None or first.error is not None:
            raise EngineError(self.name, f"{primary.name}: {first.error}")
        regions = self._most_uncertain(interpreted(primary, first.answer, question), question)
        replies = [heard(oracle, *one) for one in _questions(oracle, picture, question, regions)]
        places = [[r.id, r.bbox.left, r.bbox.top, r.bbox.width, r.bbox.height] for r in regions]
        return encode([first, *replies], regions=places)

    def interpret(self, answer: bytes, question: Question) -> Sequence[Recognition]:
        (first, *replies), places = decode(answer, engine=self.name)
        if first.answer is None or not isinstance(places, list):
            raise EngineError(self.name, "the answer of the primary engine is missing")
        read = interpreted(self.engines[0], first.answer, question)
        regions = [Region(str(name), BBox(*box)) for name, *box in places]
        better = self._better(replies, question, regions)
        if question.regions:
            merged = [replace(better.get(str(one.region), one), engine=self.name) for one in read]
            return normalize(merged, question)
        [page] = read
        lines = tuple(_corrected_line(line, better.get(f"line-{at}")) for at, line in enumerate(page.lines))
        blocks = tuple(_corrected_block(block, better.get(f"block-{at}")) for at, block in enumerate(page.blocks))
        return normalize([replace(page, engine=self.name, lines=lines, blocks=blocks)], question)

    def _most_uncertain(self, read: Sequence[Recognition], question: Question) -> list[Region]:
        units: list[tuple[Region, ReadUnit]]
        if question.regions:
            pairs = zip(question.regions, read, strict=True)
            units = [(region, one) for region, one in pairs if region.role != "blank"]
        else:
            lines = [(f"line-{at}", line, line.bbox) for at, line in enumerate(read[0].lines)]
            blocks = [(f"block-{at}", b, b.bbox) for at, b in enumerate(read[0].blocks) if b.bbox and not b.table]
            units = [(Region(name, _padded(box)), line) for name, line, box in lines]
            units += [(Region(name, _padded(box)), block) for name, block, box in blocks if box]
        count = int(self.k) if self.k >= 1 else math.ceil(self.k * len(units))
        ranked = sorted(range(len(units)), key=lambda at: -self._uncertainty(units[at][1]))
        return [units[at][0] for at in sorted(ranked[:count])]

    def _uncertainty(self, unit: ReadUnit) -> float:
        if callable(self.by):
            return self.by(unit)
        return 1.0 if unit.confidence is None else 1.0 - unit.confidence

    def _better(
        self, replies: Sequence[Reply], question: Question, regions: Sequence[Region]
    ) -> dict[str, Recognition]:
        """The oracle's readings, by the names of the regions."""
        oracle = self.engines[1]
        whole = replace(question, regions=())
        if "regions" in oracle.capabilities:
            each = replace(question, regions=tuple(regions))
            found = [one for s in replies if s.answer and not s.error for one in interpreted(oracle, s.answer, each)]
        else:
            found = [
                replace(placed(interpreted(oracle, s.answer, whole)[0], Affine.into(region.bbox)), region=region.id)
                for s, region in zip(replies, regions, strict=True)
                if s.answer and not s.error
            ]
        return {one.region: one for one in found if one.region and one.text and not one.error}


def _questions(
    oracle: Engine, picture: Picture, question: Question, regions: Sequence[Region]
) -> list[tuple[Picture, Question]]:
    """One question about all regions, or one for each when the oracle takes only whole pictures."""
    if not regions:
        return []
    if "regions" in oracle.capabilities:
        return [(picture, replace(question, regions=tuple(regions)))]
    cut = [picture.crop(region.bbox) for region in regions]
    return [(one, replace(question, size=one.size, regions=())) for one in cut]


def _corrected_line(line: ReadLine, better: Recognition | None) -> ReadLine:
    if better is None:
        return line
    if len(better.lines) == 1 and not better.blocks:
        return replace(better.lines[0], bbox=line.bbox, angle=line.angle)
    return ReadLine(" ".join(better.text.split()), line.bbox, better.confidence, angle=line.angle)


def _corrected_block(block: ReadBlock, better: Recognition | None) -> ReadBlock:
    return block if better is None else replace(block, text=better.text, confidence=better.confidence)


def _padded(box: BBox) -> BBox:
    """The line with a margin, inside the page."""
    margin = MARGIN * min(box.width, box.height)
    left, top = max(0.0, box.left - margin), max(0.0, box.top - margin)
    right, bottom = min(1.0, box.right + margin), min(1.0, box.bottom + margin)
    return BBox(left, top, right - left, bottom - top)

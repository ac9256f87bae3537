"""Merges straight strokes into lines."""

from __future__ import annotations

from dataclasses import dataclass

SAME_LINE = 2.5  # points: strokes nearer than this are one line, or a double one
JOIN = 1.6  # points: strokes on one line with a smaller gap are one
DASH = 8.0  # points: shorter strokes are dashes, which are joined over
DASH_GAP = 4.5  # points
FULL = 0.75  # of a width: a longer line crosses it
EDGE = 0.14  # of a width: how far from its ends such a line may end

Stroke = tuple[float, float, float]  # position, start, end


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line: `at` is its y (horizontal) or its x (vertical), `start` and `end` its extent."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start

    def crosses(self, left: float, right: float) -> bool:
        """Whether the line crosses nearly all of the span between left and right, and ends near both."""
        width = right - left
        return self.length > FULL * width and self.start < left + EDGE * width and self.end > right - EDGE * width


@dataclass(frozen=True, slots=True)
class Rules:
    """Horizontal and vertical lines, each sorted by position."""

    across: list[Rule]
    down: list[Rule]


def merged(strokes: list[Stroke]) -> list[Rule]:
    """Strokes on one line that touch or overlap become one; the result is sorted."""
    strokes.sort()
    rules: list[Rule] = []
    first = 0
    for i in range(1, len(strokes) + 1):
        if i == len(strokes) or strokes[i][0] - strokes[first][0] > SAME_LINE:
            rules += _joined(strokes[first:i])
            first = i
    return sorted((rule for rule in rules if rule.length > DASH / 2), key=lambda r: r.at)


def _joined(strokes: list[Stroke]) -> list[Rule]:
    """Strokes of one line, joined where they touch."""
    strokes.sort(key=lambda s: s[1])
    rules: list[Rule] = []
    at, start, end = strokes[0]
    piece = end - start
    for y, s, e in strokes[1:]:
        dashes = piece < DASH and e - s < DASH
        if s - end <= (DASH_GAP if dashes else JOIN):
            if e - s > piece:
                at, piece = y, e - s
            end = max(end, e)
        else:
            rules.append(Rule(at, start, end))
            at, start, end, piece = y, s, e, e - s
    rules.append(Rule(at, start, end))
    return rules

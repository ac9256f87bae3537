"""Entries with a hanging indent, as in bibliographies: the first line of each stands out to the left."""

from __future__ import annotations

from collections.abc import Sequence

from quire.pages.layout.lines import Line

LEAST = 4  # entries: fewer are no list of them
INDENT = (0.6, 4.0)  # of the size: how far the other lines are indented
FEWEST = 0.12  # of the entries: lines that are indented
ALIGNED = 0.35  # of the size: lines that differ by less begin at the same place
BEGUN = 0.75  # of the entries begin with a capital, a bracket or a digit after a line that ends
CLEARER = 0.25  # the indented lines look so much less like beginnings
_ENDS = ".)]:;?!/"


def hanging_entries(lines: Sequence[Line]) -> dict[int, bool]:
    """For each line in a list of hanging entries, by its index, whether it begins one."""
    found: dict[int, bool] = {}
    start = 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and _same_type(lines[start], lines[end]):
            end += 1
        if end - start >= 2 * LEAST - 2:
            found |= _entries(lines, start, end)
        start = end
    return found


def _same_type(first: Line, line: Line) -> bool:
    return abs(line.size - first.size) < 0.06 * first.size and not line.mono and line.bold == first.bold


def _entries(lines: Sequence[Line], start: int, end: int) -> dict[int, bool]:
    part = range(start, end)
    size = lines[start].size
    left = min(lines[i].left for i in part)
    out = [i for i in part if lines[i].left - left < ALIGNED * size]
    indented = [i for i in part if INDENT[0] * size < lines[i].left - left < INDENT[1] * size]
    if len(out) < LEAST or len(indented) < LEAST - 1 or len(out) + len(indented) < 0.9 * len(part):
        return {}
    if len(indented) < FEWEST * len(out) or sum(bool(lines[i].marker) for i in out) > 0.3 * len(out):
        return {}
    usual = sorted(lines[i].left for i in indented)[len(indented) // 2]
    if sum(abs(lines[i].left - usual) < ALIGNED * size for i in indented) < 0.7 * len(indented):
        return {}
    begun = _share_begun(lines, [i for i in out if i > start])
    if begun < BEGUN or begun < _share_begun(lines, [i for i in indented if i - 1 in out]) + CLEARER:
        return {}
    first = out[0]
    return {i: i in out for i in part if i > first}


def _share_begun(lines: Sequence[Line], indexes: Sequence[int]) -> float:
    """The share of lines that look like the beginning of something: the line before ends, a capital follows."""
    if not indexes:
        return 0.0
    begun = 0
    for i in indexes:
        first, before = lines[i].text[:1], lines[i - 1].text
        ended = before[-1:] in _ENDS or any(map(str.isdigit, before.rpartition(" ")[2].rstrip(",")))
        begun += ended and before[-1:] != "," and not first.islower()
    return begun / len(indexes)

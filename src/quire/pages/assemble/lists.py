"""The depth of list items, from their indentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.core.types import Block

STEP = 0.012  # of the page's width: items that differ by less have the same depth


def level_lists(blocks: Sequence[Block]) -> list[Block]:
    """List items with their depth as level; a list ends at the first block that is not an item."""
    done: list[Block] = []
    lefts: list[float] = []
    for block in blocks:
        if block.kind != "list_item":
            if block.kind in ("heading", "title", "table", "paragraph"):
                lefts = []
            done.append(block)
            continue
        left = block.bbox.left
        if lefts and abs(left - lefts[0]) > 0.35:  # the next column
            lefts = []
        while lefts and left < lefts[-1] - STEP:
            lefts.pop()
        if not lefts or left > lefts[-1] + STEP:
            lefts.append(left)
        done.append(replace(block, level=len(lefts)))
    return done

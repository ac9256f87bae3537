"""The text of a cell."""

from __future__ import annotations

from collections.abc import Sequence

from quire.layout.tables.words import SAME_ROW, is_leader
from quire.pagetext import HYPHEN, SPACE, PageText


def cell_text(page: PageText, runs: Sequence[int]) -> str:
    """The runs of a cell as one line of text: words broken at a line end are joined, dot leaders left out."""
    pieces: list[str] = []
    last = -1
    for run in runs:
        text = page.texts[run]
        if is_leader(text):
            continue
        below = last >= 0 and page.baselines[run] - page.baselines[last] > SAME_ROW * page.sizes[run]
        if pieces and below and page.flags[last] & HYPHEN and pieces[-1].endswith("-"):
            pieces[-1] = pieces[-1][:-1]
        elif pieces and (below or page.flags[run] & SPACE):
            pieces.append(" ")
        pieces.append(text)
        last = run
    return "".join(pieces).strip()

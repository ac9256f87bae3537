"""The account of a page's characters: which run is in which block, and why the others are in none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quire.pagetext import PageText
from quire.types import Characters, LeftOut

_DASHES = "-‐\u00ad"


class Account:
    """Filled while a page is laid out. The texts of blocks are counted as they are, so that nothing can be lost on the
    way from a run to its block without a trace."""

    def __init__(self, page: PageText) -> None:
        self._texts = page.texts
        self._left_out: Counter[LeftOut] = Counter(page.left_out)
        self._drawn = self._left_out.total() + characters_in("".join(page.texts))
        self._in_blocks = 0

    def leave_out(self, runs: Iterable[int], reason: LeftOut) -> None:
        """These runs are in no block."""
        self._left_out[reason] += self._count(runs)

    def place(self, runs: Sequence[int], text: str) -> None:
        """These runs are the text of a block, or of a cell; hyphens at line ends are gone where words were joined."""
        written = characters_in(text)
        self._in_blocks += written
        if written != self._count(runs):
            before = "".join([self._texts[run] for run in runs])
            self._left_out["hyphen"] += sum(before.count(dash) - text.count(dash) for dash in _DASHES)

    def total(self) -> Characters:
        left_out = {reason: count for reason, count in sorted(self._left_out.items()) if count}
        return Characters(self._drawn, self._in_blocks, left_out)

    def _count(self, runs: Iterable[int]) -> int:
        return characters_in("".join([self._texts[run] for run in runs]))


def characters_in(text: str) -> int:
    """The number of characters without spaces."""
    return sum(map(len, text.split()))

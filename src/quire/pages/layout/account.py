"""The account of a page's characters: which run is in which block, and why the others are in none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quire.core.pagetext import PageText
from quire.core.types import Characters, LeftOut

_DASHES = "-‐\u00ad"


class Account:
    """Filled while a page is laid out. The texts of blocks are counted as they are, so that nothing can be lost on the
    way from a run to its block without a trace."""

    def __init__(self, page: PageText) -> None:
        self._texts = page.texts
        self._lengths = list(map(characters_in if page.engine else len, page.texts))  # only OCR has words with spaces
        self._left_out: Counter[LeftOut] = Counter(page.left_out)
        self._drawn = self._left_out.total() + sum(self._lengths)
        self._in_blocks = 0

    def leave_out(self, runs: Iterable[int], reason: LeftOut) -> None:
        """Note that these runs are in no block."""
        lengths = self._lengths
        if count := sum([lengths[run] for run in runs]):
            self._left_out[reason] += count

    def place(self, runs: Sequence[int], text: str) -> None:
        """Note that these runs are the text of a block or cell; hyphens at line ends are gone where words join."""
        written, lengths = characters_in(text), self._lengths
        self._in_blocks += written
        if written != (lengths[runs[0]] if len(runs) == 1 else sum([lengths[run] for run in runs])):
            before = "".join([self._texts[run] for run in runs])
            self._left_out["hyphen"] += sum(before.count(dash) - text.count(dash) for dash in _DASHES)

    def total(self) -> Characters:
        left_out = {reason: count for reason, count in sorted(self._left_out.items()) if count}
        return Characters(self._drawn, self._in_blocks, left_out)


def characters_in(text: str) -> int:
    """The number of characters, without the spaces that the layout puts between words, lines and labels."""
    return len(text) - text.count(" ") - text.count("\n") - text.count("\t")

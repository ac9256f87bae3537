"""Readings scored by the harness in a process of its own: `judge` does that, this asks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import harness
from benchmarks.conversation import Program
from benchmarks.corpus import CORPUS
from benchmarks.report import LeftOut

JUDGE = Path(__file__).with_name("judge.py")

Row = dict[str, float]
Grid = Mapping[str, object]
"""A table: its `cells` as in the schema `quire/1`, and its `page`."""


@dataclass(frozen=True)
class Item:
    """A document of a set, and the language that the harness names for it."""

    id: str
    path: Path
    lang: str
    pages: int


class Judge(Program):
    """Items and scores of sets. Use as a context manager."""

    def __init__(self) -> None:
        harness.check()
        super().__init__([harness.PYTHON, "-B", JUDGE, harness.SCORE, CORPUS])

    def items(self, name: str) -> list[Item]:
        found = self._asked(op="items", set=name)["items"]
        if not found:
            raise LeftOut(f"there is no ../shared/corpus/{name} beside the repository")
        return [Item(i["id"], Path(i["path"]), i["lang"], i["pages"]) for i in found]

    def score(self, name: str, item: Item, tree: Mapping[str, object], markdown: str, *, whole: bool = False) -> Row:
        """Scores of a reading: its JSON in the schema `quire/1`, with words, and its Markdown. Empty ones failed.

        With `whole` words that are divided at the end of a line are joined first, in the truth and in the reading.
        """
        return self._asked(op="score", set=name, id=item.id, tree=tree, markdown=markdown, whole=whole)["scores"]

    def score_tables(self, name: str, item: Item, tables: Sequence[Grid]) -> Row:
        return self._asked(op="score", set=name, id=item.id, tables=list(tables))["scores"]

    def summary(self, name: str, rows: Sequence[Row]) -> Row:
        return self._asked(op="summary", set=name, rows=list(rows))["metrics"]

    def _asked(self, **request: object) -> dict:
        answer = self.ask(request)
        if not answer:
            raise LeftOut("the scoring harness ended: `python -m benchmarks --setup` makes what it needs")
        return answer

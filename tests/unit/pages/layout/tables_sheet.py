"""A page made of words and lines, and the tables found on it, for the tests of tables."""

from __future__ import annotations

from dataclasses import dataclass, field

from quire.core.fonts import Font
from quire.core.pagetext import LINE, SPACE, PageText
from quire.pages.layout.account import Account
from quire.pages.layout.lines import find_lines
from quire.pages.layout.tables import FoundTable, find_rules, find_tables
from quire.pages.layout.textual import PageVocabulary, cell_text

LETTER = 0.5  # of the size: the width of every letter
GREY = 0xD0D0D0
PROSE = "the quick brown fox jumps over the lazy dog and runs away from the farm before night"


@dataclass
class Sheet:
    """Put words, rules, backgrounds and drawings on a page, then find its tables."""

    width: float = 600.0
    height: float = 800.0
    texts: list[str] = field(default_factory=list)
    boxes: list[float] = field(default_factory=list)
    baselines: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    fonts: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)
    rulings: list[float] = field(default_factory=list)
    rects: list[float] = field(default_factory=list)
    drawings: list[float] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)
    colors: list[int] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, *, bold: bool = False, size: float = 10.0, color: int = 0) -> float:
        """Words from x on, on the baseline y; the x where they end."""
        for i, word in enumerate(text.split()):
            end = x + LETTER * size * len(word)
            self.texts.append(word)
            self.boxes += [x, y - 0.8 * size, end, y + 0.2 * size]
            self.baselines.append(y)
            self.sizes.append(size)
            self.fonts.append(int(bold))
            self.flags.append(SPACE if i else SPACE | LINE)
            self.angles.append(0)
            self.colors.append(color)
            x = end + 0.3 * size
        return x - 0.3 * size

    def upwards(self, x: float, y: float, text: str, *, size: float = 10.0) -> None:
        """A word that reads from y upwards, on the baseline x."""
        self.text(x, y, text, size=size)
        self.boxes[-4:] = [x - 0.8 * size, y - LETTER * size * len(text), x + 0.2 * size, y]
        self.baselines[-1], self.angles[-1] = x, 270

    def centred(self, x: float, y: float, text: str) -> None:
        width = 10 * (LETTER * sum(map(len, text.split())) + 0.3 * (len(text.split()) - 1))
        self.text(x - width / 2, y, text)

    def rows(self, xs: list[float], y: float, rows: list[list[str]], *, pitch: float = 14.0) -> float:
        """Rows of cells whose words begin at the xs; the baseline below the last."""
        for row in rows:
            for x, text in zip(xs, row, strict=True):
                if text:
                    self.text(x, y, text)
            y += pitch
        return y

    def prose(self, x: float, y: float, lines: int, *, letters: int = 70, pitch: float = 12.0) -> float:
        """Lines of prose of about this many letters; returns the baseline below the last."""
        words = (PROSE + " ") * 8
        for i in range(lines):
            start = words.index(" ", 3 * i) + 1
            line = words[start : start + letters]
            self.text(x, y, line[: line.rindex(" ")])
            y += pitch
        return y

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.rulings += [x0, y0, x1, y1, 0.5]

    def grid(self, xs: list[float], ys: list[float]) -> None:
        """All lines of a ruled grid."""
        for y in ys:
            self.rule(xs[0], y, xs[-1], y)
        for x in xs:
            self.rule(x, ys[0], x, ys[-1])

    def rect(self, left: float, top: float, right: float, bottom: float) -> None:
        self.rects += [left, top, right, bottom]

    def page(self) -> PageText:
        count = len(self.texts)
        return PageText(
            number=1,
            width=self.width,
            height=self.height,
            rotation=0,
            chars=sum(map(len, self.texts)),
            unmapped=0,
            invisible=0,
            font_table=[Font("Helvetica"), Font("Helvetica-Bold", 0, 700)],
            links=[],
            fields=[],
            tags=[],
            texts=self.texts,
            boxes=self.boxes,
            baselines=self.baselines,
            sizes=self.sizes,
            colors=self.colors,
            fonts=self.fonts,
            angles=self.angles,
            mcids=[-1] * count,
            flags=self.flags,
            rulings=self.rulings,
            rects=self.rects,
            rect_colors=[GREY] * (len(self.rects) // 4),
            images=[],
            drawings=self.drawings,
        )

    def tables(self) -> list[FoundTable]:
        page = self.page()
        return find_tables(page, find_lines(page, Account(page)), find_rules(page))

    def table(self) -> list[list[str]]:
        """The texts of the only table, by row and column; places that a span covers are empty."""
        (table,) = self.tables()
        return self.cells(table)

    def cells(self, table: FoundTable) -> list[list[str]]:
        page = self.page()
        texts = [[""] * table.columns for _ in range(table.rows)]
        for cell in table.cells:
            texts[cell.row][cell.column] = _text(page, cell.runs)
        return texts

    def spans(self) -> dict[str, tuple[int, int]]:
        """Row and column span of the cells of the only table that have any."""
        (table,) = self.tables()
        page = self.page()
        return {_text(page, c.runs): (c.row_span, c.column_span) for c in table.cells if c.row_span * c.column_span > 1}


def _text(page: PageText, runs: list[int]) -> str:
    return cell_text(page, runs, PageVocabulary(page)).replace("\n", " ")

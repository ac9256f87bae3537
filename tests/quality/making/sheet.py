"""One page in the making: each call adds a part to the web page and to the truth about it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from tests.quality.truth import Part, TruthCell

FONTS = (
    *("DejaVu Serif", "DejaVu Sans", "DejaVu Serif Condensed", "DejaVu Sans Condensed", "DejaVu Sans Light"),
    *("DejaVu Serif", "DejaVu Sans Condensed"),
)
Grid = Sequence[Sequence[str]]


@dataclass
class Look:
    """How a page is set."""

    font: str
    head: str
    size: float
    leading: float
    paper: str = "A4"
    margin: float = 20
    css: str = ""

    @classmethod
    def drawn(cls, chance: random.Random) -> Look:
        font = chance.choice(FONTS)
        look = cls(
            font,
            chance.choice((font, chance.choice(FONTS))),
            chance.choice((9, 9.5, 10, 11)),
            chance.choice((1.2, 1.3, 1.45)),
            chance.choice(("A4", "A4", "Letter")),
            chance.choice((17, 20, 25)),
        )
        apart = chance.choice(("margin: 0 0 0.7em", "margin: 0 0 0.7em", "margin: 0; text-indent: 1.4em"))
        looks = "".join(
            f"h{level} {{font-size: {look.size * times:.1f}pt; color: {chance.choice(('#000', '#000', '#258'))};"
            f" margin: {chance.choice((0.8, 1.1))}em 0 {chance.choice((0.3, 0.5))}em}}"
            for level, times in ((1, chance.choice((1.7, 2.0))), (2, 1.35), (3, 1.15), (4, 1.0))
        )
        look.css = f"p {{{apart}; text-align: {chance.choice(('left', 'justify'))}}} {looks}"
        return look

    def style(self, name: str) -> str:
        """The rules for one section of this name."""
        rules = self.css.replace("}", "}\n").split("\n")
        scoped = "".join(f"#{name} {rule.strip()}" for rule in rules if rule.strip())
        return (
            f"@page {name} {{size: {self.paper}; margin: 0}} #{name} {{page: {name}; font: {self.size}pt/{self.leading}"
            f" '{self.font}'; padding: {self.margin}mm}} #{name} :is(h1, h2, h3, h4) {{font-family: '{self.head}'}}"
            f"{scoped}"
        )


@dataclass
class Sheet:
    """A page: `html` is what is printed, `parts` what a reader should find. `chance` decides what it is about."""

    chance: random.Random
    number: int
    look: Look
    amount: float = 1.0
    html: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    behind: list[Part] = field(default_factory=list)

    def many(self, number: int) -> int:
        """So many, or fewer if the page was too full before."""
        return max(1, round(number * self.amount))

    def truth(self) -> list[Part]:
        return [*self.parts, *self.behind]

    def put(self, html: str) -> None:
        self.html.append(html)

    def title(self, text: str, style: str = "") -> None:
        self.html.append(f'<h1 style="{style}">{escape(text)}</h1>')
        self.parts.append(Part("heading", text, 1))

    def heading(self, text: str, level: int = 2, style: str = "") -> None:
        self.html.append(f'<h{level} style="{style}">{escape(text)}</h{level}>')
        self.parts.append(Part("heading", text, level))

    def paragraph(self, text: str, style: str = "", *, shown: str = "") -> None:
        """`shown` is its HTML where that is more than its text."""
        self.html.append(f'<p style="{style}">{shown or escape(text)}</p>')
        self.parts.append(Part("paragraph", text))

    def address(self, lines: Sequence[str], style: str = "") -> None:
        self.html.append(f'<p style="text-indent: 0; text-align: left; {style}">{"<br>".join(map(escape, lines))}</p>')
        self.parts.append(Part("paragraph", " ".join(lines)))

    def items(self, texts: Iterable[str | Sequence[str]], *, tag: str = "ul", style: str = "", level: int = 1) -> None:
        """A list; a sequence of texts is a list below the item before it."""
        self.html.append(f'<{tag} style="{style}">')
        for text in texts:
            if isinstance(text, str):
                self.html.append(f"<li>{escape(text)}</li>")
                self.parts.append(Part("list_item", text, level))
            else:
                self.items(text, level=level + 1)
        self.html.append(f"</{tag}>")

    def table(self, rows: Grid, *, look: str = "ruled", style: str = "", heads: int = 1) -> None:
        """A table with classes of `STYLE` and so many rows of heads; `<` joins a cell with the one at its left."""
        cells, body = [], []
        for row, texts in enumerate(rows):
            line = []
            for column, text in enumerate(texts):
                if text == "<":
                    continue
                across = 1 + next((n for n, t in enumerate(texts[column + 1 :]) if t != "<"), len(texts) - column - 1)
                if text:
                    cells.append(TruthCell(row, column, " ".join(text.split()), 1, across))
                tag = "th" if row < heads else "td"
                line.append(f'<{tag} colspan="{across}">{escape(text).replace(chr(10), "<br>")}</{tag}>')
            body.append(f"<tr>{''.join(line)}</tr>")
        head = f"<thead>{''.join(body[:heads])}</thead>" if heads else ""
        self.html.append(f'<table class="{look}" style="{style}">{head}{"".join(body[heads:])}</table>')
        self.parts.append(Part("table", " ".join(cell.text for cell in cells), cells=tuple(cells)))

    def field(self, label: str, value: str, *, colon: str = ":", style: str = "") -> None:
        shown = f"<span>{escape(label)}{colon}</span><b>{escape(value)}</b>"
        self.html.append(f'<div class="field" style="{style}">{shown}</div>')
        self.truth_of_field(label, value, colon)

    def truth_of_field(self, label: str, value: str, colon: str = ":") -> None:
        self.parts.append(Part("field", f"{label}{colon} {value}", label=label, value=value))

    def caption(self, text: str, style: str = "") -> None:
        self.html.append(f'<p class="caption" style="{style}">{escape(text)}</p>')
        self.parts.append(Part("caption", text))

    def figure(self, caption: str) -> None:
        """A drawing of bars, and its caption."""
        bars = "".join(
            f'<rect x="{20 + 32 * n}" y="{100 - high}" width="22" height="{high}" fill="#468"/>'
            for n, high in enumerate(self.chance.randint(15, 95) for _ in range(7))
        )
        self.html.append(f'<svg width="250" height="105"><path d="M10 100H245" stroke="#000"/>{bars}</svg>')
        self.parts.append(Part("figure", ""))
        self.caption(caption)

    def code(self, lines: Sequence[str]) -> None:
        self.html.append(f"<pre>{escape(chr(10).join(lines))}</pre>")
        self.parts.append(Part("code", "\n".join(lines)))

    def formula(self, mathml: str, latex: str) -> None:
        self.html.append(f'<math display="block">{mathml}</math>')
        self.parts.append(Part("formula", latex))

    def notes(self, texts: Sequence[str], *, sign: str = "") -> None:
        """Footnotes at the bottom; what refers to them is written by the caller."""
        lines = []
        for number, text in enumerate(texts, start=1):
            mark = sign or str(number)
            lines.append(f"<p><sup>{mark}</sup> {escape(text)}</p>")
            self.behind.append(Part("footnote", f"{mark} {text}"))
        self.html.append(f'<div class="notes">{"".join(lines)}</div>')

    def running(self, header: str = "", footer: str = "", number: str = "", place: str = "center") -> None:
        """What stands in the margins."""
        if header:
            self.html.append(f'<div class="header" style="text-align: {place}">{escape(header)}</div>')
            self.parts.insert(0, Part("header", header))
        if footer:
            self.html.append(f'<div class="footer" style="text-align: left">{escape(footer)}</div>')
            self.behind.append(Part("footer", footer))
        if number:
            self.html.append(f'<div class="footer" style="text-align: {place}">{escape(number)}</div>')
            self.behind.append(Part("page_number", number))


SIZES = {
    "A4": (210, 297),
    "Letter": (215.9, 279.4),
    "A4 landscape": (297, 210),
    "80mm 160mm": (80, 160),
}
STYLE = Path(__file__).with_name("sheet.css").read_text(encoding="utf-8")

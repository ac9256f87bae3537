"""Tables and numbers of the HTML report; every text is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from quire.solving.evaluation.grades import OUTCOMES


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = False) -> str:
    """An HTML table; with `numbers`, all columns but the first stand on the right. An outcome has its colour."""
    lines = [[_cell("th", one, number=numbers and at > 0) for at, one in enumerate(heads)]]
    lines += [[_cell("td", one, number=numbers and at > 0) for at, one in enumerate(row)] for row in rows]
    body = "".join(f"<tr>{''.join(line)}</tr>" for line in lines)
    return f"<table>{body}</table>"


def _cell(tag: str, text: str, *, number: bool) -> str:
    known = "number" if number else text if text in OUTCOMES else ""
    return f"<{tag}{f' class={known}' if known else ''}>{escape(text)}</{tag}>"


def rate(rate: float | None) -> str:
    """A rate with four digits."""
    return "–" if rate is None else f"{rate:.4f}"

"""Made documents as web pages in many styles, printed by Chromium."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from benchmarks.made import MadeDocument, MadePart
from benchmarks.report import LeftOut

NUMBERED, NOTES = True, False
FONTS = ("Liberation Serif", "Liberation Sans", "DejaVu Serif", "DejaVu Sans", "serif", "sans-serif")


def printed(documents: Sequence[tuple[MadeDocument, random.Random]], folder: Path) -> list[Path]:
    """A PDF of each document."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise LeftOut("there is no chromium: the package of that name has it")
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    done = []
    for number, (made, chance) in enumerate(documents):
        page, pdf = folder / f"{number}.html", folder / f"{number}.pdf"
        page.write_text(f"<!doctype html><meta charset=utf-8><style>{_style(chance)}</style>{_body(made)}")
        command = [chromium, *quiet, f"--print-to-pdf={pdf}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        done.append(pdf)
    return done


def _body(made: MadeDocument) -> str:
    body = []
    for kind, group in groupby(made.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "item":
            body.append(_list(parts))
            continue
        for part in parts:
            if kind == "heading":
                body.append(f"<h{part.level}>{escape(part.text)}</h{part.level}>")
            elif kind == "table":
                cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in part.rows)
                body.append("<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>")
            else:
                body.append(f"<p>{escape(part.text)}</p>")
    return "".join(body)


def _list(items: Sequence[MadePart]) -> str:
    tag = "ol" if items[0].numbered else "ul"
    body = []
    for level, group in groupby(items, key=lambda item: item.level):
        lines = "".join(f"<li>{escape(item.text)}</li>" for item in group)
        body.append(lines if level == 1 else f"<ul>{lines}</ul>")
    return f"<{tag}>{''.join(body)}</{tag}>"


def _style(chance: random.Random) -> str:
    size = chance.choice((9, 10, 11, 12))
    title = chance.choice((1.2, 1.5, 1.8))
    step = chance.choice((1.0, 1.12, 1.25))
    sizes = [size * step**2 * title, *(size * step**n for n in (2, 1, 0))]
    looks = [
        f"h{level} {{font-size: {points}pt; margin: {chance.choice((0.6, 1.0, 1.4))}em 0 {chance.choice((0.2, 0.5))}em;"
        f" color: {chance.choice(('black', 'black', '#225588', '#993311'))};"
        f" font-weight: {'bold' if step == 1.0 else chance.choice(('bold', 'bold', 'normal'))};"
        f" font-style: {'italic' if level == 4 else 'normal'};"
        f" text-align: {'center' if level == 1 and chance.random() < 0.5 else 'left'};"
        f" text-transform: {'uppercase' if level == 2 and (step == 1.0 or chance.random() < 0.2) else 'none'}}}"
        for level, points in zip((1, 2, 3, 4), sizes, strict=True)
    ]
    columns = chance.choice((1, 1, 2))
    apart = chance.choice(("margin: 0 0 0.6em", "margin: 0; text-indent: 1.5em"))
    return (
        f"@page {{size: {chance.choice(('A4', 'Letter'))}; margin: {chance.choice((18, 25))}mm}}"
        f" body {{font: {size}pt '{chance.choice(FONTS)}'; line-height: {chance.choice((1.15, 1.3, 1.5))};"
        f" columns: {columns}; text-align: {chance.choice(('left', 'justify'))}; hyphens: none}}"
        f" h1, h2, h3, h4 {{font-family: '{chance.choice(FONTS)}'; break-after: avoid}} p {{{apart}}}"
        f" td {{border: 1px solid black; padding: 2pt 8pt}} {' '.join(looks)}"
    )

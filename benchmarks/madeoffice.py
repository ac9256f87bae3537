"""Made documents as OpenDocument texts in many designs, turned into PDFs by LibreOffice."""

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

NUMBERED, NOTES = True, True
FONTS = ("Liberation Serif", "Liberation Sans", "DejaVu Serif", "DejaVu Sans", "Liberation Sans Narrow")
BULLETS = "•–▪◦➢✓"
_NAMES = ("office", "style", "text", "table", "fo", "svg")
_SPACES = {
    **{name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in _NAMES},
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
}


def printed(documents: Sequence[tuple[MadeDocument, random.Random]], folder: Path) -> list[Path]:
    """A PDF of each document."""
    office = shutil.which("soffice")
    if office is None:
        raise LeftOut("there is no soffice: the package libreoffice-writer has it")
    sources = [folder / f"{number}.fodt" for number in range(len(documents))]
    for path, (made, chance) in zip(sources, documents, strict=True):
        path.write_text(_file(made, chance))
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), *map(str, sources)]
    subprocess.run(command, check=True, capture_output=True, timeout=60 + 10 * len(sources))
    return [path.with_suffix(".pdf") for path in sources]


def _file(made: MadeDocument, chance: random.Random) -> str:
    spaces = " ".join(f'xmlns:{name}="{address}"' for name, address in _SPACES.items())
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.3"'
        f' office:mimetype="application/vnd.oasis.opendocument.text">{_design(chance)}'
        f"<office:body><office:text>{_body(made)}</office:text></office:body></office:document>"
    )


def _body(made: MadeDocument) -> str:
    body, notes = [], 0
    for kind, group in groupby(made.parts, key=lambda part: part.kind):
        parts = list(group)
        if kind == "item":
            body.append(_list(parts))
            continue
        for part in parts:
            if kind == "heading":
                style = f'text:style-name="H{part.level}" text:outline-level="{part.level}"'
                body.append(f"<text:h {style}>{escape(part.text)}</text:h>")
            elif kind == "table":
                body.append(_table(part))
            else:
                note = ""
                if part.note:
                    notes += 1
                    note = (
                        f'<text:note text:note-class="footnote"><text:note-citation>{notes}</text:note-citation>'
                        f'<text:note-body><text:p text:style-name="N">{escape(part.note)}</text:p></text:note-body>'
                        "</text:note>"
                    )
                body.append(f'<text:p text:style-name="P">{escape(part.text)}{note}</text:p>')
    return "".join(body)


def _list(items: Sequence[MadePart]) -> str:
    body: list[str] = []
    for level, group in groupby(items, key=lambda item: item.level):
        lines = [f'<text:p text:style-name="I">{escape(item.text)}</text:p>' for item in group]
        if level == 1:
            body += [f"<text:list-item>{line}</text:list-item>" for line in lines]
        else:
            inner = "".join(f"<text:list-item>{line}</text:list-item>" for line in lines)
            body[-1] = body[-1].replace("</text:list-item>", f"<text:list>{inner}</text:list></text:list-item>")
    return f'<text:list text:style-name="{"LN" if items[0].numbered else "LB"}">{"".join(body)}</text:list>'


def _table(part: MadePart) -> str:
    rows = []
    for number, row in enumerate(part.rows):
        style = f'table:style-name="{"C0" if number == 0 else "C"}"'
        cells = [
            f'<table:table-cell {style}><text:p text:style-name="T">{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        ]
        rows.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    columns = f'<table:table-column table:number-columns-repeated="{len(part.rows[0])}"/>'
    return f'<table:table table:style-name="TB">{columns}{"".join(rows)}</table:table>'


def _design(chance: random.Random) -> str:
    """Styles of the text, the headings, the lists, the tables and the page."""
    size, font, head = chance.choice((9, 10, 11, 12)), chance.choice(FONTS), chance.choice(FONTS)
    step, upper = chance.choice((1.0, 1.1, 1.2)), chance.choice((1.3, 1.6, 2.0))
    lead, apart = chance.choice((100, 115, 150)), chance.choice((0, 4, 8))
    indent = chance.choice((0, 14)) if not apart else 0
    styles = [
        _style(
            "P",
            font,
            size,
            f'fo:margin-bottom="{apart}pt" fo:text-indent="{indent}pt" fo:line-height="{lead}%"'
            f' fo:text-align="{chance.choice(("start", "justify"))}"',
        ),
        _style("N", font, size * 0.8),
        _style("T", font, size * chance.choice((0.9, 1.0))),
        _style("I", font, size, f'fo:margin-bottom="{chance.choice((0, 3))}pt" fo:line-height="{lead}%"'),
        _style("F", font, size * 0.8, f'fo:text-align="{chance.choice(("start", "center", "end"))}"'),
    ]
    for level, points in enumerate((size * step**2 * upper, size * step**2, size * step, size), start=1):
        bold = step == 1.0 or level == 4 or chance.random() < 0.7
        colour = chance.choice(("#000000", "#000000", "#1f3864", "#2e74b5"))
        caps = ' fo:text-transform="uppercase"' if level == 2 and (step == 1.0 or chance.random() < 0.15) else ""
        slope = ' fo:font-style="italic"' if level == 4 and (step == 1.0 or chance.random() < 0.5) else ""
        centred = "center" if level == 1 and chance.random() < 0.4 else "start"
        styles.append(
            _style(
                f"H{level}",
                head,
                points,
                f'fo:margin-top="{chance.choice((6, 10, 16))}pt" fo:margin-bottom="{chance.choice((2, 5))}pt"'
                f' fo:keep-with-next="always" fo:text-align="{centred}"',
                f'fo:color="{colour}"{caps}{slope} fo:font-weight="{"bold" if bold else "normal"}"',
            )
        )
    border = chance.choice(("0.5pt solid #000000", "none"))
    head_fill = chance.choice(("#d9e2f3", "transparent"))
    rule = ' fo:border-bottom="0.75pt solid #000000"' if border == "none" else ""
    cell = '<style:style style:name="{}" style:family="table-cell"><style:table-cell-properties {}/></style:style>'
    styles += [
        cell.format("C", f'fo:border="{border}" fo:padding="2pt"'),
        cell.format("C0", f'fo:border="{border}" fo:padding="2pt" fo:background-color="{head_fill}"{rule}'),
        '<style:style style:name="TB" style:family="table"><style:table-properties fo:margin-top="6pt"'
        ' fo:margin-bottom="8pt"/></style:style>',
        _lists(chance),
    ]
    columns = chance.choice((1, 1, 1, 2))
    parted = f'<style:columns fo:column-count="{columns}" fo:column-gap="8mm"/>' if columns > 1 else ""
    width, height = chance.choice((("210mm", "297mm"), ("216mm", "279mm")))
    layout = (
        f'<style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="{width}"'
        f' fo:page-height="{height}" fo:margin="{chance.choice((18, 25))}mm">{parted}</style:page-layout-properties>'
        '<style:header-style><style:header-footer-properties fo:margin-bottom="5mm"/></style:header-style>'
        '<style:footer-style><style:header-footer-properties fo:margin-top="5mm"/></style:footer-style>'
        "</style:page-layout>"
    )
    running = chance.choice(
        (
            "",
            '<style:footer><text:p text:style-name="F"><text:page-number>1</text:page-number></text:p></style:footer>',
            '<style:header><text:p text:style-name="F">Manual of the reader</text:p></style:header>'
            '<style:footer><text:p text:style-name="F">Page <text:page-number>1</text:page-number></text:p>'
            "</style:footer>",
        )
    )
    master = f'<style:master-page style:name="Standard" style:page-layout-name="PL">{running}</style:master-page>'
    return (
        f"<office:styles>{''.join(styles)}</office:styles><office:automatic-styles>{layout}</office:automatic-styles>"
        f"<office:master-styles>{master}</office:master-styles>"
    )


def _style(name: str, font: str, size: float, paragraph: str = "", text: str = "") -> str:
    return (
        f'<style:style style:name="{name}" style:family="paragraph"><style:paragraph-properties {paragraph}/>'
        f'<style:text-properties fo:font-family="{font}" fo:font-size="{size:.1f}pt" {text}/></style:style>'
    )


def _lists(chance: random.Random) -> str:
    """Bullets of two levels and numbers, with narrow or wide tabs behind them."""
    tab, signs = chance.choice((14, 18, 28, 40)), chance.sample(BULLETS, 2)
    form = chance.choice((('style:num-suffix="."', "1"), ('style:num-suffix=")"', "1"), ('style:num-suffix=")"', "a")))

    def place(level: int) -> str:
        return (
            '<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">'
            '<style:list-level-label-alignment text:label-followed-by="listtab"'
            f' text:list-tab-stop-position="{tab * (level + 1)}pt" fo:text-indent="-{tab}pt"'
            f' fo:margin-left="{tab * (level + 1)}pt"/></style:list-level-properties>'
        )

    bullets = [
        f'<text:list-level-style-bullet text:level="{level}" text:bullet-char="{sign}">{place(level)}'
        "</text:list-level-style-bullet>"
        for level, sign in enumerate(signs, start=1)
    ]
    number = f'<text:list-level-style-number text:level="1" {form[0]} style:num-format="{form[1]}">{place(1)}'
    return (
        f'<text:list-style style:name="LB">{"".join(bullets)}</text:list-style>'
        f'<text:list-style style:name="LN">{number}</text:list-level-style-number>{bullets[1]}</text:list-style>'
    )

"""Markdown: CommonMark with pipe tables, HTML where cells span."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from html import escape as escape_html
from itertools import groupby

from quire.core.types import Block, Cell, Table
from quire.output.export._escape import can_emphasise, escape, escape_start, escaped, escapes, escapes_beside_marks
from quire.output.export._figures import FigureView, is_ornament, view_of
from quire.output.export._flow import TextRun, flow, merged, runs
from quire.output.export._grid import cell_text, has_spans, header_rows, span_attributes, texts, written
from quire.output.export._structure import (
    are_fields,
    body,
    depths,
    field_of,
    is_numbered,
    is_plain_number,
    marker_length,
    value_start,
    with_lists,
)
from quire.output.export.contracts import Exportable

_LATEX = re.compile(r"\\[A-Za-z]{2,}|[\^_]\{")


def markdown(result: Exportable) -> str:
    """The text of the document, without running headers, footers and page numbers."""
    return of_blocks(body(result.blocks), view_of(result))


_USUAL = FigureView()


def of_blocks(blocks: Sequence[Block], figures: FigureView = _USUAL) -> str:
    """The text of these blocks, whatever their kind."""
    depth = depths(blocks)
    written = [
        _group(part) if isinstance(part, list) else _block(part, depth.get(part.id, 1), figures)
        for part in with_lists(blocks, fields=True)
    ]
    text = "\n\n".join(part for part in written if part)
    return f"{text}\n" if text else ""


def _block(block: Block, depth: int, figures: FigureView) -> str:
    match block.kind:
        case "figure":
            return _figure(block, figures)
        case "title" | "heading":
            return _heading(block, depth)
        case "table" if block.table is not None:
            return _table(block.table)
        case "code":
            return _fenced(block.text)
        case "formula" if block.latex:
            return _display(block)
        case "formula" if is_latex(block.text):
            return f"$$\n{without_dollars(block.text)}\n$$"
        case _:
            return _line(block)


def _figure(block: Block, figures: FigureView) -> str:
    """An image, without its file when none was requested, and the words to show, each row on its line."""
    if is_ornament(block) and block.id not in figures.pictures:
        return ""
    rows = [escape_start(escape(" ".join(row.split()))) for row in figures.rows(block)]
    image = f"![figure]({_target(figures.target(block))})"
    return f"{image}\n\n{f'  {chr(10)}'.join(rows)}" if rows else image


def _heading(block: Block, depth: int) -> str:
    text = escape(flow(block.text))
    if not text:
        return ""
    if text.endswith("#"):  # `# C #` would lose its end
        text = re.sub(r"(^|\s)(#+)$", r"\1\\\2", text)
    return f"{'#' * depth} {text}"


def _fenced(code: str) -> str:
    code = code.strip("\n")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}" if code.strip() else ""


def _display(block: Block) -> str:
    """A formula that stands apart, and its number behind it."""
    number = "".join(run.text for run in runs(block) if not run.latex).strip()
    return f"$$\n{block.latex}\n$$" + (f"\n\n{escape_start(escape(number))}" if number else "")


def is_latex(formula: str) -> bool:
    return _LATEX.search(formula) is not None


def without_dollars(formula: str) -> str:
    return formula.strip().removeprefix("$$").removesuffix("$$").strip()


def _group(blocks: Sequence[Block]) -> str:
    return _BREAK.join(filter(None, map(_field, blocks))) if are_fields(blocks) else _list(blocks)


_BREAK = "  \n"
"""Two spaces before the end of a line: the next one begins below it, in the same paragraph."""


def _field(block: Block) -> str:
    """The label in bold with a colon, also where the page has none, and the value."""
    label, value = escape(flow(field_of(block).label)), _line(block, skip=value_start(block))
    if not label:
        return value
    bold = f"**{label}:**" if can_emphasise("", f"{label}:", " ") else f"{label}:"
    return f"{bold} {value}".rstrip()


def _list(items: Sequence[Block]) -> str:
    lines: list[str] = []
    above: list[tuple[int, int]] = []  # level of each item this one is nested in, and where its text begins
    for item in items:
        level = item.level or 1
        while above and above[-1][0] >= level:
            above.pop()
        indent = above[-1][1] if above else 0
        marker = item.marker if is_plain_number(item) else "-"
        marker += "." if marker.isdigit() else ""
        skip = marker_length(item) if is_plain_number(item) or not is_numbered(item) else 0
        lines.append(f"{' ' * indent}{marker} {_line(item, skip=skip)}".rstrip())
        above.append((level, indent + len(marker) + 1))
    return "\n".join(lines)


def _line(block: Block, *, skip: int = 0) -> str:
    """The text of a block; at its start, also inside an item, `1.` or `-` would begin a list."""
    plain = [
        run._replace(link=None if (run.link or "#").startswith("#") else run.link) for run in runs(block, skip=skip)
    ]  # links within the document have no target in Markdown
    text = _inline(merged(plain))
    return text if plain and plain[0].is_script else escape_start(text)  # `<sup>` begins no list and no block of HTML


def _inline(listed: Sequence[TextRun]) -> str:
    """Runs as one line of Markdown. What needs an escape is decided on the whole line."""
    line = "".join(run.text for run in listed)
    if all(run.is_plain for run in listed):
        return escape(line)
    places = escapes(line) | escapes_beside_marks(line)
    text, start = "", 0
    for link, group in groupby(listed, key=lambda run: run.link):
        runs_of_link = list(group)
        shown = "".join(run.text for run in runs_of_link)
        end = start + len(shown)
        lead, core, trail = _edges(shown)
        if link is None or not core or not _is_worth_linking(link, core):
            text += _emphasised(runs_of_link, places, start, around=(text, line[end:]))
        else:
            brackets = {start + at for at, letter in enumerate(shown) if letter in "[]"}
            inner = _emphasised(runs_of_link, places | brackets, start, around=("[", "]")).strip()
            before = f"{text[:-1]}\\!" if text.endswith("!") and not lead else text  # `![` would be an image
            text = f"{before}{lead}[{inner}]({_target(link)}){trail}"
        start = end
    return text


def _is_worth_linking(link: str, shown: str) -> bool:
    """A printed URL is a link without markup (autolink), also one over two lines."""
    bare = re.sub(r"^(mailto:|https?://)", "", link).rstrip("/")
    return "".join(shown.split()).rstrip("/") not in (link.rstrip("/"), bare)


def _target(link: str) -> str:
    for character, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E"), (" ", "%20"), ("\\", "%5C")):
        link = link.replace(character, code)
    return link


def _emphasised(listed: Sequence[TextRun], places: Set[int], start: int, *, around: tuple[str, str]) -> str:
    """The runs, the first of which begins at `start`; emphasis that Markdown would not parse is left out."""
    text, after = "", "".join(run.text for run in listed) + around[1]
    for run in listed:
        lead, core, trail = _edges(run.text)
        mark = "**" * run.bold + "*" * run.italic
        after = after[len(run.text) :]
        if run.latex and core:
            text += f"{lead}${run.latex}${trail}"
        elif run.code and core:
            text += f"{lead}{_code(core)}{trail}"
        elif run.written != run.text:
            text += run.written
        elif run.is_script and core and _is_misread(around[0] + text + lead, run):
            tag = "sup" if run.superscript else "sub"
            text += f"{lead}<{tag}>{escaped(core, places, start=start + len(lead))}</{tag}>{trail}"
        elif mark and core and can_emphasise(lead or text or around[0], core, trail or after):
            ends = {start + len(lead) + len(core) - 1} if core.endswith("\\") else set()
            text += f"{lead}{mark}{escaped(core, places | ends, start=start + len(lead))}{mark}{trail}"
        else:
            text += escaped(run.text, places, start=start)
        start += len(run.text)
    return text


def _is_misread(before: str, run: TextRun) -> bool:
    """Whether a script that has no characters of its own would say something else on the line: x2, xn, but not H2O.

    Raised letters behind words stay plain: they abbreviate them.
    """
    last = before[-1:]
    if run.subscript:
        return last.isdigit()
    power = last.isdigit() or last in (")", "]") or (last.isalpha() and not before[-2:-1].isalpha())
    return power or (run.text.lstrip()[:1] in "+-−–" and last.isalpha())


def _edges(text: str) -> tuple[str, str, str]:
    """White space before, the text, white space after."""
    core = text.strip()
    if not core:
        return text, "", ""
    start = text.index(core)
    return text[:start], core, text[start + len(core) :]


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _table(table: Table) -> str:
    if not table.cells:
        return ""
    return html_table(table) if has_spans(table) or header_rows(table) > 1 else _pipe_table(table)


def _pipe_table(table: Table) -> str:
    rows = [[escape(text).replace("|", "\\|") for text in row] for row in texts(table)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def html_table(table: Table) -> str:
    lines = ["".join(map(_html_cell, row)) for row in written(table)]
    return "\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"])


def _html_cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    tag = "th" if cell.header else "td"
    return f"<{tag}{span_attributes(cell)}>{escape_html(cell_text(cell), quote=False)}</{tag}>"

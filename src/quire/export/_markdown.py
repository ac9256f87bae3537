"""Markdown: CommonMark with pipe tables, HTML where cells span."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape as escape_html
from itertools import groupby

from quire.export import Exportable
from quire.export._escape import can_emphasise, escape, escape_start
from quire.export._flow import Run, flow, runs
from quire.export._grid import cell_text, has_spans, header_rows, span_attributes, texts, written
from quire.export._structure import (
    body,
    depths,
    is_numbered,
    is_plain_number,
    marker_length,
    with_lists,
)
from quire.types import Block, Cell, Table

_LATEX = re.compile(r"\\[A-Za-z]{2,}|[\^_]\{")
_BRACKET = re.compile(r"(?<!\\)[\[\]]")


def markdown(result: Exportable) -> str:
    """The text of the document, without running headers, footers and page numbers."""
    depth = depths(result.blocks)
    written = [
        _list(part) if isinstance(part, list) else _block(part, depth.get(part.id, 1))
        for part in with_lists(body(result.blocks))
    ]
    text = "\n\n".join(part for part in written if part)
    return f"{text}\n" if text else ""


def _block(block: Block, depth: int) -> str:
    match block.kind:
        case "title" | "heading":
            return _heading(block, depth)
        case "table" if block.table is not None:
            return _table(block.table)
        case "code":
            return _fenced(block.text)
        case "formula" if _LATEX.search(block.text):
            return f"$$\n{_without_dollars(block.text)}\n$$"
        case _:
            return escape_start(inline(runs(block)))


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


def _without_dollars(formula: str) -> str:
    return formula.strip().removeprefix("$$").removesuffix("$$").strip()


def _list(items: Sequence[Block]) -> str:
    lines: list[str] = []
    above: list[tuple[int, int]] = []  # level of each item this one is nested in, and where its text begins
    for item in items:
        level = item.level or 1
        while above and above[-1][0] >= level:
            above.pop()
        indent = above[-1][1] if above else 0
        marker = item.marker if is_plain_number(item) else "-"
        skip = marker_length(item) if is_plain_number(item) or not is_numbered(item) else 0
        lines.append(f"{' ' * indent}{marker} {_item_text(item, skip)}".rstrip())
        above.append((level, indent + len(marker) + 1))
    return "\n".join(lines)


def _item_text(item: Block, skip: int) -> str:
    """Within an item, `1.` or `-` at the start would begin a list inside the list."""
    return escape_start(inline(runs(item, skip=skip)))


def inline(listed: Sequence[Run]) -> str:
    """Runs as one line of Markdown."""
    text = ""
    groups = [(link, list(group)) for link, group in groupby(listed, key=lambda run: run.link)]
    for index, (link, group) in enumerate(groups):
        after = groups[index + 1][1][0].text if index + 1 < len(groups) else ""
        shown = "".join(run.text for run in group)
        lead, core, trail = _edges(shown)
        if link is None or not core or not _is_worth_linking(link, core):
            text += _emphasised(group, text, after)
        else:
            inner = _BRACKET.sub(r"\\\g<0>", _emphasised(group, "[", "]").strip())
            text += f"{lead}[{inner}]({_target(link)}){trail}"
    return text


def _is_worth_linking(link: str, shown: str) -> bool:
    """Links within the document have no target in Markdown; an address is a link by itself."""
    if link.startswith("#"):
        return False
    bare = re.sub(r"^(mailto:|https?://)", "", link).rstrip("/")
    return shown.rstrip("/") not in (link.rstrip("/"), bare)


def _target(link: str) -> str:
    for character, code in (("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E"), (" ", "%20"), ("\\", "%5C")):
        link = link.replace(character, code)
    return link


def _emphasised(listed: Sequence[Run], before: str, after: str) -> str:
    """The runs between `before` and `after`; emphasis that Markdown would not read as such is left out."""
    text = ""
    for index, run in enumerate(listed):
        following = listed[index + 1].text if index + 1 < len(listed) else after
        lead, core, trail = _edges(run.text)
        mark = "**" * run.bold + "*" * run.italic
        if run.code and core:
            text += f"{lead}{_code(core)}{trail}"
        elif mark and core and can_emphasise(lead or text or before, core, trail or following):
            safe = escape(core.replace("*", "\0")).replace("\0", "\\*")
            text += f"{lead}{mark}{safe}{mark}{trail}"
        else:
            text += escape(run.text)
    return text


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
    return _html_table(table) if has_spans(table) or header_rows(table) > 1 else _pipe_table(table)


def _pipe_table(table: Table) -> str:
    rows = [[escape(text).replace("|", "\\|") for text in row] for row in texts(table)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def _html_table(table: Table) -> str:
    lines = ["".join(map(_html_cell, row)) for row in written(table)]
    return "\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"])


def _html_cell(cell: Cell | None) -> str:
    if cell is None:
        return "<td></td>"
    tag = "th" if cell.header else "td"
    return f"<{tag}{span_attributes(cell)}>{escape_html(cell_text(cell), quote=False)}</{tag}>"

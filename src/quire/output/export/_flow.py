"""Turns the lines of a page into flowing text, with runs for emphasis and links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from quire.core.types import Block

_BREAK = re.compile(r"[ \t]*\n\s*")
# Scripts written without spaces between words; Korean has spaces and is not included.
_UNSPACED = (
    ("\u2e80", "\u312f"),  # radicals, punctuation, kana, bopomofo
    ("\u31a0", "\u31ff"),
    ("\u3400", "\u4dbf"),
    ("\u4e00", "\u9fff"),
    ("\uf900", "\ufaff"),
    ("\uff01", "\uff9f"),  # full and half width
    ("\U00020000", "\U0003ffff"),
)
_LINK = re.compile(r"(https?|ftps?|mailto|tel|doi|urn):\S|#", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def flow(text: str) -> str:
    """One line: line breaks become spaces, or nothing between characters that are written without spaces."""
    if "\n" not in text:
        return text.strip()
    return _BREAK.sub(_space, text.strip())


def _space(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    return "" if is_unspaced(text[start - 1 : start]) and is_unspaced(text[end : end + 1]) else " "


def is_unspaced(character: str) -> bool:
    return character > "\u2e7f" and any(first <= character <= last for first, last in _UNSPACED)


class TextRun(NamedTuple):
    """A run of flowing text with one style. A tuple, because there are many and they are compared often."""

    text: str
    bold: bool = False
    italic: bool = False
    superscript: bool = False
    subscript: bool = False
    code: bool = False
    link: str | None = None
    latex: str | None = None

    @property
    def is_script(self) -> bool:
        """Whether the run is a superscript or a subscript."""
        return self.superscript or self.subscript

    @property
    def written(self) -> str:
        """The text, a superscript in characters of its own where there are such."""
        return raised_text(self.text) if self.superscript and not self.latex else self.text

    @property
    def is_plain(self) -> bool:
        return not any(self[1:])


_RAISED = str.maketrans("0123456789+-−–=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾")
_RAISED_TEXT = re.compile(r"[0-9+\-−–=(),\s]*[0-9][0-9+\-−–=(),\s]*")


def raised_text(text: str) -> str:
    """A superscript in characters of its own, like ¹ and ⁻², if it is a number; as long as it was, or as it was."""
    return text.translate(_RAISED) if _RAISED_TEXT.fullmatch(text) else text


def with_superscripts(block: Block) -> str:
    """The text of a block, its marks of notes and powers as superscripts: `passengers¹`, `10⁻²`."""
    text = block.text
    for span in block.spans:
        if span.superscript:
            text = text[: span.start] + raised_text(text[span.start : span.end]) + text[span.end :]
    return text


def runs(block: Block, *, skip: int = 0) -> list[TextRun]:
    """The text of a block as runs, without its first `skip` characters. Spans may overlap and cross."""
    text = block.text
    if not block.spans:
        flowed = flow(text[skip:])
        return [TextRun(flowed)] if flowed else []
    pieces = _flowed_characters(text)
    edges = {skip, len(text)}
    for span in block.spans:
        edges.update(edge for edge in (span.start, span.end) if skip < edge < len(text))
    for span in block.spans:
        if span.latex:  # a formula is one run, whatever is inside it
            edges.difference_update(range(span.start + 1, span.end))
    cut = []
    for start, end in pairwise(sorted(edges)):
        over = [span for span in block.spans if span.start <= start and end <= span.end]
        run = TextRun(
            "".join(pieces[start:end]),
            bold=any(span.bold for span in over),
            italic=any(span.italic for span in over),
            superscript=any(span.superscript for span in over),
            subscript=any(span.subscript for span in over),
            code=any(span.code for span in over),
            link=next((safe_link(span.link) for span in over if span.link), None),
            latex=next((span.latex for span in over if span.latex), None),
        )
        if run.text:
            cut.append(run)
    return _trimmed(merged(cut))


def _flowed_characters(text: str) -> Sequence[str]:
    """The characters of `text`, each at its position, with line breaks replaced as in `flow`."""
    flowed = _BREAK.sub(_space, text)
    if len(flowed) == len(text):  # every break became one space: no position has changed
        return flowed
    pieces = list(text)
    for match in _BREAK.finditer(text):
        pieces[match.start() : match.end()] = [_space(match), *[""] * (match.end() - match.start() - 1)]
    return pieces


def merged(cut: list[TextRun]) -> list[TextRun]:
    """Join adjacent runs of the same style; white space between them keeps the style, elsewhere it has none."""
    joined: list[TextRun] = []
    for position, run in enumerate(cut):
        current = _space_run(run, joined[-1:], cut[position + 1 : position + 2]) if run.text.isspace() else run
        if joined and joined[-1][1:] == current[1:] and not current.latex:
            joined[-1] = current._replace(text=joined[-1].text + current.text)
        else:
            joined.append(current)
    return joined


def _space_run(run: TextRun, before: list[TextRun], after: list[TextRun]) -> TextRun:
    if not before or not after:
        return TextRun(run.text)
    if before[0][1:] == after[0][1:] and not before[0].latex:
        return before[0]._replace(text=run.text)
    return TextRun(run.text, link=before[0].link if before[0].link == after[0].link else None)


def _trimmed(listed: list[TextRun]) -> list[TextRun]:
    """Without white space at both ends."""
    if listed:
        listed[0] = listed[0]._replace(text=listed[0].text.lstrip())
        listed[-1] = listed[-1]._replace(text=listed[-1].text.rstrip())
    kept = [run for run in listed if run.text]
    return kept if len(kept) == len(listed) else _trimmed(kept)


def safe_link(link: str | None) -> str | None:
    """The link, if it is safe to follow: no scripts, no data, no files."""
    if not link:
        return None
    link = re.sub(r"[\x00-\x20\x7f]+", lambda m: "%20" if m.group() == " " else "", link.strip())
    if _LINK.match(link):
        return link
    return None if not link or _OTHER_SCHEME.match(link) or link.startswith("//") else link


def uniform(listed: list[TextRun]) -> TextRun | None:
    """The style of the whole text, when it is uniform and not plain."""
    return listed[0] if len(listed) == 1 and not listed[0].is_plain and not listed[0].latex else None
